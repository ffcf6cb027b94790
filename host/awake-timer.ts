/**
 * A timeout that only counts time in which this process was running. After a pause of the process (SIGSTOP, a
 * suspended machine, an overloaded one) a plain timer fires before data that arrived in the meantime is read; here a
 * pause counts as one step at most, so that the backlog is read first.
 */
import type { MonotonicClock, MonotonicMs } from './clock.ts';

/** Enough for limits of a few seconds; a smaller step costs wake-ups, a larger one precision. */
const STEP_MS = 500;

interface AwakeTimerOptions {
  limitMs: number;
  clock: MonotonicClock;
  /** Called once per start, with the time counted, ms. */
  onExpired: (awakeMs: number) => void;
  /** Counting interval, and the maximum that one tick adds, ms. */
  stepMs?: number | undefined;
}

/** Counted time of one tick: a late tick counts as one that was on time. */
export function awakeMs(passedMs: number, stepMs: number): number {
  return Math.min(Math.max(0, passedMs), stepMs);
}

export class AwakeTimer {
  readonly #stepMs: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #turnAt: MonotonicMs;
  #countedMs = 0;

  constructor(readonly options: AwakeTimerOptions) {
    this.#stepMs = Math.min(options.stepMs ?? STEP_MS, options.limitMs);
    this.#turnAt = options.clock();
  }

  /** Counts from 0 again. Cheap enough for every chunk of a stream. */
  restart(): void {
    this.#countedMs = 0;
    this.#turnAt = this.options.clock();
    this.#timer ??= setInterval(() => this.turn(), this.#stepMs);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Called by its own interval; tests call it in virtual time. */
  turn(): void {
    if (this.#timer === undefined) return;
    const now = this.options.clock();
    this.#countedMs += awakeMs(now - this.#turnAt, this.#stepMs);
    this.#turnAt = now;
    if (this.#countedMs < this.options.limitMs) return;
    this.stop();
    this.options.onExpired(this.#countedMs);
  }
}
