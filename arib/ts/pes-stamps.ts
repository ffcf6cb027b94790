/**
 * Rewrites the times of a PES packet in its first transport packet, in place. ISO/IEC 13818-1 2.4.3.6 and 2.4.3.7.
 */
import { type Pts90k, pts90k } from '../time.ts';
import { PACKET_SIZE, packetPcr, payloadStart } from './packet.ts';

export interface PesTimes {
  readonly streamId: number;
  readonly pts: Pts90k;
  readonly dts: Pts90k | undefined;
  /** Index of the five octets of the PTS; those of the DTS follow. */
  readonly at: number;
  /** Index after the header, where the data begins. */
  readonly dataAt: number;
}

const STAMP_BYTES = 5;

function readStamp(bytes: Uint8Array, at: number): Pts90k {
  const high = ((bytes[at] as number) >> 1) & 0x07;
  const middle = (((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)) >> 1;
  const low = (((bytes[at + 3] as number) << 8) | (bytes[at + 4] as number)) >> 1;
  return pts90k(high * 2 ** 30 + middle * 2 ** 15 + low);
}

/** Four marker bits are kept. */
function writeStamp(bytes: Uint8Array, at: number, value: number): void {
  const stamp = pts90k(value);
  const high = Math.floor(stamp / 2 ** 30);
  const low = stamp % 2 ** 30;
  bytes[at] = ((bytes[at] as number) & 0xf0) | (high << 1) | 1;
  bytes[at + 1] = (low >> 22) & 0xff;
  bytes[at + 2] = ((low >> 14) & 0xfe) | 1;
  bytes[at + 3] = (low >> 7) & 0xff;
  bytes[at + 4] = ((low << 1) & 0xfe) | 1;
}

/**
 * Of the packet at `offset`, in which a PES packet starts; undefined without a PTS, or if its header is truncated.
 */
export function pesTimes(bytes: Uint8Array, offset: number): PesTimes | undefined {
  const start = payloadStart(bytes, offset);
  const end = offset + PACKET_SIZE;
  if (start + 14 > end) return undefined;
  if (bytes[start] !== 0 || bytes[start + 1] !== 0 || bytes[start + 2] !== 1) return undefined;
  if ((bytes[start + 6] as number) >> 6 !== 0b10) return undefined;
  const flags = (bytes[start + 7] as number) >> 6;
  const dataAt = start + 9 + (bytes[start + 8] as number);
  const at = start + 9;
  if (flags < 2 || dataAt > end) return undefined;
  const hasDts = flags === 3;
  if (at + (hasDts ? 2 : 1) * STAMP_BYTES > dataAt) return undefined;
  return {
    streamId: bytes[start + 3] as number,
    pts: readStamp(bytes, at),
    dts: hasDts ? readStamp(bytes, at + STAMP_BYTES) : undefined,
    at,
    dataAt,
  };
}

/** @param shift 90 kHz ticks to add, modulo 2^33 */
export function shiftPes(bytes: Uint8Array, { at, pts, dts }: PesTimes, shift: number): void {
  writeStamp(bytes, at, pts + shift);
  if (dts !== undefined) writeStamp(bytes, at + STAMP_BYTES, dts + shift);
}

/** Shifts the programme clock of the packet at `offset`, if it has one. */
export function shiftPcr(bytes: Uint8Array, offset: number, shift: number): void {
  const pcr = packetPcr(bytes, offset);
  if (pcr === undefined) return;
  const base = pts90k(Math.floor(pcr / 300) + shift);
  const at = offset + 6;
  const high = Math.floor(base / 2);
  bytes[at] = Math.floor(high / 2 ** 24);
  bytes[at + 1] = (high >> 16) & 0xff;
  bytes[at + 2] = (high >> 8) & 0xff;
  bytes[at + 3] = high & 0xff;
  bytes[at + 4] = ((base % 2) << 7) | ((bytes[at + 4] as number) & 0x7f);
}
