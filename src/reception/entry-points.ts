/**
 * Finds entry points in a station's packets: a PAT, then its PMT, then an intra picture. Also reports the picture
 * format, because a running encoder cannot switch to another one.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import type { Pts90k } from '../../lib/arib/time.ts';
import { PTS_HZ, ptsDifference } from '../../lib/arib/ts/clock.ts';
import {
  hasTransportError,
  PACKET_SIZE,
  PAT_PID,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { pesTimes } from '../../lib/arib/ts/pes.ts';
import type { VideoKind } from '../model/encoding.ts';

/** Positions are octets from the start of the station's stream. */
export interface EntryPoint {
  /** The PAT: from here on the stream can be decoded. */
  at: number;
  /** The first packet of the intra picture. */
  picture: number;
  /** End of the packet at which a demuxer has the complete picture: the start of the second picture after it. */
  pictureEnd: number;
  /** Packets of the PAT and PMT, for decoding that begins at the picture. */
  tables: Uint8Array<ArrayBuffer>;
  video: Pid | null;
}

interface Findings {
  /** Entry points completed by these packets, oldest first. */
  points: EntryPoint[];
  /** Picture size and aspect ratio from the last picture header in these packets; null without one. */
  format: string | null;
  /** Where the time stamps of the pictures jumped: the stream is discontinuous there. */
  jumpedAt: number | null;
}

type WatchedVideo = { pid: Pid; kind: VideoKind } | null;

const PES_HEADER_BYTES = 9;
/** A PES packet ends where the next begins, and a picture parser needs the start code of that one. */
const FOLLOWERS = 2;
const SEQUENCE_HEADER = 0xb3;

export class EntryPointFinder {
  #video: WatchedVideo | undefined;
  #mapPid: Pid | undefined;
  /** The last PAT, and the packets of its PMT received so far. */
  #pat: { at: number; packets: Uint8Array[] } | undefined;
  #tables: { at: number; packets: Uint8Array[] } | undefined;
  /** An incomplete intra picture, and the number of pictures started since. */
  #pending: (Omit<EntryPoint, 'pictureEnd'> & { followers: number }) | undefined;
  #position = 0;
  #stamp: Pts90k | undefined;

  /** Entry points contain only packets after this call. */
  watch(video: WatchedVideo): void {
    this.#video = video;
    this.#pat = undefined;
    this.#tables = undefined;
    this.#pending = undefined;
  }

  /** Octets seen so far. */
  get position(): number {
    return this.#position;
  }

  /** Takes whole packets. */
  feed(packets: Uint8Array): Findings {
    const findings: Findings = { points: [], format: null, jumpedAt: null };
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      // Any field of a damaged packet may be wrong, also the picture format.
      if (hasTransportError(packets, offset)) continue;
      const pid = packetPid(packets, offset);
      const starts = startsUnit(packets, offset);
      if (pid === this.#video?.pid) {
        if (starts && scramblingControl(packets, offset) === 0)
          this.#picture(packets, offset, this.#video.kind, findings);
      } else if (pid === PAT_PID) {
        if (!starts) continue;
        this.#mapPid = mapPidOf(packets, offset);
        this.#pat = { at: this.#position + offset, packets: [copyOf(packets, offset)] };
      } else if (pid === this.#mapPid) this.#map(packets, offset, starts, findings);
    }
    this.#position += packets.length;
    return findings;
  }

  #map(packets: Uint8Array, offset: number, starts: boolean, findings: Findings): void {
    if (starts && this.#pat !== undefined) {
      this.#tables = { at: this.#pat.at, packets: [...this.#pat.packets.slice(0, 1)] };
    }
    const tables = this.#tables;
    if (tables === undefined) return;
    tables.packets.push(copyOf(packets, offset));
    if (this.#video !== null || !starts) return;
    const { at } = tables;
    const point = { at, picture: at, pictureEnd: at, tables: joinBytes([]), video: null };
    findings.points.push(point);
  }

