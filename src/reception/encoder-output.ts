/**
 * Output `encoder`: transport stream into ffmpeg, fragments out.
 *
 * Bounds: MAX_QUEUED towards ffmpeg (12 s of a 16 Mbit/s station: an encoder that far behind never catches up
 * with live), MAX_UNTAKEN towards the main thread (20 s of 6 Mbit/s; reading pauses, then the first bound applies).
 */
import { pts90k } from '../../lib/arib/time.ts';
import type { ReceptionFault } from '../../lib/arib/ts/clock.ts';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import { settlesWithin } from '../../lib/host/deadline.ts';
import { Fragmenter, type MediaPiece } from '../../lib/mp4/fragmenter.ts';
import { exitReason, FfmpegProcess } from '../ffmpeg/process.ts';
import { DualMonoPackets } from './dual-mono.ts';
import { type FilledStreams, GapFiller } from './gap-filler.ts';
import { defineOutput, type Output, type OutputContext, type OutputLost } from './output-kind.ts';
import { TimeGuard } from './time-guard.ts';

const MAX_QUEUED = 24 * 1024 * 1024;
const MAX_UNTAKEN = 16 * 1024 * 1024;
/** From the first byte fed to the first fragment; a cold start takes about half a second. */
const START_LIMIT_MS = 6_000;
/** Longest time without a fragment while ffmpeg gets input. */
const STALL_LIMIT_MS = 10_000;
/** Time limit for encoding the data received before a layout change. */
const FINISH_LIMIT_MS = 2_000;

/** Longest wait for an intra picture: they come every 0.5 s, at most every 1 s (ARIB STD-B32). */
const PICTURE_LIMIT_MS = 1_500;

interface EncoderOptions {
  command: readonly string[];
  /** The streams that the command reads. */
  streams: FilledStreams;
  /** Start with an intra picture. */
  waitForPicture: boolean;
}

/** Acknowledges `bytes` that the main thread has taken. */
interface EncoderCommand {
  kind: 'taken';
  bytes: number;
}

/** `init`, then `fragment`s. `fault`: which streams of the station are replaced from now on; null: none. */
export type EncodedPiece =
  | Exclude<MediaPiece, { kind: 'jump' }>
  | { kind: 'fault'; fault: ReceptionFault | null };

type EncoderEnd =
  /** The station's layout or picture format changed: the next packets need a new encoder. */
  | { cause: 'layout' }
  /** The encoder ended, stalled or was too slow (`isSlow`). `missing`: PIDs that are not sent, or only scrambled. */
  | { cause: 'encoder'; reason: string; missing: number[]; isSlow?: boolean };

export const encoderOutput = defineOutput<EncoderOptions, EncoderCommand, EncodedPiece, EncoderEnd>({
  name: 'encoder',
  start: startEncoder,
  transfer: (piece) => (piece.kind === 'fault' ? [] : [piece.bytes.buffer]),
});

type EncoderContext = OutputContext<EncodedPiece, EncoderEnd>;

function startEncoder(options: EncoderOptions, context: EncoderContext): Output<EncoderCommand> {
  try {
    return new EncoderOutput(options, context);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    context.ended({ cause: 'encoder', reason, missing: [] });
    return { feed: () => {}, stop: () => {} };
  }
}

class EncoderOutput implements Output<EncoderCommand> {
  readonly #process: FfmpegProcess;
  readonly #pids: readonly number[];
  readonly #guard: TimeGuard;
  readonly #filler: GapFiller;
  readonly #dualMono: DualMonoPackets;
  readonly #fragmenter = new Fragmenter();
  #end: EncoderEnd | OutputLost | undefined;
  #produced = false;
  #untaken = 0;
  #resume: (() => void) | undefined;
  /** Since when ffmpeg has been fed without output. */
  #waitingSince: MonotonicMs | undefined;
  /** Time limit for the first intra picture; packets before it are skipped. */
  #pictureUntil: number | undefined;
  #finish: ReturnType<typeof setTimeout> | undefined;
  readonly #running: Promise<void>;

