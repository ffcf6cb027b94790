/**
 * Whether a worker still answers: one that loops or is blocked dies of nothing, and says nothing.
 *
 * Time counts against it only as far as the one who asks had its own turns: on a machine that is loaded beyond reason,
 * or was suspended, the asking is late too, and a late turn counts as one that was in time.
 */

/** Between one question and the next. */
const ASK_MS = 1_000;
/** Nothing that a worker does at once takes a tenth of it. */
const LIMIT_MS = 10_000;
/** Until its first answer: a worker is read and compiled before it can give one. */
const START_LIMIT_MS = 30_000;

export interface WatchdogOptions {
  /** Is asked again only when it was answered. */
  ask: () => void;
  /** Once. @param silentMs how long it had time to answer */
  onSilent: (silentMs: number) => void;
  /** ms since some moment, which nobody sets. */
  elapsed: () => number;
  askMs?: number | undefined;
  limitMs?: number | undefined;
  startLimitMs?: number | undefined;
}

export class Watchdog {
  readonly #askMs: number;
  /** ms; the longer one before the first answer. */
  #limitMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #turnAt = 0;
  /** A question is not answered. */
  #isAsked = false;
  #silentMs = 0;

  constructor(readonly options: WatchdogOptions) {
    this.#askMs = options.askMs ?? ASK_MS;
    this.#limitMs = options.startLimitMs ?? START_LIMIT_MS;
  }

  /** From now on it has to answer. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#turnAt = this.options.elapsed();
    this.#silentMs = 0;
    this.#timer = setInterval(() => this.turn(), this.#askMs);
    this.#ask();
  }

  /** It has nothing to do: nobody asks. */
  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  answered(): void {
    this.#isAsked = false;
    this.#silentMs = 0;
    this.#limitMs = this.options.limitMs ?? LIMIT_MS;
  }

  /** Is called by itself, every `askMs` if the machine allows. */
  turn(): void {
    const now = this.options.elapsed();
    const passed = now - this.#turnAt;
    this.#turnAt = now;
    if (!this.#isAsked) {
      this.#ask();
      return;
    }
    this.#silentMs += Math.min(Math.max(0, passed), this.#askMs);
    if (this.#silentMs < this.#limitMs) return;
    this.rest();
    this.options.onSilent(this.#silentMs);
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.options.ask();
  }
}
