/** Detects that the broadcast's clock was set, by comparing it with the monotonic clock. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { MonotonicClock } from '../../lib/host/clock.ts';

/** Smaller steps are the clock's own slow correction. */
const SET_MS = 2_000;

export class ClockStepDetector {
  #offset: number;

  /** @param onSet called before the new time is returned to a caller */
  constructor(
    private readonly broadcastClock: () => BroadcastMs,
    private readonly monotonicClock: MonotonicClock,
    private readonly onSet: (byMs: number) => void,
  ) {
    this.#offset = broadcastClock() - monotonicClock();
  }

  readonly now = (): BroadcastMs => {
    const now = this.broadcastClock();
    const offset = now - this.monotonicClock();
    const by = offset - this.#offset;
    this.#offset = offset;
    if (Math.abs(by) > SET_MS) this.onSet(Math.round(by));
    return now;
  };
}
