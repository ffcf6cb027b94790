/**
 * Reads a recorded stream once through ffmpeg at low priority and extracts the features from which commercials are
 * detected. Always terminates: at the end of the stream, when ffmpeg exits, on abort, or when ffmpeg produces no output
 * for too long.
 */
import { readAdtsHeader } from '../../lib/arib/aac/adts.ts';
import type { Pid } from '../../lib/arib/ids.ts';
import { type Pts90k, TICKS_PER_MS } from '../../lib/arib/time.ts';
import {
  hasTransportError,
  PACKET_SIZE,
  packetPid,
  scramblingControl,
  startsUnit,
} from '../../lib/arib/ts/packet.ts';
import { pesTimes } from '../../lib/arib/ts/pes.ts';
import {
  type MonotonicClock,
  type MonotonicMs,
  monotonicMs,
  systemMonotonicClock,
} from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import { FfmpegProcess, lowerPriority } from '../ffmpeg/process.ts';
import { LEAD_TICKS, PLAYBACK_AUDIO, PlaybackRemuxer } from '../media/playback-remuxer.ts';
import { RecordingBytes } from '../media/recording-bytes.ts';
import { recordingFeed } from '../media/recording-feed.ts';
import { pieceHolding, timeInPieces } from '../media/recording-index.ts';
import { DualMonoPackets } from '../reception/dual-mono.ts';
import { type AnalysisTracks, analysisCommand, analysisTracks } from './analysis-command.ts';
import type { DetectAsk } from './detect-messages.ts';
import { type MatroskaBlock, MatroskaReader } from './matroska-blocks.ts';
import { FeatureCollector, type StreamFeatures } from './stream-features.ts';

/** Resolves when the machine is idle; rejects with the signal's reason on abort. */
export type Resumed = (signal: AbortSignal) => Promise<void>;

interface AnalysisOptions {
  readonly resumed: Resumed;
  /** Share of the stream that has been read, 0 to 1. */
  readonly onProgress: (share: number) => void;
  readonly signal: AbortSignal;
  readonly clock?: MonotonicClock;
  /** ffmpeg is killed after this long without output, ms. */
  readonly stallMs?: number;
}

/** ffmpeg failed; the message is its own. */
export class AnalysisFailed extends Error {
  override readonly name = 'AnalysisFailed';
}

/** Size of the queue towards ffmpeg: some seconds of a stream. */
const MAX_QUEUED = 4 * 1024 * 1024;
const STALL_MS = 60_000;
const CHECK_MS = 500;
const READ_LIMIT_MS = 2_000;
/** Least distance between two stored corners; more in a long recording. */
const STRIP_MS = 450;
const STRIPS = 2_300;

export async function analyseStream(ask: DetectAsk, options: AnalysisOptions): Promise<StreamFeatures> {
  const analysis = new Analysis(ask, options);
  return analysis.run();
}

class Analysis {
  readonly #collector = new FeatureCollector();
  readonly #tracks: AnalysisTracks;
  readonly #command: readonly string[];
  readonly #abort = new AbortController();
  readonly #clock: MonotonicClock;
  readonly #hasVideo: boolean;
  readonly #hasSound: boolean;
  /** When input was first written without any output since; undefined: output has arrived. */
  #waitingSince: MonotonicMs | undefined;
  #failure: Error | undefined;

  constructor(
    private readonly ask: DetectAsk,
    private readonly options: AnalysisOptions,
  ) {
    const { layout } = ask.entry;
    this.#clock = options.clock ?? systemMonotonicClock;
    this.#hasVideo = layout.video !== null;
    this.#hasSound = layout.audios.length > 0;
    const what = { hasVideo: this.#hasVideo, hasSound: this.#hasSound };
    this.#tracks = analysisTracks(what);
    const stripEveryMs = Math.max(STRIP_MS, Math.ceil(ask.durationMs / STRIPS));
    this.#command = analysisCommand(ask.ffmpeg, { ...what, stripEveryMs });
  }

  /** @throws AnalysisFailed, read errors, the signal's reason */
  async run(): Promise<StreamFeatures> {
    const { signal, stallMs = STALL_MS } = this.options;
    signal.throwIfAborted();
    let process: FfmpegProcess;
    try {
      process = new FfmpegProcess(this.#command, MAX_QUEUED);
    } catch (error) {
      throw new AnalysisFailed(error instanceof Error ? error.message : String(error));
    }
    lowerPriority(process.pid);
    const end = (): void => {
      this.#abort.abort(signal.reason);
      void process.stop();
    };
    signal.addEventListener('abort', end, { once: true });
    const check = setInterval(() => {
      if (this.#waitingSince === undefined || this.#clock() - this.#waitingSince <= stallMs) return;
      this.#fail(new AnalysisFailed(`ffmpeg gave nothing for ${stallMs} ms`), process);
    }, CHECK_MS);
    try {
      const feeding = this.#feed(process);
      const reading = this.#read(process);
      const { code, stderr } = await process.ended;
      this.#abort.abort();
      await feeding;
      await settlesWithin(READ_LIMIT_MS, reading);
      signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure;
      // ffmpeg warns about damaged pictures; only a run without any output counts as failed.
      if (code !== 0 && this.#collector.reachedMs === 0) {
        throw new AnalysisFailed(stderr || `ffmpeg ended with ${code}`);
      }
      if (code > 128) throw new AnalysisFailed(`ffmpeg was killed (${code})`);
      return this.#collector.features(this.ask.durationMs);
    } finally {
      clearInterval(check);
      signal.removeEventListener('abort', end);
      await process.stop();
    }
  }

  #fail(error: Error, process: FfmpegProcess): void {
    this.#failure ??= error;
    this.#abort.abort();
    void process.stop();
  }

  async #feed(process: FfmpegProcess): Promise<void> {
    const { paths, pieces, size, entry } = this.ask;
    const { signal } = this.#abort;
    let bytes: RecordingBytes | undefined;
    try {
      bytes = await RecordingBytes.open(() => paths);
      const index = { pieces, size, pieceAt: (at: number) => pieceHolding(pieces, at) };
      const remuxer = this.#remuxer();
      const dualMono = new DualMonoPackets([PLAYBACK_AUDIO]);
      for await (const block of recordingFeed({ bytes, index, from: entry.at, signal })) {
        if (block.kind === 'piece') {
          remuxer.begin({ pts: block.piece.pts, media: block.piece.start });
          continue;
        }
        if (block.at >= size) break;
        await this.#resumed(signal);
        this.#captions(block.bytes, block.at);
        const packets = remuxer.feed(block.bytes);
        this.#modes(packets);
        await this.#write(process, dualMono.feed(packets));
        this.options.onProgress(Math.min(1, block.at / Math.max(1, size)));
        if (remuxer.isOver) break;
      }
    } catch (error) {
      if (!signal.aborted) this.#fail(error instanceof Error ? error : new Error(String(error)), process);
    } finally {
      await bytes?.close();
    }
    process.finish();
  }

  #remuxer(): PlaybackRemuxer {
    const { entry, serviceId } = this.ask;
    return new PlaybackRemuxer({
      layout: entry.layout,
      tables: entry.tables,
      serviceId,
      hasVideo: this.#hasVideo,
      start: entry.media,
      audios: this.#hasSound ? [() => 0] : [],
    });
  }

