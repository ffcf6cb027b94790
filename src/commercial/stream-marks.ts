/** Features of a stream that need no decoding: the sound mode, and when captions occur. */
import { readAdtsHeader } from '../../arib/aac/adts.ts';
import type { Pid } from '../../arib/ids.ts';
import type { Pts90k } from '../../arib/time.ts';
import {
  hasTransportError,
  PACKET_SIZE,
  packetPid,
  scramblingControl,
  startsUnit,
} from '../../arib/ts/packet.ts';
import { pesTimes } from '../../arib/ts/pes-stamps.ts';

interface Marked {
  readonly pts: Pts90k;
  /** Byte offset from the start of the packets. */
  readonly at: number;
}

function unitsOf(
  packets: Uint8Array,
  isWanted: (pid: Pid) => boolean,
): (Marked & { dataAt: number; end: number })[] {
  const units: (Marked & { dataAt: number; end: number })[] = [];
  for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
    if (!startsUnit(packets, at) || !isWanted(packetPid(packets, at))) continue;
    if (hasTransportError(packets, at) || scramblingControl(packets, at) !== 0) continue;
    const times = pesTimes(packets, at);
    if (times !== undefined) units.push({ at, pts: times.pts, dataAt: times.dataAt, end: at + PACKET_SIZE });
  }
  return units;
}

/** Finds the start of a sound frame in packets, and its channels: 0 for dual mono (two languages). */
export function soundModes(packets: Uint8Array, sound: Pid): (Marked & { channels: number })[] {
  return unitsOf(packets, (pid) => pid === sound).flatMap(({ at, pts, dataAt, end }) => {
    const header = readAdtsHeader(packets.subarray(0, end), dataAt);
    return header === undefined ? [] : [{ at, pts, channels: header.channelConfiguration }];
  });
}

/** data_group_id of management data, ARIB STD-B24 volume 1 part 3, table 9-2: the two groups alternate. */
const MANAGEMENT = new Set([0x00, 0x20]);

/** Captions without a timestamp (superimposed text) are news flashes and give no evidence. */
export function captionTimes(packets: Uint8Array, captions: readonly Pid[]): Marked[] {
  if (captions.length === 0) return [];
  return unitsOf(packets, (pid) => captions.includes(pid)).filter(({ dataAt, end }) => {
    // data_identifier, private_stream_id, PES_data_packet_header_length: ARIB STD-B24 volume 3, 5.
    const group = dataAt + 3 + ((packets[dataAt + 2] ?? 0) & 0x0f);
    if (group >= end) return false;
    return !MANAGEMENT.has((packets[group] as number) >> 2);
  });
}
