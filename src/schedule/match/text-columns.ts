/**
 * Text index: each letter and each pair of letters has a column with one bit per row. Columns are shared (hashed), so
 * that candidates may include texts without the word, but never miss one that has it.
 *
 * Columns are stored in blocks of rows: more rows add a block, and nothing is copied.
 */

const FIRST_WORDS = 32;

/** A set of small numbers as bits; it grows as needed. */
export class BitSet {
  #words = new Uint32Array(FIRST_WORDS);

  add(number: number): void {
    const word = number >>> 5;
    if (word >= this.#words.length) this.#grow(word);
    this.#words[word] = (this.#words[word] ?? 0) | (1 << (number & 31));
  }

  delete(number: number): void {
    const word = number >>> 5;
    if (word < this.#words.length) this.#words[word] = (this.#words[word] ?? 0) & ~(1 << (number & 31));
  }

  and(other: BitSet): void {
    const words = this.#words;
    const others = other.#words;
    const shared = Math.min(words.length, others.length);
    for (let at = 0; at < shared; at++) words[at] = (words[at] ?? 0) & (others[at] ?? 0);
    words.fill(0, shared);
  }

  /** ANDs `count` words from `at` on with words of `others`; missing words of `others` count as 0. */
  andWords(at: number, others: Uint32Array, from: number, count: number): void {
    const words = this.#words;
    const end = Math.min(count, words.length - at);
    for (let index = 0; index < end; index++)
      words[at + index] = (words[at + index] ?? 0) & (others[from + index] ?? 0);
  }

  or(other: BitSet): void {
    if (other.#words.length > this.#words.length) this.#grow(other.#words.length - 1);
    const words = this.#words;
    const others = other.#words;
    for (let at = 0; at < others.length; at++) words[at] = (words[at] ?? 0) | (others[at] ?? 0);
  }

  copy(): BitSet {
    const bits = new BitSet();
    bits.#words = this.#words.slice();
    return bits;
  }

  /** In ascending order. */
  forEach(visit: (number: number) => void): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at++) {
      let word = words[at] ?? 0;
      while (word !== 0) {
        visit(at * 32 + (31 - Math.clz32(word & -word)));
        word &= word - 1;
      }
    }
  }

  #grow(word: number): void {
    const larger = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
    larger.set(this.#words);
    this.#words = larger;
  }
}

const BLOCK_ROWS = 4096;
const BLOCK_WORDS = BLOCK_ROWS / 32;

/** 32 bits. */
function mixed(first: number, second: number): number {
  let hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second + 1, 0x85ebca6b);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

export class TextColumns {
  readonly #blocks: Uint32Array[] = [];
  readonly #count: number;
  readonly #shift: number;

  /** @param bits number of bits per row: a power of two */
  constructor(bits: number) {
    this.#count = bits;
    this.#shift = 32 - Math.log2(bits);
  }

  set(row: number, text: string): void {
    const block = this.#block(row);
    const word = (row % BLOCK_ROWS) >>> 5;
    const bit = 1 << (row & 31);
    this.#eachColumn(text, (column) => {
      const at = column * BLOCK_WORDS + word;
      block[at] = (block[at] ?? 0) | bit;
    });
  }

  clear(row: number): void {
    const block = this.#block(row);
    const others = ~(1 << (row & 31));
    for (let at = (row % BLOCK_ROWS) >>> 5; at < block.length; at += BLOCK_WORDS)
      block[at] = (block[at] ?? 0) & others;
  }

  /** Keeps the rows that may contain the word. @param rows a subset of the rows that were set */
  narrow(rows: BitSet, word: string): void {
    const columns = new Set<number>();
    this.#eachColumn(word, (column) => columns.add(column));
    for (const column of columns) {
      for (const [index, block] of this.#blocks.entries())
        rows.andWords(index * BLOCK_WORDS, block, column * BLOCK_WORDS, BLOCK_WORDS);
    }
  }

  #block(row: number): Uint32Array {
    const index = Math.floor(row / BLOCK_ROWS);
    const known = this.#blocks[index];
    if (known !== undefined) return known;
    // Rows are assigned consecutively.
    const block = new Uint32Array(this.#count * BLOCK_WORDS);
    this.#blocks[index] = block;
    return block;
  }

  /** Columns of the letters and pairs of a text, each at least once. Blanks separate words and are not letters. */
  #eachColumn(text: string, visit: (column: number) => void): void {
    const shift = this.#shift;
    let before = 0;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === 0x20 || unit === 0x0a) {
        before = 0;
        continue;
      }
      visit(mixed(unit, 0) >>> shift);
      if (before !== 0) visit(mixed(before, unit) >>> shift);
      before = unit;
    }
  }
}
