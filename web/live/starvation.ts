/**
 * Since when there is no picture, and since when data has been coming all the same: a station that pauses sends none, and
 * is no slow network. Pure except for its own state.
 */
import type { MonotonicMs } from '../../wire/times.ts';

/** Bits a second; at a lower rate the station sends no data, or the network just stopped. */
export const LEAST_FLOW = 50_000;
/** A slow network brings a picture now and then: shorter playing does not end the wait. */
const STEADY_MS = 2_000;

interface StarvationSample {
  readonly at: MonotonicMs;
  /** A picture was asked for and granted, and none plays. */
  readonly isStarved: boolean;
  /** Octets received in all. */
  readonly received: number;
}

interface Starved {
  readonly since: MonotonicMs;
  /** Octets before. */
  readonly received: number;
  readonly fedSince: MonotonicMs | undefined;
}

export class Starvation {
  #starved: Starved | undefined;
  /** Undefined: no picture plays. */
  #playingSince: MonotonicMs | undefined;

  note({ at, isStarved, received }: StarvationSample): void {
    if (!isStarved) {
      this.#playingSince ??= at;
      if (at - this.#playingSince >= STEADY_MS) this.#starved = undefined;
      return;
    }
    this.#playingSince = undefined;
    const before = this.#starved ?? { since: at, received, fedSince: undefined };
    const bits = (received - before.received) * 8;
    const isFed = bits > 0 && bits >= (LEAST_FLOW * (at - before.since)) / 1_000;
    this.#starved = { ...before, fedSince: before.fedSince ?? (isFed ? at : undefined) };
  }

  /** Another stream begins. */
  clear(): void {
    this.#starved = undefined;
    this.#playingSince = undefined;
  }

  /** Undefined: a picture plays, or none is due. */
  get since(): MonotonicMs | undefined {
    return this.#playingSince === undefined ? this.#starved?.since : undefined;
  }

  /** Undefined: no data comes either. */
  get fedSince(): MonotonicMs | undefined {
    return this.#playingSince === undefined ? this.#starved?.fedSince : undefined;
  }
}
