/**
 * Bytes with one owner. Whoever holds them may read them, until they are handed over to an owner who may alter them:
 * a reader that comes too late gets an error instead of altered bytes.
 */
export class OwnedBytes {
  #bytes: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** For reading, before they are handed over. @throws Error afterwards */
  get readable(): Uint8Array {
    if (this.#bytes === undefined) throw new Error('the bytes were handed over');
    return this.#bytes;
  }

  /** To their next owner, who may alter them. @throws Error if they were handed over before */
  handOver(): Uint8Array {
    const bytes = this.readable;
    this.#bytes = undefined;
    return bytes;
  }
}
