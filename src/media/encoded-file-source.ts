/** An encoded file as a media source, from any second on, converted to another codec for one viewer. */

import { pid } from '../../lib/arib/ids.ts';
import { TICKS_PER_SECOND } from '../../lib/arib/time.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import { Fragmenter } from '../../lib/mp4/fragmenter.ts';
import { FfmpegProcess } from '../ffmpeg/process.ts';
import { fileConversionCommand } from '../ffmpeg/recipes.ts';
import { LEAD_TICKS } from './playback-remuxer.ts';
import { START_LIMIT_MS } from './recording-source.ts';
import type {
  EncodeOrder,
  MediaLayout,
  MediaSource,
  OutputConsumer,
  OutputEnd,
  PacketOutput,
  SourceOutput,
} from './source.ts';

interface EncodedFileSourceOptions {
  readonly path: string;
  /** Start, s. */
  readonly from: number;
  readonly hasVideo: boolean;
  readonly sounds: number;
  readonly clock: MonotonicClock;
  /** Called once all resources are released. */
  readonly onClosed: () => void;
}

const STALL_LIMIT_MS = 20_000;
const CHECK_MS = 500;
const READ_LIMIT_MS = 2_000;
/** Queue bound towards ffmpeg; unused, because ffmpeg reads the file itself. */
const NO_INPUT = 1;

/** Streams of a file have no PIDs: this PID and the next ones stand for the video and audio tracks. */
const VIDEO = pid(0x100);
const FIRST_AUDIO = 0x110;

export class EncodedFileSource implements MediaSource {
  readonly layout: MediaLayout;
  readonly #outputs = new Set<FileConversion>();
  #isClosed = false;

  constructor(private readonly options: EncodedFileSourceOptions) {
    const { hasVideo, sounds } = options;
    this.layout = {
      // Unused: ffmpeg reads the codec from the file.
      video: hasVideo ? { pid: VIDEO, kind: 'h264' } : null,
      audios: Array.from({ length: sounds }, (_, index) => pid(FIRST_AUDIO + index)),
    };
  }

  encode(order: EncodeOrder, consumer: OutputConsumer): SourceOutput {
    const output = new FileConversion(this.options, order, consumer);
    this.#outputs.add(output);
    return { stop: () => void output.stop(), hold: (isHeld) => output.hold(isHeld) };
  }

  packets(): PacketOutput {
    throw new Error('an encoded file has no packets of the broadcast');
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#outputs].map((output) => output.stop()));
    this.options.onClosed();
  }
}

class FileConversion {
  readonly #fragmenter = new Fragmenter(LEAD_TICKS);
  readonly #running: Promise<void>;
  #process: FfmpegProcess | undefined;
  #end: OutputEnd | undefined;
  #produced = false;
  #isHeld = false;
  #resume: (() => void) | undefined;
  #seen: number;

  constructor(
    private readonly options: EncodedFileSourceOptions,
    order: EncodeOrder,
    private readonly consumer: OutputConsumer,
  ) {
    this.#seen = options.clock();
    this.#running = this.#run(order);
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#seen = this.options.clock();
    if (!isHeld) this.#resume?.();
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.#finish({ cause: 'lost' });
    await this.#running;
  }

  #failure(reason: string): Extract<OutputEnd, { cause: 'encoder' }> {
    return { cause: 'encoder', reason, produced: this.#produced, missing: [] };
  }

  #finish(end: OutputEnd): void {
    this.#end ??= end;
    this.#resume?.();
    void this.#process?.stop();
  }

  async #run(order: EncodeOrder): Promise<void> {
    const { path, from, clock } = this.options;
    const { ffmpeg, video, audio } = order;
    const command = fileConversionCommand({
      ...{ ffmpeg, video, path, from, lead: LEAD_TICKS / TICKS_PER_SECOND },
      audio: audio === null ? null : { ...audio, stream: audio.pid - FIRST_AUDIO },
    });
    // Its owner must have the output before the end is reported.
    await Promise.resolve();
    try {
      this.#process = new FfmpegProcess(command, NO_INPUT);
    } catch (error) {
      this.consumer.ended(this.#failure(error instanceof Error ? error.message : String(error)));
      return;
    }
    if (this.#end !== undefined) void this.#process.stop();
    this.#process.finish();
    const check = setInterval(() => {
      const limit = this.#produced ? STALL_LIMIT_MS : START_LIMIT_MS;
      if (this.#isHeld || clock() - this.#seen < limit) return;
      this.#finish({ ...this.#failure('the encoder produces no output'), isSlow: true });
    }, CHECK_MS);
    const reading = this.#read(this.#process);
    const { code, stderr } = await this.#process.ended;
    if (this.#end === undefined) await reading;
    else await settlesWithin(READ_LIMIT_MS, reading);
    clearInterval(check);
    const failed = stderr === '' ? `ffmpeg ended with ${code}` : stderr;
    this.#end ??= code === 0 && this.#produced ? { cause: 'finished' } : this.#failure(failed);
    this.consumer.ended(this.#end);
  }

  async #read({ output }: FfmpegProcess): Promise<void> {
    try {
      for await (const chunk of output) {
        this.#seen = this.options.clock();
        for (const piece of this.#fragmenter.feed(chunk)) {
          if (piece.kind === 'jump') {
            this.#finish(this.#failure('the times of the file jump'));
            return;
          }
          if (piece.kind === 'fragment') {
            this.#produced = true;
            const { bytes, sync, time } = piece;
            this.consumer.frame({ kind: 'fragment', bytes, isSync: sync, time });
            continue;
          }
          this.consumer.frame({ kind: 'init', bytes: piece.bytes, mime: piece.mime });
        }
        await this.#waitForRoom();
      }
    } catch (error) {
      this.#finish(this.#failure(error instanceof Error ? error.message : String(error)));
    }
  }

  async #waitForRoom(): Promise<void> {
    while (this.#isHeld && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }
}
