/**
 * Detects a worker that no longer answers: one that loops or is blocked raises no error and sends no message.
 * Time counts against it only as far as the asking thread had its own turns (`awake-timer.ts`).
 */
import { awakeMs } from './awake-timer.ts';
import type { MonotonicClock, MonotonicMs } from './clock.ts';

/** Interval between questions. */
const ASK_MS = 1_000;
/** Ten times the longest task that a worker runs without yielding. */
const LIMIT_MS = 10_000;
/** Until its first answer: a worker is loaded and compiled before it can give one. */
const START_LIMIT_MS = 30_000;

export interface WatchdogLimits {
  /** Interval between questions, ms. */
  askMs?: number | undefined;
  /** Silence after which a worker is given up, ms. */
  limitMs?: number | undefined;
  /** The same until its first answer, ms. */
  startLimitMs?: number | undefined;
  /** Whether the silence of this moment is not the worker's fault, such as a disk that it waits for. */
  isExcused?: (() => boolean) | undefined;
}

interface WatchdogOptions extends WatchdogLimits {
  /** Called again only after the last question was answered. */
  ask: () => void;
  /** Called once. @param silentMs how long it had time to answer */
  onSilent: (silentMs: number) => void;
  clock: MonotonicClock;
}

export class Watchdog {
  readonly #askMs: number;
  /** The start limit before the first answer. */
  #limitMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #turnAt: MonotonicMs;
  /** A question is unanswered. */
  #isAsked = false;
  #silentMs = 0;

  constructor(readonly options: WatchdogOptions) {
    this.#askMs = options.askMs ?? ASK_MS;
    this.#limitMs = options.startLimitMs ?? START_LIMIT_MS;
    this.#turnAt = options.clock();
  }

  /** From now on it has to answer. Idempotent. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#turnAt = this.options.clock();
    this.#silentMs = 0;
    this.#timer = setInterval(() => this.turn(), this.#askMs);
    this.#ask();
  }

  /** It may be silent: it is idle or has ended. */
  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  answered(): void {
    this.#isAsked = false;
    this.#silentMs = 0;
    this.#limitMs = this.options.limitMs ?? LIMIT_MS;
  }

  /** Called by its own interval; a test calls it in virtual time. */
  turn(): void {
    if (this.#timer === undefined) return;
    const now = this.options.clock();
    const passed = now - this.#turnAt;
    this.#turnAt = now;
    if (!this.#isAsked) {
      this.#ask();
      return;
    }
    if (this.options.isExcused?.() !== true) this.#silentMs += awakeMs(passed, this.#askMs);
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
