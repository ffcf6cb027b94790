/** The machine's two clocks (`lib/wire/times.ts`). Times by the broadcast's clock are `BroadcastMs` (`lib/arib/time.ts`). */
import { type MonotonicMs, monotonicMs, type WallMs, wallMs } from '../wire/times.ts';

export { type MonotonicMs, monotonicMs, type WallMs, wallMs };

export type WallClock = () => WallMs;
export type MonotonicClock = () => MonotonicMs;

export const systemWallClock: WallClock = () => Date.now() as WallMs;
export const systemMonotonicClock: MonotonicClock = () => performance.now() as MonotonicMs;

/**
 * The monotonic clock of another thread, which has another origin. The fastest message tells how far the two clocks are
 * apart; times are never early, and exact once a message came without delay.
 */
export class RemoteClock {
  /** This thread's clock minus the other one's. */
  #apart = Number.POSITIVE_INFINITY;

  constructor(private readonly clock: MonotonicClock = systemMonotonicClock) {}

  /** A message arrived that the other thread posted at this time of its clock. */
  heard(postedAt: MonotonicMs): void {
    this.#apart = Math.min(this.#apart, this.clock() - postedAt);
  }

  /** A time of the other thread by this thread's clock. Valid once a message was heard. */
  local(at: MonotonicMs): MonotonicMs {
    return monotonicMs(at + this.#apart);
  }
}

// Timers that need no exact delay expire together: a thread that serves several streams wakes once for all of them, and
// so do its readers. With eight stations this saves a seventh of the processor time of agent and service.

/** Delay to the next multiple of the period, ms: more than 0, at most the period. */
export function untilSharedTick(now: MonotonicMs, periodMs: number): number {
  return periodMs - (now % periodMs);
}
