/**
 * Characters that the broadcaster sends as bitmaps: ARIB STD-B24 Vol. 1 Part 2, Annex D (DRCS_data_structure). In
 * operation are two levels in mode 0 and four in mode 1, up to 36 by 36 dots (TR-B14 Vol. 3 Section 2); any depth is
 * supported. Geometric patterns (modes 2 and 3) are skipped.
 */
import { Reader } from '../reader.ts';
import { UNIT } from './data-group.ts';

// MD5 (RFC 1321), with which receivers identify broadcasters' bitmaps. Not for security.

const SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const;
const SINES = Int32Array.from({ length: 64 }, (_, index) =>
  Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32),
);
const BLOCK = 64;
const LENGTH_AT = 56;

/** The message, a one bit, zeros and the message's length in bits: RFC 1321 3.1, 3.2. */
function padded(message: Uint8Array): DataView {
  const blocks = Math.floor((message.length + 8) / BLOCK) + 1;
  const bytes = new Uint8Array(blocks * BLOCK);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  const lengthAt = (blocks - 1) * BLOCK + LENGTH_AT;
  view.setUint32(lengthAt, message.length * 8, true);
  view.setUint32(lengthAt + 4, Math.floor(message.length / 2 ** 29), true);
  return view;
}

/** Index of the block's word in a step: RFC 1321 3.4. */
function wordOf(step: number): number {
  const round = step >> 4;
  if (round === 0) return step;
  if (round === 1) return (5 * step + 1) & 15;
  return round === 2 ? (3 * step + 5) & 15 : (7 * step) & 15;
}

function mix(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d);
  if (round === 1) return (d & b) | (~d & c);
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d);
}

/** 32 hexadecimal digits, lower case. */
export function md5(message: Uint8Array): string {
  const view = padded(message);
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
  for (let at = 0; at < view.byteLength; at += BLOCK) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let step = 0; step < 64; step++) {
      const round = step >> 4;
      const word = view.getInt32(at + wordOf(step) * 4, true);
      const sum = (a + mix(round, b, c, d) + word + (SINES[step] as number)) | 0;
      const shift = SHIFTS[round * 4 + (step & 3)] as number;
      a = d;
      d = c;
      c = b;
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0;
    }
    state[0] = (state[0] as number) + a;
    state[1] = (state[1] as number) + b;
    state[2] = (state[2] as number) + c;
    state[3] = (state[3] as number) + d;
  }
  return new Uint8Array(state.buffer).toHex();
}

// Known bitmaps, by the MD5 of their pattern: broadcasters repeatedly send symbols in the same shapes although the
// code has a character for them (or Unicode has by now). Only symbols: a rare kanji is better shown as its bitmap.
// Data collected by viewers; a shape that is missing here is drawn as sent. ARIB STD-B24 Vol. 1 Part 2, Annex D.

