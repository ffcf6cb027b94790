/** Packs access units into PES packets and transport packets with sending times: ISO/IEC 13818-1 2.4.3. */
import { wrapTicks } from '../clock.ts';
import { type AccessUnit, MediaError } from './access-units.ts';
import { type Loop, PACKET_SIZE } from './loop.ts';

const HEADER = 4;
const PAYLOAD = PACKET_SIZE - HEADER;
const VIDEO_STREAM_ID = 0xe0;
const AUDIO_STREAM_ID = 0xc0;

/** Offset of PTS in a PES packet: start code 3, stream_id 1, length 2, flags 2, header length 1. */
const PTS_OFFSET = 9;
const STAMP_LENGTH = 5;

/** PTS or DTS field with its four prefix bits, ISO/IEC 13818-1 table 2-21. */
function writeStamp(out: Uint8Array, at: number, prefix: number, ticks: number): void {
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

/** A PES packet with space for its stamps. Video has no length (0), audio the real one. */
function pesPacket(streamId: number, payload: Uint8Array, both: boolean): Uint8Array {
  const stamps = both ? 2 * STAMP_LENGTH : STAMP_LENGTH;
  const bytes = new Uint8Array(PTS_OFFSET + stamps + payload.length);
  const length = streamId === VIDEO_STREAM_ID ? 0 : bytes.length - 6;
  // '10', no scrambling, data_alignment_indicator; PTS_DTS_flags; PES_header_data_length.
  bytes.set([0, 0, 1, streamId, length >> 8, length & 0xff, 0x84, both ? 0xc0 : 0x80, stamps]);
  bytes.set(payload, PTS_OFFSET + stamps);
  return bytes;
}

/** Length of a PES packet up to the end of its stamps, after which stuffing and the payload follow. */
function stampedLength(pes: Uint8Array): number {
  return PTS_OFFSET + ((pes[7] as number) >> 6 === 3 ? 2 * STAMP_LENGTH : STAMP_LENGTH);
}

/** A PES packet of at least this many bytes, padded by stuffing at the end of its header. */
function stuffed(pes: Uint8Array, least: number): Uint8Array {
  const missing = least - pes.length;
  if (missing <= 0) return pes;
  const payload = stampedLength(pes);
  const bytes = new Uint8Array(least).fill(0xff);
  bytes.set(pes.subarray(0, payload));
  bytes.set(pes.subarray(payload), payload + missing);
  bytes[PTS_OFFSET - 1] = (pes[PTS_OFFSET - 1] as number) + missing;
  const length = (((pes[4] as number) << 8) | (pes[5] as number)) + missing;
  // A length of zero means unspecified, and stays zero.
  if (length > missing) bytes.set([length >> 8, length & 0xff], 4);
  return bytes;
}

/**
 * Transport packets of one PES packet, at least `least`, padded by their adaptation fields: only one of them
 * if there is no need for more, otherwise several that share the payload.
 */
function transportPackets(pes: Uint8Array, randomAccess: boolean, least = 0): Uint8Array[] {
  const packets: Uint8Array[] = [];
  for (let at = 0; at < pes.length; ) {
    const packet = new Uint8Array(PACKET_SIZE).fill(0xff);
    const first = at === 0;
    const flags = first && randomAccess ? 0x40 : 0;
    let adaptation = flags === 0 ? 0 : 2;
    const left = pes.length - at;
    const share = Math.ceil(left / Math.max(1, least - packets.length));
    // The stamps stay in one packet, where they are written on sending.
    const take = Math.min(PAYLOAD - adaptation, first ? Math.max(share, stampedLength(pes)) : share);
    adaptation = PAYLOAD - take;
    packet[0] = 0x47;
    packet[1] = first ? 0x40 : 0;
    packet[2] = 0;
    packet[3] = adaptation === 0 ? 0x10 : 0x30;
    if (adaptation > 0) packet[HEADER] = adaptation - 1;
    if (adaptation > 1) packet[HEADER + 1] = flags;
    packet.set(pes.subarray(at, at + take), HEADER + adaptation);
    packets.push(packet);
    at += take;
  }
  return packets;
}

function payloadOf(packet: Uint8Array): Uint8Array {
  const adaptation = ((packet[3] as number) & 0x20) !== 0 ? 1 + (packet[HEADER] as number) : 0;
  return packet.subarray(HEADER + adaptation);
}

function join(packets: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(packets.reduce((sum, packet) => sum + packet.length, 0));
  let at = 0;
  for (const packet of packets) {
    bytes.set(packet, at);
    at += packet.length;
  }
  return bytes;
}

/**
 * The transport packets of one PES packet, spread over more of them so that the continuity counter ends where
 * the next one begins. @throws MediaError if `count` is smaller
 */
export function spreadPackets(packets: Uint8Array, count: number): Uint8Array {
  const before = Array.from({ length: packets.length / PACKET_SIZE }, (_, index) =>
    packets.subarray(index * PACKET_SIZE, (index + 1) * PACKET_SIZE),
  );
  const [first] = before;
  const hasFlags = first !== undefined && ((first[3] as number) & 0x20) !== 0 && (first[HEADER] ?? 0) > 0;
  const randomAccess = hasFlags && ((first[HEADER + 1] as number) & 0x40) !== 0;
  const pes = join(before.map(payloadOf));
  // Every packet except the first carries at least one byte of payload.
  const spread = transportPackets(stuffed(pes, stampedLength(pes) + count - 1), randomAccess, count);
  if (spread.length !== count)
    throw new MediaError(`${before.length} packets cannot be spread over ${count}`);
  return join(spread);
}

/** The payload of the PES packet in these transport packets. */
export function pesPayload(packets: Uint8Array): Uint8Array {
  const parts = Array.from({ length: packets.length / PACKET_SIZE }, (_, index) =>
    payloadOf(packets.subarray(index * PACKET_SIZE, (index + 1) * PACKET_SIZE)),
  );
  const pes = join(parts);
  return pes.subarray(PTS_OFFSET + (pes[PTS_OFFSET - 1] as number));
}

interface Packetised {
  packets: Uint8Array[];
  unitPacket: number[];
  groupPacket: number[];
}

/** Period of a continuity counter. */
const COUNTER_ROUND = 16;

/** @param whole pads each group to whole rounds of the continuity counter */
function packetiseGroups(
  streamId: number,
  payloads: readonly Uint8Array[],
  units: readonly AccessUnit[],
  groupUnits: number,
  whole: boolean,
): Packetised {
  const packets: Uint8Array[] = [];
  const unitPacket: number[] = [];
  const groupPacket: number[] = [];
  for (const [index, unit] of units.entries()) {
    if (index % groupUnits === 0) groupPacket.push(packets.length);
    unitPacket.push(packets.length);
    const pes = pesPacket(streamId, payloads[index] as Uint8Array, unit.pts !== unit.dts);
    let least = 0;
    if (whole && index % groupUnits === groupUnits - 1) {
      const bare = Math.ceil((pes.length + (unit.randomAccess ? 2 : 0)) / PAYLOAD);
      const used = packets.length + bare;
      least = bare + ((COUNTER_ROUND - (used % COUNTER_ROUND)) % COUNTER_ROUND);
    }
    const filled = stuffed(pes, Math.min(least, 1) * (stampedLength(pes) + least - 1));
    packets.push(...transportPackets(filled, unit.randomAccess, least));
  }
  groupPacket.push(packets.length);
  return { packets, unitPacket, groupPacket };
}

function makeLoop(
  groupTicks: number,
  made: Packetised,
  groupLead: Int32Array,
  units: readonly AccessUnit[],
): Loop {
  return {
    groupTicks,
    packets: join(made.packets),
    groupPacket: Int32Array.from(made.groupPacket),
    groupLead,
    unitPacket: Int32Array.from(made.unitPacket),
    unitPts: Int32Array.from(units, (unit) => unit.pts),
    unitDts: Int32Array.from(units, (unit) => unit.dts),
  };
}

/** A decoder buffers video for at most one second, ISO/IEC 13818-1 2.4.2.6. */
const MAX_VIDEO_DELAY = 90_000;
/** Time by which the multiplex may send a packet late. */
const VIDEO_MARGIN = 2_700;
/** Share of the decoder's buffer that this may fill; the rest is for uneven groups. */
const BUFFER_SHARE = 0.9;

export interface VideoShape {
  /** Pictures in a group, and ticks of a picture. */
  groupUnits: number;
  unitTicks: number;
  /** Bit rate of the elementary stream, and the buffer size of a decoder of its level. */
  bitrate: number;
  bufferBits: number;
  /** A group is sent up to this many ticks early, as far as the decoder's buffer allows. */
  lead: number;
}

/**
 * The lead of a format's groups, the same in all its loops: a source may then switch from any group of one to
 * any of another, and the decoder's buffer is as full as it would have been.
 */
function videoLead({ bitrate, bufferBits, unitTicks, lead }: VideoShape): number {
  const held = Math.floor((BUFFER_SHARE * bufferBits * 90_000) / bitrate);
  return Math.min(lead, held - unitTicks);
}

/**
 * Video whose packets are sent at an even rate, early enough that every picture has arrived before its
 * decoding. @throws MediaError if the rate control left pictures too large for that
 */
export function videoLoop(bytes: Uint8Array, units: readonly AccessUnit[], shape: VideoShape): Loop {
  const payloads = units.map((unit) => bytes.subarray(unit.start, unit.end));
  const made = packetiseGroups(VIDEO_STREAM_ID, payloads, units, shape.groupUnits, true);
  const count = made.packets.length;
  const groupTicks = shape.groupUnits * shape.unitTicks;
  const groups = made.groupPacket.length - 1;
  const interval = (groups * groupTicks) / count;
  // Groups differ in size: at an even rate each begins a little early or late, on average on time.
  const drifts = made.groupPacket.slice(0, -1).map((packet, group) => packet * interval - group * groupTicks);
  const origin = videoLead(shape) + drifts.reduce((sum, drift) => sum + drift, 0) / groups;
  for (const [index, unit] of units.entries()) {
    const first = made.unitPacket[index] as number;
    const next = made.unitPacket[index + 1] ?? count;
    const early = unit.dts - (next * interval - origin);
    if (early < VIDEO_MARGIN)
      throw new MediaError(`a picture would arrive ${Math.round((VIDEO_MARGIN - early) / 90)} ms late`);
    const waits = unit.dts - (first * interval - origin);
    if (waits > MAX_VIDEO_DELAY)
      throw new MediaError(`a picture would wait ${Math.round(waits / 90)} ms in the decoder`);
    const held = (waits / interval) * PAYLOAD * 8;
    if (held > shape.bufferBits)
      throw new MediaError(`the decoder would have to hold ${Math.round(held)} bits`);
  }
  const groupLead = Int32Array.from(drifts, (drift) => Math.floor(drift - origin));
  return makeLoop(groupTicks, made, groupLead, units);
}

/**
 * Audio is sent this long before its presentation: four frames, well inside the decoder's buffer of 3584
 * bytes.
 */
const AUDIO_LEAD = 8_100;

/** Audio frames, one per PES packet and group, the first presented at tick 0. */
export function audioLoop(frames: readonly Uint8Array[], frameTicks: number): Loop {
  const units = frames.map((_, index): AccessUnit => {
    const ticks = index * frameTicks;
    return { start: 0, end: 0, pts: ticks, dts: ticks, randomAccess: false };
  });
  const made = packetiseGroups(AUDIO_STREAM_ID, frames, units, 1, false);
  return makeLoop(frameTicks, made, new Int32Array(frames.length).fill(-AUDIO_LEAD), units);
}
