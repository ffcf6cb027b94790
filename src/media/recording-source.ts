/** A recording as a media source, from an entry on. For one viewer, because viewers watch different positions. */
import type { Pid } from '../../lib/arib/ids.ts';
import { type Media90k, media90k } from '../../lib/arib/time.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import { Fragmenter, type MediaPiece } from '../../lib/mp4/fragmenter.ts';
import { FfmpegProcess } from '../ffmpeg/process.ts';
import { liveCommand, type PictureSize, pictureSize } from '../ffmpeg/recipes.ts';
import { DualMonoPackets } from '../reception/dual-mono.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { RecordingEntry } from './entry-search.ts';
import {
  INTERLEAVE_MS,
  LEAD_TICKS,
  PLAYBACK_AUDIO,
  PLAYBACK_VIDEO,
  PlaybackRemuxer,
} from './playback-remuxer.ts';
import type { RecordingBytes } from './recording-bytes.ts';
import { type FollowedRecording, recordingFeed } from './recording-feed.ts';
import type { RecordingIndex } from './recording-index.ts';
import { RecordingPackets } from './recording-packets.ts';
import { RecordingSideData } from './recording-side-data.ts';
import type { SideRow } from './side-row.ts';
import type {
  EncodeOrder,
  MediaSource,
  OutputConsumer,
  OutputEnd,
  PacketConsumer,
  PacketOutput,
  SourceOutput,
} from './source.ts';

interface RecordingSourceOptions {
  readonly bytes: Pick<RecordingBytes, 'read' | 'size' | 'refresh'>;
  readonly index: RecordingIndex;
  readonly entry: RecordingEntry;
  /** Only for a recording in progress. */
  readonly follow: FollowedRecording | undefined;
  /** Media time of time 0 in the fragments. */
  readonly zero: Media90k;
  readonly clock: MonotonicClock;
  /** Side data that are read, too. */
  readonly rows?: readonly SideRow[];
  /** The conversion ends because the codec or layout changes: after this time, and in or after the block at this octet. */
  readonly onLayoutChange?: (change: { readonly media: Media90k; readonly at: number }) => void;
  /** Called once all resources are released. */
  readonly onClosed: () => void;
}

/** Queue bound towards ffmpeg: a second at 32 Mbit/s. */
const MAX_QUEUED = 4 * 1024 * 1024;
/** Time limit for the first output on a machine that is busy with other conversions. The encoder gets it twice. */
export const START_LIMIT_MS = 12_000;
const STALL_LIMIT_MS = 20_000;
const CHECK_MS = 500;
const READ_LIMIT_MS = 2_000;

interface RecordingOutput {
  readonly side: RecordingSideData;
  stop(): Promise<void>;
  hold(isHeld: boolean): void;
}

export class RecordingSource implements MediaSource {
  readonly layout: StationLayout;
  readonly #outputs = new Set<{ stop(): Promise<void> }>();
  #isClosed = false;

  constructor(readonly options: RecordingSourceOptions) {
    this.layout = options.entry.layout;
  }

  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput {
    const output = new Conversion(this.options, order, consumer);
    return this.#started(output);
  }

  packets(consumer: PacketConsumer): PacketOutput {
    const output = new RecordingPackets(this.options, consumer);
    return { ...this.#started(output), join: (viewer) => output.join(viewer) };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#outputs].map((output) => output.stop()));
    this.options.onClosed();
  }

  #started(output: RecordingOutput): Required<SourceOutput> {
    this.#outputs.add(output);
    const { side } = output;
    return { side, stop: () => void output.stop(), hold: (isHeld) => output.hold(isHeld) };
  }
}

/** The picture size for the start of an encoder; undefined if it is not in the header. */
function sizeOf(format: string | null): PictureSize | undefined {
  const match = format === null ? null : /^(\d+)x(\d+)\/(\d+)$/.exec(format);
  if (match === null) return undefined;
  const [width, lines, code] = match.slice(1).map(Number) as [number, number, number];
  // aspect_ratio_information, ISO/IEC 13818-2 table 6-3: square samples, 4:3, 16:9, 2.21:1.
  const aspect = [0, width / lines, 4 / 3, 16 / 9, 2.21][code];
  if (!aspect || lines < 16 || !Number.isFinite(aspect)) return undefined;
  return pictureSize(lines, aspect);
}

class Conversion {
  readonly #remuxer: PlaybackRemuxer;
  readonly side: RecordingSideData;
  readonly #fragmenter: Fragmenter;
  readonly #dualMono = new DualMonoPackets([PLAYBACK_AUDIO]);
  readonly #abort = new AbortController();
  readonly #process: FfmpegProcess | undefined;
  readonly #running: Promise<void>;
  readonly #check: ReturnType<typeof setInterval>;
  #end: OutputEnd | undefined;
  #produced = false;
  #isHeld = false;
  #resume: (() => void) | undefined;
  /** Since when ffmpeg has been fed without output. */
  #waitingSince: MonotonicMs | undefined;

