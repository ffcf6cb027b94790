/**
 * A text of the service information as a Unicode string.
 *
 * Sizes do not change the characters: the alphanumeric set gives ASCII whether it is shown full or half width, and
 * characters of the Kanji set are unchanged (including full-width letters). The width of SP depends on its
 * neighbours: U+0020 among alphanumerics and in the half-width sizes, U+3000 among kanji and kana. A line break (APR)
 * becomes a line feed; all other control functions are removed. DRCS characters become 〓, mosaics ▒, codes that no
 * set defines U+FFFD; see character-set.ts.
 */
import type { Reader } from '../reader.ts';
import { characterText } from './character-set.ts';
import { CONTROL } from './control-codes.ts';
import { EightUnitDecoder, type EightUnitSink } from './decoder.ts';
import { readPlainText } from './plain-text.ts';

const SPACE = 0x20;
const IDEOGRAPHIC_SPACE = 0x3000;
const LINE_FEED = 0x0a;
/** Code units per call of fromCharCode: arguments are passed on the stack. */
const CHUNK = 4096;

/** Collects UTF-16 code units. */
class TextSink implements EightUnitSink {
  readonly decoder = new EightUnitDecoder(this);
  readonly #units: number[] = [];
  #halfWidth = false;

  character(value: number): void {
    if (value < 0x10000) this.#units.push(value);
    else this.#pushText(characterText(value));
  }

  control(code: number): void {
    switch (code) {
      case CONTROL.SP:
        this.#units.push(this.#halfWidth || this.#amongAlphanumerics() ? SPACE : IDEOGRAPHIC_SPACE);
        break;
      case CONTROL.APR:
        this.#units.push(LINE_FEED);
        break;
      case CONTROL.SSZ:
      case CONTROL.MSZ:
        this.#halfWidth = true;
        break;
      case CONTROL.NSZ:
        this.#halfWidth = false;
        break;
    }
  }

  sequence(): void {}

  presentationTime(): void {}

  read(bytes: Uint8Array, start: number, end: number): string {
    this.#halfWidth = false;
    this.#units.length = 0;
    this.decoder.reset();
    this.decoder.decode(bytes, start, end);
    const units = this.#units;
    if (units.length <= CHUNK) return String.fromCharCode.apply(null, units);
    let text = '';
    for (let start = 0; start < units.length; start += CHUNK) {
      text += String.fromCharCode.apply(null, units.slice(start, start + CHUNK));
    }
    return text;
  }

  #amongAlphanumerics(): boolean {
    return this.decoder.left.name === 'alphanumeric';
  }

  #pushText(text: string): void {
    for (let index = 0; index < text.length; index++) this.#units.push(text.charCodeAt(index));
  }
}

const sink = new TextSink();

/**
 * Decodes `bytes`, from the initial state of service information: ARIB STD-B24 Vol. 1 Part 2, 7.1; STD-B10 Part 2,
 * Annex A. Any octets give a string, of at most 2 code units per octet (plus MACRO_EXPANSION_LIMIT for macros);
 * nothing is thrown.
 */
export function decodeText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (start >= end) return '';
  return readPlainText(bytes, start, end) ?? decodeAnyText(bytes, start, end);
}

/** Maximum size of a cached word in octets. */
const WORD_SIZE = 24;
const WORDS = 512;
const words: (Word | undefined)[] = new Array(WORDS).fill(undefined);

interface Word {
  readonly octets: Uint8Array;
  readonly text: string;
}

/**
 * Like `decodeText`, for texts that repeat a few values (headings, kinds of audio and video): recently decoded words
 * are cached, which avoids creating equal strings.
 */
export function decodeWord(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length > WORD_SIZE) return decodeText(bytes, start, end);
  if (length <= 0) return '';
  let hash = length;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  const slot = (hash ^ (hash >>> 16)) & (WORDS - 1);
  const known = words[slot];
  if (known !== undefined && isWord(known.octets, bytes, start, length)) return known.text;
  const text = decodeText(bytes, start, end);
  words[slot] = { octets: bytes.slice(start, end), text };
  return text;
}

function isWord(octets: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (octets.length !== length) return false;
  for (let at = 0; at < length; at++) if (octets[at] !== bytes[start + at]) return false;
  return true;
}

/** The result of `decodeText`, always from the full decoder. */
export function decodeAnyText(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return start >= end ? '' : sink.read(bytes, start, end);
}

/** The text of the next `length` octets. */
export function readText(r: Reader, length: number): string {
  return r.span(length, decodeText);
}

/** The word of the next `length` octets, see `decodeWord`. */
export function readWord(r: Reader, length: number): string {
  return r.span(length, decodeWord);
}
