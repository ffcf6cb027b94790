/** The part of a text that a search matched, so that a result whose name lacks the words shows why it was found. */
import { matchText } from './search-text.ts';

interface SearchExcerpt {
  /** Heading of the extended text; empty for the description. */
  heading: string;
  text: string;
}

/** Code points before the first match, and in all: two lines on a phone. */
const LEAD = 12;
const LONGEST = 64;

/** Code points up to the end of the first occurrence; 0 if there is none. By bisection: forms differ in length. */
function endOf(letters: readonly string[], word: string): number {
  const isIn = (end: number): boolean => matchText(letters.slice(0, end).join('')).includes(word);
  if (!isIn(letters.length)) return 0;
  let [without, within] = [0, letters.length];
  while (within - without > 1) {
    const middle = (without + within) >> 1;
    if (isIn(middle)) within = middle;
    else without = middle;
  }
  return within;
}

/**
 * @param texts heading and body, in the order of preference
 * @param words in normal form
 * @returns undefined if the name has all words, or none of the texts has one that the name lacks
 */
export function searchExcerpt(
  name: string,
  texts: Iterable<readonly [heading: string, body: string]>,
  words: readonly string[],
): SearchExcerpt | undefined {
  const title = matchText(name);
  const missing = words.filter((word) => !title.includes(word));
  if (missing.length === 0) return undefined;
  let best: { heading: string; body: string; found: string[] } | undefined;
  for (const [heading, body] of texts) {
    const text = matchText(`${heading}\n${body}`);
    const found = missing.filter((word) => text.includes(word));
    if (found.length > (best?.found.length ?? 0)) best = { heading, body, found };
  }
  if (best === undefined) return undefined;
  const letters = Array.from(best.body.replace(/\s+/gu, ' ').trim());
  const places = best.found.flatMap((word) => {
    const end = endOf(letters, word);
    return end === 0 ? [] : [Math.max(0, end - Array.from(word).length)];
  });
  const start = Math.max(0, Math.min(...places) - LEAD);
  const from = places.length === 0 || start <= 2 ? 0 : start;
  const text = letters.slice(from, from + LONGEST).join('');
  const isCut = from + LONGEST < letters.length;
  return { heading: best.heading, text: `${from > 0 ? '…' : ''}${text}${isCut ? '…' : ''}` };
}
