/**
 * CRC_32 of sections, ISO/IEC 13818-1 Annex A: polynomial 0x04C11DB7, register starting at all ones, no
 * reflection, no final inversion. Over a whole section, its own CRC field included, the result is 0.
 */

const POLYNOMIAL = 0x04c11db7;

const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 24;
  for (let bit = 0; bit < 8; bit++) register = register < 0 ? (register << 1) ^ POLYNOMIAL : register << 1;
  return register;
});

/** The CRC of `bytes[from, to)` as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let register = -1;
  for (let at = from; at < to; at++) {
    register = (register << 8) ^ (TABLE[(register >>> 24) ^ (bytes[at] as number)] as number);
  }
  return register >>> 0;
}
