/**
 * Adaptive quality of a live stream. A stream does not show how much more the network could carry, so a higher quality
 * is tried now and then, with backoff after each failed attempt. Pure except for its own state.
 */

import type { LiveQuality } from '../../wire/api.ts';
import type { MonotonicMs } from '../../wire/times.ts';
import { LEAST_FLOW } from './starvation.ts';

/** From the lowest. */
export const QUALITIES = ['least', 'low', 'middle', 'high'] as const satisfies readonly LiveQuality[];

/** Bits a second that a stream takes in the long run, sound included. */
const NEEDED: Readonly<Record<LiveQuality, number>> = {
  least: 290_000,
  low: 850_000,
  middle: 2_000_000,
  high: 4_300_000,
};

/** Without a picture for this long, though the service sends, the quality is lowered. */
export const STARVED_MS = 3_000;
/** Without data the station pauses, or the network just stopped: only a long wait distinguishes the two. */
const SILENT_MS = 10_000;
/** This many interruptions within the time are caused by the network, not by a single event. */
const STUMBLES = 3;
const STUMBLES_WITHIN_MS = 30_000;
/** After this long without stalls the next higher quality is tried. */
const FIRST_TRY_MS = 10_000;
const LATEST_TRY_MS = 600_000;
/** A higher quality that is given up within this time did not pass. */
const TRIAL_MS = 60_000;

export interface NetworkSample {
  readonly at: MonotonicMs;
  /** Bits a second that arrive; undefined while that is not known. */
  readonly bitRate: number | undefined;
  /** No picture since, though it was asked for and granted; undefined: it plays. */
  readonly starvedSince: MonotonicMs | undefined;
  /** Since when data comes all the same; undefined: none comes. */
  readonly fedSince: MonotonicMs | undefined;
}

export class QualityLadder {
  #level: LiveQuality;
  #tryAfterMs = FIRST_TRY_MS;
  #calmSince: MonotonicMs | undefined;
  #raisedAt: MonotonicMs | undefined;
  #wasStarved = false;
  #stumbles: readonly MonotonicMs[] = [];

  constructor(level: LiveQuality) {
    this.#level = level;
  }

  get level(): LiveQuality {
    return this.#level;
  }

  /** The next sample is that of another stream. */
  restart(): void {
    this.#calmSince = undefined;
    this.#wasStarved = false;
    this.#stumbles = [];
  }

  /** The quality to change to; undefined: the present one stays. @param most the highest that is wanted */
  next({ at, bitRate, starvedSince, fedSince }: NetworkSample, most: LiveQuality): LiveQuality | undefined {
    if (starvedSince === undefined) {
      this.#wasStarved = false;
      return this.#rise(at, most);
    }
    this.#calmSince = undefined;
    if (!this.#wasStarved) {
      this.#stumbles = [...this.#stumbles, at].filter((one) => at - one < STUMBLES_WITHIN_MS);
    }
    this.#wasStarved = true;
    const flows = bitRate !== undefined && bitRate >= LEAST_FLOW;
    const isFed = fedSince !== undefined && at - fedSince >= STARVED_MS;
    const isSilent = at - starvedSince >= SILENT_MS;
    const tooSlow = isFed || isSilent || (flows && this.#stumbles.length >= STUMBLES);
    return tooSlow ? this.#fall(flows ? bitRate : undefined) : undefined;
  }

  #rise(at: MonotonicMs, most: LiveQuality): LiveQuality | undefined {
    this.#calmSince ??= at;
    if (this.#raisedAt !== undefined && at - this.#raisedAt > TRIAL_MS) {
      this.#raisedAt = undefined;
      this.#tryAfterMs = FIRST_TRY_MS;
    }
    const index = QUALITIES.indexOf(this.#level);
    if (at - this.#calmSince < this.#tryAfterMs || index >= QUALITIES.indexOf(most)) return undefined;
    this.#raisedAt = at;
    return this.#change(QUALITIES[index + 1]);
  }

  /** @param bitRate undefined: by one */
  #fall(bitRate: number | undefined): LiveQuality | undefined {
    const index = QUALITIES.indexOf(this.#level);
    if (index === 0) return undefined;
    if (this.#raisedAt !== undefined) this.#tryAfterMs = Math.min(LATEST_TRY_MS, this.#tryAfterMs * 3);
    this.#raisedAt = undefined;
    const lower = QUALITIES.slice(0, index);
    if (bitRate === undefined) return this.#change(lower.at(-1));
    return this.#change(lower.findLast((quality) => NEEDED[quality] <= bitRate) ?? 'least');
  }

  #change(level: LiveQuality | undefined): LiveQuality | undefined {
    if (level !== undefined) this.#level = level;
    this.restart();
    return level;
  }
}
