/** Writes the atoms of tables and descriptors in the standard's order, most significant bit first. */

export class ByteWriter {
  readonly #bytes: number[] = [];

  get length(): number {
    return this.#bytes.length;
  }

  u8(value: number): this {
    this.#bytes.push(value & 0xff);
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
    for (let i = 0; i < values.length; i++) this.#bytes.push(values[i] as number);
    return this;
  }

  /** Three letters of ISO 639-2 or ISO 3166. */
  letters(code: string): this {
    for (const letter of code) this.u8(letter.charCodeAt(0));
    return this;
  }

  /** Decimal digits, two an octet; `text` has an even number of them. */
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

  /** An 8-bit length and the bytes that it counts. @throws RangeError above 255. */
  counted8(values: ArrayLike<number>): this {
    if (values.length > 255) throw new RangeError(`${values.length} bytes do not fit an 8-bit length`);
    return this.u8(values.length).bytes(values);
  }

  done(): Uint8Array {
    return Uint8Array.from(this.#bytes);
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
