/**
 * Pictures of random macroblocks with every coding tool of the main profile (ISO/IEC 13818-2), including
 * those that no available encoder produces: field pictures, 16x8 and dual-prime prediction, concealment
 * vectors. Vectors stay within the reference and levels are too low to saturate, so that every decoder must
 * output the same samples.
 */
import type { BitWriter } from './bit-writer.ts';

/** A deterministic sequence of numbers below 1. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

export type PictureType = 'I' | 'P' | 'B';
type Structure = 'top' | 'bottom' | 'frame';
const TYPE: Record<PictureType, number> = { I: 1, P: 2, B: 3 };
const STRUCTURE: Record<Structure, number> = { top: 1, bottom: 2, frame: 3 };

interface PictureOptions {
  readonly type: PictureType;
  readonly structure: Structure;
  readonly isSecondField: boolean;
  readonly temporalReference: number;
  /** Number of macroblocks per row, and rows of a frame. */
  readonly columns: number;
  readonly rows: number;
  readonly topFirst: boolean;
  readonly random: Random;
}

const MOTION_CODES = [
  ...['1', '01', '001', '0001', '000011', '0000101', '0000100', '0000011', '000001011', '000001010'],
  ...['000001001', '0000010001', '0000010000', '0000001111', '0000001110', '0000001101', '0000001100'],
];
const INCREMENTS = ['1', '011', '010', '0011', '0010', '00011', '00010'];
const LUMA_SIZES = ['100', '00', '01', '101', '110', '1110', '11110', '111110', '1111110'];
const CHROMA_SIZES = ['00', '01', '10', '110', '1110', '11110', '111110', '1111110', '11111110'];
const PATTERNS: Readonly<Record<number, string>> = {
  60: '111',
  4: '1101',
  8: '1100',
  16: '1011',
  32: '1010',
  12: '10011',
  63: '001100',
  1: '01011',
  2: '01001',
  31: '000000111',
};
/** quant, forward, backward, pattern, intra → code. */
const TYPES: Record<PictureType, Readonly<Record<string, string>>> = {
  I: { i: '1', qi: '01' },
  P: { fp: '1', p: '01', f: '001', i: '00011', qfp: '00010', qp: '00001', qi: '000001' },
  B: {
    ...{ fb: '10', fbp: '11', b: '010', bp: '011', f: '0010', fp: '0011', i: '00011' },
    ...{ qfbp: '00010', qfp: '000011', qbp: '000010', qi: '000001' },
  },
};

type Vector = [number, number];

/** f_code of all vectors: ±64 half samples. */
const RANGE = 3;
const LIMIT = 16 << (RANGE - 1);

export class RandomPicture {
  readonly #writer: BitWriter;
  readonly #o: PictureOptions;
  readonly #isFrame: boolean;
  readonly #framePredicted: boolean;
  readonly #concealment: boolean;
  readonly #intraB15: boolean;
  readonly #precision: number;
  readonly #rows: number;
  /** PMV[r][s]. */
  #predictions: [[Vector, Vector], [Vector, Vector]] = zeroVectors();
  #means = [0, 0, 0];

  constructor(writer: BitWriter, options: PictureOptions) {
    this.#writer = writer;
    this.#o = options;
    this.#isFrame = options.structure === 'frame';
    this.#framePredicted = this.#isFrame && this.#chance(0.3);
    this.#concealment = this.#chance(0.3);
    this.#intraB15 = this.#chance(0.5);
    this.#precision = this.#pick(4);
    this.#rows = this.#isFrame ? options.rows : options.rows / 2;
  }

  write(): void {
    this.#header();
    for (let row = 0; row < this.#rows; row += 1) this.#row(row);
  }

  #chance(part: number): boolean {
    return this.#o.random() < part;
  }

  /** 0 to `count` - 1. */
  #pick(count: number): number {
    return Math.floor(this.#o.random() * count);
  }

