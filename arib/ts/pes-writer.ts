/** Splits a PES packet into transport packets. ISO/IEC 13818-1 2.4.3.3, 2.4.3.4 and 2.4.3.6. */
import type { Pid } from '../ids.ts';
import { HEADER_SIZE, PACKET_SIZE, SYNC_BYTE } from './packet.ts';

const PAYLOAD_SIZE = PACKET_SIZE - HEADER_SIZE;
const PES_FIXED_HEADER = 6;
const MAX_PES_LENGTH = 0xffff;

/**
 * The transport packets of one PES packet, with continuity counters beginning with `counter`. PES_packet_length is
 * set to the actual length, or to 0 if that is too large.
 */
export function packetizePes(pes: Uint8Array, pid: Pid, counter: number): Uint8Array {
  const length = pes.length - PES_FIXED_HEADER;
  const lengthField = length > MAX_PES_LENGTH ? 0 : length;
  const packets = new Uint8Array(Math.ceil(pes.length / PAYLOAD_SIZE) * PACKET_SIZE);
  let taken = 0;
  let next = counter;
  for (let at = 0; at < packets.length; at += PACKET_SIZE) {
    const part = pes.subarray(taken, taken + PAYLOAD_SIZE);
    const stuffing = PAYLOAD_SIZE - part.length;
    // adaptation_field_control: 01 payload alone, 11 both
    const control = stuffing === 0 ? 0x10 : 0x30;
    packets.set([SYNC_BYTE, (at === 0 ? 0x40 : 0) | (pid >> 8), pid & 0xff, control | (next & 0x0f)], at);
    if (stuffing > 0) {
      const field = at + HEADER_SIZE;
      packets[field] = stuffing - 1;
      if (stuffing > 1) packets[field + 1] = 0;
      if (stuffing > 2) packets.fill(0xff, field + 2, field + stuffing);
    }
    packets.set(part, at + HEADER_SIZE + stuffing);
    taken += part.length;
    next += 1;
  }
  // a packet longer than one payload has its stuffing in the last transport packet
  const first = PACKET_SIZE - Math.min(pes.length, PAYLOAD_SIZE);
  if (pes.length >= PES_FIXED_HEADER) {
    packets[first + 4] = lengthField >> 8;
    packets[first + 5] = lengthField & 0xff;
  }
  return packets;
}
