/**
 * Reads an access unit bit by bit. The unit is stored as 32-bit words in big-endian order of their octets, so that
 * one load and one rotation give at least 33 bits from any position. The memory after the unit is zero for longer
 * than a macroblock can be, so that a reader only checks `bits.end` once per macroblock.
 */

export namespace bits {
  export let words: i32 = 0;
  /** In bits from the first word. */
  export let position: i32 = 0;
  export let end: i32 = 0;
}

/** The bits from `at` on, beginning with the highest bit: 33 or more. */
export function windowAt(at: i32): u64 {
  return rotl<u64>(load<u64>(bits.words + ((at >>> 5) << 2)), 32) << (at & 31);
}

/** @param count 1 to 32 */
export function peek(count: i32): i32 {
  return <i32>(windowAt(bits.position) >> (64 - count));
}

/** @param count 1 to 32 */
export function take(count: i32): i32 {
  const value = peek(count);
  bits.position += count;
  return value;
}

/** A code of a lookup table with `width` bits; -1 if there is none, and then the position is unchanged. */
export function takeCode(table: i32, width: i32): i32 {
  const entry = <i32>load<u16>(table + (peek(width) << 1));
  bits.position += entry & 255;
  return entry === 0 ? -1 : entry >> 8;
}
