/**
 * Detects a worker that no longer answers: one that loops or is blocked raises no error and sends no message. Only
 * time in which the watching thread was running itself counts (`AwakeTimer`).
 */
import type { MonotonicClock, MonotonicMs } from './clock.ts';
import { awakeMs } from './deadline.ts';

/** Ping interval. */
const ASK_MS = 1_000;
/** Ten times the longest task that a worker runs without yielding. */
const LIMIT_MS = 10_000;
/** Limit until its first answer: a worker must be loaded and compiled first. */
const START_LIMIT_MS = 30_000;

export interface WatchdogLimits {
  /** Ping interval, ms. */
  askMs?: number | undefined;
  /** Silence after which a worker is terminated, ms. */
  limitMs?: number | undefined;
  /** The same until its first answer, ms. */
  startLimitMs?: number | undefined;
  /** Whether the current silence is not the worker's fault, for instance because it waits for a disk. */
  isExcused?: (() => boolean) | undefined;
}

interface WatchdogOptions extends WatchdogLimits {
  /** Only called again after the previous ping was answered. */
  ask: () => void;
  /** Called once. @param silentMs the time that it had to answer */
  onSilent: (silentMs: number) => void;
  clock: MonotonicClock;
}

export class Watchdog {
  readonly #askMs: number;
  /** The start limit before the first answer. */
  #limitMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #turnAt: MonotonicMs;
  /** A ping is unanswered. */
  #isAsked = false;
  #silentMs = 0;

  constructor(readonly options: WatchdogOptions) {
    this.#askMs = options.askMs ?? ASK_MS;
    this.#limitMs = options.startLimitMs ?? START_LIMIT_MS;
    this.#turnAt = options.clock();
  }

  /** From now on it must answer. Idempotent. */
  watch(): void {
    if (this.#timer !== undefined) return;
    this.#turnAt = this.options.clock();
    this.#silentMs = 0;
    this.#timer = setInterval(() => this.turn(), this.#askMs);
    this.#ask();
  }

  /** It may be silent, because it is idle or has ended. */
  rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  answered(): void {
    this.#isAsked = false;
    this.#silentMs = 0;
    this.#limitMs = this.options.limitMs ?? LIMIT_MS;
  }

  /** Called by its own interval; tests call it in virtual time. */
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
