/**
 * Writes the packets that the station filter generates itself: a PAT section, packets with a section, a packet with
 * only a clock reference. ISO/IEC 13818-1 2.4.3.2 to 2.4.3.5, 2.4.4.1, 2.4.4.3.
 */
import type { Pid, ServiceId, TransportStreamId } from '../ids.ts';
import { HEADER_SIZE, PACKET_SIZE, SYNC_BYTE } from './packet.ts';
import { crc32 } from './section.ts';

const PAYLOAD_SIZE = PACKET_SIZE - HEADER_SIZE;

export interface PatEntry {
  /** 0: the PID of the NIT. */
  readonly programNumber: ServiceId | 0;
  readonly pid: Pid;
}

/** A PAT of one section. At most 253 entries fit in it. */
export function writePat(id: TransportStreamId, version: number, entries: readonly PatEntry[]): Uint8Array {
  const bytes = new Uint8Array(8 + entries.length * 4 + 4);
  const length = bytes.length - 3;
  // table_id 0; section_syntax_indicator 1, '0', two reserved bits; reserved bits and current_next_indicator 1.
  bytes.set([0x00, 0xb0 | (length >> 8), length & 0xff, id >> 8, id & 0xff, 0xc1 | (version << 1), 0, 0]);
  let at = 8;
  for (const { programNumber, pid } of entries) {
    bytes.set([programNumber >> 8, programNumber & 0xff, 0xe0 | (pid >> 8), pid & 0xff], at);
    at += 4;
  }
  const crc = crc32(bytes, 0, at);
  bytes.set([crc >>> 24, (crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff], at);
  return bytes;
}

interface PmtEntry {
  /** stream_type, ISO/IEC 13818-1 table 2-34. */
  readonly streamType: number;
  readonly pid: Pid;
}

/** A PMT of one section without descriptors, ISO/IEC 13818-1 2.4.4.8. At most 200 streams fit in it. */
export function writePmt(
  program: ServiceId,
  version: number,
  pcrPid: Pid,
  streams: readonly PmtEntry[],
): Uint8Array {
  const bytes = new Uint8Array(12 + streams.length * 5 + 4);
  const length = bytes.length - 3;
  bytes.set([0x02, 0xb0 | (length >> 8), length & 0xff, program >> 8, program & 0xff, 0xc1 | (version << 1)]);
  bytes.set([0, 0, 0xe0 | (pcrPid >> 8), pcrPid & 0xff, 0xf0, 0], 6);
  let at = 12;
  for (const { streamType, pid } of streams) {
    bytes.set([streamType, 0xe0 | (pid >> 8), pid & 0xff, 0xf0, 0], at);
    at += 5;
  }
  const crc = crc32(bytes, 0, at);
  bytes.set([crc >>> 24, (crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff], at);
  return bytes;
}

/** The packets of a section that starts directly after the pointer_field; their continuity counters begin at 0. */
export function packetize(section: Uint8Array, pid: Pid): Uint8Array {
  const packets = new Uint8Array(Math.ceil((section.length + 1) / PAYLOAD_SIZE) * PACKET_SIZE).fill(0xff);
  let taken = 0;
  for (let at = 0; at < packets.length; at += PACKET_SIZE) {
    const first = at === 0;
    packets.set([SYNC_BYTE, (first ? 0x40 : 0x00) | (pid >> 8), pid & 0xff, 0x10], at);
    if (first) packets[HEADER_SIZE] = 0; // pointer_field
    const start = at + HEADER_SIZE + (first ? 1 : 0);
    const part = section.subarray(taken, taken + at + PACKET_SIZE - start);
    packets.set(part, start);
    taken += part.length;
  }
  number(packets, 0, packets.length, 0);
  return packets;
}

/** Sets the continuity counters of the packets in `bytes[from, to)`, beginning with `counter`. */
export function number(bytes: Uint8Array, from: number, to: number, counter: number): void {
  let next = counter;
  for (let at = from; at < to; at += PACKET_SIZE) {
    bytes[at + 3] = ((bytes[at + 3] as number) & 0xf0) | (next & 0x0f);
    next++;
  }
}

/**
 * Reduces the packet at `offset` to its adaptation field, in place: the clock stays, the payload becomes stuffing.
 * `counter` is that of the PID's last packet with payload, which does not advance.
 */
export function stripPayload(bytes: Uint8Array, offset: number, counter: number): void {
  const field = offset + HEADER_SIZE;
  const end = offset + PACKET_SIZE;
  const used = field + 1 + (bytes[field] as number);
  bytes[offset + 1] = (bytes[offset + 1] as number) & 0x1f;
  bytes[offset + 3] = 0x20 | (counter & 0x0f);
  bytes[field] = PAYLOAD_SIZE - 1;
  if (used < end) bytes.fill(0xff, used, end);
}
