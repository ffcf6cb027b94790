/** Search in a station's column by time range and by moment. Pure. */
import type { ProgramId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, earliest, latest, plusMs } from '../../lib/arib/time.ts';
import type { Direction } from '../navigation/spatial.ts';
import type { Timed as AnyTimed, Placed } from '../ui/lanes.ts';
import type { Span } from './geometry.ts';

/** The fields of a programme that its position depends on. */
interface TimedProgram extends AnyTimed {
  readonly id: ProgramId;
}

/** Index of the first that ends after `at`: ends are nearly ascending, so long programmes are found, too. */
function firstAfter<P extends TimedProgram>(column: readonly Placed<P>[], at: BroadcastMs): number {
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
export function within<P extends TimedProgram>(
  column: readonly Placed<P>[],
  { from, to }: Span,
): Placed<P>[] {
  const found: Placed<P>[] = [];
  for (let index = firstAfter(column, from); index < column.length; index += 1) {
    const placed = column[index];
    if (placed === undefined || placed.program.startAt >= to) break;
    if (placed.program.endAt > from) found.push(placed);
  }
  return found;
}

/** The programme that runs at a time, else the nearest in time; undefined for an empty column. */
export function programAt<P extends TimedProgram>(
  column: readonly Placed<P>[],
  at: BroadcastMs,
): P | undefined {
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

// Arrow keys in the guide. Up and down along the column; left and right to the next column that has programmes, at the
// anchor: the time at which the sideways movement began, so that right and then left returns to the start. Pure.

export interface ColumnPlace {
  readonly column: number;
  readonly programId: ProgramId;
  readonly anchor: BroadcastMs;
}

/** A column whose nearest programme is further away in time is skipped: the view would jump. */
const FAR_MS = 3 * 3_600_000;

export interface Columns<P extends TimedProgram> {
  readonly count: number;
  at(index: number): readonly Placed<P>[];
}

function anchorIn(program: TimedProgram, wanted: BroadcastMs): BroadcastMs {
  return earliest(plusMs(program.endAt, -1), latest(program.startAt, wanted));
}

function sideways<P extends TimedProgram>(
  columns: Columns<P>,
  from: ColumnPlace,
  by: 1 | -1,
  current: P,
): ColumnPlace | undefined {
  const beside = neighbourLane(columns.at(from.column), current, by);
  if (beside !== undefined) return { ...from, programId: beside.id };
  for (let index = from.column + by; index >= 0 && index < columns.count; index += by) {
    const program = programAt(columns.at(index), from.anchor);
    if (program === undefined) continue;
    if (program.startAt - from.anchor > FAR_MS || from.anchor - program.endAt > FAR_MS) continue;
    return { column: index, programId: program.id, anchor: from.anchor };
  }
  return undefined;
}

/** The programme that overlaps `current` in the next lane. */
function neighbourLane<P extends TimedProgram>(
  column: readonly Placed<P>[],
  current: P,
  by: 1 | -1,
): P | undefined {
  const own = column.find(({ program }) => program.id === current.id);
  if (own === undefined || own.lanes < 2) return undefined;
  return column.find(
    ({ program, lane }) =>
      lane === own.lane + by && program.startAt < current.endAt && program.endAt > current.startAt,
  )?.program;
}

/** Undefined when there is nothing in that direction: the key is then not handled here. */
export function placeFrom<P extends TimedProgram>(
  columns: Columns<P>,
  from: ColumnPlace,
  direction: Direction,
): ColumnPlace | undefined {
  const column = columns.at(from.column);
  const index = column.findIndex(({ program }) => program.id === from.programId);
  const current = column[index]?.program;
  if (current === undefined) return undefined;
  if (direction === 'left') return sideways(columns, from, -1, current);
  if (direction === 'right') return sideways(columns, from, 1, current);
  const next = column[index + (direction === 'down' ? 1 : -1)]?.program;
  if (next === undefined) return undefined;
  return { column: from.column, programId: next.id, anchor: anchorIn(next, next.startAt) };
}

/** The programme at which the focus enters a column, by time. */
export function enterAt<P extends TimedProgram>(
  columns: Columns<P>,
  column: number,
  at: BroadcastMs,
): ColumnPlace | undefined {
  for (let distance = 0; distance < columns.count; distance += 1) {
    for (const index of distance === 0 ? [column] : [column + distance, column - distance]) {
      if (index < 0 || index >= columns.count) continue;
      const program = programAt(columns.at(index), at);
      if (program !== undefined) {
        return { column: index, programId: program.id, anchor: anchorIn(program, at) };
      }
    }
  }
  return undefined;
}
