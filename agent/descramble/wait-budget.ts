/**
 * How long the packets of a stream may wait for tables and ECMs that have not come. Shared by all programmes of a
 * stream: a broken or hostile programme that announces ever new tables must not hold up the others again and again.
 */
import { type MonotonicMs, monotonicMs } from '../../host/clock.ts';

/** Tables and ECMs are sent every 100 ms (ARIB TR-B14): what has not come after this does not come, ms. */
const LIMIT_MS = 2_000;
/** Shortest interval between the starts of two waits, ms. */
const INTERVAL_MS = 10_000;

export class WaitBudget {
  #startedAt = monotonicMs(Number.NEGATIVE_INFINITY);

  mayWait(now: MonotonicMs): boolean {
    if (now - this.#startedAt >= INTERVAL_MS) this.#startedAt = now;
    return now - this.#startedAt < LIMIT_MS;
  }
}
