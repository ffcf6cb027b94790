/**
 * Terms of the search index and the expressions that find them. A word of one or two letters is one term. Longer
 * words are found in one of two ways:
 *
 * - by all their pairs, at any position (`textTerms`, `matchExpression`): candidates, whose texts are then compared
 *   letter by letter. For programmes: their index is small and quickly written, and a page ends the search.
 * - by the phrase of their pairs (`orderedTerms`, `phraseExpression`): exact. For recordings, where lists need the
 *   number of all hits: comparing 25,000 texts takes 30 ms, the phrase 5 ms.
 */

const LETTER = /[a-z0-9]/;
/** The tokenizer treats ASCII signs as separators: they are mapped to private characters. */
const PRIVATE = 0xe000;

function termLetter(character: string): string {
  const unit = character.charCodeAt(0);
  return unit < 0x80 && !LETTER.test(character) ? String.fromCharCode(PRIVATE + unit) : character;
}

/** Terms of a text in normal form: every letter and every pair of adjacent letters, each once. */
export function textTerms(text: string): string {
  const terms = new Set<string>();
  let before = '';
  for (const character of text) {
    if (character === ' ' || character === '\n') {
      before = '';
      continue;
    }
    const letter = termLetter(character);
    terms.add(letter);
    if (before !== '') terms.add(before + letter);
    before = letter;
  }
  return [...terms].join(' ');
}

/** Separates pairs that are not adjacent. Not a term: terms have one or two letters. */
const GAP = String.fromCharCode(PRIVATE + 0x20).repeat(3);

/**
 * Every letter of a text in normal form once, and its pairs in order, with their positions. The letters come first:
 * an entry of the index is shorter if its position is small.
 */
export function orderedTerms(text: string): string {
  const pairs: string[] = [];
  const letters = new Set<string>();
  let before = '';
  for (const character of text) {
    if (character === ' ' || character === '\n') {
      if (before !== '') pairs.push(GAP);
      before = '';
      continue;
    }
    const letter = termLetter(character);
    letters.add(letter);
    if (before !== '') pairs.push(before + letter);
    before = letter;
  }
  return [...letters, ...pairs].join(' ');
}

/** FTS5 expression of texts with `orderedTerms` that contain every word. @param words at least one */
export function phraseExpression(words: readonly string[]): string {
  const phrases = words.map((word) => {
    const letters = Array.from(word, termLetter);
    const pairs = letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
    return `"${(pairs.length === 0 ? letters : pairs).join(' ')}"`;
  });
  return phrases.join(' AND ');
}

/** Number of posting lists that are merged: 0.1 µs per entry, of a common pair some 15,000 in 60,000 documents. */
const MAX_TERMS = 8;
/** Hiragana and signs occur in nearly every text. */
const COMMON = /[\p{Script=Hiragana}\p{P}\p{S}\p{Co}]/gu;

function commonLetters(term: string): number {
  return term.match(COMMON)?.length ?? 0;
}

interface Match {
  /** FTS5 expression of terms that a document with the words must contain. */
  readonly match: string;
  /** Whether it has every term of the words, or only those with the shortest expected lists. */
  readonly complete: boolean;
}

/** @param words at least one */
export function matchExpression(words: readonly string[]): Match {
  const terms = new Set<string>();
  for (const word of words) {
    const letters = Array.from(word, termLetter);
    if (letters.length === 1) terms.add(letters[0] ?? '');
    for (let at = 0; at + 1 < letters.length; at++) terms.add(`${letters[at]}${letters[at + 1]}`);
  }
  // Pairs are rarer than single letters.
  const rarest = [...terms].sort((a, b) => commonLetters(a) - commonLetters(b) || b.length - a.length);
  const taken = rarest.slice(0, MAX_TERMS);
  return { match: taken.map((term) => `"${term}"`).join(' AND '), complete: taken.length === terms.size };
}

/** Whether the index alone cannot decide that a word is contained. */
export function needsComparing(word: string): boolean {
  // More than two code units may still be two letters: then the comparison is merely unnecessary.
  return word.length > 2;
}
