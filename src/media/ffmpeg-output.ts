/**
 * An output that ffmpeg converts from files. It pauses while its session has no room, and ends when ffmpeg has had input
 * for too long without producing any output.
 */
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { Fragmenter } from '../../lib/mp4/fragmenter.ts';
import { exitReason, FfmpegProcess } from '../ffmpeg/process.ts';
import type { OutputConsumer, OutputEnd } from './source.ts';

/** Time limit for the first output on a machine that is busy with other conversions. The encoder gets it twice. */
const START_LIMIT_MS = 12_000;
const STALL_LIMIT_MS = 20_000;
const CHECK_MS = 500;
const READ_LIMIT_MS = 2_000;

interface FfmpegOutputOptions {
  readonly command: readonly string[];
  /** Queue bound towards ffmpeg. */
  readonly maxQueued: number;
  /** It is fed by `run`, and waits for input after each output; otherwise it reads the file itself. */
  readonly isFed: boolean;
  readonly fragmenter: Fragmenter;
  /** The end when the times of the output jump. */
  readonly atJump: OutputEnd;
  readonly clock: MonotonicClock;
  readonly consumer: OutputConsumer;
}

export class FfmpegOutput {
  protected end: OutputEnd | undefined;
  /** Since when ffmpeg has been able to produce output, and has produced none. */
  protected waitingSince: MonotonicMs | undefined;
  protected running: Promise<void> | undefined;
  readonly #abort = new AbortController();
  readonly #process: FfmpegProcess | undefined;
  readonly #check: ReturnType<typeof setInterval>;
  #produced = false;
  #isHeld = false;
  #resume: (() => void) | undefined;

  constructor(private readonly conversion: FfmpegOutputOptions) {
    const { command, maxQueued } = conversion;
    this.#wait();
    try {
      this.#process = new FfmpegProcess(command, maxQueued);
    } catch (error) {
      this.end = encoderFailure(error);
    }
    this.#check = setInterval(() => this.#watch(), CHECK_MS);
  }

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    if (isHeld) return;
    // ffmpeg could not produce output while the output was paused.
    if (this.waitingSince !== undefined) this.waitingSince = this.conversion.clock();
    this.#resume?.();
  }

  /** Resolves when the process is gone. */
  async stop(): Promise<void> {
    this.finish({ cause: 'lost' });
    await this.running;
  }

  /** Ends the output immediately. */
  protected finish(end: OutputEnd): void {
    this.end ??= end;
    this.#abort.abort();
    this.#resume?.();
    void this.#process?.stop();
  }

  /** @param feed writes the input until the signal; its failure ends the output */
  protected async run(feed: (process: FfmpegProcess, signal: AbortSignal) => Promise<void>): Promise<void> {
    const process = this.#process;
    // Its owner must have the output before the end is reported.
    await Promise.resolve();
    if (process !== undefined) {
      const feeding = feed(process, this.#abort.signal)
        .catch((error: unknown) => this.finish(encoderFailure(error)))
        .finally(() => process.finish());
      const reading = this.#read(process);
      const exit = await process.ended;
      this.#abort.abort();
      await feeding;
      // A viewer that does not read delays the data that is already encoded.
      if (this.end === undefined || this.end.cause === 'layout') await reading;
      else await settlesWithin(READ_LIMIT_MS, reading);
      this.end ??=
        exit.code === 0 && this.#produced ? { cause: 'finished' } : encoderFailure(exitReason(exit));
    }
    clearInterval(this.#check);
    this.conversion.consumer.ended(this.end ?? { cause: 'lost' });
  }

  #wait(): void {
    this.waitingSince = this.conversion.isFed ? undefined : this.conversion.clock();
  }

  #watch(): void {
    if (this.waitingSince === undefined || this.#isHeld) return;
    const limit = this.#produced ? STALL_LIMIT_MS : START_LIMIT_MS;
    if (this.conversion.clock() - this.waitingSince <= limit) return;
    this.finish({ ...encoderFailure('the encoder produces no output'), isSlow: true });
  }

  async #read(process: FfmpegProcess): Promise<void> {
    const { fragmenter, consumer, atJump } = this.conversion;
    try {
      for await (const chunk of process.output) {
        for (const piece of fragmenter.feed(chunk)) {
          if (piece.kind === 'jump') {
            this.finish(atJump);
            return;
          }
          this.#wait();
          if (piece.kind === 'fragment') {
            this.#produced = true;
            const { bytes, sync, time } = piece;
            consumer.frame({ kind: 'fragment', bytes, isSync: sync, time });
          } else consumer.frame({ kind: 'init', bytes: piece.bytes, mime: piece.mime });
        }
        while (this.#isHeld && this.end === undefined) {
          await new Promise<void>((resolve) => {
            this.#resume = resolve;
          });
        }
      }
    } catch (error) {
      this.finish(encoderFailure(error));
    }
  }
}

/** @param error or the reason in words */
export function encoderFailure(error: unknown): Extract<OutputEnd, { cause: 'encoder' }> {
  return { cause: 'encoder', reason: error instanceof Error ? error.message : String(error), missing: [] };
}
