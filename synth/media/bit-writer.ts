/** Writes and copies runs of bits, most significant bit first. */

export class BitWriter {
  readonly #bytes: Uint8Array;
  #at: number;

  constructor(size: number, firstBit: number) {
    this.#bytes = new Uint8Array(size);
    this.#at = firstBit;
  }

  /** Position in bits. */
  get at(): number {
    return this.#at;
  }

  /** Writes the low `count` bits of a value, at most 8. */
  put(value: number, count: number): void {
    const byte = this.#at >> 3;
    const room = 8 - (this.#at & 7);
    const bits = (value & ((1 << count) - 1)) << (16 - count);
    this.#bytes[byte] = (this.#bytes[byte] as number) | (bits >> (16 - room));
    if (count > room) this.#bytes[byte + 1] = (bits << room) >> 8;
    this.#at += count;
  }

  /** Copies `count` bits of `from`, beginning at its bit `first`. */
  copy(from: Uint8Array, first: number, count: number): void {
    for (let done = 0; done < count; done += 8) {
      const at = first + done;
      const pair = ((from[at >> 3] as number) << 8) | (from[(at >> 3) + 1] ?? 0);
      const byte = (pair >> (8 - (at & 7))) & 0xff;
      const take = Math.min(8, count - done);
      this.put(byte >> (8 - take), take);
    }
  }

  /** The bytes written so far; the last one is padded with zero bits. */
  done(): Uint8Array {
    return this.#bytes.subarray(0, (this.#at + 7) >> 3);
  }
}
