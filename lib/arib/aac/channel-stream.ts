/**
 * Finds the end of a channel's data in an AAC frame of the low complexity profile: individual_channel_stream of
 * ISO/IEC 13818-7 6.3. Codewords are counted, not decoded.
 */

// Reads and copies runs of bits, most significant bit first. Reading past the end gives zeros and sets `exhausted`.

export class BitCursor {
  /** Position in bits. */
  at: number;
  readonly #end: number;
  #exhausted = false;

  constructor(
    private readonly bytes: Uint8Array,
    firstByte: number,
    endByte: number,
  ) {
    this.at = firstByte * 8;
    this.#end = Math.min(endByte, bytes.length) * 8;
  }

  /** True once anything was read beyond the end. Sticky. */
  get exhausted(): boolean {
    return this.#exhausted;
  }

  bit(): number {
    if (this.at >= this.#end) {
      this.#exhausted = true;
      return 0;
    }
    const byte = this.bytes[this.at >> 3] as number;
    const bit = (byte >> (7 - (this.at & 7))) & 1;
    this.at += 1;
    return bit;
  }

  /** An unsigned number of up to 16 bits. */
  number(bits: number): number {
    let value = 0;
    for (let left = bits; left > 0; left -= 1) value = (value << 1) | this.bit();
    return value;
  }

  skip(bits: number): void {
    if (bits > this.#end - this.at) {
      this.#exhausted = true;
      this.at = this.#end;
      return;
    }
    this.at += bits;
  }

