/** The header of an AAC frame in an Audio Data Transport Stream. ISO/IEC 13818-7 6.2. */
import { pesTimes, shiftPes } from '../ts/pes.ts';

export interface AdtsHeader {
  /** 7 octets, or 9 with a CRC. */
  readonly headerLength: number;
  /** Of the complete frame, header included. */
  readonly frameLength: number;
  /** Profile: 1 is low complexity, the one that broadcasts use (ARIB STD-B32 part 2). */
  readonly profile: number;
  /** Index into the sampling frequencies of ISO/IEC 13818-7 table 35; 3 is 48 kHz. */
  readonly samplingIndex: number;
  /** 0: the channel configuration is in the frame, or there are two independent programmes (dual mono). */
  readonly channelConfiguration: number;
}

export const ADTS_HEADER = 7;
const CRC_LENGTH = 2;
const MAX_SAMPLING_INDEX = 11;

/** The header at `offset`; undefined if there is none. Needs `ADTS_HEADER` octets. */
export function readAdtsHeader(bytes: Uint8Array, offset: number): AdtsHeader | undefined {
  if (offset + ADTS_HEADER > bytes.length) return undefined;
  const at = (index: number): number => bytes[offset + index] as number;
  // syncword (12), ID (1), layer (2, always 00), protection_absent (1)
  if (at(0) !== 0xff || (at(1) & 0xf6) !== 0xf0) return undefined;
  const headerLength = (at(1) & 0x01) === 1 ? ADTS_HEADER : ADTS_HEADER + CRC_LENGTH;
  const samplingIndex = (at(2) >> 2) & 0x0f;
  const frameLength = ((at(3) & 0x03) << 11) | (at(4) << 3) | (at(5) >> 5);
  if (samplingIndex > MAX_SAMPLING_INDEX || frameLength <= headerLength) return undefined;
  return {
    headerLength,
    frameLength,
    profile: at(2) >> 6,
    samplingIndex,
    channelConfiguration: ((at(2) & 0x01) << 2) | (at(3) >> 6),
  };
}

/** Writes another frame_length (13 bits) into the header. */
export function setFrameLength(header: Uint8Array, length: number): void {
  header[3] = ((header[3] as number) & 0xfc) | (length >> 11);
  header[4] = (length >> 3) & 0xff;
  header[5] = ((length & 0x07) << 5) | ((header[5] as number) & 0x1f);
}

// Silence to replace missing audio: AAC-LC stereo at 48 kHz in ADTS. ISO/IEC 13818-7 6.2.

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
