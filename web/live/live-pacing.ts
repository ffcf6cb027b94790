/**
 * Keeps a live picture close to the air without visible jumps: decides the playback rate, and a jump where a gap,
 * a stall or a large lag leaves no other way. The rules are pure functions; `LivePacing` keeps their state.
 *
 * What counts is the low-water mark of the buffer (the least that was ahead within a few seconds), not its
 * momentary level, which goes up and down with every fragment.
 */
import type { MonotonicMs } from '../../lib/wire/times.ts';
import {
  type BufferedSpan,
  bufferedAhead,
  NUDGE,
  type Pace,
  type Pacing,
  rangeAt,
  type Sample,
} from '../player/media-timeline.ts';

interface Steering {
  /** Low-water mark aimed for, in seconds; grows after a stall and shrinks back slowly. */
  readonly target: number;
  readonly lows: readonly { readonly at: MonotonicMs; readonly ahead: number }[];
  readonly rate: number;
  readonly position: number;
  /** When the position last advanced. */
  readonly movedAt: MonotonicMs;
  readonly easedAt: MonotonicMs;
}

export interface Decision extends Pace {
  readonly steering: Steering;
}

/** Less is never aimed for. */
const LEAST_TARGET = 0.2;
/** Default while the device's network is unknown. */
const BASE_TARGET = 0.5;
/** Below this part of the target a late fragment would interrupt the sound: slow down, up to the second part. */
const LOW_PART = 0.45;
const RECOVERED_PART = 0.75;
/** Half a fragment: how far behind the newest byte a jump lands beyond the target. */
const JUMP_MARGIN = 0.3;
const MAX_TARGET = 4;
const STALL_STEP = 0.5;
/** The target delay is lowered by one step after each interval without a stall. */
const EASE_STEP = 0.3;
const EASE_EVERY_MS = 600_000;
const WINDOW_MS = 3_000;
/** More than this is not caught up at 1.05 within a minute: jump. */
const JUMP_AHEAD = 5;
const STUCK_MS = 400;
/** An element may stand so long before the end of a range, s: what it decodes next is not there. */
const END_S = 0.5;
const SLOWER = 0.97;
const FASTER = 1.03;
const FASTEST = 1.05;

/** @param target as it was last on this device, s */
export function startSteering(at: MonotonicMs, target = BASE_TARGET): Steering {
  return { target, lows: [], rate: 1, position: -1, movedAt: at, easedAt: at };
}

/** Playback stalled: buffer more from now on. */
export function afterStall(steering: Steering, at: MonotonicMs): Steering {
  const target = Math.min(MAX_TARGET, steering.target + STALL_STEP);
  return { ...steering, target, easedAt: at, lows: [] };
}

function rateFor(steering: Steering, low: number): number {
  if (low < steering.target * LOW_PART) return SLOWER;
  if (low > steering.target + 1.5) return FASTEST;
  if (low > steering.target + 0.4) return FASTER;
  // Between the two thresholds the present rate is kept until the target itself is met.
  if (steering.rate > 1 && low > steering.target) return steering.rate;
  if (steering.rate < 1 && low < steering.target * RECOVERED_PART) return steering.rate;
  return 1;
}

/** Where to jump, if anywhere: over a gap, back into the buffer, or towards the live edge. */
function jumpTo(sample: Sample, steering: Steering, stuckMs: number, follows: boolean): number | undefined {
  const { ranges, position } = sample;
  const last = ranges.at(-1);
  if (last === undefined) return undefined;
  const range = rangeAt(ranges, position);
  const edge = Math.max(last.start + NUDGE, last.end - steering.target - JUMP_MARGIN);
  const isAtEnd =
    range === undefined || range.end - position < (stuckMs > STUCK_MS && range !== last ? END_S : NUDGE * 2);
  if (isAtEnd) {
    const next = ranges.find((candidate) => candidate.start > position);
    if (next !== undefined && (range === undefined || stuckMs > STUCK_MS)) return next.start + NUDGE;
    return range === undefined && position > last.end + 1 ? edge : undefined;
  }
  if (follows && last.end - position > JUMP_AHEAD + steering.target) return edge;
  // Enough is buffered and yet the position stands: a small step frees a decoder stuck on a frame.
  if (stuckMs > STUCK_MS * 5 && range.end - position > 1) return position + 0.1;
  return undefined;
}

