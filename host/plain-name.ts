/**
 * Names that people give: without control characters, those that turn the direction of writing (Unicode UAX #9), and
 * halves of surrogate pairs. A name with them can look like another one, on a screen, in a log and as a file.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

export function plainName(name: string): string {
  return name
    .replace(/[\t\r\n]+/g, ' ')
    .replace(UNSEEN, '')
    .trim();
}
