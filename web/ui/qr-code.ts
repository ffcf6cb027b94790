/** A QR code of a short text: byte mode, error correction level M, versions 1 to 10. ISO/IEC 18004. Pure. */

/** Check codewords of a block and number of blocks for each version at level M, Table 9. */
const LEVEL_M = [
  ...[
    [10, 1],
    [16, 1],
    [26, 1],
    [18, 2],
    [24, 2],
  ],
  ...[
    [16, 4],
    [18, 4],
    [22, 4],
    [22, 5],
    [26, 5],
  ],
] as const;
const LEVEL_M_BITS = 0b00;
const BYTE_MODE = 0b0100;
const PADS = [0xec, 0x11] as const;
/** x^8 + x^4 + x^3 + x^2 + 1 */
const FIELD = 0x11d;
const FORMAT_GENERATOR = 0x537;
const FORMAT_MASK = 0x5412;
const VERSION_GENERATOR = 0x1f25;

/** Modules by row; true is dark. */
type QrMatrix = readonly (readonly boolean[])[];

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (y, x) => (y + x) % 2 === 0,
  (y) => y % 2 === 0,
  (_y, x) => x % 3 === 0,
  (y, x) => (y + x) % 3 === 0,
  (y, x) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2 === 0,
  (y, x) => ((y * x) % 2) + ((y * x) % 3) === 0,
  (y, x) => (((y * x) % 2) + ((y * x) % 3)) % 2 === 0,
  (y, x) => (((y + x) % 2) + ((y * x) % 3)) % 2 === 0,
];

function alignmentPlaces(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = version * 4 + 10;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - (count - 2 - index) * step)];
}

/** Codewords of a version: modules that no pattern occupies, in octets. */
function codewordsOf(version: number): number {
  let modules = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    modules -= (25 * count - 10) * count - 55;
  }
  if (version >= 7) modules -= 36;
  return Math.floor(modules / 8);
}

function multiply(a: number, b: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = (product << 1) ^ ((product >>> 7) * FIELD);
    if ((b >>> bit) & 1) product ^= a;
  }
  return product;
}

/** Reed-Solomon check codewords of a block. */
function checkWords(data: readonly number[], count: number): number[] {
  const generator: number[] = [...Array(count - 1).fill(0), 1];
  let root = 1;
  for (let index = 0; index < count; index += 1) {
    for (let at = 0; at < count; at += 1)
      generator[at] = multiply(generator[at] ?? 0, root) ^ (generator[at + 1] ?? 0);
    root = multiply(root, 2);
  }
  const rest: number[] = Array(count).fill(0);
  for (const word of data) {
    const factor = word ^ (rest.shift() ?? 0);
    rest.push(0);
    for (let at = 0; at < count; at += 1) rest[at] = (rest[at] ?? 0) ^ multiply(generator[at] ?? 0, factor);
  }
  return rest;
}

/** Data and check codewords, interleaved. */
function interleaved(bytes: Uint8Array, version: number): number[] {
  const [checks, blocks] = LEVEL_M[version - 1] ?? [0, 1];
  const total = codewordsOf(version);
  const capacity = total - checks * blocks;
  const bits: number[] = [];
  const put = (value: number, length: number): void => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((value >>> bit) & 1);
  };
  put(BYTE_MODE, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const byte of bytes) put(byte, 8);
  put(0, Math.min(4, capacity * 8 - bits.length));
  while (bits.length % 8 !== 0) bits.push(0);
  const data: number[] = [];
  for (let at = 0; at < bits.length; at += 8)
    data.push(bits.slice(at, at + 8).reduce((word, bit) => (word << 1) | bit, 0));
  for (let pad = 0; data.length < capacity; pad ^= 1) data.push(PADS[pad] ?? 0);
  // The last blocks are one codeword longer where they do not divide evenly.
  const short = Math.floor(capacity / blocks);
  const long = capacity % blocks;
  let from = 0;
  const parts = Array.from({ length: blocks }, (_, index) => {
    const part = data.slice(from, from + short + (index >= blocks - long ? 1 : 0));
    from += part.length;
    return { part, check: checkWords(part, checks) };
  });
  const words: number[] = [];
  for (let at = 0; at <= short; at += 1)
    for (const { part } of parts) if (at < part.length) words.push(part[at] ?? 0);
  for (let at = 0; at < checks; at += 1) for (const { check } of parts) words.push(check[at] ?? 0);
  return words;
}

/** The remainder of a BCH code, appended to its value. */
function withRemainder(value: number, generator: number, bits: number): number {
  let rest = value;
  for (let index = 0; index < bits; index += 1) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator);
  return (value << bits) | rest;
}

class Drawing {
  readonly size: number;
  readonly modules: boolean[][];
  readonly #fixed: boolean[][];

  constructor(readonly version: number) {
    this.size = version * 4 + 17;
    const rows = () => Array.from({ length: this.size }, () => Array<boolean>(this.size).fill(false));
    this.modules = rows();
    this.#fixed = rows();
    this.#patterns();
  }

