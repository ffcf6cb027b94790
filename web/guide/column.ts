/** Search in a station's column by time range and by moment. Pure. */
import type { ProgramId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { Timed as AnyTimed, Placed } from '../ui/lanes.ts';
import type { Span } from './geometry.ts';

/** The fields of a programme that its position depends on. */
export interface Timed extends AnyTimed {
  readonly id: ProgramId;
}

/** Index of the first that ends after `at`: ends are nearly ascending, so long programmes are found, too. */
function firstAfter<P extends Timed>(column: readonly Placed<P>[], at: BroadcastMs): number {
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

/** The programmes of the column between two times. */
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
export function programAt<P extends Timed>(column: readonly Placed<P>[], at: BroadcastMs): P | undefined {
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
