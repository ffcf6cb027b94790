/**
 * The graphic sets of the 8-unit code: the set of each designation, and the Unicode text of each code. ARIB STD-B24
 * Vol. 1 Part 2, 7.1 (table 7-3: classification and final bytes).
 *
 * A code's Unicode text is stored as one number, so that a decoder handles no strings: a value below 0x110000 is a
 * code point, one above represents a short text (`characterText` converts both). The result does not depend on the
 * character size: the alphanumeric set gives ASCII (with ¥ and ‾ at their JIS X 0201 positions), JIS X 0201 katakana
 * the half-width forms in Unicode, kanji and kana full width.
 */
import { ADDITIONAL_ROWS } from './additional-symbols.ts';
import { PLANE_1_PAIRS, PLANE_1_ROWS, PLANE_2_ROWS } from './jis-x-0213.ts';

type SetName =
  | 'kanji'
  | 'alphanumeric'
  | 'hiragana'
  | 'katakana'
  | 'mosaic'
  | 'jis-x-0201-katakana'
  | 'plane-1'
  | 'plane-2'
  | 'additional-symbols'
  | 'drcs'
  | 'macro'
  | 'unknown';

export interface GraphicSet {
  readonly name: SetName;
  /** Final byte of the designation: distinguishes mosaic A to D (from 0x32), DRCS-0 to 15 (from 0x40) and proportional sets. */
  readonly final: number;
  /** Octets of one character. */
  readonly octets: 1 | 2;
  /** Value by code: `code - 0x21`, or `(row - 1) * 94 + cell - 1`. */
  readonly values: Int32Array;
}

const CELLS = 94;
/** First code of a 94-code set, row and cell numbers start above 0x20. */
export const FIRST_CODE = 0x21;
const FIRST_TEXT_VALUE = 0x110000;

/** Result for an undefined code or an undefined set. */
export const UNDEFINED_CHARACTER = 0xfffd;
/** 〓 (geta mark): a character drawn by the broadcaster; only its bitmap is known. */
export const DRCS_CHARACTER = 0x3013;
/**
 * ▒ (medium shade): an element of a block picture. The mosaic sets are not in operation (ARIB TR-B14, TR-B15) and
 * their shapes are not suitable in text; a client that draws them gets the set and the code.
 */
const MOSAIC_CHARACTER = 0x2592;

const texts: string[] = [];

/** The Unicode text of a value. */
export function characterText(value: number): string {
  return value < FIRST_TEXT_VALUE ? String.fromCodePoint(value) : (texts[value - FIRST_TEXT_VALUE] ?? '');
}

function toValue(text: string): number {
  const first = text.codePointAt(0) ?? UNDEFINED_CHARACTER;
  if (text.length === (first > 0xffff ? 2 : 1)) return first;
  texts.push(text);
  return FIRST_TEXT_VALUE + texts.length - 1;
}

function filled(length: number, value = UNDEFINED_CHARACTER): Int32Array {
  return new Int32Array(length).fill(value);
}

function cellIndex(row: number, cell: number): number {
  return (row - 1) * CELLS + cell - 1;
}

function fillRows(values: Int32Array, rows: readonly (readonly [number, string])[]): void {
  for (const [row, cells] of rows) {
    let index = cellIndex(row, 1);
    for (const character of cells) {
      if (character !== ' ') values[index] = toValue(character);
      index++;
    }
  }
}

function plane1(): Int32Array {
  const values = filled(CELLS * CELLS);
  fillRows(values, PLANE_1_ROWS);
  for (const [row, cell, text] of PLANE_1_PAIRS) values[cellIndex(row, cell)] = toValue(text);
  return values;
}

function plane2(): Int32Array {
  const values = filled(CELLS * CELLS);
  fillRows(values, PLANE_2_ROWS);
  return values;
}

function additionalSymbols(): Int32Array {
  const values = filled(CELLS * CELLS);
  for (const [row, lines] of ADDITIONAL_ROWS) {
    let index = cellIndex(row, 1);
    for (const text of lines.join(' ').split(' ')) {
      if (text !== '.') values[index] = toValue(text);
      index++;
    }
  }
  return values;
}

/**
 * Rows 1 to 84 are JIS X 0208, rows 85 to 94 those of broadcasting. Cells that are empty in JIS X 0208 are read as
 * JIS X 0213, the only plausible meaning.
 */
function kanji(plane: Int32Array, additional: Int32Array): Int32Array {
  const values = additional.slice();
  values.set(plane.subarray(0, cellIndex(85, 1)));
  return values;
}

/** 94 codes: `runs` of consecutive code points from a code on. */
function singleOctet(runs: readonly (readonly [code: number, text: string])[]): Int32Array {
  const values = filled(CELLS);
  for (const [code, text] of runs) {
    let index = code - FIRST_CODE;
    for (const character of text) values[index++] = toValue(character);
  }
  return values;
}

function codePoints(first: number, last: number): string {
  return String.fromCodePoint(...Array.from({ length: last - first + 1 }, (_, index) => first + index));
}

/** Codes 0x79 to 0x7E of both kana sets. */
const KANA_SIGNS = 'ー。「」、・';