  constructor(
    private readonly options: RecordingSourceOptions,
    order: EncodeOrder,
    private readonly consumer: OutputConsumer,
  ) {
    const { entry, index, zero, clock } = options;
    const { audio } = order;
    const audioIndex = audio === null ? -1 : entry.layout.audios.indexOf(audio.pid as Pid);
    this.#remuxer = new PlaybackRemuxer({
      layout: entry.layout,
      tables: entry.tables,
      serviceId: index.serviceId,
      audios: audio === null ? [] : [({ audios }) => (audios.length > audioIndex ? audioIndex : 0)],
      hasVideo: order.video !== null,
      start: entry.media,
      // The rule of live viewing: the client asks again at once, and may choose among the new streams.
      endsWithLayout: options.follow !== undefined,
    });
    const remuxer = this.#remuxer;
    this.side = new RecordingSideData({
      ...{ rows: options.rows ?? [], serviceId: index.serviceId, tables: entry.tables },
      position: () => remuxer.position,
      timeOf: (media) => media90k(Math.max(0, media - zero)),
      give: (frame) => consumer.frame(frame),
    });
    // Time stamps for the encoder are media time minus the start, plus the lead.
    this.#fragmenter = new Fragmenter(LEAD_TICKS - entry.media + zero);
    this.#process = this.#start(order);
    this.#check = setInterval(() => this.#watch(clock()), CHECK_MS);
    this.#running = this.#run();
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) return;
    // ffmpeg could not produce output while the output was paused.
    if (this.#waitingSince !== undefined) this.#waitingSince = this.options.clock();
    this.#resume?.();
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#finish({ cause: 'lost' });
    await this.#running;
  }

  #start(order: EncodeOrder): FfmpegProcess | undefined {
    const { video, audio } = order;
    const size = sizeOf(this.options.entry.format);
    const command = liveCommand({
      ...order,
      interleaveMs: INTERLEAVE_MS,
      video: video === null ? null : { ...video, pid: PLAYBACK_VIDEO, size },
      audio: audio === null ? null : { ...audio, pid: PLAYBACK_AUDIO },
    });
    try {
      return new FfmpegProcess(command, MAX_QUEUED);
    } catch (error) {
      this.#end = this.#failure(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #failure(reason: string): Extract<OutputEnd, { cause: 'encoder' }> {
    return { cause: 'encoder', reason, produced: this.#produced, missing: [] };
  }

  /** Ends the output immediately. */
  #finish(end: OutputEnd): void {
    this.#end ??= end;
    this.#abort.abort();
    this.#resume?.();
    void this.#process?.stop();
  }

  #watch(now: MonotonicMs): void {
    if (this.#waitingSince === undefined || this.#isHeld) return;
    const limit = this.#produced ? STALL_LIMIT_MS : START_LIMIT_MS;
    if (now - this.#waitingSince <= limit) return;
    this.#finish({ ...this.#failure('the encoder produces no output'), isSlow: true });
  }

  async #run(): Promise<void> {
    const process = this.#process;
    // Its owner must have the output before the end is reported.
    await Promise.resolve();
    if (process !== undefined) {
      const feeding = this.#feed(process);
      const reading = this.#read(process);
      const exit = await process.ended;
      this.#abort.abort();
      await feeding;
      // A viewer that does not read delays the data that is already encoded.
      if (this.#end === undefined || this.#end.cause === 'layout') await reading;
      else await settlesWithin(READ_LIMIT_MS, reading);
      const failed = exit.stderr === '' ? `ffmpeg ended with ${exit.code}` : exit.stderr;
      this.#end ??= exit.code === 0 && this.#produced ? { cause: 'finished' } : this.#failure(failed);
    }
    clearInterval(this.#check);
    this.consumer.ended(this.#end ?? { cause: 'lost' });
  }

  async #feed(process: FfmpegProcess): Promise<void> {
    const { bytes, index, entry, follow } = this.options;
    const remuxer = this.#remuxer;
    const { signal } = this.#abort;
    const position = (): Media90k => remuxer.position;
    try {
      const feed = recordingFeed({ bytes, index, from: entry.at, follow, position, signal });
      for await (const block of feed) {
        if (block.kind === 'piece') {
          remuxer.begin({ pts: block.piece.pts, media: block.piece.start });
          this.side.begin(block.piece);
          continue;
        }
        this.side.feed(block.bytes);
        await this.#write(process, this.#dualMono.feed(remuxer.feed(block.bytes)));
        if (remuxer.isOver) {
          this.#end ??= { cause: 'layout' };
          this.options.onLayoutChange?.({ media: remuxer.position, at: block.at });
          break;
        }
      }
    } catch (error) {
      this.#finish(this.#failure(error instanceof Error ? error.message : String(error)));
    }
    process.finish();
  }

  async #write(process: FfmpegProcess, packets: Uint8Array): Promise<void> {
    if (packets.length === 0) return;
    this.#waitingSince ??= this.options.clock();
    await process.room(MAX_QUEUED / 2);
    process.write(packets);
  }

  async #read(process: FfmpegProcess): Promise<void> {
    try {
      for await (const chunk of process.output) {
        for (const piece of this.#fragmenter.feed(chunk)) {
          if (piece.kind === 'jump') {
            this.#finish({ cause: 'layout' });
            return;
          }
          this.#emit(piece);
        }
        await this.#waitForRoom();
      }
    } catch (error) {
      this.#finish(this.#failure(error instanceof Error ? error.message : String(error)));
    }
  }

  #emit(piece: Exclude<MediaPiece, { kind: 'jump' }>): void {
    this.#waitingSince = undefined;
    if (piece.kind === 'fragment') {
      this.#produced = true;
      const { bytes, sync, time } = piece;
      this.consumer.frame({ kind: 'fragment', bytes, isSync: sync, time });
      return;
    }
    this.consumer.frame({ kind: 'init', bytes: piece.bytes, mime: piece.mime });
  }

  async #waitForRoom(): Promise<void> {
    while (this.#isHeld && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }
}
