/**
 * PES packets of one PID: video, audio, captions. ISO/IEC 13818-1 2.4.3.6 and 2.4.3.7; for captions ARIB
 * STD-B24 Vol. 3, 5. An incomplete packet is dropped and counted.
 */
import type { Pid } from '../ids.ts';
import { Reader } from '../reader.ts';
import { PTS_MODULUS, type Pts90k, pts90k } from '../time.ts';
import {
  ContinuityCheck,
  HEADER_SIZE,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  packetPcr,
  payloadStart,
  SYNC_BYTE,
  scramblingControl,
  startsUnit,
} from './packet.ts';

export interface PesPacket {
  /** stream_id, ISO/IEC 13818-1 table 2-22: 0xe0 video, 0xc0 audio, 0xbd captions, 0xbf superimpose. */
  readonly streamId: number;
  readonly pts: Pts90k | undefined;
  /** Undefined if it is not sent, which means that it equals the PTS. */
  readonly dts: Pts90k | undefined;
  /** data_alignment_indicator: the data starts with an access unit. */
  readonly aligned: boolean;
  /** PES_packet_data_byte. */
  readonly data: Uint8Array;
}

const FIXED_HEADER = 6;
/** An intra picture of MPEG-2 MP@HL fills at most its VBV buffer, 9 781 248 bits: 1.2 MB. The limit is twice that. */
const DEFAULT_LIMIT = 2_445_312;
const INITIAL_SIZE = 16_384;

/** stream_ids whose data directly follows PES_packet_length: ISO/IEC 13818-1 table 2-21. */
const WITHOUT_HEADER: readonly number[] = [0xbc, 0xbe, 0xbf, 0xf0, 0xf1, 0xf2, 0xf8, 0xff];

const NO_PACKETS: readonly PesPacket[] = [];

export class PesAssembler {
  /** PES packets dropped because a part was missing, damaged or scrambled. */
  incompletePackets = 0;
  /** PES packets dropped because they exceeded the limit, or were not PES packets at all. */
  invalidPackets = 0;

  readonly #limit: number;
  readonly #continuity = new ContinuityCheck();
  #buffer = new Uint8Array(INITIAL_SIZE);
  #length = 0;
  /** Whether a PES packet has begun and is complete so far. */
  #open = false;

  /** @param limit maximum size of a PES packet in octets */
  constructor(limit: number = DEFAULT_LIMIT) {
    this.#limit = limit;
  }

  /** Drops an incomplete packet. */
  reset(): void {
    this.#open = false;
    this.#continuity.reset();
  }

  /**
   * Processes the packet of this PID at `offset`; returns the PES packets that it completed. One of unknown length
   * (video) is complete when the next one starts. They own their bytes.
   */
  feed(bytes: Uint8Array, offset: number): readonly PesPacket[] {
    if (hasTransportError(bytes, offset) || !hasPayload(bytes, offset)) return NO_PACKETS;
    const continuity = this.#continuity.next(bytes, offset);
    if (continuity === 'duplicate') return NO_PACKETS;
    if (continuity === 'gap') this.#abandon();
    if (scramblingControl(bytes, offset) !== 0) {
      this.#abandon();
      return NO_PACKETS;
    }
    const packets: PesPacket[] = [];
    if (startsUnit(bytes, offset)) {
      this.#end(packets);
      this.#open = true;
      this.#length = 0;
    }
    if (!this.#open) return packets;
    this.#append(bytes, payloadStart(bytes, offset), offset + PACKET_SIZE);
    if (this.#open && this.#declared() > 0 && this.#length >= this.#declared()) this.#end(packets);
    return packets;
  }

  /** The end of the stream completes a packet of unknown length. */
  flush(): readonly PesPacket[] {
    const packets: PesPacket[] = [];
    this.#end(packets);
    return packets;
  }

  /** Length of the current packet, header included; 0 while unknown, and for video of unspecified length. */
  #declared(): number {
    if (this.#length < FIXED_HEADER) return 0;
    const length = ((this.#buffer[4] as number) << 8) | (this.#buffer[5] as number);
    return length === 0 ? 0 : FIXED_HEADER + length;
  }

  #append(bytes: Uint8Array, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#limit) {
      this.invalidPackets++;
      this.#open = false;
      return;
    }
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.min(Math.max(length, this.#buffer.length * 2), this.#limit));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(bytes.subarray(from, to), this.#length);
    this.#length = length;
  }

  #abandon(): void {
    if (this.#open) this.incompletePackets++;
    this.#open = false;
  }

  #end(packets: PesPacket[]): void {
    if (!this.#open) return;
    this.#open = false;
    const declared = this.#declared();
    if (declared > this.#length) {
      this.incompletePackets++;
      return;
    }
    const packet = readPes(this.#buffer.slice(0, declared === 0 ? this.#length : declared));
    if (packet === undefined) this.invalidPackets++;
    else packets.push(packet);
  }
}

/** Parses `bytes` as a PES packet; undefined if its header is invalid. The result has views of `bytes`. */
export function readPes(bytes: Uint8Array): PesPacket | undefined {
  const r = new Reader(bytes);
  if (r.u24() !== 0x000001) return undefined;
  const streamId = r.u8();
  r.skip(2); // PES_packet_length
  if (r.exhausted) return undefined;
  if (WITHOUT_HEADER.includes(streamId)) {
    return { streamId, pts: undefined, dts: undefined, aligned: false, data: r.rest() };
  }
  const first = r.u8();
  if (first >> 6 !== 0b10) return undefined;
  const flags = r.u8();
  const header = r.slice(r.u8());
  const pts = (flags & 0x80) !== 0 ? timeStamp(header) : undefined;
  const dts = (flags & 0xc0) === 0xc0 ? timeStamp(header) : undefined;
  if (r.exhausted || header.exhausted) return undefined;
  return { streamId, pts, dts, aligned: (first & 0x04) !== 0, data: r.rest() };
}

/** 33 bits in five octets, with a marker bit after 3, 15 and 15 of them. */
function timeStamp(r: Reader): Pts90k {
  const high = (r.u8() >> 1) & 0x07;
  const middle = r.u16() >> 1;
  const low = r.u16() >> 1;
  return ((high * 2 ** 30 + middle * 2 ** 15 + low) % PTS_MODULUS) as Pts90k;
}

// Rewrites the times of a PES packet in its first transport packet, in place. ISO/IEC 13818-1 2.4.3.6 and 2.4.3.7.

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

/** Of the packet at `offset`, in which a PES packet starts; undefined without a PTS, or if its header is truncated. */
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

// Splits a PES packet into transport packets. ISO/IEC 13818-1 2.4.3.3, 2.4.3.4 and 2.4.3.6.

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
