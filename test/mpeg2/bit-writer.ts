/** Writes bits, codes and start codes of MPEG-2 video. */
export class BitWriter {
  #bytes: number[] = [];
  #partial = 0;
  #count = 0;

  /** @param count 0 to 32 */
  bits(value: number, count: number): this {
    for (let bit = count - 1; bit >= 0; bit -= 1) this.#bit(Math.floor(value / 2 ** bit) & 1);
    return this;
  }

  /** A code in the notation of the tables of the standard. */
  code(code: string): this {
    for (const bit of code) this.#bit(bit === '1' ? 1 : 0);
    return this;
  }

  align(): this {
    while (this.#count > 0) this.#bit(0);
    return this;
  }

  start(code: number): this {
    return this.align().bits(0x100 | code, 32);
  }

  get bytes(): Uint8Array {
    this.align();
    return Uint8Array.from(this.#bytes);
  }

  #bit(bit: number): void {
    this.#partial = (this.#partial << 1) | bit;
    this.#count += 1;
    if (this.#count < 8) return;
    this.#bytes.push(this.#partial);
    this.#partial = 0;
    this.#count = 0;
  }
}
