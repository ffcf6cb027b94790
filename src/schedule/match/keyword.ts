/** The words of a rule: `a b` both, `"a b"` as a phrase, `-a` excluded, `a|b` either. */
import { matchText } from '../../model/search-text.ts';

export interface Words {
  /** At least one word of each list must be found. In normal form. */
  readonly wanted: readonly (readonly string[])[];
  /** A text that contains all words of one of these lists is excluded. */
  readonly unwanted: readonly (readonly string[])[];
}

/** Operators, in full or half width. */
const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[＂“”〝〟]/g, '"'],
  [/｜/g, '|'],
  [/\u3000/g, ' '],
];
/** Exclusion operator, only at the beginning of a word; not the prolonged sound mark of kana. */
const WITHOUT = /^[-－−‐]/u;
/** A phrase, or a run without blank, bar or quotation mark; with its separators. */
const TOKEN = /"([^"]*)"?|([^\s"|]+)|(\|)|(\s+)/gu;

interface Option {
  text: string;
  /** Split at quotation marks within the word: titles such as `夜明け“挑戦”` are copied with them. */
  pieces: readonly string[];
  without: boolean;
}

/** Groups of options: bars join words to a group, blanks separate groups. */
function groups(keyword: string): Option[][] {
  const found: Option[][] = [];
  let open: Option[] = [];
  let piece = '';
  const endPiece = (): void => {
    if (piece !== '') {
      const without = WITHOUT.test(piece) && piece.length > 1;
      const bare = without ? piece.slice(1) : piece;
      const text = matchText(bare.replaceAll('\0', ''));
      const pieces = bare.split('\0').map(matchText);
      if (text !== '') open.push({ text, pieces: pieces.filter((one) => one !== ''), without });
    }
    piece = '';
  };
  const endGroup = (): void => {
    endPiece();
    if (open.length > 0) found.push(open);
    open = [];
  };
  for (const [, phrase, run, bar] of keyword.matchAll(TOKEN)) {
    // Operators are literal inside quotation marks.
    if (phrase !== undefined) piece += `\0${phrase}\0`;
    else if (run !== undefined) piece += run;
    else if (bar !== undefined) endPiece();
    else endGroup();
  }
  endGroup();
  return found;
}

/** Blanks beside a bar are ignored: `a | b` equals `a|b`. */
function groupsOf(keyword: string): Option[][] {
  let text = keyword.toWellFormed().replaceAll('\0', ' ');
  for (const [sign, plain] of SIGNS) text = text.replace(sign, plain);
  return groups(outsideQuotes(text, (part) => part.replace(/\s*\|\s*/g, '|')));
}

/** Every word is excluded, with or without an exclusion operator. */
export function readExclusion(keyword: string): Words['unwanted'] {
  return groupsOf(keyword).flatMap((options) => options.map(({ pieces }) => pieces));
}

export function readKeyword(keyword: string): Words {
  const wanted: string[][] = [];
  const unwanted: (readonly string[])[] = [];
  for (const options of groupsOf(keyword)) {
    // In `-a|b` the operator applies to the whole group.
    const [first, ...others] = options;
    if (first?.without === true) unwanted.push(...options.map(({ pieces }) => pieces));
    else if (first !== undefined && others.length === 0) wanted.push(...first.pieces.map((one) => [one]));
    else wanted.push(options.map((option) => option.text));
  }
  return { wanted, unwanted };
}

function outsideQuotes(text: string, change: (part: string) => string): string {
  return text
    .split('"')
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('"');
}
