/**
 * Character codes of documents: EUC-JP with the additional symbols of broadcasting (ARIB STD-B24 Vol. 2 Appendix 2,
 * 2.1), Shift_JIS and UTF-8 to strings.
 *
 * A two-octet code is always one UTF-16 unit, because scripts count characters by code. Codes without a Unicode
 * character of one unit (empty cells, which DRCS fill; symbols such as ㎝³) get a unit of the private use area.
 */
import { characterText, KANJI_SET, UNDEFINED_CHARACTER } from '../../../lib/arib/text/character-set.ts';

const CELLS = 94;
const FIRST_OCTET = 0xa1;
const LAST_OCTET = 0xfe;
const FIRST_PRIVATE = 0xe000;
const REPLACEMENT = '\ufffd';

interface CodeTable {
  /** UTF-16 unit by (row - 1) * 94 + cell - 1. */
  readonly units: Uint16Array;
  /** EUC-JP code by unit; the first of equal characters. */
  readonly codes: ReadonlyMap<number, number>;
  /** What is drawn for a unit of the private use area; none for an empty cell. */
  readonly texts: ReadonlyMap<number, string>;
}

let known: CodeTable | undefined;

/** Built once, with the first document. */
function table(): CodeTable {
  if (known !== undefined) return known;
  const units = new Uint16Array(CELLS * CELLS);
  const codes = new Map<number, number>();
  const texts = new Map<number, string>();
  let nextPrivate = FIRST_PRIVATE;
  for (const [index, value] of KANJI_SET.values.entries()) {
    const text = characterText(value);
    let unit = text.charCodeAt(0);
    if (value === UNDEFINED_CHARACTER || text.length > 1) {
      unit = nextPrivate++;
      if (value !== UNDEFINED_CHARACTER) texts.set(unit, text);
    }
    units[index] = unit;
    if (!codes.has(unit)) codes.set(unit, eucOf(index));
  }
  known = { units, codes, texts };
  return known;
}

function eucOf(index: number): number {
  return ((Math.floor(index / CELLS) + FIRST_OCTET) << 8) | ((index % CELLS) + FIRST_OCTET);
}

/** The string of one character of an EUC-JP code of one or two octets; U+FFFD if it is none. */
export function characterOfCode(code: number): string {
  if (code >= 0 && code < 0x80) return String.fromCharCode(code);
  const [row, cell] = [(code >> 8) - FIRST_OCTET, (code & 0xff) - FIRST_OCTET];
  if (row < 0 || row >= CELLS || cell < 0 || cell >= CELLS) return REPLACEMENT;
  return String.fromCharCode(table().units[row * CELLS + cell] ?? UNDEFINED_CHARACTER);
}

/** EUC-JP code of a UTF-16 unit: 0xA4A2 for あ. Undefined: EUC-JP has no such character. */
export function codeOfCharacter(unit: number): number | undefined {
  return unit < 0x80 ? unit : table().codes.get(unit);
}

/** What a font draws for a unit of a document; empty for a code that only a DRCS glyph gives a shape. */
export function drawnText(unit: number): string {
  if (unit >= FIRST_PRIVATE && unit < 0xf900) return table().texts.get(unit) ?? '';
  return String.fromCharCode(unit);
}

/** EUC-JP; a character that it does not have is 〓. */
export function encodeEucJp(text: string): Uint8Array {
  const octets: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const code = codeOfCharacter(text.charCodeAt(index)) ?? 0xa2ae;
    if (code > 0xff) octets.push(code >> 8, code & 0xff);
    else octets.push(code);
  }
  return Uint8Array.from(octets);
}

const isTrail = (octet: number | undefined): octet is number =>
  octet !== undefined && octet >= FIRST_OCTET && octet <= LAST_OCTET;

/** Strings are joined in parts: `fromCharCode` takes a limited number of arguments. */
const PART = 8192;

class Output {
  readonly #units = new Uint16Array(PART);
  #length = 0;
  #text = '';