  draw(words: readonly number[]): void {
    let bit = 0;
    for (let right = this.size - 1; right >= 1; right -= 2) {
      const column = right <= 6 ? right - 1 : right;
      for (let step = 0; step < this.size; step += 1) {
        const isUp = ((column + 1) & 2) === 0;
        const y = isUp ? this.size - 1 - step : step;
        for (const x of [column, column - 1]) {
          if (this.#fixed[y]?.[x] === true) continue;
          const row = this.modules[y];
          if (row !== undefined) row[x] = (((words[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1) === 1;
          bit += 1;
        }
      }
    }
  }

  /** Its own inverse. */
  mask(index: number): void {
    const isMasked = MASKS[index] ?? (() => false);
    for (const [y, row] of this.modules.entries()) {
      for (const x of row.keys())
        if (this.#fixed[y]?.[x] !== true && isMasked(y, x)) row[x] = row[x] !== true;
    }
  }

  format(mask: number): void {
    const bits = withRemainder((LEVEL_M_BITS << 3) | mask, FORMAT_GENERATOR, 10) ^ FORMAT_MASK;
    const bit = (index: number): boolean => ((bits >>> index) & 1) === 1;
    for (let index = 0; index <= 5; index += 1) this.#set(8, index, bit(index));
    this.#set(8, 7, bit(6));
    this.#set(8, 8, bit(7));
    this.#set(7, 8, bit(8));
    for (let index = 9; index < 15; index += 1) this.#set(14 - index, 8, bit(index));
    for (let index = 0; index < 8; index += 1) this.#set(this.size - 1 - index, 8, bit(index));
    for (let index = 8; index < 15; index += 1) this.#set(8, this.size - 15 + index, bit(index));
    this.#set(8, this.size - 8, true);
  }

  /** Penalty of the current mask, 7.8.3: runs, blocks, finder-like patterns, balance. */
  penalty(): number {
    const lines = [
      ...this.modules,
      ...this.modules.map((_, x) => this.modules.map((row) => row[x] === true)),
    ];
    let sum = 0;
    for (const line of lines) {
      const text = line.map((dark) => (dark ? '1' : '0')).join('');
      for (const [run] of text.matchAll(/(.)\1{4,}/g)) sum += run.length - 2;
      for (const pattern of ['10111010000', '00001011101'])
        for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1)) sum += 40;
    }
    for (let y = 1; y < this.size; y += 1) {
      for (let x = 1; x < this.size; x += 1) {
        const dark = this.modules[y]?.[x];
        const others = [this.modules[y]?.[x - 1], this.modules[y - 1]?.[x], this.modules[y - 1]?.[x - 1]];
        if (others.every((one) => one === dark)) sum += 3;
      }
    }
    const dark = this.modules.flat().filter(Boolean).length;
    return sum + Math.floor(Math.abs((dark * 20) / this.size ** 2 - 10)) * 10;
  }

  /** @param x column @param y row */
  #set(x: number, y: number, dark: boolean): void {
    const [row, fixed] = [this.modules[y], this.#fixed[y]];
    if (row === undefined || fixed === undefined || x < 0 || x >= this.size) return;
    row[x] = dark;
    fixed[x] = true;
  }

  #square(x: number, y: number, radius: number, isDark: (ring: number) => boolean): void {
    for (let dy = -radius; dy <= radius; dy += 1)
      for (let dx = -radius; dx <= radius; dx += 1)
        this.#set(x + dx, y + dy, isDark(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  #patterns(): void {
    for (let at = 0; at < this.size; at += 1) {
      this.#set(6, at, at % 2 === 0);
      this.#set(at, 6, at % 2 === 0);
    }
    const far = this.size - 4;
    for (const [x, y] of [
      [3, 3],
      [far, 3],
      [3, far],
    ] as const)
      this.#square(x, y, 4, (ring) => ring !== 2 && ring !== 4);
    const places = alignmentPlaces(this.version);
    const last = places.at(-1);
    for (const x of places) {
      for (const y of places) {
        const isCorner = (x === 6 && y === 6) || (x === 6 && y === last) || (x === last && y === 6);
        if (!isCorner) this.#square(x, y, 2, (ring) => ring !== 1);
      }
    }
    this.format(0);
    if (this.version < 7) return;
    const bits = withRemainder(this.version, VERSION_GENERATOR, 12);
    for (let index = 0; index < 18; index += 1) {
      const dark = ((bits >>> index) & 1) === 1;
      const [a, b] = [this.size - 11 + (index % 3), Math.floor(index / 3)];
      this.#set(a, b, dark);
      this.#set(b, a, dark);
    }
  }
}

/** Undefined: the text is too long, more than 213 octets. */
export function qrCode(text: string): QrMatrix | undefined {
  const bytes = new TextEncoder().encode(text);
  const index = LEVEL_M.findIndex(([checks, blocks], at) => {
    const header = at + 1 < 10 ? 12 : 20;
    return bytes.length * 8 + header <= (codewordsOf(at + 1) - checks * blocks) * 8;
  });
  if (index < 0) return undefined;
  const drawing = new Drawing(index + 1);
  drawing.draw(interleaved(bytes, index + 1));
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const mask of MASKS.keys()) {
    drawing.mask(mask);
    drawing.format(mask);
    const penalty = drawing.penalty();
    if (penalty < least) [best, least] = [mask, penalty];
    drawing.mask(mask);
  }
  drawing.mask(best);
  drawing.format(best);
  return drawing.modules;
}
