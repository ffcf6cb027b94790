/**
 * Names given by users, without control characters, bidirectional controls (Unicode UAX #9), and unpaired surrogates.
 * With them a name can look like another one, on a screen, in a log and as a file.
 */
const UNSEEN = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

export function plainName(name: string): string {
  return name
    .replace(/[\t\r\n]+/g, ' ')
    .replace(UNSEEN, '')
    .trim();
}
