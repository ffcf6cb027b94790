/**
 * CRC_16 of caption data groups, ARIB STD-B24 Vol. 1 Part 3, 9.2: polynomial x^16 + x^12 + x^5 + 1, register starting
 * at zero, most significant bit first, no final inversion. Over a whole group, its CRC field included, the result
 * is 0.
 */

const POLYNOMIAL = 0x1021;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 8;
  for (let bit = 0; bit < 8; bit++) {
    register = (register & 0x8000) !== 0 ? (register << 1) ^ POLYNOMIAL : register << 1;
  }
  return register & 0xffff;
});

/** The CRC of `bytes[from, to)`, 0 to 0xFFFF. */
export function crc16(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let register = 0;
  for (let at = from; at < to; at++) {
    register = ((register << 8) & 0xffff) ^ (TABLE[(register >> 8) ^ (bytes[at] as number)] as number);
  }
  return register;
}