  /** @throws Error if ffmpeg cannot be started */
  constructor(
    options: EncoderOptions,
    private readonly context: EncoderContext,
  ) {
    const { command, streams, waitForPicture } = options;
    const pids = [streams.video?.pid, streams.audio].filter((pid) => typeof pid === 'number');
    this.#pids = pids;
    this.#filler = new GapFiller(streams, {
      pcrPid: () => context.stream.pcrPid(),
      onFault: (fault) => context.event({ kind: 'fault', fault: fault ?? null }),
      onReached: (pid, unwrappedPts) => this.#guard.reached(pid, pts90k(unwrappedPts)),
    });
    this.#guard = new TimeGuard(pids);
    this.#dualMono = new DualMonoPackets(pids);
    this.#process = new FfmpegProcess(command, MAX_QUEUED);
    context.spawned(this.#process.pid);
    this.#running = this.#run();
    const { burst } = context.stream;
    const start = waitForPicture ? burst.forEncoder() : (burst.from('early') ?? burst.since(0));
    if (start === undefined) this.#pictureUntil = context.clock() + PICTURE_LIMIT_MS;
    else for (const bytes of start) this.#write(bytes);
  }

  feed(packets: Uint8Array): void {
    if (this.#pictureUntil === undefined) {
      this.#write(packets);
      return;
    }
    const { clock, stream } = this.context;
    const isLate = clock() > this.#pictureUntil;
    const start = stream.burst.forEncoder() ?? (isLate ? stream.burst.since(0) : undefined);
    if (start === undefined) return;
    this.#pictureUntil = undefined;
    for (const bytes of start) this.#write(bytes);
  }

  command({ bytes }: EncoderCommand): void {
    this.#untaken -= bytes;
    if (this.#untaken < MAX_UNTAKEN) this.#resume?.();
  }

  /** Ends once everything fed so far is encoded. */
  layoutChanged(): void {
    if (this.#end !== undefined) return;
    this.#end = { cause: 'layout' };
    this.#process.finish();
    this.#finish = setTimeout(() => void this.#process.stop(), FINISH_LIMIT_MS);
  }

  check(): void {
    if (this.#waitingSince === undefined || this.#end !== undefined) return;
    const limit = this.#produced ? STALL_LIMIT_MS : START_LIMIT_MS;
    if (this.context.clock() - this.#waitingSince <= limit) return;
    // Checked only now: PIDs not seen within the limit are not sent.
    const missing = this.context.stream.unreadable(this.#pids);
    void this.#stop({ ...this.#failure('the encoder produces no output', missing), isSlow: true });
  }

  async stop(): Promise<void> {
    await this.#stop({ cause: 'lost' });
    await this.#running;
  }

  /** Ends now; resolves when the process is gone. */
  async #stop(end: EncoderEnd | OutputLost): Promise<void> {
    this.#end ??= end;
    this.#resume?.();
    await this.#process.stop();
  }

  #write(bytes: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#waitingSince ??= this.context.clock();
    const believed = this.#guard.feed(bytes);
    if (believed === 'jump') this.context.stream.clockJumped();
    else {
      const whole = this.#dualMono.feed(this.#filler.feed(believed));
      if (!this.#process.write(whole)) this.#fail('the encoder cannot keep up');
    }
  }

  #fail(reason: string): void {
    void this.#stop(this.#failure(reason));
  }

  async #run(): Promise<void> {
    const read = this.#read();
    const exit = await this.#process.ended;
    await settlesWithin(FINISH_LIMIT_MS, read);
    clearTimeout(this.#finish);
    this.context.ended(this.#end ?? this.#failure(exitReason(exit)));
  }

  #failure(reason: string, missing: number[] = []): Extract<EncoderEnd, { cause: 'encoder' }> {
    return { cause: 'encoder', reason, missing };
  }

  async #read(): Promise<void> {
    try {
      for await (const chunk of this.#process.output) {
        for (const piece of this.#fragmenter.feed(chunk)) {
          if (piece.kind === 'jump') {
            void this.#stop({ cause: 'layout' });
            return;
          }
          this.#emit(piece);
        }
        await this.#waitForRoom();
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
  }

  #emit(piece: Exclude<MediaPiece, { kind: 'jump' }>): void {
    if (piece.kind === 'fragment') this.#produced = true;
    this.#untaken += piece.bytes.length;
    this.#waitingSince = undefined;
    this.context.event(piece);
  }

  async #waitForRoom(): Promise<void> {
    while (this.#untaken >= MAX_UNTAKEN && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
  }
}
