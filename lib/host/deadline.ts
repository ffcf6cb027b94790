/** Waiting with a limit: promise or timeout, promise or abort. Timers and listeners are removed after the wait. */
import type { MonotonicClock, MonotonicMs } from './clock.ts';

/**
 * The promise's outcome, or the result or error of `late` after `ms`. A later rejection is dropped; the caller must
 * stop the work itself.
 */
export async function within<T, L>(ms: number, promise: PromiseLike<T>, late: () => L): Promise<T | L> {
  const { promise: timeout, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(resolve, ms, LATE);
  try {
    const first = await Promise.race([promise, timeout]);
    return first === LATE ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

const LATE: unique symbol = Symbol('late');

/** Whether the promise settled within `ms`; a rejection counts as settled. Never rejects. */
export function settlesWithin(ms: number, promise: PromiseLike<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return within(ms, settled, () => false);
}

/**
 * The promise's outcome, unless the signal aborts first.
 * @throws the signal's reason; the promise's later rejection is dropped
 */
export async function unlessAborted<T>(promise: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves after `ms`, or as soon as the signal aborts: the caller checks which. */
export async function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const wake = (): void => resolve();
  const timer = setTimeout(wake, ms);
  signal.addEventListener('abort', wake, { once: true });
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', wake);
}

// A timeout that only counts time in which this process was running. After a pause of the process (SIGSTOP, a
// suspended machine, an overloaded one) a plain timer fires before data that arrived in the meantime is read; here a
// pause counts as one step at most, so that the backlog is read first.

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
