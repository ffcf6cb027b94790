/** Retry delays of a live stream that ended. Pure. */
import { type WallMs, wallMs } from '../../wire/times.ts';

export interface Retry {
  /** Failures since the stream last played well. */
  readonly failures: number;
  /** When a clean end was last answered at once. */
  readonly restartedAt: WallMs;
}

export type StreamEnd =
  /** The server closed the stream in order: its layout changed, or its tuner went to a recording. */
  | 'closed'
  /** The connection or the stream broke, or could not be opened. */
  | 'broken';

interface NextTry {
  readonly retry: Retry;
  readonly waitMs: number;
}

export const FRESH: Retry = { failures: 0, restartedAt: wallMs(Number.NEGATIVE_INFINITY) };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** A stream that played this long was healthy: waits begin again at the first. */
const HEALTHY_MS = 30_000;
/** A layout that changes again within this time is followed with doubling waits instead of at once. */
const CALM_MS = 30_000;

/** @param playedMs how long the ended stream had shown a picture */
export function nextTry(retry: Retry, end: StreamEnd, now: WallMs, playedMs: number): NextTry {
  const before = playedMs >= HEALTHY_MS ? 0 : retry.failures;
  if (end === 'closed' && now - retry.restartedAt > CALM_MS) {
    return { retry: { failures: before, restartedAt: now }, waitMs: 0 };
  }
  const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(before, 10));
  return { retry: { ...retry, failures: before + 1 }, waitMs };
}
