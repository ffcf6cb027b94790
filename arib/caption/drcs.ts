/**
 * Characters that the broadcaster sends as bitmaps: ARIB STD-B24 Vol. 1 Part 2, Annex D (DRCS_data_structure). In
 * operation are two levels in mode 0 and four in mode 1, up to 36 by 36 dots (TR-B14 Vol. 3 Section 2); any depth is
 * supported. Geometric patterns (modes 2 and 3) are skipped.
 */
import { Reader } from '../reader.ts';
import { knownDrcs } from './known-drcs.ts';
import { md5 } from './md5.ts';
import { UNIT } from './statement.ts';

/** Format of the caption page. */
export interface DrcsImage {
  readonly w: number;
  readonly h: number;
  /** Levels of intensity, at least 2. */
  readonly depth: number;
  /** Bits of a pixel: 1, 2, 4 or 8. */
  readonly bits: 1 | 2 | 4 | 8;
  /** Base64; pixels row by row from the top left, most significant bit first, rows not padded. */
  readonly data: string;
  /** MD5 of the pattern as broadcast. */
  readonly md5: string;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** RFC 4648, with padding. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const word = ((bytes[at] as number) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += BASE64.charAt(word >> 18) + BASE64.charAt((word >> 12) & 63);
    text += left > 1 ? BASE64.charAt((word >> 6) & 63) : '=';
    text += left > 2 ? BASE64.charAt(word & 63) : '=';
  }
  return text;
}

/** Converts `count` packed values of `from` bits each to values of `to` bits. */
function repack(pattern: Uint8Array, count: number, from: number, to: number): Uint8Array {
  const packed = new Uint8Array(Math.ceil((count * to) / 8));
  for (let index = 0; index < count; index++) {
    const bit = index * from;
    const pair = ((pattern[bit >> 3] as number) << 8) | (pattern[(bit >> 3) + 1] ?? 0);
    const value = (pair >> (16 - from - (bit & 7))) & ((1 << from) - 1);
    const target = index * to;
    packed[target >> 3] = (packed[target >> 3] as number) | (value << (8 - to - (target & 7)));
  }
  return packed;
}

export class DrcsGlyph {
  readonly width: number;
  readonly height: number;
  readonly #levels: number;
  readonly #pattern: Uint8Array;
  #hash: string | undefined;
  #image: DrcsImage | undefined;

  /** `pattern` must hold `width * height` values of `bitsOf(levels)` bits. */
  constructor(width: number, height: number, levels: number, pattern: Uint8Array) {
    this.width = width;
    this.height = height;
    this.#levels = levels;
    this.#pattern = pattern;
  }

  get md5(): string {
    this.#hash ??= md5(this.#pattern);
    return this.#hash;
  }

  /** The character that the bitmap is known to show; undefined if it must be drawn. */
  get replacement(): string | undefined {
    return knownDrcs(this.md5);
  }

  get image(): DrcsImage {
    this.#image ??= this.#encode();
    return this.#image;
  }

  #encode(): DrcsImage {
    const sent = bitsOf(this.#levels);
    const bits = sent <= 2 ? (sent as 1 | 2) : sent <= 4 ? 4 : 8;
    const pixels = this.width * this.height;
    const packed = bits === sent ? this.#pattern : repack(this.#pattern, pixels, sent, bits);
    return {
      w: this.width,
      h: this.height,
      depth: this.#levels,
      bits,
      data: base64(packed),
      md5: this.md5,
    };
  }
}

/** Bits of a dot of a pattern with this many levels. */
function bitsOf(levels: number): number {
  return 32 - Math.clz32(levels - 1);
}

const MULTI_LEVEL = 1;
/** Limit of stored characters: all one-octet sets have 15 x 94 codes, a statement uses a handful. */
const MAX_GLYPHS = 512;
/** Limit of dots of all stored patterns: 512 of the largest in operation, 36 by 36. */
const MAX_DOTS = MAX_GLYPHS * 36 * 36;

/** Offset of two-octet codes, above the one-octet ones (set and code). */
export const DOUBLE_OCTETS = 0x10000;
/** Offset of code points of the private use area, for text in UCS. */
export const UCS_CODES = 0x20000;

/** The bitmaps defined so far, by code. */
export class DrcsTable {
  readonly #glyphs = new Map<number, DrcsGlyph>();
  #dots = 0;

  get(key: number): DrcsGlyph | undefined {
    return this.#glyphs.get(key);
  }

  clear(): void {
    this.#glyphs.clear();
    this.#dots = 0;
  }

  /** Reads a data unit of kind 0x30 or 0x31; truncated characters are left out. */
  define(parameter: number, data: Uint8Array, ucs: boolean): void {
    const r = new Reader(data);
    const count = r.u8();
    for (let number = 0; number < count && !r.exhausted; number++) {
      const code = r.u16();
      const key = ucs ? UCS_CODES | code : keyOf(parameter, code);
      const fonts = r.u8();
      let first: DrcsGlyph | undefined;
      for (let font = 0; font < fonts && !r.exhausted; font++) {
        const glyph = readFont(r);
        first ??= glyph;
      }
      if (first !== undefined) this.#keep(key, first);
    }
  }

  #keep(key: number, glyph: DrcsGlyph): void {
    // No real statement fills the table: it is cleared, and the newest definitions, which are in use, are stored.
    const dots = glyph.width * glyph.height;
    if (this.#glyphs.size >= MAX_GLYPHS || this.#dots + dots > MAX_DOTS) this.clear();
    this.#glyphs.set(key, glyph);
    this.#dots += dots;
  }
}

function keyOf(parameter: number, code: number): number {
  if (parameter === UNIT.doubleDrcs) return DOUBLE_OCTETS | (code & 0x7f7f);
  return 0x4000 | (code & 0x0f7f);
}

/** One font of a character; undefined if it is geometric, empty or truncated. */
function readFont(r: Reader): DrcsGlyph | undefined {
  const mode = r.u8() & 0x0f;
  if (mode > MULTI_LEVEL) {
    r.skip(2); // regionX, regionY
    r.skip(r.u16()); // geometricData
    return undefined;
  }
  const levels = r.u8() + 2;
  const width = r.u8();
  const height = r.u8();
  const pattern = r.take(Math.ceil((width * height * bitsOf(levels)) / 8));
  if (r.exhausted || pattern.length === 0) return undefined;
  return new DrcsGlyph(width, height, levels, pattern.slice());
}
