/**
 * Runs the planning on request, never twice at once: requests that arrive together share one run. It also runs at an
 * interval, and again with backoff after a failure.
 */
import type { Log } from '../../host/log.ts';

interface PlanningLoopOptions {
  /** @returns false, or throws: retried with backoff */
  run: () => Promise<boolean>;
  log: Log;
  /** Debounce of requests without a waiting caller, ms; longer if a run takes long. */
  gatherMs?: number;
  /** ms. */
  everyMs?: number;
  /** Time until the next useful run, ms; at most `everyMs`. */
  nextInMs?: () => number;
}

interface Waiting {
  goal: number;
  resolve: (done: boolean) => void;
}

const GATHER_MS = 200;
const EVERY_MS = 60_000;
/**
 * Pause between runs under continuous requests, for instance while the guide is collected, as a multiple of their
 * duration.
 */
const REST = 4;
const MAX_GATHER_MS = 5_000;
/** After this many consecutive failures callers do not wait any more. */
const HOPELESS = 3;
/** Retry delays after failures. */
const BACKOFF_MS = [250, 1000, 3000, 10_000, 30_000] as const;

export class PlanningLoop {
  /** Number of requests, and of those served by a run. */
  #wanted = 0;
  #done = 0;
  #failures = 0;
  /** Duration of the last run, ms. */
  #took = 0;
  readonly #waiting = new Set<Waiting>();
  #running: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt = Infinity;
  #started = false;
  #closed = false;

  constructor(private readonly options: PlanningLoopOptions) {}

  start(): void {
    this.#started = true;
    this.#wanted += 1;
    this.#arm(0);
  }

  /** Requests a run soon. */
  wake(): void {
    this.#wanted += 1;
    this.#arm(this.#gatherMs);
  }

  /**
   * Requests a run at once.
   * @returns whether a run that began after this call succeeded within the limit
   */
  async settle(limitMs: number): Promise<boolean> {
    if (this.#closed) return false;
    this.#wanted += 1;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting: Waiting = { goal: this.#wanted, resolve };
    this.#waiting.add(waiting);
    const limit = setTimeout(() => resolve(false), limitMs);
    this.#arm(0);
    try {
      return await promise;
    } finally {
      clearTimeout(limit);
      this.#waiting.delete(waiting);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const { resolve } of this.#waiting) resolve(false);
    await this.#running;
  }

  /** Keeps the earlier time. */
  #arm(delayMs: number): void {
    if (!this.#started || this.#closed || this.#running !== undefined) return;
    const dueAt = performance.now() + delayMs;
    if (dueAt >= this.#dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#dueAt = Infinity;
      this.#running = this.#turn();
    }, delayMs);
  }

  async #turn(): Promise<void> {
    const goal = this.#wanted;
    let went = false;
    const began = performance.now();
    try {
      went = await this.options.run();
    } catch (error) {
      if (this.#failures === 0 && !this.#closed)
        this.options.log.error('reservations not planned', { error: String(error) });
    }
    this.#took = performance.now() - began;
    this.#running = undefined;
    this.#failures = went ? 0 : this.#failures + 1;
    if (went) this.#done = goal;
    const isHopeless = this.#failures >= HOPELESS;
    for (const { goal: wanted, resolve } of this.#waiting) {
      if (wanted <= this.#done) resolve(true);
      else if (isHopeless) resolve(false);
    }
    this.#arm(this.#delay());
  }

  get #gatherMs(): number {
    return Math.max(this.options.gatherMs ?? GATHER_MS, Math.min(this.#took * REST, MAX_GATHER_MS));
  }

  #delay(): number {
    const { everyMs = EVERY_MS, nextInMs = () => Infinity } = this.options;
    if (this.#failures > 0) return BACKOFF_MS[Math.min(this.#failures, BACKOFF_MS.length) - 1] ?? 0;
    if (this.#wanted === this.#done) return Math.max(this.#gatherMs, Math.min(everyMs, nextInMs()));
    return this.#waiting.size > 0 ? 0 : this.#gatherMs;
  }
}
