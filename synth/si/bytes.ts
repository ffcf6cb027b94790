/** Writes the fields of tables and descriptors in the standard's order, most significant bit first. */

/** Large enough for most descriptors. */
const FIRST_ROOM = 64;

export class ByteWriter {
  #bytes = new Uint8Array(FIRST_ROOM);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): void {
    const needed = this.#length + count;
    if (needed <= this.#bytes.length) return;
    const wider = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    wider.set(this.#bytes);
    this.#bytes = wider;
  }

  u8(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
    return this;
  }

  u16(value: number): this {
    return this.u8(value >> 8).u8(value);
  }

  u24(value: number): this {
    return this.u8(value >> 16).u16(value);
  }

  u32(value: number): this {
    return this.u16(value >>> 16).u16(value);
  }

  bytes(values: ArrayLike<number>): this {
    this.#reserve(values.length);
    this.#bytes.set(values, this.#length);
    this.#length += values.length;
    return this;
  }

  /** Three letters of ISO 639-2 or ISO 3166. */
  letters(code: string): this {
    for (const letter of code) this.u8(letter.charCodeAt(0));
    return this;
  }

  /** Decimal digits, two per byte. @param text has an even number of them */
  bcd(text: string): this {
    for (let i = 0; i < text.length; i += 2) this.u8(Number.parseInt(text.slice(i, i + 2), 16));
    return this;
  }

  /** Three reserved bits set and a 13-bit PID. */
  pid(value: number): this {
    return this.u16(0xe000 | value);
  }

  /** Four bits, a 12-bit length and the bytes that it counts. */
  counted12(high: number, values: ArrayLike<number>): this {
    return this.u16((high << 12) | values.length).bytes(values);
  }

  /** An 8-bit length and the bytes that it counts. @throws RangeError above 255 */
  counted8(values: ArrayLike<number>): this {
    if (values.length > 255) throw new RangeError(`${values.length} bytes do not fit an 8-bit length`);
    return this.u8(values.length).bytes(values);
  }

  done(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** One byte per character. @throws RangeError for a character outside of ISO 646 */
export function encodeLatin(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code > 0x7e) throw new RangeError(`${character} is not ASCII`);
    return code;
  });
}