const alphanumeric = once(() =>
  singleOctet([
    [0x21, codePoints(0x21, 0x7e)],
    [0x5c, '¥'],
    [0x7e, '‾'],
  ]),
);
const hiragana = once(() =>
  singleOctet([
    [0x21, codePoints(0x3041, 0x3093)],
    [0x77, `ゝゞ${KANA_SIGNS}`],
  ]),
);
const katakana = once(() =>
  singleOctet([
    [0x21, codePoints(0x30a1, 0x30f6)],
    [0x77, `ヽヾ${KANA_SIGNS}`],
  ]),
);
const jisX0201Katakana = once(() => singleOctet([[0x21, codePoints(0xff61, 0xff9f)]]));
const plane1Values = once(plane1);
const additionalValues = once(additionalSymbols);
const mosaic = once(() => filled(CELLS, MOSAIC_CHARACTER));
const drcs = once(() => filled(CELLS, DRCS_CHARACTER));

/** Tables are created on first use: most programs never need most sets. */
function once(make: () => Int32Array): () => Int32Array {
  let values: Int32Array | undefined;
  return () => {
    values ??= make();
    return values;
  };
}

class TableSet implements GraphicSet {
  #values: Int32Array | undefined;

  constructor(
    readonly name: SetName,
    readonly final: number,
    readonly octets: 1 | 2,
    private readonly make: () => Int32Array,
  ) {}

  get values(): Int32Array {
    this.#values ??= this.make();
    return this.#values;
  }
}

export const KANJI_SET: GraphicSet = new TableSet('kanji', 0x42, 2, () =>
  kanji(plane1Values(), additionalValues()),
);
export const ALPHANUMERIC_SET: GraphicSet = new TableSet('alphanumeric', 0x4a, 1, alphanumeric);
export const HIRAGANA_SET: GraphicSet = new TableSet('hiragana', 0x30, 1, hiragana);
export const KATAKANA_SET: GraphicSet = new TableSet('katakana', 0x31, 1, katakana);
export const MACRO_SET: GraphicSet = new TableSet('macro', 0x70, 1, () => filled(CELLS));

/** Sets of one octet by final byte. */
const SINGLE: readonly GraphicSet[] = [
  ALPHANUMERIC_SET,
  HIRAGANA_SET,
  KATAKANA_SET,
  ...[0x32, 0x33, 0x34, 0x35].map((final) => new TableSet('mosaic', final, 1, mosaic)),
  new TableSet('alphanumeric', 0x36, 1, alphanumeric),
  new TableSet('hiragana', 0x37, 1, hiragana),
  new TableSet('katakana', 0x38, 1, katakana),
  new TableSet('jis-x-0201-katakana', 0x49, 1, jisX0201Katakana),
];
/** Sets of two octets by final byte. */
const DOUBLE: readonly GraphicSet[] = [
  KANJI_SET,
  new TableSet('plane-1', 0x39, 2, plane1Values),
  new TableSet('plane-2', 0x3a, 2, plane2),
  new TableSet('additional-symbols', 0x3b, 2, additionalValues),
];
/** Sets selected by designations with 0x20 before the final byte. */
const SINGLE_DRCS: readonly GraphicSet[] = [
  ...Array.from({ length: 15 }, (_, index) => new TableSet('drcs', 0x41 + index, 1, drcs)),
  MACRO_SET,
];
const DOUBLE_DRCS: readonly GraphicSet[] = [
  new TableSet('drcs', 0x40, 2, () => filled(CELLS * CELLS, DRCS_CHARACTER)),
];

/** An undefined set still has a known octet count per character, so the following text stays aligned. */
const UNKNOWN_SINGLE = new TableSet('unknown', 0, 1, () => filled(CELLS));
const UNKNOWN_DOUBLE = new TableSet('unknown', 0, 2, () => filled(CELLS * CELLS));

function byFinal(sets: readonly GraphicSet[], otherwise: GraphicSet): readonly GraphicSet[] {
  const table = new Array<GraphicSet>(0x80).fill(otherwise);
  for (const set of sets) table[set.final] = set;
  return table;
}

const SINGLE_BY_FINAL = byFinal(SINGLE, UNKNOWN_SINGLE);
const DOUBLE_BY_FINAL = byFinal(DOUBLE, UNKNOWN_DOUBLE);
const SINGLE_DRCS_BY_FINAL = byFinal(SINGLE_DRCS, UNKNOWN_SINGLE);
const DOUBLE_DRCS_BY_FINAL = byFinal(DOUBLE_DRCS, UNKNOWN_DOUBLE);

/**
 * The set that a designation selects; named 'unknown' if the standard defines none. ARIB STD-B24 Vol. 1 Part 2,
 * tables 7-2 and 7-3.
 */
export function designatedSet(final: number, octets: 1 | 2, drcs: boolean): GraphicSet {
  const sets = drcs
    ? octets === 1
      ? SINGLE_DRCS_BY_FINAL
      : DOUBLE_DRCS_BY_FINAL
    : octets === 1
      ? SINGLE_BY_FINAL
      : DOUBLE_BY_FINAL;
  return sets[final] ?? (octets === 1 ? UNKNOWN_SINGLE : UNKNOWN_DOUBLE);
}
