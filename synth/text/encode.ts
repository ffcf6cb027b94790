/**
 * Unicode to the 8-unit code as used in SI: ARIB STD-B24 vol. 1 part 2, 7.1 with the initial state of ARIB
 * STD-B10 Part 2, Annex A (G0 Kanji, G1 alphanumeric, G2 hiragana, G3 katakana; GL = G0, GR = G2; normal
 * size). Kanji, full-width letters and marks use GL, hiragana GR, runs of katakana a locking shift, ASCII
 * another at middle size.
 */
import { hiraganaCode, kanjiCode, katakanaCode, narrowAlphanumericCode } from './tables.ts';

type LeftSet = 'kanji' | 'alphanumeric' | 'katakana';

/** LS0, LS1 and LS3 (ESC 6F). */
const LOCKING_SHIFT: Record<LeftSet, readonly number[]> = {
  kanji: [0x0f],
  alphanumeric: [0x0e],
  katakana: [0x1b, 0x6f],
};
const APR = 0x0d;
const SPACE = 0x20;
const MIDDLE_SIZE = 0x89;
const NORMAL_SIZE = 0x8a;
/** Shorter runs of katakana take fewer bytes in the Kanji set than by shifting back and forth. */
const KATAKANA_RUN = 4;

class Encoder {
  readonly bytes: number[] = [];
  #left: LeftSet = 'kanji';
  #narrow = false;

  #shift(to: LeftSet): void {
    if (this.#left === to) return;
    this.bytes.push(...LOCKING_SHIFT[to]);
    this.#left = to;
  }

  #size(narrow: boolean): void {
    if (this.#narrow === narrow) return;
    this.bytes.push(narrow ? MIDDLE_SIZE : NORMAL_SIZE);
    this.#narrow = narrow;
  }

  #single(set: 'alphanumeric' | 'katakana', narrow: boolean, code: number): void {
    this.#size(narrow);
    this.#shift(set);
    this.bytes.push(code);
  }

  #kanji(code: number): void {
    this.#size(false);
    this.#shift('kanji');
    this.bytes.push((code >> 8) + 0x20, (code & 0xff) + 0x20);
  }

  /** @returns false if no set contains the character */
  put(characters: readonly string[], at: number): boolean {
    const character = characters[at] ?? '';
    if (character === '\n') {
      this.bytes.push(APR);
      return true;
    }
    if (character === '　' || character === ' ') {
      // Its width is that of the size and set of the text around it.
      this.#size(character === ' ');
      this.#shift(character === ' ' ? 'alphanumeric' : 'kanji');
      this.bytes.push(SPACE);
      return true;
    }
    const narrow = narrowAlphanumericCode(character);
    if (narrow !== undefined) {
      this.#single('alphanumeric', true, narrow);
      return true;
    }
    const hiragana = hiraganaCode(character);
    if (hiragana !== undefined && !(this.#left === 'katakana' && katakanaCode(character) !== undefined)) {
      this.#size(false);
      this.bytes.push(hiragana | 0x80);
      return true;
    }
    const katakana = katakanaCode(character);
    if (katakana !== undefined && (this.#left === 'katakana' || startsKatakana(characters, at))) {
      this.#single('katakana', false, katakana);
      return true;
    }
    const kanji = kanjiCode(character);
    if (kanji === undefined) return false;
    this.#kanji(kanji);
    return true;
  }
}

function startsKatakana(characters: readonly string[], from: number): boolean {
  let count = 0;
  while (count < KATAKANA_RUN && katakanaCode(characters[from + count] ?? '\0') !== undefined) count += 1;
  return count === KATAKANA_RUN;
}

/** The texts of eight days of a network's guide, about 10 MB. */
const MEMORY_LIMIT = 32_768;
const memory = new Map<string, Uint8Array>();

/**
 * The text as one string field. The latest results are cached, because the same texts are encoded repeatedly.
 * @throws RangeError naming a character that broadcasts cannot carry
 */
export function encodeText(text: string): Uint8Array {
  const known = memory.get(text);
  if (known !== undefined) return known;
  const characters = [...text];
  const encoder = new Encoder();
  for (let at = 0; at < characters.length; at += 1) {
    if (encoder.put(characters, at)) continue;
    const character = characters[at] ?? '';
    throw new RangeError(
      `no broadcast code for "${character}" (U+${character.codePointAt(0)?.toString(16)})`,
    );
  }
  const bytes = Uint8Array.from(encoder.bytes);
  if (memory.size >= MEMORY_LIMIT) memory.clear();
  memory.set(text, bytes);
  return bytes;
}

/** The longest beginning of a text whose code has at most `limit` bytes. */
export function fitText(text: string, limit: number): string {
  if (encodeText(text).length <= limit) return text;
  const characters = [...text];
  const fits = (count: number) => encodeText(characters.slice(0, count).join('')).length <= limit;
  let count = 0;
  let beyond = Math.min(characters.length, limit + 1);
  while (beyond - count > 1) {
    const middle = (count + beyond) >> 1;
    if (fits(middle)) count = middle;
    else beyond = middle;
  }
  return characters.slice(0, count).join('');
}
