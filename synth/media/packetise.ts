/** Access units to PES packets and transport packets with sending times: ISO/IEC 13818-1 2.4.3. */
import { wrapTicks } from '../clock.ts';
import { type AccessUnit, MediaError } from './access-units.ts';
import { type Loop, PACKET_SIZE } from './loop.ts';

const HEADER = 4;
const PAYLOAD = PACKET_SIZE - HEADER;
const VIDEO_STREAM_ID = 0xe0;
const AUDIO_STREAM_ID = 0xc0;

/** Where PTS lies in a PES packet: start code 3, stream_id 1, length 2, flags 2, header length 1. */
const PTS_OFFSET = 9;
const STAMP_LENGTH = 5;

/** PTS or DTS field with its four prefix bits, ISO/IEC 13818-1 table 2-21. */
export function writeStamp(out: Uint8Array, at: number, prefix: number, ticks: number): void {
  const value = wrapTicks(ticks);
  const high = Math.floor(value / 0x40000000);
  const low = value % 0x40000000;
  out[at] = (prefix << 4) | (high << 1) | 1;
  out[at + 1] = low >>> 22;
  out[at + 2] = ((low >>> 14) & 0xfe) | 1;
  out[at + 3] = (low >>> 7) & 0xff;
  out[at + 4] = ((low << 1) & 0xfe) | 1;
}

/** Writes both stamps of the PES packet that begins in the transport packet at `packet`. */
export function writeStamps(out: Uint8Array, packet: number, pts: number, dts: number): void {
  const adaptation = ((out[packet + 3] as number) & 0x20) !== 0 ? 1 + (out[packet + 4] as number) : 0;
  const at = packet + HEADER + adaptation + PTS_OFFSET;
  if (pts === dts) {
    writeStamp(out, at, 2, pts);
    return;
  }
  writeStamp(out, at, 3, pts);
  writeStamp(out, at + STAMP_LENGTH, 1, dts);
}

/** A PES packet with room for its stamps. Video has no length (0), audio a true one. */
function pesPacket(streamId: number, payload: Uint8Array, both: boolean): Uint8Array {
  const stamps = both ? 2 * STAMP_LENGTH : STAMP_LENGTH;
  const bytes = new Uint8Array(PTS_OFFSET + stamps + payload.length);
  const length = streamId === VIDEO_STREAM_ID ? 0 : bytes.length - 6;
  // '10', no scrambling, data_alignment_indicator; PTS_DTS_flags; PES_header_data_length.
  bytes.set([0, 0, 1, streamId, length >> 8, length & 0xff, 0x84, both ? 0xc0 : 0x80, stamps]);
  bytes.set(payload, PTS_OFFSET + stamps);
  return bytes;
}

/** Transport packets of one PES packet; the last is filled up by its adaptation field. */
function transportPackets(pes: Uint8Array, randomAccess: boolean): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let at = 0; at < pes.length; ) {
    const packet = new Uint8Array(PACKET_SIZE).fill(0xff);
    const first = at === 0;
    const flags = first && randomAccess ? 0x40 : 0;
    let adaptation = flags === 0 ? 0 : 2;
    const left = pes.length - at;
    if (left < PAYLOAD - adaptation) adaptation = PAYLOAD - left;
    packet[0] = 0x47;
    packet[1] = first ? 0x40 : 0;
    packet[2] = 0;
    packet[3] = adaptation === 0 ? 0x10 : 0x30;
    if (adaptation > 0) packet[HEADER] = adaptation - 1;
    if (adaptation > 1) packet[HEADER + 1] = flags;
    const take = PAYLOAD - adaptation;
    packet.set(pes.subarray(at, at + take), HEADER + adaptation);
    packets.push(packet);
    at += take;
  }
  return packets;
}

interface Packetised {
  packets: Uint8Array[];
  unitPacket: number[];
}

function packetiseUnits(
  streamId: number,
  payloads: readonly Uint8Array[],
  units: readonly AccessUnit[],
): Packetised {
  const packets: Uint8Array[] = [];
  const unitPacket: number[] = [];
  for (const [index, unit] of units.entries()) {
    unitPacket.push(packets.length);
    const pes = pesPacket(streamId, payloads[index] as Uint8Array, unit.pts !== unit.dts);
    packets.push(...transportPackets(pes, unit.randomAccess));
  }
  return { packets, unitPacket };
}

function makeLoop(period: number, made: Packetised, due: Int32Array, units: readonly AccessUnit[]): Loop {
  const bytes = new Uint8Array(made.packets.length * PACKET_SIZE);
  for (const [index, packet] of made.packets.entries()) bytes.set(packet, index * PACKET_SIZE);
  return {
    period,
    packets: bytes,
    due,
    unitPacket: Int32Array.from(made.unitPacket),
    unitPts: Int32Array.from(units, (unit) => unit.pts),
    unitDts: Int32Array.from(units, (unit) => unit.dts),
  };
}

/** A decoder holds video for at most one second, ISO/IEC 13818-1 2.4.2.6. */
const MAX_VIDEO_DELAY = 90_000;
/** Room for the multiplex to send a packet late. */
const VIDEO_MARGIN = 2_700;

/**
 * Video whose packets leave at an even pace, early enough that every picture has arrived before its decoding.
 * @param bufferBits what a decoder of the stream's level holds.
 * @throws MediaError when the rate control left pictures too big for that.
 */
export function videoLoop(
  bytes: Uint8Array,
  units: readonly AccessUnit[],
  period: number,
  bufferBits: number,
): Loop {
  const payloads = units.map((unit) => bytes.subarray(unit.start, unit.end));
  const made = packetiseUnits(VIDEO_STREAM_ID, payloads, units);
  const count = made.packets.length;
  const interval = period / count;
  let lead = 0;
  for (const [index, unit] of units.entries()) {
    const arrived = (made.unitPacket[index + 1] ?? count) * interval;
    lead = Math.max(lead, arrived - unit.dts);
  }
  lead += VIDEO_MARGIN;
  for (const [index, unit] of units.entries()) {
    const first = made.unitPacket[index] as number;
    const waits = unit.dts + lead - first * interval;
    if (waits > MAX_VIDEO_DELAY)
      throw new MediaError(`a picture would wait ${Math.round(waits / 90)} ms in the decoder`);
    const held = (waits / interval) * PAYLOAD * 8;
    if (held > bufferBits) throw new MediaError(`the decoder would have to hold ${Math.round(held)} bits`);
  }
  const due = Int32Array.from({ length: count }, (_, index) => Math.floor(index * interval - lead));
  return makeLoop(period, made, due, units);
}

/** Audio is sent this long before it is heard: four frames, well inside the decoder's buffer of 3584 bytes. */
const AUDIO_LEAD = 8_100;

/** Audio frames, one a PES packet, the first presented at tick 0. */
export function audioLoop(frames: readonly Uint8Array[], frameTicks: number): Loop {
  const units = frames.map((_, index): AccessUnit => {
    const ticks = index * frameTicks;
    return { start: 0, end: 0, pts: ticks, dts: ticks, randomAccess: false };
  });
  const made = packetiseUnits(AUDIO_STREAM_ID, frames, units);
  const due = new Int32Array(made.packets.length);
  for (const [index, unit] of units.entries()) {
    const first = made.unitPacket[index] as number;
    const next = made.unitPacket[index + 1] ?? due.length;
    for (let packet = first; packet < next; packet++) {
      const share = (packet - first) / (next - first);
      due[packet] = Math.floor(unit.pts - AUDIO_LEAD + share * frameTicks);
    }
  }
  return makeLoop(frames.length * frameTicks, made, due, units);
}
