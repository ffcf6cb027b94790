/** Seeded pseudo-random choices: the same arguments always give the same sequence. */

/** 32-bit FNV-1a hash of a text. */
export function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  }
  return value >>> 0;
}

export class Random {
  #state: number;

  /** A separate sequence for each list of words. */
  constructor(...words: readonly (string | number)[]) {
    this.#state = hash(words.join('/'));
  }

  /** 0 <= value < 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer from 0 to count - 1. */
  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  /** True with the given probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** @throws RangeError for an empty list */
  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new RangeError('nothing to pick from');
    return chosen;
  }
}
