/**
 * Converts positions between a recording's encoded file and its original stream (the stored form), and decides the
 * stored resume position. Pure.
 */

/** Positions this close to the start or the end of a recording are not kept as resume positions. */
export const RESUME_EDGE_MS = 30_000;

/** A part of the original stream that is contained in its encoded file. */
interface KeptSpan {
  /** Positions in the original stream, ms. */
  from: number;
  to: number;
}

/** The parts of the original stream that the encoded file contains, in order; null = all of it. */
export type CutList = readonly KeptSpan[] | null;

/** Position in the original stream of one in the encoded file; after its end: the end of the last kept part. */
export function toOriginal(positionMs: number, cuts: CutList): number {
  if (cuts === null) return positionMs;
  let left = positionMs;
  for (const { from, to } of cuts) {
    if (left < to - from) return from + left;
    left -= to - from;
  }
  return cuts.at(-1)?.to ?? 0;
}

/** Position in the encoded file of one in the original stream; inside a cut: the start of the next kept part. */
export function toEncoded(positionMs: number, cuts: CutList): number {
  if (cuts === null) return positionMs;
  let before = 0;
  for (const { from, to } of cuts) {
    if (positionMs < to) return before + Math.max(0, positionMs - from);
    before += to - from;
  }
  return before;
}

/** Duration of the encoded file, ms. */
export function encodedLength(originalMs: number, cuts: CutList): number {
  return cuts === null ? originalMs : cuts.reduce((sum, { from, to }) => sum + to - from, 0);
}

/** All times are of the same file. */
interface Reached {
  positionMs: number;
  /** Duration by the player; null: not given. */
  playerLengthMs: number | null;
  /** Duration by the service; null: the recording is in progress. */
  knownLengthMs: number | null;
}

interface ResumePosition {
  /** Null: no resume position. */
  resumeMs: number | null;
  finished: boolean;
}

/**
 * The resume position to store: none near the start or the end. A recording counts as finished only when the player
 * gave the duration, and never while it is in progress.
 */
export function resumePosition({ positionMs, playerLengthMs, knownLengthMs }: Reached): ResumePosition {
  const endMs = knownLengthMs === null ? null : (playerLengthMs ?? knownLengthMs);
  const isEnd = endMs !== null && positionMs >= endMs - RESUME_EDGE_MS;
  if (isEnd) return { resumeMs: null, finished: playerLengthMs !== null };
  return { resumeMs: positionMs < RESUME_EDGE_MS ? null : Math.round(positionMs), finished: false };
}
