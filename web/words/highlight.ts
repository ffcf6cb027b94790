/** Finds the words of a query in a text like the service's search: ignores width and letter case. */

export interface Piece {
  readonly text: string;
  readonly hit: boolean;
}

const DASH = /[\u2010-\u2015\u2212]/gu;
const WAVE = /[\u301c\u3030]/gu;
const APOSTROPHE = /[\u2018\u2019\u201b\u02bc\u2032]/gu;

/** Without differences of width and letter case. */
export function fold(text: string): string {
  const plain = text.replaceAll('\u00b4', "'").normalize('NFKC').toLowerCase();
  return plain.replace(DASH, '-').replace(WAVE, '~').replace(APOSTROPHE, "'");
}

/** Half-width kana and their sound marks are one letter when folded; a letter may become several (㍿). */
const CLUSTER = /[\uff66-\uff9d][\uff9e\uff9f]?|[\s\S]/gu;

interface Folded {
  readonly text: string;
  /** For each folded code unit: where its letter begins and ends in the original. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

function foldedWithPlaces(original: string): Folded {
  let text = '';
  const from: number[] = [];
  const to: number[] = [];
  for (const match of original.matchAll(CLUSTER)) {
    const folded = fold(match[0]);
    for (let index = 0; index < folded.length; index += 1) {
      from.push(match.index);
      to.push(match.index + match[0].length);
    }
    text += folded;
  }
  return { text, from, to };
}

function queryWords(query: string): string[] {
  return [...new Set(fold(query).split(/\s+/u))].filter((word) => word !== '');
}

/** The text in pieces; put together they are the text. */
export function highlight(text: string, query: string): Piece[] {
  return highlightWords(text, queryWords(query));
}

/** The same for words that may have blanks in them. */
export function highlightWords(text: string, wanted: readonly string[]): Piece[] {
  const words = wanted.map(fold).filter((word) => word !== '');
  if (words.length === 0) return [{ text, hit: false }];
  const folded = foldedWithPlaces(text);
  const hits = new Uint8Array(text.length);
  for (const word of words) {
    for (let at = folded.text.indexOf(word); at >= 0; at = folded.text.indexOf(word, at + 1)) {
      const end = at + word.length - 1;
      hits.fill(1, folded.from[at] ?? 0, folded.to[end] ?? text.length);
    }
  }
  const pieces: Piece[] = [];
  for (let start = 0; start < text.length; ) {
    let end = start + 1;
    while (end < text.length && hits[end] === hits[start]) end += 1;
    pieces.push({ text: text.slice(start, end), hit: hits[start] === 1 });
    start = end;
  }
  return pieces;
}
