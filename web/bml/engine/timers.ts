/** `setInterval` and its companions (ARIB STD-B24 Vol. 2, 7.6.12). A timer that is due asks for its code to be run. */

/** The wall clock of the worker, monotonic ms; passed in. */
export interface TaskClock {
  now(): number;
  /** @returns cancels the call */
  after(ms: number, call: () => void): () => void;
}

/** One task of the worker: between two, keys and messages are handled. */
export const TURN_MS = 5;

interface Timer {
  readonly code: string;
  readonly intervalMs: number;
  /** Infinity: until it is cleared. */
  left: number;
  /** Undefined: paused. */
  cancel: (() => void) | undefined;
  /** Whether its code waits to be run; it is not asked for twice. */
  isPending: boolean;
  isCleared: boolean;
}

/** More than any document needs; an attack would start thousands. */
const MAX_TIMERS = 64;
/** Browsers limit repeated timers to 4 ms; a television is far slower. */
const MIN_INTERVAL_MS = 10;

export class Timers {
  readonly #timers = new Map<number, Timer>();
  #lastId = 0;
  readonly #clock: TaskClock;
  readonly #fire: (code: string, begin: () => boolean) => void;

  /** @param fire runs the code later, if `begin` allows it then: a handler before may have cleared the timer */
  constructor(clock: TaskClock, fire: (code: string, begin: () => boolean) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  /** @param count 0: without end. @returns the timer's number; NaN if there are too many */
  start(code: string, intervalMs: number, count: number): number {
    if (this.#timers.size >= MAX_TIMERS || !(intervalMs >= 0)) return Number.NaN;
    const timer: Timer = {
      code,
      intervalMs: Math.max(MIN_INTERVAL_MS, intervalMs),
      left: count > 0 ? count : Number.POSITIVE_INFINITY,
      cancel: undefined,
      isPending: false,
      isCleared: false,
    };
    const id = ++this.#lastId;
    this.#timers.set(id, timer);
    this.#schedule(id, timer);
    return id;
  }

  #schedule(id: number, timer: Timer): void {
    const due = this.#clock.now() + timer.intervalMs;
    const wait = (at: number): void => {
      timer.cancel = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
        timer.left--;
        // A late timer does not catch up.
        if (timer.left > 0) wait(Math.max(at + timer.intervalMs, this.#clock.now()));
        if (timer.isPending) return;
        timer.isPending = true;
        this.#fire(timer.code, () => {
          timer.isPending = false;
          if (timer.left === 0) this.#timers.delete(id);
          return !timer.isCleared;
        });
      });
    };
    wait(due);
  }

  clear(id: number): boolean {
    const timer = this.#timers.get(id);
    timer?.cancel?.();
    if (timer !== undefined) timer.isCleared = true;
    return this.#timers.delete(id);
  }

  pause(id: number): boolean {
    const timer = this.#timers.get(id);
    timer?.cancel?.();
    if (timer !== undefined) timer.cancel = undefined;
    return timer !== undefined;
  }

  resume(id: number): boolean {
    const timer = this.#timers.get(id);
    if (timer !== undefined && timer.cancel === undefined && timer.left > 0) this.#schedule(id, timer);
    return timer !== undefined;
  }

  clearAll(): void {
    for (const { cancel } of this.#timers.values()) cancel?.();
    this.#timers.clear();
  }
}
