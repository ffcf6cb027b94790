/**
 * An encoder on a station's stream, inside the worker: transport stream into ffmpeg, fragments out.
 *
 * Bounds: MAX_QUEUED towards ffmpeg (12 s of a 16 Mbit/s station: an encoder that far behind never catches up
 * with live), MAX_UNTAKEN towards the main thread (20 s of 6 Mbit/s; reading pauses, then the first bound decides).
 */
import { settlesWithin } from '../../host/deadline.ts';
import { Fragmenter, type MediaPiece } from '../../mp4/fragmenter.ts';
import { FfmpegProcess, type ProcessEnd } from '../ffmpeg/process.ts';
import { DualMonoPackets } from './dual-mono.ts';
import type { OutputEnd } from './reception-messages.ts';
import { TimeGuard } from './time-guard.ts';

const MAX_QUEUED = 24 * 1024 * 1024;
const MAX_UNTAKEN = 16 * 1024 * 1024;
/** From the first byte fed to the first fragment; a cold start takes about half a second. */
const START_LIMIT_MS = 6_000;
/** Without a fragment while bytes go in. */
const STALL_LIMIT_MS = 10_000;
/** What was received before a layout change is encoded within this. */
const FINISH_LIMIT_MS = 2_000;

export type EncodedPiece = Exclude<MediaPiece, { kind: 'jump' }>;

export interface EncoderOutputHandlers {
  piece(piece: EncodedPiece): void;
  /** The station's clock jumped: what follows needs a new encoder. */
  jumped(): void;
  /** Once; the process is gone. */
  ended(end: OutputEnd): void;
}

export class EncoderOutput {
  readonly #process: FfmpegProcess;
  readonly #guard: TimeGuard;
  readonly #dualMono: DualMonoPackets;
  readonly #fragmenter = new Fragmenter();
  #end: OutputEnd | undefined;
  #produced = false;
  #untaken = 0;
  #resume: (() => void) | undefined;
  /** Since when it has been fed without giving anything. */
  #waitingSince: number | undefined;
  #finish: ReturnType<typeof setTimeout> | undefined;

  /**
   * `pids` are those that the command reads; `missing` tells which of them have not been seen.
   * @throws Error when ffmpeg cannot be started.
   */
  constructor(
    command: readonly string[],
    pids: readonly number[],
    readonly missing: () => number[],
    readonly handlers: EncoderOutputHandlers,
    readonly now: () => number,
  ) {
    this.#guard = new TimeGuard(pids);
    this.#dualMono = new DualMonoPackets(pids);
    this.#process = new FfmpegProcess(command, MAX_QUEUED);
    void this.#run();
  }

  get pid(): number {
    return this.#process.pid;
  }

  feed(bytes: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#waitingSince ??= this.now();
    const believed = this.#guard.feed(bytes);
    if (believed === 'jump') this.handlers.jumped();
    else if (!this.#process.write(this.#dualMono.feed(believed))) this.#fail('the encoder cannot keep up');
  }

  taken(bytes: number): void {
    this.#untaken -= bytes;
    if (this.#untaken < MAX_UNTAKEN) this.#resume?.();
  }

  /** Checked from time to time by the owner's clock. */
  check(): void {
    if (this.#waitingSince === undefined || this.#end !== undefined) return;
    const limit = this.#produced ? STALL_LIMIT_MS : START_LIMIT_MS;
    if (this.now() - this.#waitingSince <= limit) return;
    // Only by now is it sure that what was not seen does not come.
    void this.stop(this.#failure('the encoder gives nothing', this.missing()));
  }

  /** Ends after everything fed so far is encoded. */
  finish(end: OutputEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#process.finish();
    this.#finish = setTimeout(() => void this.#process.stop(), FINISH_LIMIT_MS);
  }

  /** Ends now; resolves when the process is gone. `ended` is still called. */
  async stop(end: OutputEnd): Promise<void> {
    this.#end ??= end;
    this.#resume?.();
    await this.#process.stop();
  }

  #fail(reason: string): void {
    void this.stop(this.#failure(reason));
  }

  async #run(): Promise<void> {
    const read = this.#read();
    const exit = await this.#process.ended;
    await settlesWithin(FINISH_LIMIT_MS, read);
    clearTimeout(this.#finish);
    this.handlers.ended(this.#end ?? this.#failure(exitReason(exit)));
  }

  #failure(reason: string, missing: number[] = []): OutputEnd {
    return { cause: 'encoder', reason, produced: this.#produced, missing };
  }

  async #read(): Promise<void> {
    try {
      for await (const chunk of this.#process.output) {
        for (const piece of this.#fragmenter.feed(chunk)) {
          if (piece.kind === 'jump') {
            void this.stop({ cause: 'layout' });
            return;
          }
          this.#give(piece);
        }
        await this.#room();
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #give(piece: EncodedPiece): void {
    if (piece.kind === 'fragment') this.#produced = true;
    this.#untaken += piece.bytes.length;
    this.#waitingSince = undefined;
    this.handlers.piece(piece);
  }

  async #room(): Promise<void> {
    while (this.#untaken >= MAX_UNTAKEN && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }
}

function exitReason(exit: ProcessEnd): string {
  return exit.stderr === '' ? `ffmpeg ended with ${exit.code}` : exit.stderr;
}
