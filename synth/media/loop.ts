/**
 * A piece of an elementary stream that repeats for ever, already cut into transport packets: what the cache
 * holds and the multiplex sends. Packet identifier, continuity counter and time stamps are written on sending.
 */
import { statSync } from 'node:fs';

export const PACKET_SIZE = 188;

export interface Loop {
  /** Length in 90 kHz ticks. */
  readonly period: number;
  /** Packets with PID and continuity counter zero. */
  readonly packets: Uint8Array;
  /** When each packet is sent, in ticks after the loop's origin. Ascending; last - first < period. */
  readonly due: Int32Array;
  /** The packets that begin a PES packet, and its time stamps in ticks after the origin. */
  readonly unitPacket: Int32Array;
  readonly unitPts: Int32Array;
  readonly unitDts: Int32Array;
}

const MAGIC = 0x53594c31;
const HEADER_WORDS = 4;

/** One file: four words, the four arrays, the packets; in the byte order of the machine that made it. */
export function loopToBytes(loop: Loop): Uint8Array {
  const arrays = [loop.due, loop.unitPacket, loop.unitPts, loop.unitDts];
  const words = new Int32Array(HEADER_WORDS + arrays.reduce((sum, array) => sum + array.length, 0));
  words.set([MAGIC, loop.period, loop.due.length, loop.unitPacket.length]);
  let at = HEADER_WORDS;
  for (const array of arrays) {
    words.set(array, at);
    at += array.length;
  }
  const bytes = new Uint8Array(words.byteLength + loop.packets.length);
  bytes.set(new Uint8Array(words.buffer));
  bytes.set(loop.packets, words.byteLength);
  return bytes;
}

/** Undefined when the file is not a whole loop. @throws the file system's error. */
export function readLoop(path: string): Loop | undefined {
  // There is nothing to map in an empty file.
  if (statSync(path).size === 0) return undefined;
  // Mapped rather than read: eight tunings share one copy, and only what is sent is ever loaded.
  const bytes = Bun.mmap(path);
  if (bytes.length < HEADER_WORDS * 4) return undefined;
  const header = new Int32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  const [magic, period = 0, packetCount = 0, unitCount = 0] = header;
  const words = HEADER_WORDS + packetCount + 3 * unitCount;
  if (magic !== MAGIC || bytes.length !== words * 4 + packetCount * PACKET_SIZE) return undefined;
  let at = bytes.byteOffset + HEADER_WORDS * 4;
  const take = (count: number): Int32Array => {
    const array = new Int32Array(bytes.buffer, at, count);
    at += count * 4;
    return array;
  };
  return {
    period,
    due: take(packetCount),
    unitPacket: take(unitCount),
    unitPts: take(unitCount),
    unitDts: take(unitCount),
    packets: bytes.subarray(words * 4),
  };
}

/** Mean bits a second on the wire. */
export function loopBitrate(loop: Loop): number {
  return (loop.packets.length * 8 * 90_000) / loop.period;
}
