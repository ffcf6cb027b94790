/** The background worker's side of commercial detection: one recording at a time. */
import { AnalysisFailed, analyseStream, type Resumed } from './analyse-stream.ts';
import { detectCommercials } from './detect-commercials.ts';
import type { DetectAnswer, DetectAsk, DetectContract } from './detect-messages.ts';

/** Shorter recordings have too few commercials to detect. */
const SHORTEST_MS = 20_000;
/** If less of the recording could be read, the result would be a guess. */
const READ_SHARE = 0.9;
const PROGRESS_STEP = 0.01;

export class DetectHost {
  #resume: PromiseWithResolvers<void> | undefined;
  /** State of the running detection. */
  #running: Promise<unknown> = Promise.resolve();
  readonly #closing = new AbortController();

  constructor(private readonly send: (event: DetectContract['events']) => void) {}

  order({ order }: DetectContract['orders']): void {
    if (order === 'hold') this.#resume ??= Promise.withResolvers<void>();
    else {
      this.#resume?.resolve();
      this.#resume = undefined;
    }
  }

  /** Cancels the running detection and ends its ffmpeg. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the worker ends'));
    await this.#running;
  }

  /** @throws read errors, the signal's reason */
  async detect(ask: DetectAsk, signal: AbortSignal): Promise<DetectAnswer> {
    const either = AbortSignal.any([signal, this.#closing.signal]);
    const turn = this.#running.then(() => this.#detect(ask, either));
    this.#running = turn.catch(() => {});
    return turn;
  }

  async #detect(ask: DetectAsk, signal: AbortSignal): Promise<DetectAnswer> {
    signal.throwIfAborted();
    if (ask.entry.layout.video === null) return failed('no_video', 'the stream has no picture');
    if (ask.durationMs < SHORTEST_MS) return failed('too_short', `${ask.durationMs} ms`);
    let reported = 0;
    const onProgress = (share: number): void => {
      if (share - reported < PROGRESS_STEP) return;
      reported = share;
      this.send({ event: 'progress', share });
    };
    try {
      const features = await analyseStream(ask, { resumed: this.#resumed, onProgress, signal });
      if (features.pictures.times.length === 0) return failed('unreadable', 'no picture could be decoded');
      const { chapters, learnt } = detectCommercials(features, ask);
      const reached = (features.pictures.times.at(-1) ?? 0) / ask.durationMs;
      const reliable = chapters.reliable && reached >= READ_SHARE;
      return { kind: 'found', chapters: { ...chapters, reliable }, learnt, format: ask.format };
    } catch (error) {
      if (error instanceof AnalysisFailed) return failed('ffmpeg_failed', error.message);
      throw error;
    }
  }

  readonly #resumed: Resumed = async (signal) => {
    while (this.#resume !== undefined && !signal.aborted) {
      const aborted = Promise.withResolvers<void>();
      const wake = (): void => aborted.resolve();
      signal.addEventListener('abort', wake, { once: true });
      await Promise.race([this.#resume.promise, aborted.promise]);
      signal.removeEventListener('abort', wake);
    }
  };
}

function failed(reason: Extract<DetectAnswer, { kind: 'failed' }>['reason'], message: string): DetectAnswer {
  return { kind: 'failed', reason, message };
}
