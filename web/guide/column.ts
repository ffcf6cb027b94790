/**
 * A station's programmes as they lie in its column. Guides contradict themselves now and then: programmes that
 * overlap lie side by side, each in a lane of the column, so that none is out of reach. Pure.
 */
import type { ProgramId } from '../../arib/ids.ts';
import type { Span } from './geometry.ts';

export interface Timed {
  readonly id: ProgramId;
  readonly startAt: number;
  readonly endAt: number;
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
  let ends: number[] = [];
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

/** Index of the first that ends after `at`. Long ones that began far above are found because ends nearly ascend. */
function firstAfter<P extends Timed>(column: readonly Placed<P>[], at: number): number {
  let low = 0;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((column[middle]?.program.endAt ?? 0) > at) high = middle;
    else low = middle + 1;
  }
  // Lanes beside each other may end out of order.
  while (low > 0 && (column[low - 1]?.lanes ?? 1) > 1) low -= 1;
  return low;
}

/** What of the column is to be seen between two times. */
export function within<P extends Timed>(column: readonly Placed<P>[], { from, to }: Span): Placed<P>[] {
  const found: Placed<P>[] = [];
  for (let index = firstAfter(column, from); index < column.length; index += 1) {
    const placed = column[index];
    if (placed === undefined || placed.program.startAt >= to) break;
    if (placed.program.endAt > from) found.push(placed);
  }
  return found;
}

/** The programme that runs at a time, else the nearest in time; undefined for an empty column. */
export function programAt<P extends Timed>(column: readonly Placed<P>[], at: number): P | undefined {
  let best: P | undefined;
  let bestGap = Number.POSITIVE_INFINITY;
  for (const { program } of column) {
    const gap = Math.max(program.startAt - at, at - (program.endAt - 1), 0);
    if (gap < bestGap) {
      best = program;
      bestGap = gap;
    }
  }
  return best;
}
