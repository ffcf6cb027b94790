/** Strategy of a playback: its rate, its jumps, and which part of the buffer is kept. */
import type { MonotonicMs } from '../../wire/times.ts';

/** A stretch of buffered media, in seconds of the media timeline. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Sample {
  readonly at: MonotonicMs;
  /** The element's currentTime in seconds. */
  readonly position: number;
  readonly ranges: readonly Span[];
  /** False while paused or seeking. */
  readonly running: boolean;
}

export interface Pace {
  readonly rate: number;
  /** Seconds of the media timeline. */
  readonly seekTo: number | undefined;
}

export interface Pacing {
  /** Seconds that must be buffered before playback starts. */
  readonly startAhead: number;
  /** Called several times a second while the buffer holds anything. */
  next(sample: Sample): Pace;
  /** Playback stood still because data came too late. */
  onStall(at: MonotonicMs): void;
  /** The part of the buffer to evict; called after each append. */
  removable(ranges: readonly Span[], position: number, paused: boolean): Span | undefined;
}

/** Timestamps and buffered ranges of browsers differ by less than this, in seconds. */
export const NUDGE = 0.02;

export function rangeAt(ranges: readonly Span[], position: number): Span | undefined {
  return ranges.find((range) => position >= range.start - NUDGE && position <= range.end + NUDGE);
}

/** Seconds that can be played from `position` without a gap. */
export function bufferedAhead(ranges: readonly Span[], position: number): number {
  const range = rangeAt(ranges, position);
  return range === undefined ? 0 : Math.max(0, range.end - position);
}
