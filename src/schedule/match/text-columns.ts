/**
 * Text index: each letter and each pair of letters has a column with one bit per row. Columns are shared (hashed), so
 * that candidates may include texts without the word, but never miss one that has it.
 *
 * Columns are stored in blocks of rows: more rows add a block, and nothing is copied.
 */
import type { BitSet } from './bit-set.ts';

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

  /**
   * Keeps the rows that may contain the word.
   * @param rows a subset of the rows that were set
   */
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
