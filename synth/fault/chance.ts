/**
 * Random decisions that depend only on a packet's number, so that every tuning of a channel loses the same
 * packets.
 */

const WORD = 4_294_967_296;

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 32 random bits for a number of up to 53 bits; another sequence for every `salt`. */
export function packetBits(index: number, salt: number): number {
  const low = index >>> 0;
  const high = Math.floor(index / WORD) >>> 0;
  return mix(mix(low ^ mix(salt)) ^ high);
}

/** True with the probability `rate`. */
export function packetChance(index: number, salt: number, rate: number): boolean {
  return packetBits(index, salt) < rate * WORD;
}
