/**
 * Filter before an encoder: replaces a missing or scrambled stream, so that the encoder continues and the viewer sees
 * the video as soon as it returns. Missing video is replaced by the last intra picture, missing audio by silence. Video
 * resumes with an intra picture.
 */
import { SILENT_TICKS, silentPes } from '../../lib/arib/aac/adts.ts';
import type { Pid } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { type Pts90k, unwrapPts } from '../../lib/arib/time.ts';
import {
  GapWatch,
  PTS_HZ,
  pcrToPts,
  type ReceptionFault,
  type WatchedStream,
} from '../../lib/arib/ts/clock.ts';
import {
  continuityCounter,
  hasAdaptationField,
  hasPayload,
  PACKET_SIZE,
  packetPcr,
  packetPid,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { packetizePes, pesTimes, shiftPes } from '../../lib/arib/ts/pes.ts';
import type { VideoKind } from '../model/encoding.ts';
import { pictureStart } from './entry-points.ts';

/** Video PES packets come 30 times a second, audio at least three times. */
const FILL_AFTER: Readonly<Record<WatchedStream, number>> = { video: PTS_HZ * 0.3, audio: PTS_HZ * 0.5 };
/** Filling stays this far behind the current time, so that returning data is not in the past. */
const SLACK = PTS_HZ * 0.15;
/** If video and audio are both missing for this long, the encoder ends so that the viewer gets the reason. */
const BOTH_LIMIT = 10 * PTS_HZ;
/** After a gap longer than this, video resumes only with an intra picture. */
const HOLE = PTS_HZ;
/** Limit per call; the next call adds the rest. */
const MAX_UNITS = 60;
/** An intra picture of MPEG-2 MP@HL fills at most its VBV buffer, 1.2 MB; twice that. */
const MAX_PICTURE_BYTES = 2_445_312;
/** Frame period, 90 kHz; shorter distances are those of fields and are ignored. */
const FRAME_RANGE = { least: 2_000, most: 9_009, usual: 3_003 };
const EMPTY = new Uint8Array(0);

export interface FilledStreams {
  readonly video: { readonly pid: Pid; readonly kind: VideoKind } | null;
  readonly audio: Pid | null;
}

interface GapNeeds {
  /** PID of the programme clock. */
  pcrPid(): Pid | undefined;
  /** Called when the missing streams change; undefined: none. */
  onFault(fault: ReceptionFault | undefined): void;
  /** Called when the stream was filled up to this time stamp. */
  onReached(pid: Pid, unwrappedPts: number): void;
}

class Stream {
  /** Greatest time stamp passed or added, unwrapped. */
  last: number | undefined;
  /** Time stamp of the last unit received. */
  came = 0;
  /** Time between two units. */
  period = FRAME_RANGE.usual;
  isPassing = true;
  /** The last unit of the output was added, not received. */
  isFilling = false;
  /** Continuity counter of the last packet written. */
  counter = 0;
  /** Offset added to received continuity counters; undefined: to be set with the next packet. */
  shift: number | undefined = 0;

  constructor(
    readonly name: WatchedStream,
    readonly pid: Pid,
  ) {}
}

export class GapFiller {
  readonly #watch = new GapWatch();
  readonly #video: Stream | undefined;
  readonly #audio: Stream | undefined;
  /** Packets and time stamp of the last complete intra picture. */
  #held: { readonly packets: Uint8Array; readonly pts: number } | undefined;
  #collecting: { readonly packets: Uint8Array[]; readonly pts: Pts90k } | undefined;
  /** Pictures with earlier time stamps depend on pictures that were not received. */
  #floor = Number.NEGATIVE_INFINITY;
  /** Only ADTS audio can be replaced by silence. */
  #isAdts = false;
  #fault: ReceptionFault | undefined;

  constructor(
    private readonly streams: FilledStreams,
    private readonly needs: GapNeeds,
  ) {
    const { video, audio } = streams;
    if (video !== null) this.#video = new Stream('video', video.pid);
    if (audio !== null) this.#audio = new Stream('audio', audio);
  }

  /** Takes whole packets; returns the same array if nothing in it changes. */
  feed(packets: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    const clockPid = this.needs.pcrPid();
    let copied = 0;
    for (let at = 0; at + PACKET_SIZE <= packets.length; at += PACKET_SIZE) {
      const pid = packetPid(packets, at);
      if (pid === clockPid) this.#clock(packets, at);
      const stream =
        pid === this.#video?.pid ? this.#video : pid === this.#audio?.pid ? this.#audio : undefined;
      const instead = stream === undefined ? undefined : this.#packet(stream, packets, at);
      if (instead === undefined) continue;
      parts.push(packets.subarray(copied, at), instead);
      copied = at + PACKET_SIZE;
    }
    const filled = this.#fillBoth();
    this.#reportFault();
    if (copied === 0 && filled.length === 0) return packets;
    parts.push(packets.subarray(copied), filled);
    return joinBytes(parts);
  }

  #clock(packets: Uint8Array, at: number): void {
    const pcr = packetPcr(packets, at);
    if (pcr !== undefined) this.#watch.clock(pcrToPts(pcr));
  }

  #reportFault(): void {
    const { fault } = this.#watch;
    if (fault === this.#fault) return;
    this.#fault = fault;
    this.needs.onFault(fault);
  }

  /** The replacement of this packet; undefined if it is kept. */
  #packet(stream: Stream, packets: Uint8Array, at: number): Uint8Array | undefined {
    if (scramblingControl(packets, at) !== 0) {
      this.#watch.scrambled(stream.name);
      stream.isPassing = false;
      if (stream === this.#video) this.#collecting = undefined;
      return EMPTY;
    }
    let before: Uint8Array = EMPTY;
    if (startsUnit(packets, at)) {
      const times = pesTimes(packets, at);
      if (times !== undefined) {
        if (stream === this.#video) this.#endHeld(times.pts);
        before = this.#unit(stream, packets, at, times.pts);
        if (stream === this.#audio) this.#isAdts = packets[times.dataAt] === 0xff || this.#isAdts;
      }
    }
    if (!stream.isPassing) return EMPTY;
    if (stream === this.#video) this.#collect(packets, at);
    const numbered = this.#numbered(stream, packets, at);
    if (before.length === 0) return numbered;
    return joinBytes([before, numbered ?? packets.subarray(at, at + PACKET_SIZE)]);
  }

  /** Decides whether the unit is passed; returns the packets to insert before it. */
  #unit(stream: Stream, packets: Uint8Array, at: number, pts: Pts90k): Uint8Array {
    const time = unwrapPts(pts, stream.last ?? pts);
    const apart = time - stream.came;
    this.#watch.unit(stream.name, pts);
    stream.came = time;
    if (stream === this.#video) return this.#picture(stream, packets, at, time, Math.abs(apart));
    if (apart > 0 && apart < PTS_HZ) stream.period = apart;
    const isInFilled = stream.isFilling && time < (stream.last ?? 0) + SILENT_TICKS / 2;
    const before = stream.isFilling && !isInFilled ? this.#silence(stream, time) : EMPTY;
    stream.isPassing = !isInFilled;
    if (isInFilled) return EMPTY;
    stream.isFilling = false;
    stream.last = time;
    return before;
  }

  #picture(stream: Stream, packets: Uint8Array, at: number, time: number, apart: number): Uint8Array {
    const { least, most } = FRAME_RANGE;
    if (apart > least && apart < most) stream.period = Math.min(stream.period, apart);
    const kind = this.streams.video?.kind ?? 'mpeg2';
    const isEntry = pictureStart(packets, at, kind) !== undefined;
    const { last } = stream;
    const isBehindGap = last !== undefined && (stream.isFilling || time > last + HOLE);
    const isPassing = isBehindGap ? isEntry && time > last : time >= this.#floor;
    const before = isPassing && stream.isFilling ? this.#hold(stream, time - stream.period / 2) : EMPTY;
    stream.isPassing = isPassing;
    if (!isPassing) return EMPTY;
    if (isBehindGap) this.#floor = time;
    stream.isFilling = false;
    stream.last = Math.max(last ?? time, time);
    if (isEntry) this.#collecting = { packets: [], pts: time as Pts90k };
    return before;
  }

  /** The two fields of an intra picture may be in separate PES packets. */
  #endHeld(pts: Pts90k): void {
    const collecting = this.#collecting;
    if (collecting === undefined) return;
    const apart = unwrapPts(pts, collecting.pts) - collecting.pts;
    if (apart > 0 && apart < FRAME_RANGE.least) return;
    this.#collecting = undefined;
    this.#held = { packets: joinBytes(collecting.packets), pts: collecting.pts };
  }

  #collect(packets: Uint8Array, at: number): void {
    const list = this.#collecting?.packets;
    if (list === undefined) return;
    list.push(packets.slice(at, at + PACKET_SIZE));
    if (list.length * PACKET_SIZE > MAX_PICTURE_BYTES) this.#collecting = undefined;
  }

  #numbered(stream: Stream, packets: Uint8Array, at: number): Uint8Array | undefined {
    const counter = continuityCounter(packets, at);
    stream.shift ??= stream.counter + (hasPayload(packets, at) ? 1 : 0) - counter;
    stream.counter = (counter + stream.shift) & 0x0f;
    if (stream.counter === counter) return undefined;
    const packet = packets.slice(at, at + PACKET_SIZE);
    packet[3] = ((packet[3] as number) & 0xf0) | stream.counter;
    return packet;
  }

  #fillBoth(): Uint8Array {
    const [video, audio] = [this.#video, this.#audio];
    const started = [video, audio].filter((one) => one?.last !== undefined) as Stream[];
    const missing = started.map(({ name }) => this.#watch.missing(name));
    if (Math.min(...missing) > BOTH_LIMIT) return EMPTY;
    const parts: Uint8Array[] = [];
    for (const [index, stream] of started.entries()) {
      const gone = missing[index] ?? 0;
      if (!stream.isFilling && gone < FILL_AFTER[stream.name]) continue;
      const until = stream.came + gone - SLACK;
      parts.push(stream === video ? this.#hold(stream, until) : this.#silence(stream, until));
    }
    return joinBytes(parts);
  }

  /** Repeats the last intra picture up to a time. */
  #hold(stream: Stream, until: number): Uint8Array {
    const held = this.#held;
    if (held === undefined || stream.last === undefined) return EMPTY;
    const parts: Uint8Array[] = [];
    for (let time = stream.last + stream.period; time <= until; time += stream.period) {
      if (parts.length >= MAX_UNITS) break;
      stream.last = time;
      parts.push(this.#repeated(stream, held.packets, time - held.pts));
    }
    this.#filled(stream, parts.length);
    return joinBytes(parts);
  }

  #repeated(stream: Stream, unit: Uint8Array, shift: number): Uint8Array {
    const packets = unit.slice();
    for (let at = 0; at < packets.length; at += PACKET_SIZE) {
      const times = startsUnit(packets, at) ? pesTimes(packets, at) : undefined;
      if (times !== undefined) shiftPes(packets, times, shift);
      // The clock reference and flags of the repeated packet are outdated.
      if (hasAdaptationField(packets, at) && (packets[at + 4] as number) > 0) packets[at + 5] = 0;
      if (hasPayload(packets, at)) stream.counter = (stream.counter + 1) & 0x0f;
      packets[at + 3] = ((packets[at + 3] as number) & 0xf0) | stream.counter;
    }
    return packets;
  }

  #silence(stream: Stream, until: number): Uint8Array {
    if (!this.#isAdts || stream.last === undefined) return EMPTY;
    const parts: Uint8Array[] = [];
    // A received PES packet contains several frames.
    let time = stream.last + (stream.isFilling ? SILENT_TICKS : stream.period);
    for (; time + SILENT_TICKS <= until && parts.length < MAX_UNITS; time += SILENT_TICKS) {
      stream.last = time;
      const packets = packetizePes(silentPes(time), stream.pid, stream.counter + 1);
      stream.counter = (stream.counter + packets.length / PACKET_SIZE) & 0x0f;
      parts.push(packets);
    }
    this.#filled(stream, parts.length);
    return joinBytes(parts);
  }

  #filled(stream: Stream, units: number): void {
    if (units === 0 || stream.last === undefined) return;
    stream.isFilling = true;
    stream.isPassing = false;
    stream.shift = undefined;
    this.needs.onReached(stream.pid, stream.last);
  }
}
