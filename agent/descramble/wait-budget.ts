/**
 * Limits how long the packets of a stream wait for tables and ECMs that have not arrived. Shared by all programmes of
 * a stream: a broken or malicious programme that keeps announcing new tables must not delay the others repeatedly.
 */
import { type MonotonicMs, monotonicMs } from '../../host/clock.ts';

/** Tables and ECMs are sent every 100 ms (ARIB TR-B14): later they will not arrive, ms. */
const LIMIT_MS = 2_000;
/** Minimum interval between the starts of two waits, ms. */
const INTERVAL_MS = 10_000;

export class WaitBudget {
  #startedAt = monotonicMs(Number.NEGATIVE_INFINITY);

  mayWait(now: MonotonicMs): boolean {
    if (now - this.#startedAt >= INTERVAL_MS) this.#startedAt = now;
    return now - this.#startedAt < LIMIT_MS;
  }
}
