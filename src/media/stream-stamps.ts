/**
 * Time stamps and entry points in a window of a transport stream that may begin anywhere. Pure; makes no assumptions
 * about the data before the window.
 */
import { type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import { pcrToPts } from '../../lib/arib/ts/clock.ts';
import {
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  packetPcr,
  packetPid,
  payloadStart,
  SYNC_BYTE,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { readPes } from '../../lib/arib/ts/pes.ts';
import { pictureStart } from '../reception/entry-points.ts';
import type { StationLayout } from '../reception/station-layout.ts';

/** Time stamp of a PES packet and the packet's position, octets from the start of the window. */
interface StampAt {
  readonly at: number;
  readonly pts: Pts90k;
}

export interface WindowStamps {
  /** Time stamps of the leading stream: video, else the first audio. In stream order, not in time order. */
  readonly stamps: readonly StampAt[];
  /** Clock references, converted to 90 kHz. */
  readonly clocks: readonly StampAt[];
  /** The window has video packets, readable or scrambled. */
  readonly hasPicture: boolean;
  /** The window has readable audio. */
  readonly hasSound: boolean;
}

/** Number of consecutive sync bytes required. */
const CONFIRMATIONS = 4;

/** Offset of the first packet of a window, -1 if there is none. A shorter window needs all its sync bytes. */
export function alignedStart(bytes: Uint8Array): number {
  for (let start = 0; start < PACKET_SIZE && start + PACKET_SIZE <= bytes.length; start += 1) {
    let isAligned = true;
    for (let step = 0; step <= CONFIRMATIONS && isAligned; step += 1) {
      const at = start + step * PACKET_SIZE;
      if (at >= bytes.length) break;
      isAligned = bytes[at] === SYNC_BYTE;
    }
    if (isAligned) return start;
  }
  return -1;
}

/** Offsets of whole packets; resynchronises where a sync byte is missing. */
export function* packetsIn(bytes: Uint8Array): Generator<number> {
  let at = alignedStart(bytes);
  while (at >= 0 && at + PACKET_SIZE <= bytes.length) {
    if (bytes[at] === SYNC_BYTE) {
      yield at;
      at += PACKET_SIZE;
      continue;
    }
    const next = alignedStart(bytes.subarray(at));
    at = next < 0 ? at + PACKET_SIZE : at + next;
  }
}

/** stream_id of video 0xe0..0xef and of audio 0xc0..0xdf, ISO/IEC 13818-1 table 2-22. */
function isVideoId(streamId: number): boolean {
  return (streamId & 0xf0) === 0xe0;
}

function isAudioId(streamId: number): boolean {
  return (streamId & 0xe0) === 0xc0;
}

/** Time stamp of the PES packet that starts in the packet at `offset`; undefined if it has none or is scrambled. */
function stampOf(bytes: Uint8Array, offset: number): { pts: Pts90k; streamId: number } | undefined {
  if (!startsUnit(bytes, offset) || hasTransportError(bytes, offset)) return undefined;
  if (scramblingControl(bytes, offset) !== 0) return undefined;
  const pes = readPes(bytes.subarray(payloadStart(bytes, offset), offset + PACKET_SIZE));
  return pes?.pts === undefined ? undefined : { pts: pes.pts, streamId: pes.streamId };
}

/** @param layout at the head; if its leading stream does not occur, any of its kind is used, because PIDs change */
export function stampsIn(bytes: Uint8Array, { video, audios }: StationLayout): WindowStamps {
  const lead = video?.pid ?? audios[0];
  const own: StampAt[] = [];
  const others: StampAt[] = [];
  const clocks: StampAt[] = [];
  let hasPicture = false;
  let hasSound = false;
  for (const at of packetsIn(bytes)) {
    const pcr = hasTransportError(bytes, at) ? undefined : packetPcr(bytes, at);
    if (pcr !== undefined) clocks.push({ at, pts: pcrToPts(pcr) });
    const pid = packetPid(bytes, at);
    // The clock may be sent on the video PID without any video.
    if (pid === video?.pid && hasPayload(bytes, at)) hasPicture = true;
    const stamp = stampOf(bytes, at);
    if (stamp === undefined) continue;
    const { pts, streamId } = stamp;
    if (isVideoId(streamId)) hasPicture = true;
    if (isAudioId(streamId)) hasSound = true;
    if (!(video === null ? isAudioId(streamId) : isVideoId(streamId))) continue;
    (pid === lead ? own : others).push({ at, pts });
  }
  return { stamps: own.length > 0 ? own : others, clocks, hasPicture, hasSound };
}

/** The earliest and the latest of a few nearby time stamps, unwrapped relative to the first. */
export function extremes(stamps: readonly StampAt[]): { min: number; max: number } | undefined {
  const [first] = stamps;
  if (first === undefined) return undefined;
  const times = stamps.map(({ pts }) => unwrapPts(pts, first.pts));
  return { min: Math.min(...times), max: Math.max(...times) };
}

interface EntryAt extends StampAt {
  /** Size and aspect ratio from the sequence header, e.g. `1440x1080/3`; null if it is not parsed for this codec. */
  readonly format: string | null;
}

/** An entry point for this layout: an intra picture, or a PES packet of audio if there is no video. */
export function entryAt(bytes: Uint8Array, offset: number, layout: StationLayout): EntryAt | undefined {
  const pid = packetPid(bytes, offset);
  if (pid !== (layout.video?.pid ?? layout.audios[0])) return undefined;
  const stamp = stampOf(bytes, offset);
  if (stamp === undefined) return undefined;
  if (layout.video === null) return { at: offset, pts: stamp.pts, format: null };
  const picture = pictureStart(bytes, offset, layout.video.kind);
  return picture === undefined ? undefined : { at: offset, pts: stamp.pts, format: picture.format };
}
