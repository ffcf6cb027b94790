/**
 * A piece of an elementary stream that repeats endlessly, already split into transport packets: stored in the
 * cache and sent by the multiplex. PID, continuity counter and time stamps are written on sending.
 */
import { statSync } from 'node:fs';

export const PACKET_SIZE = 188;

/**
 * A source may switch from one loop to another between groups: closed groups of pictures, or frames of sound.
 * If a loop has several units in a group, each group's number of packets is a multiple of 16, so that
 * continuity counters restart with it.
 */
export interface Loop {
  /** Length of every group in 90 kHz ticks. */
  readonly groupTicks: number;
  /** Packets with PID and continuity counter zero. */
  readonly packets: Uint8Array;
  /** Index of the first packet of each group, followed by the number of packets. */
  readonly groupPacket: Int32Array;
  /**
   * When sending of each group begins, in ticks relative to its own begin (negative). Its packets follow
   * evenly.
   */
  readonly groupLead: Int32Array;
  /** The packets that begin a PES packet, and its time stamps in ticks after the loop's origin. */
  readonly unitPacket: Int32Array;
  readonly unitPts: Int32Array;
  readonly unitDts: Int32Array;
}

const MAGIC = 0x53594c32;
const HEADER_WORDS = 4;

/** One file: four words, the five arrays, the packets; in the byte order of the machine that made it. */
export function loopToBytes(loop: Loop): Uint8Array {
  const arrays = [loop.groupPacket, loop.groupLead, loop.unitPacket, loop.unitPts, loop.unitDts];
  const words = new Int32Array(HEADER_WORDS + arrays.reduce((sum, array) => sum + array.length, 0));
  words.set([MAGIC, loop.groupTicks, loop.groupLead.length, loop.unitPacket.length]);
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

/** Undefined if the file is not a complete loop. @throws the file system's error */
export function readLoop(path: string): Loop | undefined {
  // An empty file cannot be mapped.
  if (statSync(path).size === 0) return undefined;
  // Mapped rather than read: eight tunings share one copy, and only the sent parts are loaded.
  const bytes = Bun.mmap(path);
  if (bytes.length < HEADER_WORDS * 4) return undefined;
  const header = new Int32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  const [magic, groupTicks = 0, groups = 0, units = 0] = header;
  const end = (HEADER_WORDS + 2 * groups + 1 + 3 * units) * 4;
  if (magic !== MAGIC || groups < 1 || bytes.length < end) return undefined;
  let at = bytes.byteOffset + HEADER_WORDS * 4;
  const take = (count: number): Int32Array => {
    const array = new Int32Array(bytes.buffer, at, count);
    at += count * 4;
    return array;
  };
  const groupPacket = take(groups + 1);
  if (bytes.length !== end + (groupPacket[groups] ?? 0) * PACKET_SIZE) return undefined;
  return {
    groupTicks,
    groupPacket,
    groupLead: take(groups),
    unitPacket: take(units),
    unitPts: take(units),
    unitDts: take(units),
    packets: bytes.subarray(end),
  };
}

/** Ticks of one round. */
export function loopPeriod(loop: Loop): number {
  return loop.groupLead.length * loop.groupTicks;
}

/** Mean bit rate in transport packets. */
export function loopBitrate(loop: Loop): number {
  return (loop.packets.length * 8 * 90_000) / loopPeriod(loop);
}
