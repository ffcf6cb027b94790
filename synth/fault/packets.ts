/** Changes to single transport packets: ISO/IEC 13818-1 2.4.3.2 (header), 2.4.3.5 (PCR), 2.4.3.7 (PES). */
import { PTS_MODULUS } from '../../lib/arib/time.ts';
import { PACKET_SIZE } from '../media/loop.ts';

const WORD = 4_294_967_296;

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x7feb352d);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** 32 random bits for a number of up to 53 bits; another sequence for every `salt`. */
function packetBits(index: number, salt: number): number {
  const low = index >>> 0;
  const high = Math.floor(index / WORD) >>> 0;
  return mix(mix(low ^ mix(salt)) ^ high);
}

/** True with the probability `rate`. */
export function packetChance(index: number, salt: number, rate: number): boolean {
  return packetBits(index, salt) < rate * WORD;
}

export function pidAt(bytes: Uint8Array, at: number): number {
  return (((bytes[at + 1] as number) & 0x1f) << 8) | (bytes[at + 2] as number);
}

export function setPid(bytes: Uint8Array, at: number, pid: number): void {
  bytes[at + 1] = ((bytes[at + 1] as number) & 0xe0) | (pid >> 8);
  bytes[at + 2] = pid & 0xff;
}

/** Bytes of the adaptation field, including its length; 0 without one. */
function adaptationLength(bytes: Uint8Array, at: number): number {
  return ((bytes[at + 3] as number) & 0x20) === 0 ? 0 : 1 + (bytes[at + 4] as number);
}

function hasPayload(bytes: Uint8Array, at: number): boolean {
  return ((bytes[at + 3] as number) & 0x10) !== 0;
}

const TRANSPORT_ERROR = 0x80;

/** Flips one to four bits of the payload, or anywhere except the sync byte, or anywhere. */
export function corruptPacket(
  bytes: Uint8Array,
  at: number,
  index: number,
  options: { flagged: boolean; sync: boolean },
): void {
  const count = 1 + (packetBits(index, 0x11) % 4);
  const first = options.sync ? 0 : 4;
  for (let hit = 0; hit < count; hit++) {
    const bits = packetBits(index, 0x20 + hit);
    const offset = first + ((bits >>> 3) % (PACKET_SIZE - first));
    bytes[at + offset] = (bytes[at + offset] as number) ^ (1 << (bits & 7));
  }
  if (options.flagged) bytes[at + 1] = (bytes[at + 1] as number) | TRANSPORT_ERROR;
}

/** Makes the payload random; header and adaptation field stay. */
export function noisePacket(bytes: Uint8Array, at: number, index: number): void {
  if (!hasPayload(bytes, at)) return;
  for (let offset = 4 + adaptationLength(bytes, at); offset < PACKET_SIZE; offset++) {
    bytes[at + offset] = packetBits(index * PACKET_SIZE + offset, 0x6e) & 0xff;
  }
}

/** transport_scrambling_control: even and odd key, ARIB STD-B25. */
const SCRAMBLING = { even: 0x80, odd: 0xc0 };
/** Packets under one key: a second or so of an HD service. */
const KEY_PACKETS = 1 << 13;

/** Makes the payload unreadable and sets transport_scrambling_control; the adaptation field stays clear. */
export function scramblePacket(bytes: Uint8Array, at: number, index: number): void {
  if (!hasPayload(bytes, at)) return;
  const key = Math.floor(index / KEY_PACKETS);
  for (let offset = 4 + adaptationLength(bytes, at); offset < PACKET_SIZE; offset++) {
    const bits = packetBits(index * PACKET_SIZE + offset, 0x5c + (key & 1));
    bytes[at + offset] = (bytes[at + offset] as number) ^ (bits & 0xff);
  }
  const control = key % 2 === 0 ? SCRAMBLING.even : SCRAMBLING.odd;
  bytes[at + 3] = ((bytes[at + 3] as number) & 0x3f) | control;
}

function wrapped(ticks: number): number {
  const rest = ticks % PTS_MODULUS;
  return rest < 0 ? rest + PTS_MODULUS : rest;
}

/** program_clock_reference_base of the field at `at`; the extension stays. */
function shiftReference(bytes: Uint8Array, at: number, shift: number): void {
  const b = (offset: number) => bytes[at + offset] as number;
  const high = b(0) * 0x1000000 + ((b(1) << 16) | (b(2) << 8) | b(3));
  const base = wrapped(high * 2 + (b(4) >> 7) + shift);
  const half = Math.floor(base / 2);
  bytes[at] = half >>> 24;
  bytes[at + 1] = half >>> 16;
  bytes[at + 2] = half >>> 8;
  bytes[at + 3] = half;
  bytes[at + 4] = ((base % 2) << 7) | (b(4) & 0x7f);
}

/** A PTS or DTS; its marker bits and prefix stay. */
function shiftStamp(bytes: Uint8Array, at: number, shift: number): void {
  const b = (offset: number) => bytes[at + offset] as number;
  const middle = ((b(1) << 7) | (b(2) >> 1)) * 0x8000 + ((b(3) << 7) | (b(4) >> 1));
  const ticks = wrapped(((b(0) >> 1) & 7) * 2 ** 30 + middle + shift);
  const low = ticks % 2 ** 30;
  bytes[at] = (b(0) & 0xf1) | (Math.floor(ticks / 2 ** 30) << 1);
  bytes[at + 1] = low >>> 22;
  bytes[at + 2] = ((low >>> 14) & 0xfe) | (b(2) & 1);
  bytes[at + 3] = low >>> 7;
  bytes[at + 4] = ((low << 1) & 0xfe) | (b(4) & 1);
}

/** stream_id of PES packets whose header continues with flags: private_stream_1, audio and video. */
function hasFlags(streamId: number): boolean {
  return streamId === 0xbd || (streamId >= 0xc0 && streamId <= 0xef);
}

const PCR_FLAG = 0x10;

/** Adds 90 kHz ticks, a whole number, to the PCR, PTS and DTS of a packet, modulo 2^33. */
export function shiftClock(bytes: Uint8Array, at: number, shift: number): void {
  const adaptation = adaptationLength(bytes, at);
  if (adaptation > 7 && ((bytes[at + 5] as number) & PCR_FLAG) !== 0) shiftReference(bytes, at + 6, shift);
  const begins = ((bytes[at + 1] as number) & 0x40) !== 0;
  const pes = at + 4 + adaptation;
  // Fourteen bytes contain a PTS, nineteen a DTS too.
  if (!begins || !hasPayload(bytes, at) || pes + 14 > at + PACKET_SIZE) return;
  if (bytes[pes] !== 0 || bytes[pes + 1] !== 0 || bytes[pes + 2] !== 1) return;
  if (!hasFlags(bytes[pes + 3] as number)) return;
  const flags = (bytes[pes + 7] as number) >> 6;
  if (flags >= 2) shiftStamp(bytes, pes + 9, shift);
  if (flags === 3 && pes + 19 <= at + PACKET_SIZE) shiftStamp(bytes, pes + 14, shift);
}

/** Sets discontinuity_indicator; the packet has an adaptation field with flags. */
export function announceDiscontinuity(bytes: Uint8Array, at: number): void {
  bytes[at + 5] = (bytes[at + 5] as number) | 0x80;
}

/** Whether the packet carries a PCR. */
export function carriesReference(bytes: Uint8Array, at: number): boolean {
  return adaptationLength(bytes, at) > 7 && ((bytes[at + 5] as number) & PCR_FLAG) !== 0;
}