const KNOWN: readonly (readonly [character: string, hashes: string])[] = [
  [
    '｟',
    `bbda644d17efd3c020635ee3d90968a5 5063561406195ca45f5992e3f7ad77d2 9d15c0395a4738936af34308acf2d032
    2a063edc4770b3403f060b38166a0d4d 54479aa90145b4713134b78d4fb98aa5 12a2c7156da32fc972b5a451bb87b813
    c8d428ead557285b0b7088388b22519c 7160f7419cba7acdacd23cbeb4834dbe 3c49616fb9bf0b9052b30e118f8857ea
    71c94bb6d963e47443eac448a09d22ce 7ec2179107ba4c58abb6ef92e7781365 2eb49bd25d7eeada006afc0864350da4`,
  ],
  [
    '｠',
    `38566b372f4c5a1aead4efa20decd079 d84fc83615b75802ed422eda4ba39465 5bb8b7731d9473ebd7c842334dfa24f2
    9ffa7e00cfc7e807a161ada460b8060c a58dc0e1271b03a5981b57a83271afa7 e67210b0da0161d36b79e8c9be6a9d0c
    08de4be9569ebd6ac01709f552ae8a65 e214599903c94c532684bdf54b62df61 2a83209f8a7489081890c277397df425
    0294d50cea5197c8c4646d2cace3e78d 0b808509e4d89a2b9d02252ca85f2e34 2a74d4ad7292c858dc2bb559de67f2d9`,
  ],
  ['⚞', '022b6f43e2a414fd68f172da202bac9a 94fb7be756372db6b62e3e0a119083d5'],
  [
    '⚟',
    `12aecdea283e4d07f88b9f2b740e4f86 1a563501affbf7f5baec350a108d5505 556971570f40044fa4520df3289a1cf2
    65b042886a563a771aa389b12af7bca7`,
  ],
  ['《', 'c7b93e8e27f686cbeeb88e871c17327c'],
  ['》', '4eb14b82b3a870763de244c3c21e210b'],
  [
    '『',
    `563e1633d226c10ef4ec80638997e4a9 0993d5cdf910f481eeefa19e4f09d77c 7b80a8345c16e2d4f8ff2691e245c2b1
    016669fa94786f9581342d47f317c02c 01d3eb52ab29f0eecc62ff74224fffd4 089aa1d87915ef8ad3c43982ac657c8c`,
  ],
  [
    '』',
    `e702912587801d73d58cdb30e48debed d70bb2b097f44c1ddefb93bf92bbb5cd f2b927267947a75b891403f95db72005
    4ec38a1d8d22e4df6c359f00f7ad8662 55c9ea9aa8eb630e5ecb793b2f85c927 70376e1ea05a3438a19c062ad49a7960`,
  ],
  [
    '♬',
    `37f6ecf37a0a3ef8dff083ccc8754f81 3336f18e849144658f212bd9399bec5f 93efdc18683d8ecacb0a920d5f2fffb3
    9b8325b71aa6a000d24f88c4d7ec730d ab791ef796e6b5d66f13ed9aea3e8ab2`,
  ],
  [
    '➡',
    `583134b86e7d90960f64c5b863196978 4ba716a88c003ca0a069392be3b63951 4e0fbe47e3ba0fd5949bda53f11b16a5
    61ec226a927ee80fffa12db219a43233`,
  ],
  ['→', '4c503a0873195bfe8d71c9d55669781b caf36eff2cf3580cd66c5cd021ee4c09'],
  [
    '↴',
    `8e5b873ac8e1bf84246b281b3548c2ff a78d9b65f46654601ce0145622164b47 5d01e6804b9aaec0c276f77306888c54
    6168af1e81b6497fccb6b8d3226a8016`,
  ],
  ['↗', '4360c0b7364802b680f5a65fa415bdd6 4dab788480bb9ac50d2454b58438e407 bfb2d58ab8c469d2b8b5c42d81e4e3b7'],
  ['Ⅰ', 'f00be20caf0aaef3a6fbec90a0e71852'],
  [
    'Ⅱ',
    `e660e1e23a6ddc9a5d2e0e1ef7ac5b86 a62583f621fb5405add08e8f0beb6db4 0e761ebb18b9870383725b3712f5c8d4
    1f65debfbf9df96de52c6f80922b012b 5c13facf2da9f38922a9419061771ed0`,
  ],
  ['Ⅲ', 'f1add7809e18e064e4609783211c9815'],
  ['♡', 'a7ee6f7f63d348e2b8fb7ee9503f3c5c'],
  ['♥', '9c8cfb5e9349b06f0939605638896f4e'],
  [
    '〽',
    '3bce2a06a6a8557082543a6c90a42fe0 4898c7d9fe3a8a6f9859b0e6f85a4327 98ab18764756c8ca7608e17f562b21ce',
  ],
  ['⁉', '3037aad230d8cdae3df6e0ebedc0db79 66e3474e6cbd8e817ba0a1f8920bf4e7'],
  ['⁈', '4360dd96063ce1a9660cc8437e8238e3 6ce68b7e389c5169309ee956ed0c98a8 737a19289d25d963e255f3692ded6536'],
  [
    '！',
    '14b18199bbc3f4bf65b72e316bc41d3c 6bf58c146b692aeb403ed1f7618a060a 7f12b67caaf7c8c5075b444bb2a16c70',
  ],
  [
    '〜',
    `bfd55f4031ad80cb7401d65937b1d5d9 4a61f6f7da9e6c8e373f4112cbd453cf 882ded8f0bb4cdfa4ce28a0b64056d2a
    7726ffbf3a6e953affe6353c24ffb085`,
  ],
  ['㊙', '15a0a0fb33aacd4ce730a9503c46df5f 9dad4982bd65fbf21525261a7efdf669'],
];

const CHARACTERS = new Map(
  KNOWN.flatMap(([character, hashes]) => hashes.split(/\s+/).map((hash) => [hash, character] as const)),
);

/** The character that a bitmap with this MD5 shows; undefined if unknown. */
function knownDrcs(hash: string): string | undefined {
  return CHARACTERS.get(hash);
}

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
