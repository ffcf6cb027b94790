/**
 * Delay of packets, measured by their clock references (PCR). A busy machine or agent delivers packets late. If they
 * were dated by arrival, a gap would be reported at the wrong place, or a complete programme as begun late. The
 * packets with the least delay in the last minutes are the reference for all others.
 */
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { PCR_PER_MS, pcrDifference } from '../../lib/arib/ts/clock.ts';
import type { ReceptionSecond } from '../reception/reception-meter.ts';

/** Not counted as delay: clock references are 100 ms apart (ARIB TR-B14), and packets are buffered as long. */
const USUAL_MS = 250;
/** Over a gap, the broadcast's clock and the machine's clock may differ by this delay at most. */
const BELIEVED_MS = 10_000;
/** The agent buffers 64 MB: about a minute of a usual station. */
export const LATEST_MS = 60_000;
/** The clocks of broadcaster and machine drift apart, by less than USUAL_MS in an hour. */
const WINDOW_MS = 120_000;

/** Times of arrival by the broadcast's clock. */
interface DatedSecond extends Pick<ReceptionSecond, 'pcr' | 'lastPcr' | 'isSteady' | 'isApart'> {
  from: BroadcastMs;
  to: BroadcastMs;
}

interface Delays {
  /** Delay of the first and the last packets, ms; 0: normal. */
  from: number;
  to: number;
  /** Packets dated since `since` (arrival minus delay) were later than assumed by this. */
  earlier?: { byMs: number; since: BroadcastMs };
}

export class ReceptionDelay {
  /** Arrival minus PCR of the least delayed packets, in two consecutive windows. */
  #least = Number.POSITIVE_INFINITY;
  #leastBefore = Number.POSITIVE_INFINITY;
  #windowAt = broadcastMs(0);
  /** Since when packets are dated by the current least delay. */
  #since = broadcastMs(0);
  /** The last clock reference, and its unwrapped time, ms. */
  #last: { pcr: number; ms: number; at: BroadcastMs } | undefined;
  #delay = 0;

  take(second: DatedSecond): Delays {
    const { from, to, pcr, lastPcr } = second;
    if (pcr === null || lastPcr === null) return { from: this.#delay, to: this.#delay };
    const last = this.#last;
    const stepMs = last === undefined ? 0 : pcrDifference(pcr, last.pcr) / PCR_PER_MS;
    const isNear = last !== undefined && Math.abs(stepMs - (from - last.at)) < BELIEVED_MS;
    if (last === undefined || (second.isApart && !isNear)) return this.#begin(second, 0);
    // A clock that jumps while packets arrive steadily does not change their delay.
    if (!second.isSteady) return this.#begin(second, this.#delay);
    const firstMs = last.ms + stepMs;
    const lastMs = firstMs + pcrDifference(lastPcr, pcr) / PCR_PER_MS;
    this.#last = { pcr: lastPcr, ms: lastMs, at: to };
    const earlier = this.#learn(to - lastMs, to);
    const known = this.#known;
    const delay = (at: BroadcastMs, ms: number): number => (at - ms - known > USUAL_MS ? at - ms - known : 0);
    this.#delay = delay(to, lastMs);
    const delays = { from: delay(from, firstMs), to: this.#delay };
    return earlier === undefined ? delays : { ...delays, earlier };
  }

  /** Delay of packets that are not reported yet, ms. @param pcr their first clock reference; null: unknown */
  lateMs(arrivedAt: BroadcastMs, pcr: number | null): number {
    const last = this.#last;
    if (last === undefined || pcr === null) return this.#delay;
    const delay = arrivedAt - last.ms - pcrDifference(pcr, last.pcr) / PCR_PER_MS - this.#known;
    if (delay < -USUAL_MS || delay > LATEST_MS) return this.#delay;
    return delay > USUAL_MS ? delay : 0;
  }

  /** The clock that dates arrivals was set. */
  clockSet(byMs: number): void {
    this.#least += byMs;
    this.#leastBefore += byMs;
    this.#windowAt = plusMs(this.#windowAt, byMs);
    this.#since = plusMs(this.#since, byMs);
    if (this.#last !== undefined) this.#last.at = plusMs(this.#last.at, byMs);
  }

  /** Measurements after this time move when packets turn out to have been late. */
  get since(): BroadcastMs {
    return this.#since;
  }

  get #known(): number {
    return Math.min(this.#least, this.#leastBefore);
  }

  /** Starts again with another clock. */
  #begin({ from, to, pcr, lastPcr, isSteady }: DatedSecond, delay: number): Delays {
    this.#last = { pcr: lastPcr ?? 0, ms: 0, at: to };
    this.#least = to - delay;
    this.#leastBefore = Number.POSITIVE_INFINITY;
    this.#windowAt = to;
    this.#delay = delay;
    // Queued packets arrived at once: the first of them is later than the last.
    const isDated = isSteady && pcr !== null && lastPcr !== null;
    const lateMs = isDated ? pcrDifference(lastPcr, pcr) / PCR_PER_MS - (to - from) : 0;
    const first = delay + (lateMs > USUAL_MS ? lateMs : 0);
    this.#since = plusMs(from, -first);
    return { from: first, to: delay };
  }

  #learn(offset: number, at: BroadcastMs): Delays['earlier'] {
    const before = this.#known;
    if (at - this.#windowAt > WINDOW_MS) {
      this.#leastBefore = this.#least;
      this.#least = Number.POSITIVE_INFINITY;
      this.#windowAt = at;
      // Earlier packets were not dated by this reference.
      if (this.#leastBefore > before + USUAL_MS) this.#since = at;
    }
    this.#least = Math.min(this.#least, offset);
    const byMs = before - this.#known;
    if (byMs <= 0) return undefined;
    const since = this.#since;
    this.#since = plusMs(since, -byMs);
    return { byMs, since };
  }
}
