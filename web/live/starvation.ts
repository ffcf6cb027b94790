/**
 * Since when there is no picture, and since when data has been coming all the same: a station that pauses sends none, and
 * is no slow network. Pure except for its own state.
 */
import type { MonotonicMs } from '../../wire/times.ts';

/** Bits a second; at a lower rate the station sends no data, or the network just stopped. */
export const LEAST_FLOW = 50_000;

interface StarvationSample {
  readonly at: MonotonicMs;
  /** A picture was asked for and granted, and none plays. */
  readonly isStarved: boolean;
  /** Octets received in all. */
  readonly received: number;
  /** Bits a second that arrive; undefined while that is not known. */
  readonly bitRate: number | undefined;
}

interface Starved {
  readonly since: MonotonicMs;
  /** Octets before. */
  readonly received: number;
  readonly fedSince: MonotonicMs | undefined;
}

export class Starvation {
  #starved: Starved | undefined;

  note({ at, isStarved, received, bitRate }: StarvationSample): void {
    if (!isStarved) {
      this.#starved = undefined;
      return;
    }
    const before = this.#starved ?? { since: at, received, fedSince: undefined };
    // What came before counts in the rate for seconds: only what came since shows that the service still sends.
    const isFed = received > before.received && bitRate !== undefined && bitRate >= LEAST_FLOW;
    this.#starved = { ...before, fedSince: isFed ? (before.fedSince ?? at) : undefined };
  }

  /** Another stream begins. */
  clear(): void {
    this.#starved = undefined;
  }

  /** Undefined: a picture plays, or none is due. */
  get since(): MonotonicMs | undefined {
    return this.#starved?.since;
  }

  /** Undefined: no data comes either. */
  get fedSince(): MonotonicMs | undefined {
    return this.#starved?.fedSince;
  }
}