  push(unit: number): void {
    if (this.#length === PART) this.#flush();
    this.#units[this.#length++] = unit;
  }

  #flush(): void {
    this.#text += String.fromCharCode(...this.#units.subarray(0, this.#length));
    this.#length = 0;
  }

  end(): string {
    this.#flush();
    return this.#text;
  }
}

/**
 * Half-width katakana (0x8E) and the supplementary set (0x8F) are not in operation: each is one U+FFFD. A lead octet
 * before an ASCII octet keeps the latter, so that damaged text does not swallow a `<`.
 */
function decodeEucJp(bytes: Uint8Array): string {
  const output = new Output();
  const { units } = table();
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at] ?? 0;
    if (first < 0x80) {
      output.push(first);
      continue;
    }
    const second = bytes[at + 1];
    if (first === 0x8e || first === 0x8f) {
      output.push(UNDEFINED_CHARACTER);
      for (let skip = first - 0x8d; skip > 0 && isTrail(bytes[at + 1]); skip--) at++;
    } else if (isTrail(first) && isTrail(second)) {
      output.push(units[(first - FIRST_OCTET) * CELLS + second - FIRST_OCTET] ?? UNDEFINED_CHARACTER);
      at++;
    } else {
      output.push(UNDEFINED_CHARACTER);
      if (second !== undefined && second >= 0x80) at++;
    }
  }
  return output.end();
}

/** JIS X 0208 shifted; half-width katakana are U+FF61 to U+FF9F. */
function decodeShiftJis(bytes: Uint8Array): string {
  const output = new Output();
  const { units } = table();
  for (let at = 0; at < bytes.length; at++) {
    const first = bytes[at] ?? 0;
    const second = bytes[at + 1] ?? 0;
    if (first < 0x80) output.push(first);
    else if (first > 0xa0 && first < 0xe0) output.push(first - 0xa0 + 0xff60);
    else if (second < 0x40 || second === 0x7f || second > 0xfc || first === 0x80 || first > 0xef) {
      output.push(UNDEFINED_CHARACTER);
    } else {
      const pair = (first < 0xa0 ? first - 0x81 : first - 0xc1) * 2 * CELLS;
      const cell = second - (second > 0x7f ? 0x41 : 0x40);
      output.push(units[pair + cell] ?? UNDEFINED_CHARACTER);
      at++;
    }
  }
  return output.end();
}

/** The declaration of a document or style sheet is in its first octets. */
const DECLARATION_LENGTH = 256;
const DECLARED = /^\s*(?:<\?xml[^>]*?\bencoding\s*=\s*["']?|@charset\s+["'])([\w.:-]+)/i;

const UTF_8 = /^utf-?8$/i;
const SHIFT_JIS = /^(?:shift|x-sjis|sjis|windows-31j|cp932)/i;
const EUC = /^(?:x-)?euc-?jp$/i;
const isKnown = (charset: string): boolean => [UTF_8, SHIFT_JIS, EUC].some((one) => one.test(charset));

/**
 * Name of the character set of a resource. Web servers that were never set up for documents send a Western one.

 * @param charset given by who refers to it or by its Content-Type
 * @param fallback of the document that refers to it
 */
export function characterSetOf(bytes: Uint8Array, charset: string | undefined, fallback = 'euc-jp'): string {
  const start = String.fromCharCode(...bytes.subarray(0, DECLARATION_LENGTH));
  return start.startsWith('\xef\xbb\xbf')
    ? 'utf-8'
    : ([charset, DECLARED.exec(start)?.[1]].find((name) => name !== undefined && isKnown(name)) ?? fallback);
}

/** Text of a resource of a document. Parameters as of `characterSetOf`. */
export function decodeCharacters(bytes: Uint8Array, charset?: string, fallback?: string): string {
  const name = characterSetOf(bytes, charset, fallback);
  if (UTF_8.test(name)) return new TextDecoder().decode(bytes);
  return SHIFT_JIS.test(name) ? decodeShiftJis(bytes) : decodeEucJp(bytes);
}