  #jumps(packets: Uint8Array, offset: number): boolean {
    const pts = pesTimes(packets, offset)?.pts;
    if (pts === undefined) return false;
    const step = this.#stamp === undefined ? 0 : ptsDifference(pts, this.#stamp);
    this.#stamp = pts;
    return step > MAX_STEP || step < -MAX_STEP_BACK;
  }

  #picture(packets: Uint8Array, offset: number, kind: VideoKind, findings: Findings): void {
    if (this.#jumps(packets, offset)) {
      findings.jumpedAt = this.#position + offset;
      findings.points = [];
      this.#pending = undefined;
    }
    if (this.#pending !== undefined) {
      const { followers, ...point } = this.#pending;
      this.#pending.followers += 1;
      if (followers + 1 === FOLLOWERS) {
        findings.points.push({ ...point, pictureEnd: this.#position + offset + PACKET_SIZE });
        this.#pending = undefined;
      }
    }
    const start = pictureStart(packets, offset, kind);
    if (start === undefined) return;
    if (start.format !== null) findings.format = start.format;
    if (this.#tables === undefined || this.#pending !== undefined) return;
    this.#pending = {
      at: this.#tables.at,
      picture: this.#position + offset,
      tables: joinBytes(this.#tables.packets),
      video: packetPid(packets, offset),
      followers: 0,
    };
  }
}

/** Larger steps are neither a loss of reception nor the reordering of pictures. */
const MAX_STEP = 10 * PTS_HZ;
const MAX_STEP_BACK = PTS_HZ;

function copyOf(packets: Uint8Array, offset: number): Uint8Array {
  return packets.slice(offset, offset + PACKET_SIZE);
}

/** The same packets, with those of one PID before all others. */
export function pidFirst(packets: Uint8Array, first: Pid): Uint8Array<ArrayBuffer> {
  const ahead: Uint8Array[] = [];
  const behind: Uint8Array[] = [];
  for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
    const list = packetPid(packets, offset) === first ? ahead : behind;
    list.push(packets.subarray(offset, offset + PACKET_SIZE));
  }
  return joinBytes([...ahead, ...behind]);
}

/** PMT PID in a narrowed stream's PAT, which lists one programme in one packet. ISO/IEC 13818-1 2.4.4.3. */
function mapPidOf(packets: Uint8Array, offset: number): Pid | undefined {
  const LOOP = 9; // pointer_field and the section's header before its loop
  const start = payloadStart(packets, offset) + LOOP;
  for (let at = start; at + 4 <= offset + PACKET_SIZE; at += 4) {
    const program = ((packets[at] as number) << 8) | (packets[at + 1] as number);
    const pid = (((packets[at + 2] as number) & 0x1f) << 8) | (packets[at + 3] as number);
    if (program !== 0) return pid as Pid;
  }
  return undefined;
}

/** Whether a PES packet starting here begins with an intra picture. */
export function pictureStart(
  packets: Uint8Array,
  offset: number,
  kind: VideoKind,
): { format: string | null } | undefined {
  const end = offset + PACKET_SIZE;
  const pes = payloadStart(packets, offset);
  if (pes + PES_HEADER_BYTES > end) return undefined;
  const start = pes + PES_HEADER_BYTES + (packets[pes + 8] as number);
  for (let at = start; at + 4 <= end; at += 1) {
    if (packets[at] !== 0 || packets[at + 1] !== 0 || packets[at + 2] !== 1) continue;
    const code = packets[at + 3] as number;
    if (kind === 'mpeg2') {
      if (code === SEQUENCE_HEADER && at + 8 <= end) return { format: sequenceFormat(packets, at + 4) };
    } else if (startsSequence(code, kind)) return { format: null };
  }
  return undefined;
}

/** Parameter sets precede every intra picture at which a receiver may begin (ARIB STD-B32). */
function startsSequence(header: number, kind: VideoKind): boolean {
  return kind === 'h264' ? (header & 0x1f) === 7 : ((header >> 1) & 0x3f) === 32;
}

/** horizontal_size_value, vertical_size_value, aspect_ratio_information: ISO/IEC 13818-2 6.2.2.1. */
function sequenceFormat(packets: Uint8Array, at: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = packets.subarray(at, at + 4);
  return `${(a << 4) | (b >> 4)}x${((b & 0x0f) << 8) | c}/${d >> 4}`;
}