/** @param follows false: the viewer watches what was on before, at its own pace */
export function steer(previous: Steering, sample: Sample, follows = true): Decision {
  if (!sample.running) {
    const steering = { ...previous, lows: [], movedAt: sample.at, position: sample.position, rate: 1 };
    return { steering, rate: 1, seekTo: undefined };
  }
  const moved = sample.position !== previous.position;
  const movedAt = moved ? sample.at : previous.movedAt;
  const ease = sample.at - previous.easedAt >= EASE_EVERY_MS;
  const target = ease ? Math.max(LEAST_TARGET, previous.target - EASE_STEP) : previous.target;
  const easedAt = ease ? sample.at : previous.easedAt;
  const ahead = bufferedAhead(sample.ranges, sample.position);
  const lows = [
    ...previous.lows.filter((entry) => sample.at - entry.at <= WINDOW_MS),
    { at: sample.at, ahead },
  ];
  const kept = { ...previous, target, easedAt, position: sample.position };

  const seekTo = jumpTo(sample, kept, sample.at - movedAt, follows);
  if (seekTo !== undefined) {
    return { steering: { ...kept, lows: [], rate: 1, movedAt: sample.at }, rate: 1, seekTo };
  }
  const spanned = sample.at - (lows[0]?.at ?? sample.at) >= WINDOW_MS * 0.6;
  const low = Math.min(...lows.map((entry) => entry.ahead));
  const rate = !follows ? 1 : spanned ? rateFor({ ...kept, rate: previous.rate }, low) : previous.rate;
  return { steering: { ...kept, lows, rate, movedAt }, rate, seekTo: undefined };
}

/** Kept behind the position, to go back to; trimmed to the second figure once it exceeds the first. 90 s of 6 Mbit/s: 68 MB. */
const MOST_BEHIND_S = 110;
const KEEP_BEHIND_S = 90;
/** The same of all that is held, whatever the position: browsers give a source buffer some 150 MB. */
const MOST_HELD_S = 140;
const KEEP_HELD_S = 120;

export class LivePacing implements Pacing {
  readonly startAhead: number;
  #steering: Steering;
  /** The viewer went back, or continues after a pause: the picture is left where it is. */
  follows = true;

  /** @param target what was needed on this device before, s */
  constructor(at: MonotonicMs, target: number) {
    this.startAhead = target;
    this.#steering = startSteering(at, target);
  }

  /** The present target latency, s: to be remembered. */
  get target(): number {
    return this.#steering.target;
  }

  next(sample: Sample): Pace {
    const { steering, rate, seekTo } = steer(this.#steering, sample, this.follows);
    this.#steering = steering;
    return { rate, seekTo };
  }

  onStall(at: MonotonicMs): void {
    this.#steering = afterStall(this.#steering, at);
  }

  removable(ranges: readonly BufferedSpan[], position: number, _paused: boolean): BufferedSpan | undefined {
    const first = ranges[0];
    const last = ranges.at(-1);
    if (first === undefined || last === undefined) return undefined;
    if (last.end - first.start > MOST_HELD_S) return { start: first.start, end: last.end - KEEP_HELD_S };
    if (position - first.start > MOST_BEHIND_S) return { start: first.start, end: position - KEEP_BEHIND_S };
    return undefined;
  }

  /** The newest position from which playback can continue, in seconds; undefined while nothing is buffered. */
  edge(ranges: readonly BufferedSpan[]): number | undefined {
    const last = ranges.at(-1);
    return last === undefined ? undefined : Math.max(last.start, last.end - this.#steering.target);
  }
}

const OVER_S = 1;
const OVER_MS = 3_000;
/** Least buffered time while playing, between two fragments; corresponds to the initial 1.3 s of `LivePacing`. */
const TARGET_S = 1;
const KEPT_BEHIND_S = 2;

/**
 * Pacing of the raw path. Its pictures are decoded once, so seeking back is impossible; a delay of a second above the
 * target for three seconds is skipped instead of caught up slowly.
 */
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

  override removable(
    ranges: readonly BufferedSpan[],
    position: number,
    paused: boolean,
  ): BufferedSpan | undefined {
    const first = ranges[0];
    if (first === undefined || paused) return super.removable(ranges, position, paused);
    return position - first.start > KEPT_BEHIND_S * 2
      ? { start: first.start, end: position - KEPT_BEHIND_S }
      : undefined;
  }
}
