/**
 * Pacing of the raw path. Its pictures are decoded once, so seeking back is impossible; a delay of a second above the
 * target for three seconds is skipped instead of caught up slowly.
 */
import type { MonotonicMs } from '../../wire/times.ts';
import { bufferedAhead, type Pace, type Pacing, type Sample, type Span } from '../player/pacing.ts';
import { LivePacing } from './live-pacing.ts';

const OVER_S = 1;
const OVER_MS = 3_000;
/** Least buffered time while playing, between two fragments; corresponds to the initial 1.3 s of `LivePacing`. */
const TARGET_S = 1;
const KEPT_BEHIND_S = 2;

export class RawPacing extends LivePacing implements Pacing {
  #overSince: MonotonicMs | undefined;

  override next(sample: Sample): Pace {
    const pace = super.next(sample);
    const ahead = bufferedAhead(sample.ranges, sample.position);
    if (!sample.running || ahead <= TARGET_S + OVER_S) this.#overSince = undefined;
    else this.#overSince ??= sample.at;
    if (this.#overSince === undefined || sample.at - this.#overSince < OVER_MS) return pace;
    this.#overSince = undefined;
    return { ...pace, seekTo: pace.seekTo ?? this.edge(sample.ranges) };
  }

  override removable(ranges: readonly Span[], position: number, paused: boolean): Span | undefined {
    const first = ranges[0];
    if (first === undefined || paused) return super.removable(ranges, position, paused);
    return position - first.start > KEPT_BEHIND_S * 2
      ? { start: first.start, end: position - KEPT_BEHIND_S }
      : undefined;
  }
}