  /** To the next octet. */
  align(): void {
    this.at = Math.min((this.at + 7) & ~7, this.#end);
  }
}

/** Copies `count` bits from bit `from` of one array to bit `to` of another, whose bits there are zero. */
export function copyBits(
  source: Uint8Array,
  from: number,
  count: number,
  target: Uint8Array,
  to: number,
): void {
  for (let done = 0; done < count; done += 8) {
    const at = from + done;
    const pair = ((source[at >> 3] as number) << 8) | (source[(at >> 3) + 1] ?? 0);
    const left = Math.min(8, count - done);
    const octet = (pair >> (8 - (at & 7))) & (0xff00 >> left) & 0xff;
    const place = to + done;
    target[place >> 3] = (target[place >> 3] as number) | (octet >> (place & 7));
    const over = (octet << (8 - (place & 7))) & 0xff;
    if (over !== 0) target[(place >> 3) + 1] = (target[(place >> 3) + 1] as number) | over;
  }
}

// The Huffman codebooks of AAC, as far as they are needed to find where coded data ends: code lengths, and what follows
// each codeword. ISO/IEC 13818-7 annex A, tables A.1 to A.12. Values are not decoded.
//
// Every book is canonical: among codes in the order of their values, lengths never decrease, and each code is the
// previous one plus one, extended by zeros. So a book is the number of its codes of each length.

interface Codebook {
  /** Number of codes of 1, 2, 3 … bits. */
  readonly counts: readonly number[];
  /**
   * For each code in this order a digit: the number of sign bits that follow it, plus three for each escape sequence
   * after them. Undefined: nothing follows.
   */
  readonly followers?: string;
  /** Spectral lines of one codeword. */
  readonly lines: number;
}

const SCALE_FACTOR_BOOK: Codebook = {
  lines: 1,
  counts: [1, 0, 1, 3, 2, 4, 3, 5, 4, 6, 6, 6, 5, 8, 4, 7, 3, 7, 46],
};

/** By section codebook number, 1 to 11. */
const SPECTRUM_BOOKS: readonly (Codebook | undefined)[] = [
  undefined,
  { lines: 4, counts: [1, 0, 0, 0, 8, 0, 24, 0, 24, 8, 16] },
  { lines: 4, counts: [0, 0, 1, 1, 7, 24, 15, 19, 14] },
  {
    lines: 4,
    counts: [1, 0, 0, 4, 2, 6, 3, 5, 15, 15, 8, 9, 3, 3, 5, 2],
    followers: '011112222232343311223232331221224334323244332333223243344233333344442233434443233',
  },
  {
    lines: 4,
    counts: [0, 0, 0, 10, 6, 0, 9, 21, 8, 14, 11, 2],
    followers: '433331202222121144443333333333332222222222221111444444333333333433344422222243333',
  },
  { lines: 2, counts: [1, 0, 0, 4, 4, 0, 4, 12, 12, 12, 18, 10, 4] },
  { lines: 2, counts: [0, 0, 0, 9, 0, 16, 13, 8, 23, 8, 4] },
  {
    lines: 2,
    counts: [1, 0, 2, 1, 0, 4, 5, 10, 14, 15, 8, 4],
    followers: '0112221122211222222221122212122222222211222222222222112222222222',
  },
  {
    lines: 2,
    counts: [0, 0, 1, 5, 7, 10, 14, 15, 8, 4],
    followers: '2212120112222222221122222222221212222222121222222222221212222112',
  },
  {
    lines: 2,
    counts: [1, 0, 2, 1, 0, 4, 3, 8, 11, 20, 31, 38, 32, 14, 4],
    followers: [
      '011222112221122222222112222222121222222221222222221222122221222211222222222222212221222222',
      '2222222222222212212222222122222222222222212212222122222222222222222222222222222',
    ].join(''),
  },
  {
    lines: 2,
    counts: [0, 0, 0, 3, 8, 14, 17, 25, 31, 41, 22, 8],
    followers: [
      '222211222221122220221122222222222212122222222222212122222222222222222212222212222222222222',
      '2222121222222212222221222222222222222221212122222222222222212122212221222222122',
    ].join(''),
  },
  {
    lines: 2,
    counts: [0, 0, 0, 2, 6, 7, 16, 59, 55, 95, 43, 6],
    followers: [
      '028112222221212222222112222222222222225555525121525555222225522555225255525225522215522221',
      '255225252222222522122222212222222222222212222222222242222224212222222222222222222222222222',
      '221222222222222222222122222222222222222222222222211222222222222222222222222221221212221222',
      '2211222212212112112',
    ].join(''),
  },
];

/** window_sequence of eight short windows; the other values mean a long one. */
const EIGHT_SHORT = 2;
const SHORT_WINDOWS = 8;
const ESCAPE_BOOK = 11;
const RESERVED_BOOK = 12;
/** Perceptual noise and intensity stereo: scale factors without spectral data. ISO/IEC 14496-3 4.6.2, 4.6.13. */
const NOISE_BOOK = 13;
const MAX_ESCAPE_PREFIX = 8;

/** Scale factor bands as [width, number] from the lowest on, ISO/IEC 13818-7 8.9.1, tables 45 to 57. */
type Bands = readonly (readonly [width: number, count: number])[];

// biome-ignore format: one table a line
const LONG_BANDS: Readonly<Record<number, Bands>> = {
  48: [[4, 10], [8, 7], [12, 4], [16, 2], [20, 2], [24, 2], [28, 2], [32, 19], [96, 1]],
  32: [[4, 10], [8, 7], [12, 4], [16, 2], [20, 2], [24, 2], [28, 2], [32, 22]],
  24: [[4, 11], [8, 10], [12, 4], [16, 3], [20, 2], [24, 2], [28, 2], [32, 1], [36, 2], [40, 1], [44, 1], [48, 1], [52, 2], [64, 5]],
  16: [[8, 11], [12, 9], [16, 4], [20, 3], [24, 2], [28, 2], [32, 1], [36, 1], [40, 2], [44, 1], [48, 1], [52, 1], [56, 1], [60, 1], [64, 3]],
};
// biome-ignore format: one table a line
const SHORT_BANDS: Readonly<Record<number, Bands>> = {
  48: [[4, 5], [8, 3], [12, 3], [16, 3]],
  24: [[4, 7], [8, 3], [12, 2], [16, 2], [20, 1]],
  16: [[4, 8], [8, 2], [12, 2], [16, 1], [20, 2]],
};

function offsetsOf(bands: Bands = []): Uint16Array {
  const offsets = [0];
  for (const [width, count] of bands)
    for (let band = 0; band < count; band += 1) offsets.push((offsets.at(-1) as number) + width);
  return Uint16Array.from(offsets);
}

interface Offsets {
  readonly long: Uint16Array;
  readonly short: Uint16Array;
}

const kHz = (long: number, short: number): Offsets => ({
  long: offsetsOf(LONG_BANDS[long]),
  short: offsetsOf(SHORT_BANDS[short]),
});

const AT_48 = kHz(48, 48);
const AT_24 = kHz(24, 24);
/** By sampling_frequency_index: the frequencies that ARIB STD-B32 part 2 permits. */
const OFFSETS: Readonly<Record<number, Offsets>> = {
  ...{ 3: AT_48, 4: AT_48, 5: kHz(32, 48), 6: AT_24, 7: AT_24, 8: kHz(16, 16) },
};

/** Position of one codeword among the codes; -1: no code. */
function readCode(bits: BitCursor, { counts }: Codebook): number {
  let code = 0;
  let first = 0;
  let index = 0;
  for (const count of counts) {
    code = (code << 1) | bits.bit();
    first <<= 1;
    if (code - first < count) return index + code - first;
    first += count;
    index += count;
  }
  return -1;
}

function skipCodewords(bits: BitCursor, book: Codebook, count: number): boolean {
  for (let left = count; left > 0; left -= 1) {
    const index = readCode(bits, book);
    if (index < 0 || bits.exhausted) return false;
    if (book.followers === undefined) continue;
    const follow = book.followers.charCodeAt(index) - 48;
    if (book !== SPECTRUM_BOOKS[ESCAPE_BOOK]) {
      bits.skip(follow);
      continue;
    }
    bits.skip(follow % 3);
    for (let escapes = Math.floor(follow / 3); escapes > 0; escapes -= 1) {
      let prefix = 0;
      while (bits.bit() === 1) {
        prefix += 1;
        if (prefix > MAX_ESCAPE_PREFIX) return false;
      }
      bits.skip(prefix + 4);
    }
  }
  return true;
}

interface Windows {
  readonly isShort: boolean;
  readonly maxBand: number;
  /** Number of windows in each group. */
  readonly groups: readonly number[];
  readonly offsets: Uint16Array;
}

/** ics_info. */
function readWindows(bits: BitCursor, samplingIndex: number): Windows | undefined {
  const offsets = OFFSETS[samplingIndex];
  if (offsets === undefined) return undefined;
  bits.skip(1); // ics_reserved_bit
  const isShort = bits.number(2) === EIGHT_SHORT;
  bits.skip(1); // window_shape
  const maxBand = bits.number(isShort ? 4 : 6);
  const groups = [1];
  if (isShort) {
    for (let window = 1; window < SHORT_WINDOWS; window += 1) {
      if (bits.bit() === 1) groups.push((groups.pop() ?? 0) + 1);
      else groups.push(1);
    }
  } else if (bits.bit() === 1) return undefined; // prediction: main profile only
  const own = isShort ? offsets.short : offsets.long;
  return maxBand < own.length ? { isShort, maxBand, groups, offsets: own } : undefined;
}

interface BookRun {
  readonly book: number;
  readonly group: number;
  readonly from: number;
  readonly to: number;
}

/** section_data: which bands have which codebook. */
function readRuns(bits: BitCursor, { isShort, maxBand, groups }: Windows): BookRun[] | undefined {
  const width = isShort ? 3 : 5;
  const more = (1 << width) - 1;
  const runs: BookRun[] = [];
  for (const group of groups.keys()) {
    for (let from = 0; from < maxBand; ) {
      const book = bits.number(4);
      let to = from;
      let step: number;
      do {
        step = bits.number(width);
        to += step;
      } while (step === more && to <= maxBand);
      // A run of no band would never end.
      if (to === from || to > maxBand || book === RESERVED_BOOK || bits.exhausted) return undefined;
      runs.push({ book, group, from, to });
      from = to;
    }
  }
  return runs;
}

function skipScaleFactors(bits: BitCursor, runs: readonly BookRun[]): boolean {
  let isFirstNoise = true;
  for (const { book, from, to } of runs) {
    if (book === 0) continue;
    let bands = to - from;
    if (book === NOISE_BOOK && isFirstNoise) {
      bits.skip(9);
      isFirstNoise = false;
      bands -= 1;
    }
    if (!skipCodewords(bits, SCALE_FACTOR_BOOK, bands)) return false;
  }
  return true;
}

function skipPulses(bits: BitCursor): void {
  const count = bits.number(2) + 1;
  bits.skip(6 + count * 9);
}

/** Temporal noise shaping. */
function skipTns(bits: BitCursor, isShort: boolean): void {
  for (let window = isShort ? SHORT_WINDOWS : 1; window > 0; window -= 1) {
    const filters = bits.number(isShort ? 1 : 2);
    const resolution = filters > 0 ? bits.bit() + 3 : 0;
    for (let left = filters; left > 0; left -= 1) {
      bits.skip(isShort ? 4 : 6);
      const order = bits.number(isShort ? 3 : 5);
      if (order === 0) continue;
      bits.skip(1);
      const compressed = bits.bit();
      bits.skip(order * (resolution - compressed));
    }
  }
}

function skipSpectrum(bits: BitCursor, runs: readonly BookRun[], { offsets, groups }: Windows): boolean {
  for (const { book: number, group, from, to } of runs) {
    const book = SPECTRUM_BOOKS[number];
    if (book === undefined) continue;
    const lines = ((offsets[to] as number) - (offsets[from] as number)) * (groups[group] as number);
    if (!skipCodewords(bits, book, lines / book.lines)) return false;
  }
  return true;
}

/**
 * Moves behind the channel's data.
 * @returns false: damaged data, or tools and sampling frequencies that broadcasts do not use
 */
export function skipChannelStream(bits: BitCursor, samplingIndex: number): boolean {
  bits.skip(8); // global_gain
  const windows = readWindows(bits, samplingIndex);
  const runs = windows === undefined ? undefined : readRuns(bits, windows);
  if (windows === undefined || runs === undefined || !skipScaleFactors(bits, runs)) return false;
  if (bits.bit() === 1) skipPulses(bits);
  if (bits.bit() === 1) skipTns(bits, windows.isShort);
  // gain_control_data: scalable sampling rate profile only.
  if (bits.bit() === 1) return false;
  return skipSpectrum(bits, runs, windows) && !bits.exhausted;
}
