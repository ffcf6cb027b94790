/**
 * Single intra pictures of a recording as one small transport stream: input for a decoder that makes thumbnails of
 * many positions without reading the data in between. Pure. Each picture has a time stamp of a separate second, so
 * that one that cannot be decoded does not shift the others.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import { hasPayload, PACKET_SIZE, packetPid, payloadStart, startsUnit } from '../../lib/arib/ts/packet.ts';

const PES_HEADER_BYTES = 9;
const STAMP_BYTES = 5;
/** PTS_DTS_flags, ISO/IEC 13818-1 2.4.3.7. */
const PTS_FLAG = 0x80;
const DTS_FLAG = 0x40;
/** Four bits before a PTS alone, a PTS with a DTS, and that DTS. */
const PREFIX = { alone: 0x20, pts: 0x30, dts: 0x10 } as const;
const CONTINUITY_MASK = 0x0f;

/** 33 bits in five octets with marker bits. */
function writeStamp(bytes: Uint8Array, at: number, ticks: number, prefix: number): void {
  bytes[at] = prefix | ((Math.floor(ticks / 2 ** 30) & 0x07) << 1) | 1;
  bytes[at + 1] = (ticks >>> 22) & 0xff;
  bytes[at + 2] = ((ticks >>> 14) & 0xfe) | 1;
  bytes[at + 3] = (ticks >>> 7) & 0xff;
  bytes[at + 4] = ((ticks << 1) & 0xfe) | 1;
}

/** False if the packet's PES header has no time stamp, or is incomplete. */
function restamp(packet: Uint8Array, ticks: number): boolean {
  const pes = payloadStart(packet, 0);
  const stamps = pes + PES_HEADER_BYTES;
  if (stamps + 2 * STAMP_BYTES > PACKET_SIZE) return false;
  if (packet[pes] !== 0 || packet[pes + 1] !== 0 || packet[pes + 2] !== 1) return false;
  const flags = packet[pes + 7] as number;
  if ((flags & PTS_FLAG) === 0) return false;
  const hasDts = (flags & DTS_FLAG) !== 0;
  writeStamp(packet, stamps, ticks, hasDts ? PREFIX.pts : PREFIX.alone);
  if (hasDts) writeStamp(packet, stamps + STAMP_BYTES, ticks, PREFIX.dts);
  return true;
}

/**
 * The first picture of a window as packets.
 * @param packets complete packets, from the packet in which the picture begins
 * @param second time stamp of the picture
 * @returns undefined if its end is not in the window, or its time stamp cannot be set
 */
export function keyFrameAt(
  packets: Uint8Array,
  video: Pid,
  second: number,
): Uint8Array<ArrayBuffer> | undefined {
  const taken: Uint8Array[] = [];
  for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
    if (packetPid(packets, at) !== video) continue;
    const packet = packets.slice(at, at + PACKET_SIZE);
    if (startsUnit(packets, at)) {
      if (taken.length > 0) return joinBytes(taken);
      if (!restamp(packet, second * TICKS_PER_SECOND)) return undefined;
    } else if (taken.length === 0) return undefined;
    taken.push(packet);
  }
  return undefined;
}

/**
 * Renumbers the packets of one PID from `counter` on: consecutive pictures from different positions then show no loss.
 * @returns the counter of the next packet
 */
export function continueCounters(packets: Uint8Array, video: Pid, counter: number): number {
  let next = counter;
  for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
    if (packetPid(packets, at) !== video || !hasPayload(packets, at)) continue;
    packets[at + 3] = ((packets[at + 3] as number) & ~CONTINUITY_MASK) | (next & CONTINUITY_MASK);
    next += 1;
  }
  return next & CONTINUITY_MASK;
}
