/**
 * Runs the planning on request, never twice at once: requests that arrive together share one run. It also runs at an
 * interval, and again with backoff after a failure.
 */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Reservation } from '../model/reservation.ts';

interface PlanningLoopOptions {
  /** @returns false, or throws: retried with backoff */
  run: () => Promise<boolean>;
  log: Log;
  /** Debounce of requests without a waiting caller, ms; longer if a run takes long. */
  gatherMs?: number;
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
const MAX_AWAITED_FAILURES = 3;
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

  /** Requests a run at once. @returns whether a run that began after this call succeeded within the limit */
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
    const isGivenUp = this.#failures >= MAX_AWAITED_FAILURES;
    for (const { goal: wanted, resolve } of this.#waiting) {
      if (wanted <= this.#done) resolve(true);
      else if (isGivenUp) resolve(false);
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

/** Longer ones are planned again often enough by the usual interval. */
const SHORT_MS = 3 * 60_000;
/** While one is on air, a tuner may become free at any moment, also before an announced end. */
const ON_AIR_MS = 5_000;

/** Of conflicts of short programmes, which may be shorter than the usual interval. */
type Times = Pick<Reservation, 'state' | 'startAt' | 'endAt'>;

/**
 * Time until a tuner may become free for a conflict with a short programme; Infinity: there is none. @param now epoch
 * ms
 */
export function nextDecisionMs(reservations: readonly Times[], now: BroadcastMs): number {
  const short = reservations.filter(
    ({ state, startAt, endAt }) => state === 'conflict' && endAt > now && endAt - startAt < SHORT_MS,
  );
  if (short.length === 0) return Infinity;
  const ends = reservations.flatMap(({ state, endAt }) =>
    (state === 'scheduled' || state === 'recording') && endAt > now ? [endAt] : [],
  );
  const times = short.flatMap(({ startAt, endAt }) => [
    startAt > now ? startAt : now + ON_AIR_MS,
    ...ends.filter((end) => end >= startAt && end < endAt),
  ]);
  return Math.min(...times.filter((at) => at > now)) - now;
}
