/** Silence to replace missing audio: AAC-LC stereo at 48 kHz in ADTS. ISO/IEC 13818-7 6.2. */
import { pesTimes, shiftPes } from '../ts/pes-stamps.ts';

/** One frame. */
export const SILENT_FRAME: readonly number[] = [
  0xff, 0xf1, 0x4c, 0x80, 0x01, 0xbf, 0xfc, 0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c,
];
/** Duration of the frame, 90 kHz. */
export const SILENT_TICKS = 1_920;

const HEADER = [0, 0, 1, 0xc0, 0, 8 + SILENT_FRAME.length, 0x80, 0x80, 5, 0x21, 0, 1, 0, 1];
const PACKET_HEADER = [0x47, 0x40, 0, 0x10];

/** A PES packet with one frame. @param unwrappedPts 90 kHz, may exceed 33 bits */
export function silentPes(unwrappedPts: number): Uint8Array {
  const packet = new Uint8Array(188);
  packet.set([...PACKET_HEADER, ...HEADER, ...SILENT_FRAME]);
  const times = pesTimes(packet, 0);
  if (times === undefined) throw new Error('a silent unit has a stamp');
  shiftPes(packet, times, unwrappedPts - times.pts);
  return packet.subarray(PACKET_HEADER.length, PACKET_HEADER.length + HEADER.length + SILENT_FRAME.length);
}
