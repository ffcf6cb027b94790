/** A growing array of numbers (hundreds of thousands) in one buffer that doubles. */

/** Number of pictures of a day; later ones are dropped and count as programme. */
const MAX_LENGTH = 2_700_000;

export class GrowingNumbers {
  #values = new Float64Array(4096);
  length = 0;

  push(value: number): void {
    if (this.length >= MAX_LENGTH) return;
    if (this.length === this.#values.length) {
      const larger = new Float64Array(2 * this.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = value;
    this.length += 1;
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.length);
  }
}
