/**
 * The three times of one programme, and conversions between the last two:
 *
 * - PTS: 33-bit stamps of the elementary streams (ISO/IEC 13818-1 2.4.3.7). They wrap every 26.5 hours, restart at a
 *   discontinuity, and the same time stamp may occur several times in one programme.
 * - Media time: 90 kHz ticks since the start. Only received data has a length, so playback continues over gaps and
 *   from one part of a recording to the next.
 * - Broadcast time: when a picture was on the air. It includes the gaps.
 *
 * A scale is a list of stretches. In a stretch the time stamps rise without a jump (a wrap is not a jump); a new one
 * starts at each discontinuity, after each gap and with each part of a recording. Pure: the same code serves server
 * and browser.
 */
import {
  type BroadcastMs,
  broadcastMs,
  type Media90k,
  media90k,
  type Pts90k,
  pts90k,
  TICKS_PER_MS,
  TICKS_PER_SECOND,
} from '../time.ts';

export interface Stretch {
  /** Time stamp of its first picture or audio frame. */
  readonly pts: Pts90k;
  /** Ticks; may exceed one wrap of the time stamps. */
  readonly length: number;
  /** Broadcast time of its start; undefined if unknown. */
  readonly at: BroadcastMs | undefined;
}

interface PlacedStretch extends Stretch {
  readonly start: Media90k;
}

/**
 * Longest step between time stamps of one stream that a loss of reception explains; a longer one is a discontinuity.
 */
const MAX_STEP = 10 * TICKS_PER_SECOND;
/** Pictures have time stamps out of order, and audio may be up to about a second ahead of its picture. */
const MAX_STEP_BACK = TICKS_PER_SECOND;

/** Whether a time stamp continues the stretch that reached `last`: no long loss, and not set back. */
export function continues(last: number, next: number): boolean {
  const step = next - last;
  return step <= MAX_STEP && step >= -MAX_STEP_BACK;
}

/** An immutable scale. All conversions clamp to its ends. */
export class TimeScale {
  readonly #stretches: readonly PlacedStretch[];
  readonly duration: Media90k;

  private constructor(stretches: readonly PlacedStretch[], duration: Media90k) {
    this.#stretches = stretches;
    this.duration = duration;
  }

  /**
   * Stretches without a length are left out. Decreasing broadcast times are moved up to the end of the previous
   * stretch; unknown ones continue the previous stretch, or precede the next one.
   */
  static of(stretches: Iterable<Stretch>): TimeScale {
    const usable = [...stretches].filter(isUsable);
    const times = broadcastStarts(usable);
    let start = 0;
    const placed = usable.map((stretch, index) => {
      const one = { ...stretch, pts: pts90k(stretch.pts), at: times[index], start: media90k(start) };
      start += stretch.length;
      return one;
    });
    return new TimeScale(placed, media90k(start));
  }

  get stretches(): readonly (Stretch & { readonly start: Media90k })[] {
    return this.#stretches;
  }

  /** Not rounded to full milliseconds. Undefined if the broadcast time of no stretch is known. */
  broadcastAt(media: Media90k): BroadcastMs | undefined {
    const stretch = this.#stretches[this.#indexAt(media)];
    if (stretch?.at === undefined) return undefined;
    return broadcastMs(stretch.at + this.#offset(stretch, media) / TICKS_PER_MS);
  }

  /** A time inside a gap gives the first moment after it. Undefined like `broadcastAt`. */
  mediaAtBroadcast(at: BroadcastMs): Media90k | undefined {
    for (const stretch of this.#stretches) {
      if (stretch.at === undefined) return undefined;
      const offset = (at - stretch.at) * TICKS_PER_MS;
      if (offset < stretch.length) return media90k(stretch.start + Math.max(0, offset));
    }
    return this.#stretches.length === 0 ? undefined : this.duration;
  }

  /** Index of the stretch with a time, the first or last one for times outside; -1 if there is none. */
  #indexAt(media: Media90k): number {
    let low = 0;
    let high = this.#stretches.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#stretches[middle]?.start ?? 0) <= media) low = middle;
      else high = middle - 1;
    }
    return high < 0 ? -1 : low;
  }

  #offset(stretch: PlacedStretch, media: Media90k): number {
    const offset = media - stretch.start;
    return offset > 0 ? Math.min(stretch.length, offset) : 0;
  }
}

/** A century of ticks: sums stay exact integers. */
const MAX_LENGTH = 100 * 366 * 86_400 * TICKS_PER_SECOND;

function isUsable({ pts, length }: Stretch): boolean {
  return Number.isFinite(pts) && length > 0 && length <= MAX_LENGTH;
}

function broadcastStarts(stretches: readonly Stretch[]): (BroadcastMs | undefined)[] {
  const known = stretches.findIndex(({ at }) => at !== undefined && Number.isFinite(at));
  const first = stretches[known]?.at;
  if (first === undefined) return stretches.map(() => undefined);
  const before = stretches.slice(0, known).reduce((sum, { length }) => sum + length, 0);
  let end = first - before / TICKS_PER_MS;
  return stretches.map(({ at, length }) => {
    const start = at !== undefined && Number.isFinite(at) ? Math.max(at, end) : end;
    end = start + length / TICKS_PER_MS;
    return broadcastMs(start);
  });
}
