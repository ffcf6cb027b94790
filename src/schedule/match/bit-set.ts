/** A set of small numbers as bits; it grows as needed. */

const FIRST_WORDS = 32;

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
