/**
 * Prepares a recorded stream for one encoder: video and the requested audio streams on fixed PIDs, with times on one
 * timeline without jumps or wraps, for any number of parts, gaps and PIDs of the recording. The encoder gets one
 * continuous stream, so that video and audio stay in sync after each gap and its output continues.
 *
 * Every part begins with an intra picture; audio before it is dropped, as are pictures that need earlier ones.
 */
import { SILENT_TICKS, silentPes } from '../../lib/arib/aac/adts.ts';
import { type Pid, pid, type ServiceId, serviceId, transportStreamId } from '../../lib/arib/ids.ts';
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import { type Media90k, media90k, type Pts90k, TICKS_PER_SECOND, unwrapPts } from '../../lib/arib/time.ts';
import {
  continuityCounter,
  hasAdaptationField,
  hasPayload,
  hasTransportError,
  PACKET_SIZE,
  PAT_PID,
  packetPid,
  payloadStart,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { packetize, writePat, writePmt } from '../../lib/arib/ts/packetizer.ts';
import { type PesTimes, packetizePes, pesTimes, shiftPes } from '../../lib/arib/ts/pes.ts';
import { pictureStart } from '../reception/entry-points.ts';
import { type StationLayout, sameLayout } from '../reception/station-layout.ts';
import { TimeGuard } from '../reception/time-guard.ts';
import { AdtsFrames } from './adts-frames.ts';
import { ProgramTables } from './program-tables.ts';

export const PLAYBACK_VIDEO = pid(0x100);
export const PLAYBACK_AUDIO = pid(0x110);

/** Output PID of an audio stream, by its index in `audios`. */
export function playbackAudio(index: number): Pid {
  return pid(PLAYBACK_AUDIO + index);
}

const MAP_PID = pid(0x1000);
/** First time stamp for the encoder, so that none is negative; a whole number of samples at 48 kHz. */
export const LEAD_TICKS = 10 * TICKS_PER_SECOND;

/** Priming of an audio encoder before its first frame (1024 samples), which must not precede the video. */
const PRIMING_TICKS = 1_920;
/** Audio is multiplexed up to a second after its video; if it is this late, it counts as not sent. */
const SILENT_AFTER = 3 * TICKS_PER_SECOND;
const SILENCE_BEHIND = 2 * TICKS_PER_SECOND;
/** Longer than the delay of audio after its video, so that both are interleaved even if audio begins late. */
export const INTERLEAVE_MS = 4_000;
const HOLE_TICKS = TICKS_PER_SECOND;
/** Longest silence inserted for one pause. */
const MAX_SILENCE = 30 * TICKS_PER_SECOND;
/** Longer audio gaps are filled, because encoders do not fill a gap after which the format changes. */
const PAUSE_TICKS = 2.5 * SILENT_TICKS;
const ADTS = 0x0f;

interface RemuxOptions {
  /** Layout at the entry. */
  readonly layout: StationLayout;
  readonly tables: Uint8Array;
  readonly serviceId: ServiceId | undefined;
  /** For each audio output, the index of its stream in a layout; empty: no audio. */
  readonly audios: readonly ((layout: StationLayout) => number | undefined)[];
  readonly hasVideo: boolean;
  /** Time of the start. */
  readonly start: Media90k;
  /** It is over at every change of the layout. Default: only if the codec of a selected stream changes. */
  readonly endsWithLayout?: boolean;
}

/** A known pair of time stamp and media time. */
interface Anchor {
  readonly pts: Pts90k;
  readonly media: Media90k;
}

type Unit = 'passing' | 'dropped';

class OutputStream {
  unit: Unit = 'dropped';
  counter = 0;
  /** Continuity counter of the source's last packet. */
  from: number | undefined;
  /** Media time of the last unit. */
  last: number;
  /** Audio frames received since then; a frame counts once the next one has started. */
  frames = 0;
  readonly adts = new AdtsFrames();

  constructor(
    readonly pid: Pid,
    readonly streamType: number,
    start: number,
  ) {
    this.last = start;
  }
}

export class PlaybackRemuxer {
  readonly #tables: ProgramTables;
  readonly #video: OutputStream | undefined;
  readonly #audios: readonly OutputStream[];
  #layout: StationLayout;
  /** Current PIDs, cached so that they are not looked up for every packet. */
  #pids: { video: Pid | undefined; audios: (Pid | undefined)[] };
  #guard: TimeGuard;
  /** Undefined until the first picture after a jump. */
  #anchor: Anchor | undefined;
  /** Start of the current part; earlier data is dropped. */
  #floor: number;
  #waitsForPicture = true;
  /** PAT and PMT were written. */
  #isStarted = false;
  #isOver = false;
  #missing = 0;
  #out: Uint8Array[] = [];

  constructor(private readonly options: RemuxOptions) {
    this.#tables = new ProgramTables(options.serviceId, (layout) => this.#layoutChanged(layout));
    this.#layout = options.layout;
    this.#pids = this.#sources();
    this.#tables.feedAll(options.tables);
    this.#floor = options.start;
    const { video, audios } = this.#pids;
    if (options.hasVideo) this.#video = new OutputStream(PLAYBACK_VIDEO, this.#typeOf(video), options.start);
    this.#audios = audios.map(
      (pid, index) => new OutputStream(playbackAudio(index), this.#typeOf(pid), options.start),
    );
    this.#guard = this.#newGuard();
  }

  /** Begins another part of the recording, with a known pair of time stamp and media time. */
  begin(anchor: Anchor): void {
    this.#anchor = anchor;
    this.#floor = Math.max(anchor.media, this.options.start);
    this.#waitsForPicture = this.#video !== undefined;
    this.#guard = this.#newGuard();
    for (const stream of this.#streams()) stream.unit = 'dropped';
  }

  /** Media time up to which video (or audio) was passed. */
  get position(): Media90k {
    return media90k(this.#lead?.last ?? this.options.start);
  }

  /** Total length of holes longer than a second in the passed video (or audio), ticks. */
  get missing(): number {
    return this.#missing;
  }

  /** The codec of video or audio changed, or the layout with `endsWithLayout`. Further data is dropped. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes whole packets, in order, and returns those for the encoder. */
  feed(packets: Uint8Array): Uint8Array {
    if (this.#isOver) return new Uint8Array(0);
    let believed = this.#guard.feed(packets);
    if (believed === 'jump') {
      this.#resync();
      believed = this.#guard.feed(packets);
      if (believed === 'jump') return new Uint8Array(0);
    }
    for (let at = 0; at + PACKET_SIZE <= believed.length && !this.#isOver; at += PACKET_SIZE) {
      this.#tables.feed(believed, at);
      this.#packet(believed, at);
    }
    return joinBytes(this.#out.splice(0));
  }

  /** The clock jumped without a known gap: continues at the next picture. */
  #resync(): void {
    this.#guard = this.#newGuard();
    this.#anchor = undefined;
    this.#waitsForPicture = this.#video !== undefined;
    for (const stream of this.#streams()) stream.unit = 'dropped';
  }

  /** The stream that the others are aligned to. */
  get #lead(): OutputStream | undefined {
    return this.#video ?? this.#audios[0];
  }

  #streams(): OutputStream[] {
    return [this.#video, ...this.#audios].filter((stream) => stream !== undefined);
  }

  #sources(): { video: Pid | undefined; audios: (Pid | undefined)[] } {
    return {
      video: this.options.hasVideo ? this.#layout.video?.pid : undefined,
      audios: this.options.audios.map((choose) => {
        const index = choose(this.#layout);
        return index === undefined ? undefined : this.#layout.audios[index];
      }),
    };
  }

  #typeOf(pid: Pid | undefined): number {
    return (pid === undefined ? undefined : this.#tables.streamType(pid)) ?? ADTS;
  }

  #newGuard(): TimeGuard {
    const { video, audios } = this.#pids;
    return new TimeGuard([...new Set([video, ...audios])].filter((pid) => pid !== undefined));
  }

  #layoutChanged(layout: StationLayout): void {
    const before = this.#pids;
    const isOtherLayout = !sameLayout(this.#layout, layout);
    this.#layout = layout;
    this.#pids = this.#sources();
    const now = this.#pids;
    const isOther = (pid: Pid | undefined, stream: OutputStream | undefined): boolean =>
      pid !== undefined && stream !== undefined && this.#typeOf(pid) !== stream.streamType;
    // Not in the constructor, which has no stream types yet and reads the tables of the same layout.
    if (this.#isStarted) {
      this.#isOver =
        (this.options.endsWithLayout === true && isOtherLayout) ||
        isOther(now.video, this.#video) ||
        now.audios.some((pid, index) => isOther(pid, this.#audios[index]));
    }
    if (before.video !== now.video || before.audios.some((pid, index) => pid !== now.audios[index])) {
      this.#guard = this.#newGuard();
      if (before.video !== now.video) this.#waitsForPicture = this.#video !== undefined;
    }
  }

  #packet(bytes: Uint8Array, at: number): void {
    const pid = packetPid(bytes, at);
    if (!hasPayload(bytes, at) || hasTransportError(bytes, at)) return;
    const { video, audios } = this.#pids;
    if (pid === video && this.#video !== undefined) this.#unitOf(this.#video, bytes, at);
    // The same audio stream may be selected twice, in parts of a recording that lack the other one.
    for (const [index, audio] of this.#audios.entries()) {
      if (pid === audios[index]) this.#unitOf(audio, bytes, at);
    }
  }

  #unitOf(stream: OutputStream, bytes: Uint8Array, at: number): void {
    if (scramblingControl(bytes, at) !== 0) {
      stream.unit = 'dropped';
      return;
    }
    let shift: { times: PesTimes; by: number } | undefined;
    if (startsUnit(bytes, at)) {
      const times = pesTimes(bytes, at);
      const by = times === undefined ? undefined : this.#shift(stream, times, bytes, at);
      // A unit without a time stamp belongs to the previous one.
      if (times !== undefined) stream.unit = by === undefined ? 'dropped' : 'passing';
      if (times !== undefined && by !== undefined) shift = { times, by };
    }
    if (stream.unit === 'passing') this.#pass(stream, bytes, at, shift);
  }

  /** Shift of the unit's time stamps; undefined: the unit is dropped. */
  #shift(stream: OutputStream, times: PesTimes, bytes: Uint8Array, at: number): number | undefined {
    const isLead = stream === this.#lead;
    const kind = this.#layout.video?.kind;
    const isPicture = stream === this.#video;
    const isEntry = isPicture && kind !== undefined && pictureStart(bytes, at, kind) !== undefined;
    if (this.#anchor === undefined) {
      if (!isLead || (isPicture && !isEntry)) return undefined;
      this.#anchor = { pts: times.pts, media: media90k(stream.last + 3_003) };
      this.#floor = this.#anchor.media;
    }
    const { pts, media } = this.#anchor;
    const reached = this.#lead?.last ?? media;
    const time = media + unwrapPts(times.pts - pts, reached - media);
    if (time < this.#floor) return undefined;
    // After a gap, pictures that need earlier ones would be corrupt.
    const isBehindHole = isPicture && time > stream.last + HOLE_TICKS;
    if (isPicture && (this.#waitsForPicture || isBehindHole)) {
      if (!isEntry) return undefined;
      this.#waitsForPicture = false;
      // Later pictures in the stream with earlier time stamps need the picture before the gap.
      this.#floor = time;
    }
    if (!isPicture) {
      const isTooEarly = time < this.#floor + (this.#video === undefined ? 0 : PRIMING_TICKS);
      if (this.#waitsForPicture || isTooEarly || time < stream.last) return undefined;
      this.#fill(stream, time);
      stream.frames = 0;
      stream.adts.reset();
    }
    if (isPicture) for (const audio of this.#audios) this.#silence(audio, time);
    if (isLead && time > stream.last + HOLE_TICKS) this.#missing += time - stream.last;
    stream.last = isPicture ? Math.max(stream.last, time) : time;
    return time - this.options.start + LEAD_TICKS - times.pts;
  }

  /** Inserts silence if announced audio is not sent, because an encoder would wait for it. */
  #silence(stream: OutputStream, picture: number): void {
    if (this.#soundEnd(stream) > picture - SILENT_AFTER) return;
    this.#fill(stream, picture - SILENCE_BEHIND);
  }

  #soundEnd({ last, frames, adts }: OutputStream): number {
    return Math.max(last + (frames + 1) * adts.ticks, this.options.start + PRIMING_TICKS);
  }

  /** Inserts silence from the end of the audio to a time. */
  #fill(stream: OutputStream, until: number): void {
    if (stream.streamType !== ADTS) return;
    const end = this.#soundEnd(stream);
    if (until - end < PAUSE_TICKS) return;
    // No silence where there was no video either.
    const from = Math.max(end, until - MAX_SILENCE);
    for (let time = from; time + SILENT_TICKS <= until; time += SILENT_TICKS) {
      const unit = silentPes(time - this.options.start + LEAD_TICKS);
      const packets = packetizePes(unit, stream.pid, stream.counter);
      stream.counter = (stream.counter + packets.length / PACKET_SIZE) & 0x0f;
      this.#begin();
      this.#out.push(packets);
      stream.last = time;
      stream.frames = 0;
    }
  }

  #pass(
    stream: OutputStream,
    bytes: Uint8Array,
    at: number,
    shift: { times: PesTimes; by: number } | undefined,
  ): void {
    this.#begin();
    const packet = bytes.slice(at, at + PACKET_SIZE);
    if (shift !== undefined) {
      const { times, by } = shift;
      shiftPes(packet, { ...times, at: times.at - at }, by);
    }
    // Removes the clock reference: it is not on the output timeline, and the decoder does not need it.
    if (hasAdaptationField(packet, 0) && (packet[4] as number) > 0) packet[5] = (packet[5] as number) & 0x60;
    const counter = continuityCounter(bytes, at);
    const isNext = stream.from === undefined || counter === ((stream.from + 1) & 0x0f) || shift !== undefined;
    // Skipping one number signals the loss to the decoder.
    if (!isNext && counter !== stream.from) stream.counter = (stream.counter + 1) & 0x0f;
    stream.from = counter;
    if (stream !== this.#video && stream.streamType === ADTS) {
      const data = shift === undefined ? payloadStart(bytes, at) : shift.times.dataAt;
      stream.frames += stream.adts.feed(bytes.subarray(data, at + PACKET_SIZE)).length;
    }
    packet[1] = ((packet[1] as number) & 0xe0) | (stream.pid >> 8);
    packet[2] = stream.pid & 0xff;
    packet[3] = ((packet[3] as number) & 0xf0) | stream.counter;
    stream.counter = (stream.counter + 1) & 0x0f;
    this.#out.push(packet);
  }

  #begin(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const program = serviceId(1);
    const pat = writePat(transportStreamId(1), 0, [{ programNumber: program, pid: MAP_PID }]);
    const streams = this.#streams().map(({ streamType, pid }) => ({ streamType, pid }));
    const pmt = writePmt(program, 0, this.#video?.pid ?? PLAYBACK_AUDIO, streams);
    this.#out.push(packetize(pat, PAT_PID), packetize(pmt, MAP_PID));
  }
}
