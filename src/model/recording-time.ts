/**
 * Positions in a recording: a place in its encoded file and the same place in its original stream, which is what is
 * stored; and what is remembered of where somebody stopped watching. Pure.
 */

/** Positions this close to the start or the end of a recording are not kept as resume positions. */
export const RESUME_EDGE_MS = 30_000;

/** A part of the original stream that its encoded file holds; ms of the original stream. */
interface KeptSpan {
  from: number;
  to: number;
}

/** What of the original stream the encoded file holds, in order; null = all of it. */
export type CutList = readonly KeptSpan[] | null;

/** A place of the encoded file, in the original stream; ms. Behind its end: the end of what was kept. */
export function toOriginal(position: number, cuts: CutList): number {
  if (cuts === null) return position;
  let left = position;
  for (const { from, to } of cuts) {
    if (left < to - from) return from + left;
    left -= to - from;
  }
  return cuts.at(-1)?.to ?? 0;
}

/** A place of the original stream, in the encoded file; ms. What was cut out is where the next part begins. */
export function toEncoded(position: number, cuts: CutList): number {
  if (cuts === null) return position;
  let before = 0;
  for (const { from, to } of cuts) {
    if (position < to) return before + Math.max(0, position - from);
    before += to - from;
  }
  return before;
}

/** How long the encoded file of an original stream is; ms. */
export function encodedLength(original: number, cuts: CutList): number {
  return cuts === null ? original : cuts.reduce((sum, { from, to }) => sum + to - from, 0);
}

interface Reached {
  /** ms, of one file, as the others. */
  at: number;
  /** As told by the player; null: it did not tell. */
  length: number | null;
  /** As far as it is known here; null: it is being recorded. */
  known: number | null;
}

interface Remembered {
  /** ms of the same file; null: no resume position. */
  resume: number | null;
  finished: boolean;
}

/**
 * What is remembered of the place that somebody reached: not the beginning, not the end. Only who says how long the
 * file is has reached its end. A recording that is still being made has none.
 */
export function remembered({ at, length, known }: Reached): Remembered {
  const end = known === null ? null : (length ?? known);
  const isEnd = end !== null && at >= end - RESUME_EDGE_MS;
  if (isEnd) return { resume: null, finished: length !== null };
  return { resume: at < RESUME_EDGE_MS ? null : Math.round(at), finished: false };
}
