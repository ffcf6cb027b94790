/**
 * Reader `still`: one intra picture of each wanted station of a channel, as its elementary stream, and then it ends.
 * Scrambled pictures and those with a lost packet are passed over.
 *
 * Bounds: MAX_PICTURE octets for each station; a field picture and its second field may be two PES packets, so a
 * picture is taken with its follower.
 */
import type { Pid, ServiceId } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import {
  continuityCounter,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  PAT_PID,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { parsePat } from '../../lib/arib/ts/pat.ts';
import { parsePmt } from '../../lib/arib/ts/pmt.ts';
import { SectionDemux } from '../../lib/arib/ts/section.ts';
import type { VideoKind } from '../model/encoding.ts';
import { pictureStart } from './entry-points.ts';
import { defineReader } from './reader-kind.ts';
import { layoutOf } from './station-layout.ts';

export interface IntraPicture {
  readonly serviceId: ServiceId;
  readonly kind: VideoKind;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The largest picture that MPEG-2 MP@HL allows (vbv_buffer_size, 9.8 Mbit), with its follower. */
const MAX_PICTURE = 2 * 1024 * 1024;
/** The PES packets of a picture, and of the one after it. */
const UNITS = 2;
const PES_HEADER = 9;

export const stillReader = defineReader<{ wanted: readonly ServiceId[] }, never, IntraPicture>({
  name: 'still',
  start: ({ wanted }, context) => {
    const reader = new StillReader(wanted, (pids) => context.select(pids));
    return {
      feed: (packets) => {
        for (const picture of reader.feed(packets)) context.post(picture);
        if (reader.complete) context.finish();
      },
    };
  },
  transfer: ({ bytes }) => [bytes.buffer],
});

/** A picture in the making. */
interface Taking {
  parts: Uint8Array[];
  size: number;
  units: number;
  counter: number;
}

interface WatchedVideo {
  readonly serviceId: ServiceId;
  readonly pid: Pid;
  readonly kind: VideoKind;
  taking: Taking | undefined;
}

export class StillReader {
  readonly #demux = new SectionDemux([PAT_PID]);
  /** Services whose picture was not posted yet. */
  readonly #open: Set<ServiceId>;
  readonly #maps = new Set<Pid>();
  readonly #videos = new Map<ServiceId, WatchedVideo>();

  /** @param select called with the needed PIDs, immediately and after each change */
  constructor(
    wanted: readonly ServiceId[],
    private readonly select: (pids: Iterable<number>) => void = () => {},
  ) {
    this.#open = new Set(wanted);
    this.#selectPids();
  }

  get complete(): boolean {
    return this.#open.size === 0;
  }

  /** @param packets whole packets @returns pictures that they complete */
  feed(packets: Uint8Array): IntraPicture[] {
    this.#readTables(packets);
    const found: IntraPicture[] = [];
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      const pid = packetPid(packets, at);
      for (const video of this.#videos.values()) {
        if (video.pid !== pid || !this.#open.has(video.serviceId)) continue;
        const bytes = takePacket(video, packets, at);
        if (bytes === undefined) continue;
        this.#open.delete(video.serviceId);
        found.push({ serviceId: video.serviceId, kind: video.kind, bytes });
      }
    }
    if (found.length > 0) this.#selectPids();
    return found;
  }

  #readTables(packets: Uint8Array): void {
    let changed = false;
    for (const section of this.#demux.feed(packets)) {
      if (section.pid === PAT_PID) {
        for (const { pid, programNumber } of parsePat(section)?.programs ?? []) {
          if (!this.#open.has(programNumber) || this.#maps.has(pid)) continue;
          this.#maps.add(pid);
          this.#demux.add(pid);
          changed = true;
        }
        continue;
      }
      const map = parsePmt(section);
      if (map === undefined || !this.#open.has(map.programNumber)) continue;
      const { video } = layoutOf(map);
      const before = this.#videos.get(map.programNumber);
      if (before?.pid === video?.pid && before?.kind === video?.kind) continue;
      if (video === null) this.#videos.delete(map.programNumber);
      else this.#videos.set(map.programNumber, { serviceId: map.programNumber, ...video, taking: undefined });
      changed = true;
    }
    if (changed) this.#selectPids();
  }

  #selectPids(): void {
    const videos = [...this.#videos.values()].filter(({ serviceId }) => this.#open.has(serviceId));
    this.select([PAT_PID, ...this.#maps, ...videos.map(({ pid }) => pid)]);
  }
}

/** @returns the picture that ends before this packet */
function takePacket(
  video: WatchedVideo,
  packets: Uint8Array,
  at: number,
): Uint8Array<ArrayBuffer> | undefined {
  if (hasTransportError(packets, at) || scramblingControl(packets, at) !== 0) {
    video.taking = undefined;
    return undefined;
  }
  if (!hasPayload(packets, at)) return undefined;
  const counter = continuityCounter(packets, at);
  const isStart = startsUnit(packets, at);
  let { taking } = video;
  if (taking !== undefined && counter !== ((taking.counter + 1) & 0x0f)) {
    // A duplicate packet is passed over; anything else is a loss.
    if (counter === taking.counter) return undefined;
    taking = undefined;
  }
  if (isStart && taking !== undefined) {
    taking.units += 1;
    if (taking.units > UNITS) return joinBytes(taking.parts);
  }
  if (taking === undefined && isStart && pictureStart(packets, at, video.kind) !== undefined)
    taking = { parts: [], size: 0, units: 1, counter };
  video.taking = taking;
  if (taking === undefined) return undefined;
  const payload = payloadStart(packets, at);
  const from = isStart ? payload + PES_HEADER + (packets[payload + 8] ?? 0) : payload;
  taking.counter = counter;
  if (from < at + PACKET_SIZE) {
    taking.parts.push(packets.slice(from, at + PACKET_SIZE));
    taking.size += at + PACKET_SIZE - from;
  }
  if (taking.size > MAX_PICTURE) video.taking = undefined;
  return undefined;
}