  /** Time spent waiting for an idle machine does not count towards ffmpeg's timeout. */
  async #resumed(signal: AbortSignal): Promise<void> {
    const waiting = this.#waitingSince;
    const began = this.#clock();
    await this.options.resumed(signal);
    if (waiting !== undefined && this.#waitingSince === waiting)
      this.#waitingSince = monotonicMs(waiting + this.#clock() - began);
  }

  async #write(process: FfmpegProcess, packets: Uint8Array): Promise<void> {
    if (packets.length === 0) return;
    this.#waitingSince ??= this.#clock();
    await process.room(MAX_QUEUED / 2);
    process.write(packets);
  }

  #captions(packets: Uint8Array, at: number): void {
    const { entry, pieces } = this.ask;
    for (const { pts, at: offset } of captionTimes(packets, entry.layout.captions)) {
      const media = timeInPieces(pieces, pts, at + offset);
      if (media !== undefined && media >= 0) this.#collector.caption(media / TICKS_PER_MS);
    }
  }

  #modes(packets: Uint8Array): void {
    for (const { pts, channels } of soundModes(packets, PLAYBACK_AUDIO)) {
      this.#collector.mode(this.#mediaMs(pts / TICKS_PER_MS), channels);
    }
  }

  /** ffmpeg's timestamps are media time minus the start, plus the lead. */
  #mediaMs(timeMs: number): number {
    return timeMs - (LEAD_TICKS - this.ask.entry.media) / TICKS_PER_MS;
  }

  async #read(process: FfmpegProcess): Promise<void> {
    const reader = new MatroskaReader();
    try {
      for await (const chunk of process.output) {
        this.#waitingSince = undefined;
        for (const block of reader.feed(chunk)) this.#take(block);
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)), process);
    }
  }

  #take({ track, timeMs, data }: MatroskaBlock): void {
    const { tiny, strip, sound } = this.#tracks;
    const at = this.#mediaMs(timeMs);
    if (track === tiny) this.#collector.tiny(at, data);
    else if (track === strip) this.#collector.strip(at, data);
    else if (track === sound) this.#collector.sound(at, data);
  }
}

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
function soundModes(packets: Uint8Array, sound: Pid): (Marked & { channels: number })[] {
  return unitsOf(packets, (pid) => pid === sound).flatMap(({ at, pts, dataAt, end }) => {
    const header = readAdtsHeader(packets.subarray(0, end), dataAt);
    return header === undefined ? [] : [{ at, pts, channels: header.channelConfiguration }];
  });
}

/** data_group_id of management data, ARIB STD-B24 volume 1 part 3, table 9-2: the two groups alternate. */
const MANAGEMENT = new Set([0x00, 0x20]);

/** Captions without a timestamp (superimposed text) are news flashes and give no evidence. */
function captionTimes(packets: Uint8Array, captions: readonly Pid[]): Marked[] {
  if (captions.length === 0) return [];
  return unitsOf(packets, (pid) => captions.includes(pid)).filter(({ dataAt, end }) => {
    // data_identifier, private_stream_id, PES_data_packet_header_length: ARIB STD-B24 volume 3, 5.
    const group = dataAt + 3 + ((packets[dataAt + 2] ?? 0) & 0x0f);
    if (group >= end) return false;
    return !MANAGEMENT.has((packets[group] as number) >> 2);
  });
}
