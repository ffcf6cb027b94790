/**
 * Code tables of the 8-unit code, from character to code: ARIB STD-B24 vol. 1 part 2, 7.1. For writing only:
 * one code per character, and only those that broadcasters use in SI text.
 */

/** Two-byte set "Kanji": JIS X 0208 rows and cells as `row << 8 | cell`, plus the marks of row 90. */
type CodeOf = ReadonlyMap<string, number>;

const ROWS = 84;
const CELLS = 94;
/** Rows that are empty in JIS X 0208 and used by some computer vendors. */
const EMPTY_ROWS = { from: 9, to: 15 };

/** Marks of programme titles, ARIB STD-B24 vol. 1 part 2, table 7-10 (row 90), from cell 48 on. */
const TITLE_MARK_FIRST_CELL = 48;
const TITLE_MARKS = '🅊🅌🄿🅆🅋🈐🈑🈒🈓🅂🈔🈕🈖🅍🄱🄽⬛⬤🈗🈘🈙🈚🈛⚿🈜🈝🈞🈟🈠🈡🈢🈣🈤🈥🅎㊙🈀';

let kanji: CodeOf | undefined;

/** JIS X 0208 according to the runtime's EUC-JP decoder, inverted (about 2 ms, built once). */
function buildKanji(): CodeOf {
  const bytes = new Uint8Array(ROWS * CELLS * 2);
  let at = 0;
  for (let row = 1; row <= ROWS; row++) {
    for (let cell = 1; cell <= CELLS; cell++) {
      bytes[at++] = 0xa0 + row;
      bytes[at++] = 0xa0 + cell;
    }
  }
  const codes = new Map<string, number>();
  let index = 0;
  for (const character of new TextDecoder('euc-jp').decode(bytes)) {
    const row = Math.floor(index / CELLS) + 1;
    const cell = (index % CELLS) + 1;
    index += 1;
    const empty = row >= EMPTY_ROWS.from && row <= EMPTY_ROWS.to;
    if (!empty && character !== '\ufffd' && !codes.has(character)) codes.set(character, (row << 8) | cell);
  }
  // 1-33 is WAVE DASH in JIS X 0208 itself; the decoder returns the vendor's full-width tilde.
  codes.set('\u301c', (1 << 8) | 33);
  let mark = TITLE_MARK_FIRST_CELL;
  for (const character of TITLE_MARKS) codes.set(character, (90 << 8) | mark++);
  return codes;
}

/** `row << 8 | cell` of the Kanji set. */
export function kanjiCode(character: string): number | undefined {
  kanji ??= buildKanji();
  return kanji.get(character);
}

/** Symbols at the end of both kana sets, 0x77..0x7E; the first two differ. */
const KANA_TAIL = 'ー。「」、・';
const KANA_TAIL_FIRST = 0x79;

/** Code 0x21..0x7E of the hiragana set. */
export function hiraganaCode(character: string): number | undefined {
  const unit = character.charCodeAt(0);
  if (unit >= 0x3041 && unit <= 0x3093) return unit - 0x3041 + 0x21;
  const tail = KANA_TAIL.indexOf(character);
  return tail < 0 ? undefined : KANA_TAIL_FIRST + tail;
}

/** Code 0x21..0x7E of the katakana set. */
export function katakanaCode(character: string): number | undefined {
  const unit = character.charCodeAt(0);
  if (unit >= 0x30a1 && unit <= 0x30f6) return unit - 0x30a1 + 0x21;
  const tail = KANA_TAIL.indexOf(character);
  return tail < 0 ? undefined : KANA_TAIL_FIRST + tail;
}

/** Code 0x21..0x7E of the alphanumeric set for an ASCII character, which is shown at middle size. */
export function narrowAlphanumericCode(character: string): number | undefined {
  const unit = character.charCodeAt(0);
  if (unit < 0x21 || unit > 0x7d || unit === 0x5c) return undefined;
  return unit;
}
