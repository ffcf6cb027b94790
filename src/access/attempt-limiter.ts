/**
 * Rate limit by address for attempts that need no credentials: a token bucket. The table is bounded: when it is full,
 * the least recently active address is evicted, which gives it a new budget. An attacker with that many addresses is
 * not stopped by counting.
 */
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { ownerOf } from '../../lib/host/networks.ts';

/** ~100 bytes each. */
const MAX_ADDRESSES = 2_048;

interface AttemptLimits {
  burst: number;
  /** Refill interval of one attempt, ms. */
  refillMs: number;
}

interface Budget {
  left: number;
  /** When `left` was updated. */
  at: MonotonicMs;
}

export class AttemptLimiter {
  /** Ordered by last attempt. */
  readonly #budgets = new Map<string, Budget>();

  constructor(
    readonly limits: AttemptLimits,
    private readonly now: MonotonicClock,
  ) {}

  /** @returns 0 when the attempt is allowed, else the ms until the next one is */
  attempt(address: string): number {
    const { burst, refillMs } = this.limits;
    const owner = ownerOf(address);
    const now = this.now();
    const known = this.#budgets.get(owner);
    const left = known === undefined ? burst : Math.min(burst, known.left + (now - known.at) / refillMs);
    const isGranted = left >= 1;
    this.#budgets.delete(owner);
    this.#budgets.set(owner, { left: isGranted ? left - 1 : left, at: now });
    if (this.#budgets.size > MAX_ADDRESSES) {
      const [quietest] = this.#budgets.keys();
      if (quietest !== undefined) this.#budgets.delete(quietest);
    }
    return isGranted ? 0 : Math.ceil((1 - left) * refillMs);
  }

  get size(): number {
    return this.#budgets.size;
  }
}

/** `Retry-After` of an answer 429, whole seconds. RFC 9110, 10.2.3. */
export function retryAfter(waitMs: number): string {
  return String(Math.max(1, Math.ceil(waitMs / 1_000)));
}
