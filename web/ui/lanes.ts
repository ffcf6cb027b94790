/**
 * Lays out a station's programmes in a column. Guides contain contradictions, and reservations may overlap: overlapping
 * items are placed side by side in lanes of the column, so that each can be reached. Pure.
 */
import type { BroadcastMs } from '../../lib/arib/time.ts';
export interface Timed {
  readonly id: number;
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
}

export interface Placed<P extends Timed> {
  readonly program: P;
  /** From 0, of `lanes`. */
  readonly lane: number;
  readonly lanes: number;
}

/** Broadcasts round to seconds and overlap by a few; that is no reason for two lanes. */
const SLACK_MS = 30_000;

/** In the order of their beginnings; of two with one beginning the shorter first. */
function inOrder<P extends Timed>(programs: Iterable<P>): P[] {
  return [...programs].sort((a, b) => a.startAt - b.startAt || a.endAt - b.endAt || a.id - b.id);
}

/** @param programs in any order, each id once */
export function placeColumn<P extends Timed>(programs: Iterable<P>): Placed<P>[] {
  const placed: Placed<P>[] = [];
  let cluster: { program: P; lane: number }[] = [];
  /** When each lane of the present cluster is free again. */
  let ends: BroadcastMs[] = [];
  const flush = (): void => {
    for (const { program, lane } of cluster) placed.push({ program, lane, lanes: ends.length });
    cluster = [];
    ends = [];
  };
  for (const program of inOrder(programs)) {
    if (ends.every((end) => end <= program.startAt + SLACK_MS)) flush();
    const free = ends.findIndex((end) => end <= program.startAt + SLACK_MS);
    const lane = free < 0 ? ends.length : free;
    ends[lane] = program.endAt;
    cluster.push({ program, lane });
  }
  flush();
  return placed;
}
