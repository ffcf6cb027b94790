/**
 * Rules of seeking: the landing position, how far a feed has come, what is evicted from the buffer. Pure; seconds of
 * the media.
 */
import { bufferedAhead, NUDGE, rangeAt, type Span } from './pacing.ts';

/** Kept behind the position for short seeks back; trimmed when exceeded by the second value. */
const KEEP_BEHIND_S = 60;
const TRIM_STEP_S = 20;
/** A hole of the stream that is passed; a larger one is a place that was sought away from. */
const MOST_GAP_S = 5;
const STUCK_MS = 400;
/** A feed begins with a key frame before its place, seldom further off. */
const LATE_START_S = 0.5;

interface Wanted {
  readonly target: number;
  readonly anywhere: boolean;
}

/**
 * Where the picture can be shown now; undefined: not yet.
 * @param spans the ranges buffered by the feed only
 * @param ahead least buffered time required there
 * @param over the feed brought everything it has
 */
export function landing(
  spans: readonly Span[],
  { target, anywhere }: Wanted,
  ahead: number,
  over: boolean,
): number | undefined {
  const [first] = spans;
  const last = spans.at(-1);
  if (first === undefined || last === undefined) return undefined;
  // At the live edge, or where the recording begins late, the feed begins behind the place.
  const isLater = anywhere || first.start > target + LATE_START_S;
  const place = isLater ? first.start + NUDGE : target;
  if (bufferedAhead(spans, place) >= ahead) return place;
  if (!over) return undefined;
  const range = rangeAt(spans, place) ?? last;
  return Math.max(range.start + NUDGE, Math.min(place, range.end - ahead));
}

/** End of the buffered range that contains `from`; `from` without one. */
export function fillEnd(spans: readonly Span[], from: number): number {
  const range = rangeAt(spans, from) ?? spans.find(({ start }) => start >= from && start - from < MOST_GAP_S);
  return range === undefined ? from : Math.max(from, range.end);
}

/** The range too far behind the position. */
export function trimmed(spans: readonly Span[], position: number): Span | undefined {
  const first = spans[0];
  if (first === undefined || position - first.start < KEEP_BEHIND_S + TRIM_STEP_S) return undefined;
  return { start: first.start, end: position - KEEP_BEHIND_S };
}

/**
 * Position after the gap in which playback is stuck; undefined: there is none. @param stuckMs how long it has been
 * stuck
 */
export function gapJump(spans: readonly Span[], position: number, stuckMs: number): number | undefined {
  if (stuckMs < STUCK_MS) return undefined;
  const range = rangeAt(spans, position);
  if (range !== undefined && range.end - position > NUDGE * 5) return undefined;
  const next = spans.find(({ start }) => start > position);
  return next !== undefined && next.start - position < MOST_GAP_S ? next.start + NUDGE : undefined;
}