  #header(): void {
    const { type, structure, temporalReference, topFirst } = this.#o;
    const w = this.#writer;
    w.start(0x00).bits(temporalReference, 10).bits(TYPE[type], 3).bits(0xffff, 16);
    if (type !== 'I') w.bits(0b0111, 4);
    if (type === 'B') w.bits(0b0111, 4);
    w.bits(0, 1);
    const forward = type === 'I' && !this.#concealment ? 15 : RANGE;
    const backward = type === 'B' ? RANGE : 15;
    w.start(0xb5).bits(8, 4).bits(forward, 4).bits(forward, 4).bits(backward, 4).bits(backward, 4);
    w.bits(this.#precision, 2).bits(STRUCTURE[structure], 2);
    w.bits(this.#isFrame && topFirst ? 1 : 0, 1).bits(this.#framePredicted ? 1 : 0, 1);
    w.bits(this.#concealment ? 1 : 0, 1)
      .bits(this.#pick(2), 1)
      .bits(this.#intraB15 ? 1 : 0, 1);
    // alternate_scan, repeat_first_field, chroma_420_type, progressive_frame, composite_display_flag.
    w.bits(this.#pick(2), 1).bits(0, 1).bits(0, 1).bits(0, 1).bits(0, 1);
    if (!this.#chance(0.2)) return;
    // quant_matrix_extension with a custom matrix for non-intra blocks.
    w.start(0xb5).bits(3, 4).bits(0, 1).bits(1, 1);
    for (let at = 0; at < 64; at += 1) w.bits(8 + this.#pick(16), 8);
    w.bits(0, 2);
  }

  #row(row: number): void {
    const { columns, type } = this.#o;
    let column = 0;
    while (column < columns) {
      // Several slices per row; each begins and ends with a coded macroblock.
      const end = this.#chance(0.3) ? column + 1 + this.#pick(columns - column) : columns;
      this.#writer
        .start(row + 1)
        .bits(1 + this.#pick(8), 5)
        .bits(0, 1);
      this.#resetVectors();
      this.#resetMeans();
      let first = true;
      let isIntra = true;
      while (column < end) {
        const most = Math.min(end - column - 1, INCREMENTS.length - 1);
        const skipped = first || type === 'I' || (type === 'B' && isIntra) ? 0 : this.#skips(most);
        const increment = first ? column : skipped;
        if (first) this.#increment(increment);
        else this.#writer.code(INCREMENTS[increment] ?? '');
        if (skipped > 0) {
          this.#resetMeans();
          if (type === 'P') this.#resetVectors();
          column += skipped;
        }
        isIntra = this.#macroblock(column, row, type === 'B' && skipped === 0 && first);
        first = false;
        column += 1;
      }
    }
  }

  /**
   * Number of skipped macroblocks. In B pictures a skipped one repeats vectors that are only valid where they
   * were coded.
   */
  #skips(most: number): number {
    return this.#o.type === 'P' && this.#chance(0.2) ? this.#pick(most + 1) : 0;
  }

  /** Macroblock address increment by this many columns. */
  #increment(columns: number): void {
    this.#writer.code(INCREMENT_CODES[columns] ?? '');
  }

  #macroblock(column: number, row: number, _isFirst: boolean): boolean {
    const { type } = this.#o;
    const kinds = Object.keys(TYPES[type]);
    const kind = kinds[this.#pick(kinds.length)] ?? 'i';
    const has = (letter: string): boolean => kind.includes(letter);
    const w = this.#writer.code(TYPES[type][kind] ?? '');
    const directions = has('f') || has('b');
    let motion = this.#isFrame ? 2 : 1;
    if (directions && !(this.#isFrame && this.#framePredicted)) {
      motion = type === 'P' && this.#chance(0.3) ? 3 : 1 + this.#pick(2);
      if (motion === 3 && this.#dualPrime(column, row) === undefined) motion = 1;
      w.bits(motion, 2);
    }
    if (this.#isFrame && !this.#framePredicted && (has('i') || has('p'))) w.bits(this.#pick(2), 1);
    if (has('q')) w.bits(1 + this.#pick(8), 5);
    if (has('i')) {
      if (this.#concealment) {
        this.#vectors(this.#isFrame ? 2 : 1, 0, column, row);
        w.bits(1, 1);
      } else this.#resetVectors();
      for (let block = 0; block < 6; block += 1) this.#intraBlock(block);
      return true;
    }
    this.#resetMeans();
    if (has('f')) this.#vectors(motion, 0, column, row);
    if (has('b')) this.#vectors(motion, 1, column, row);
    if (!directions) this.#resetVectors();
    if (has('p')) {
      const patterns = Object.keys(PATTERNS).map(Number);
      const pattern = patterns[this.#pick(patterns.length)] ?? 60;
      w.code(PATTERNS[pattern] ?? '');
      for (let block = 0; block < 6; block += 1) if ((pattern & (32 >> block)) !== 0) this.#interBlock();
    }
    return false;
  }

  #resetVectors(): void {
    this.#predictions = zeroVectors();
  }

  #resetMeans(): void {
    this.#means.fill(128 << this.#precision);
  }

  /** A vector for which `rows` lines from `y` on stay within `height` lines. */
  #fitting(column: number, y: number, rows: number, height: number): Vector {
    const width = this.#o.columns * 16;
    const part = (low: number, high: number): number => {
      const from = Math.max(low, 1 - LIMIT);
      const to = Math.min(high, LIMIT - 2);
      return from + this.#pick(to - from + 1);
    };
    return [part(-column * 32, (width - 16 - column * 16) * 2), part(-y * 2, (height - rows - y) * 2)];
  }

  #component(value: number, prediction: number): void {
    const w = this.#writer;
    let difference = value - prediction;
    if (difference < -LIMIT) difference += LIMIT * 2;
    else if (difference >= LIMIT) difference -= LIMIT * 2;
    if (difference === 0) {
      w.code('1');
      return;
    }
    const above = Math.abs(difference) - 1;
    w.code(MOTION_CODES[(above >> (RANGE - 1)) + 1] ?? '').bits(difference < 0 ? 1 : 0, 1);
    w.bits(above & ((1 << (RANGE - 1)) - 1), RANGE - 1);
  }

  /** @param isField the vector counts lines of a field in a frame picture */
  #vector(r: 0 | 1, s: 0 | 1, [x, y]: Vector, isField: boolean): void {
    const prediction = this.#predictions[r][s];
    this.#component(x, prediction[0]);
    this.#component(y, isField ? prediction[1] >> 1 : prediction[1]);
    this.#predictions[r][s] = [x, isField ? y * 2 : y];
  }

  #vectors(motion: number, s: 0 | 1, column: number, row: number): void {
    const w = this.#writer;
    const lines = this.#rows * 16;
    if (motion === 3) {
      const dual = this.#dualPrime(column, row) ?? {
        vector: [0, 0] as Vector,
        differences: [0, 0] as Vector,
      };
      const prediction = this.#predictions[0][0];
      this.#component(dual.vector[0], prediction[0]);
      w.code(DIFFERENCES[dual.differences[0] + 1] ?? '');
      this.#component(dual.vector[1], this.#isFrame ? prediction[1] >> 1 : prediction[1]);
      w.code(DIFFERENCES[dual.differences[1] + 1] ?? '');
      const stored: Vector = [dual.vector[0], this.#isFrame ? dual.vector[1] * 2 : dual.vector[1]];
      this.#predictions[0][0] = stored;
      this.#predictions[1][0] = [...stored];
      return;
    }
    if (this.#isFrame && motion === 2) {
      this.#vector(0, s, this.#fitting(column, row * 16, 16, lines), false);
      this.#predictions[1][s] = [...this.#predictions[0][s]];
      return;
    }
    if (this.#isFrame) {
      for (const r of [0, 1] as const) {
        w.bits(this.#pick(2), 1);
        this.#vector(r, s, this.#fitting(column, row * 8, 8, lines / 2), true);
      }
      return;
    }
    w.bits(this.#pick(2), 1);
    if (motion === 1) {
      this.#vector(0, s, this.#fitting(column, row * 16, 16, lines), false);
      this.#predictions[1][s] = [...this.#predictions[0][s]];
      return;
    }
    this.#vector(0, s, this.#fitting(column, row * 16, 8, lines), false);
    w.bits(this.#pick(2), 1);
    this.#vector(1, s, this.#fitting(column, row * 16 + 8, 8, lines), false);
  }

  #chosen: { at: string; dual: { vector: Vector; differences: Vector } | undefined } | undefined;

  /**
   * A dual-prime vector all of whose derived vectors are inside the picture; deterministic. Undefined: none was found.
   */
  #dualPrime(column: number, row: number): { vector: Vector; differences: Vector } | undefined {
    const at = `${column} ${row}`;
    if (this.#chosen?.at === at) return this.#chosen.dual;
    const rows = this.#isFrame ? 8 : 16;
    const lines = this.#isFrame ? this.#rows * 8 : this.#rows * 16;
    const width = this.#o.columns * 16;
    const fits = ([x, y]: Vector): boolean =>
      column * 32 + x >= 0 &&
      column * 32 + x <= (width - 16) * 2 &&
      row * rows * 2 + y >= 0 &&
      row * rows * 2 + y <= (lines - rows) * 2;
    this.#chosen = { at, dual: undefined };
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const vector: Vector = [this.#pick(17) - 8, this.#pick(17) - 8];
      const differences: Vector = [this.#pick(3) - 1, this.#pick(3) - 1];
      const derived = (fields: number, parity: number): Vector => [
        half(vector[0] * fields) + differences[0],
        half(vector[1] * fields) + differences[1] + parity,
      ];
      const all = [vector, derived(1, -1), derived(1, 1), derived(3, -1), derived(3, 1)];
      if (all.every(fits)) this.#chosen = { at, dual: { vector, differences } };
    }
    return this.#chosen.dual;
  }

  #intraBlock(block: number): void {
    const component = block < 4 ? 0 : block - 3;
    const w = this.#writer;
    const before = this.#means[component] ?? 0;
    const most = (256 << this.#precision) - 1;
    const mean = Math.min(most, Math.max(0, before + this.#pick(255) - 127));
    this.#means[component] = mean;
    const difference = mean - before;
    const size = difference === 0 ? 0 : 32 - Math.clz32(Math.abs(difference));
    w.code((component === 0 ? LUMA_SIZES : CHROMA_SIZES)[size] ?? '');
    w.bits(difference > 0 ? difference : difference + 2 ** size - 1, size);
    this.#coefficients(1, this.#intraB15);
  }

  #interBlock(): void {
    const w = this.#writer;
    if (this.#chance(0.5)) w.code('1').bits(this.#pick(2), 1);
    // Escape code: run 0 and a level.
    else w.code('000001').bits(0, 6).bits(this.#level(), 12);
    this.#coefficients(1, false);
  }

  #level(): number {
    const level = 1 + this.#pick(6);
    return this.#chance(0.5) ? level : 4096 - level;
  }

  /** Coefficients from position `index` of the scan on. */
  #coefficients(index: number, isB15: boolean): void {
    const w = this.#writer;
    let at = index;
    while (at < 64 && this.#chance(0.6)) {
      const run = this.#pick(Math.min(12, 64 - at));
      if (run === 0 && this.#chance(0.6)) w.code(isB15 ? '10' : '11').bits(this.#pick(2), 1);
      else if (run === 1 && this.#chance(0.6)) w.code(isB15 ? '010' : '011').bits(this.#pick(2), 1);
      else w.code('000001').bits(run, 6).bits(this.#level(), 12);
      at += run + 1;
    }
    w.code(isB15 ? '0110' : '10');
  }
}

const INCREMENT_CODES = [
  ...['1', '011', '010', '0011', '0010', '00011', '00010', '0000111', '0000110', '00001011', '00001010'],
];
/** dmvector -1, 0, 1. */
const DIFFERENCES = ['11', '0', '10'];

/** Half the value, rounded to the nearest, halves away from zero. */
function half(value: number): number {
  return value >= 0 ? Math.floor((value + 1) / 2) : -Math.floor((-value + 1) / 2);
}

function zeroVectors(): [[Vector, Vector], [Vector, Vector]] {
  return [
    [
      [0, 0],
      [0, 0],
    ],
    [
      [0, 0],
      [0, 0],
    ],
  ];
}
