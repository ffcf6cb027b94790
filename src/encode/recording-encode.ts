/**
 * Feeds a recording through one ffmpeg that writes a file. Gaps and joins of parts are repaired on the way
 * (`PlaybackRemuxer`). While paused, nothing is fed and ffmpeg starves: this needs no SIGSTOP, so a service that dies
 * leaves no stopped process.
 */
import { type Media90k, TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import { FfmpegProcess } from '../ffmpeg/process.ts';
import type { RecordingEntry } from '../media/entry-search.ts';
import { PlaybackRemuxer, playbackAudio } from '../media/playback-remuxer.ts';
import type { RecordingBytes } from '../media/recording-bytes.ts';
import { recordingFeed } from '../media/recording-feed.ts';
import type { RecordingIndex } from '../media/recording-index.ts';
import { DualMonoPackets } from '../reception/dual-mono.ts';

export interface EncoderRuntime {
  /** Command prefix that lowers the priority. */
  readonly background: readonly string[];
  /** Timeout: a process without input and output for this long hangs, ms. */
  readonly stallMs: number;
  readonly elapsed: MonotonicClock;
}

export interface RecordingEncodeOptions extends Omit<EncoderRuntime, 'background'> {
  readonly bytes: Pick<RecordingBytes, 'read' | 'size' | 'refresh'>;
  readonly index: RecordingIndex;
  readonly entry: RecordingEntry;
  /** Indexes of the sound streams to feed, from 0. */
  readonly streams: number;
  /** The whole command, with the prefix that lowers its priority. */
  readonly command: readonly string[];
  /** Stops feeding at this time; undefined: the end. */
  readonly until?: Media90k | undefined;
  /** Stops it, as `stop`. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (share: number) => void;
}

export interface EncodeOutcome {
  /** Exit code; 128 + signal. */
  readonly code: number;
  readonly stderr: string;
  /** Why it was aborted; undefined: it ended by itself. */
  readonly broken: 'stalled' | 'stopped' | 'codec' | 'unreadable' | undefined;
  readonly error?: unknown;
  /** Media time up to which pictures (or sound) were fed. */
  readonly reached: Media90k;
  /** s missing in the original itself, in gaps longer than a second. */
  readonly missing: number;
  /** ms that it ran, without pauses. */
  readonly tookMs: number;
}

/** Size of the queue towards ffmpeg: half a second at 16 Mbit/s, so that a pause takes effect soon. */
const MAX_QUEUED = 1024 * 1024;
/** Silence that fills a long gap in several sounds exceeds the queue at once. */
const SLICE_BYTES = 512 * 1024;
const CHECK_MS = 500;
const READ_LIMIT_MS = 2_000;

export class RecordingEncode {
  readonly #remuxer: PlaybackRemuxer;
  readonly #dualMono: DualMonoPackets;
  readonly #process: FfmpegProcess;
  readonly #abort = new AbortController();
  readonly #started: MonotonicMs;
  #heldMs = 0;
  #heldSince: MonotonicMs | undefined;
  #resume: (() => void) | undefined;
  /** Time of the last progress. */
  #seen: MonotonicMs;
  #sign = '';
  #broken: EncodeOutcome['broken'];
  #error: unknown;
  readonly outcome: Promise<EncodeOutcome>;

  /** @throws Error when ffmpeg cannot be started */
  constructor(private readonly options: RecordingEncodeOptions) {
    const { entry, index, streams, command, elapsed, signal } = options;
    this.#remuxer = new PlaybackRemuxer({
      layout: entry.layout,
      tables: entry.tables,
      serviceId: index.serviceId,
      audios: Array.from(
        { length: streams },
        (_, stream) =>
          ({ audios }) =>
            audios.length > stream ? stream : 0,
      ),
      hasVideo: entry.layout.video !== null,
      start: entry.media,
    });
    this.#dualMono = new DualMonoPackets(
      Array.from({ length: streams }, (_, stream) => playbackAudio(stream)),
    );
    this.#started = elapsed();
    this.#seen = this.#started;
    this.#process = new FfmpegProcess(command, MAX_QUEUED);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (signal?.aborted === true) this.#onAbort();
    this.outcome = this.#run();
  }

  get pid(): number {
    return this.#process.pid;
  }

  hold(isHeld: boolean): void {
    const now = this.options.elapsed();
    if (isHeld) {
      this.#heldSince ??= now;
      return;
    }
    if (this.#heldSince === undefined) return;
    this.#heldMs += now - this.#heldSince;
    this.#heldSince = undefined;
    this.#seen = now;
    this.#resume?.();
  }

  /** Resolves when the process has ended. */
  async stop(): Promise<void> {
    this.#end('stopped');
    await this.outcome;
  }

  readonly #onAbort = (): void => this.#end('stopped');

  #end(why: NonNullable<EncodeOutcome['broken']>): void {
    this.#broken ??= why;
    this.#abort.abort();
    this.#resume?.();
    void this.#process.stop();
  }

  async #run(): Promise<EncodeOutcome> {
    const check = setInterval(() => this.#check(), CHECK_MS);
    const reading = this.#readProgress();
    const feeding = this.#feed();
    const { code, stderr } = await this.#process.ended;
    this.#abort.abort();
    this.#resume?.();
    await feeding;
    // A grandchild process may hold the pipe open.
    await settlesWithin(READ_LIMIT_MS, reading);
    clearInterval(check);
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    this.hold(false);
    return {
      ...{ code, stderr, broken: this.#broken, error: this.#error, reached: this.#remuxer.position },
      missing: this.#remuxer.missing / TICKS_PER_SECOND,
      tookMs: this.options.elapsed() - this.#started - this.#heldMs,
    };
  }

  #check(): void {
    const now = this.options.elapsed();
    if (this.#heldSince !== undefined) this.#seen = now;
    else if (now - this.#seen > this.options.stallMs) this.#end('stalled');
  }

  /** ffmpeg writes a block of lines each second, also without progress. */
  async #readProgress(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of this.#process.output) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = (lines.pop() ?? '').slice(-1_000);
        const sign = lines.filter((line) => /^(frame|total_size|out_time_us)=/.test(line)).join();
        if (sign !== '' && sign !== this.#sign) this.#seen = this.options.elapsed();
        if (sign !== '') this.#sign = sign;
      }
    } catch {
      // The pipe breaks when its process ends.
    }
  }

  async #feed(): Promise<void> {
    const { bytes, index, entry, until = index.duration, onProgress } = this.options;
    const { signal } = this.#abort;
    try {
      for await (const block of recordingFeed({ bytes, index, from: entry.at, signal })) {
        if (block.kind === 'piece') {
          this.#remuxer.begin({ pts: block.piece.pts, media: block.piece.start });
          continue;
        }
        const packets = this.#dualMono.feed(this.#remuxer.feed(block.bytes));
        for (let at = 0; at === 0 || at < packets.length; at += SLICE_BYTES) {
          await this.#room();
          if (signal.aborted) return;
          this.#process.write(packets.subarray(at, at + SLICE_BYTES));
        }
        const span = Math.max(1, until - entry.media);
        onProgress?.(Math.min(1, (this.#remuxer.position - entry.media) / span));
        if (this.#remuxer.isOver) {
          this.#end('codec');
          return;
        }
        if (this.#remuxer.position > until + TICKS_PER_SECOND) break;
      }
    } catch (error) {
      this.#error = error;
      this.#end('unreadable');
    }
    this.#process.finish();
  }

  async #room(): Promise<void> {
    while (this.#heldSince !== undefined && !this.#abort.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    const before = this.#process.queuedBytes;
    await this.#process.room(MAX_QUEUED - SLICE_BYTES);
    if (this.#process.queuedBytes < before) this.#seen = this.options.elapsed();
  }
}
