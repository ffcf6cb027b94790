/**
 * Finds where a decoder can begin in a station's packets: a PAT, then its PMT, then the start of an intra
 * picture, with nothing between that a demuxer would have to forget. Also notices when the picture's format
 * changes, which an encoder under way cannot follow.
 */
import type { Pid } from '../../arib/ids.ts';
import { PACKET_SIZE, PAT_PID, packetPid, payloadStart, startsUnit } from '../../arib/ts/packet.ts';
import type { VideoKind } from './layout.ts';

export interface EntryPoint {
  /** Octets from the start of the station's stream to the PAT. */
  at: number;
  /** Size and aspect of the picture where its header tells; another value means another format. */
  format: string | null;
}

export type WatchedVideo = { pid: Pid; kind: VideoKind } | null;

const PES_HEADER_BYTES = 9;
const SEQUENCE_HEADER = 0xb3;

export class EntryPointFinder {
  #video: WatchedVideo | undefined;
  #mapPid: Pid | undefined;
  #pat = -1;
  #tables = -1;
  #position = 0;

  /** Packets before this call are no part of any entry point. */
  watch(video: WatchedVideo): void {
    this.#video = video;
    this.#pat = -1;
    this.#tables = -1;
  }

  /** Octets seen so far. */
  get position(): number {
    return this.#position;
  }

  /** Whole packets in; the entry points that they complete out, oldest first. */
  feed(packets: Uint8Array): EntryPoint[] {
    const found: EntryPoint[] = [];
    const video = this.#video;
    for (let offset = 0; offset + PACKET_SIZE <= packets.length; offset += PACKET_SIZE) {
      if (!startsUnit(packets, offset)) continue;
      const pid = packetPid(packets, offset);
      if (pid === PAT_PID) {
        this.#pat = this.#position + offset;
        this.#mapPid = mapPidOf(packets, offset);
      } else if (video === undefined) continue;
      else if (pid === this.#mapPid) {
        this.#tables = this.#pat;
        if (video === null) this.#add(found, null);
      } else if (video !== null && pid === video.pid && this.#tables >= 0) {
        const start = pictureStart(packets, offset, video.kind);
        if (start !== undefined) this.#add(found, start.format);
      }
    }
    this.#position += packets.length;
    return found;
  }

  #add(found: EntryPoint[], format: string | null): void {
    if (this.#tables >= 0) found.push({ at: this.#tables, format });
  }
}

/** The PMT's PID of a narrowed stream's PAT, which names one programme in one packet. ISO/IEC 13818-1 2.4.4.3. */
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
function pictureStart(
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

/** Parameter sets stand before every intra picture that a receiver may begin with (ARIB STD-B32). */
function startsSequence(header: number, kind: VideoKind): boolean {
  return kind === 'h264' ? (header & 0x1f) === 7 : ((header >> 1) & 0x3f) === 32;
}

/** horizontal_size_value, vertical_size_value, aspect_ratio_information: ISO/IEC 13818-2 6.2.2.1. */
function sequenceFormat(packets: Uint8Array, at: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = packets.subarray(at, at + 4);
  return `${(a << 4) | (b >> 4)}x${((b & 0x0f) << 8) | c}/${d >> 4}`;
}
