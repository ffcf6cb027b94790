/**
 * CRC_32 of sections, ISO/IEC 13818-1 Annex A: polynomial 0x04C11DB7, register starting at all ones, no reflection,
 * no final inversion. Over a complete section, including its CRC field, the result is 0.
 *
 * Eight octets per step: table n has the effect of an octet on the register after n further octets, so that the
 * octets of a step do not depend on each other.
 */

const POLYNOMIAL = 0x04c11db7;
const STEP = 8;

const T0 = Int32Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 24;
  for (let bit = 0; bit < 8; bit++) register = register < 0 ? (register << 1) ^ POLYNOMIAL : register << 1;
  return register;
});
const T1 = afterOneMore(T0);
const T2 = afterOneMore(T1);
const T3 = afterOneMore(T2);
const T4 = afterOneMore(T3);
const T5 = afterOneMore(T4);
const T6 = afterOneMore(T5);
const T7 = afterOneMore(T6);

function afterOneMore(table: Int32Array): Int32Array {
  return table.map((register) => (register << 8) ^ (T0[register >>> 24] as number));
}

/** The CRC of `bytes[from, to)` as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let register = -1;
  let at = from;
  for (const last = to - STEP; at <= last; at += STEP) {
    register =
      (T7[(register >>> 24) ^ (bytes[at] as number)] as number) ^
      (T6[((register >>> 16) & 0xff) ^ (bytes[at + 1] as number)] as number) ^
      (T5[((register >>> 8) & 0xff) ^ (bytes[at + 2] as number)] as number) ^
      (T4[(register & 0xff) ^ (bytes[at + 3] as number)] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number);
  }
  for (; at < to; at++) {
    register = (register << 8) ^ (T0[(register >>> 24) ^ (bytes[at] as number)] as number);
  }
  return register >>> 0;
}
