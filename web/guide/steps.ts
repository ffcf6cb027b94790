/**
 * Arrow keys in the guide. Up and down along the column; left and right to the next column that
 * has programmes, at the anchor: the time at which the sideways movement began, so that right and then left
 * returns to the start. Pure.
 */
import type { ProgramId } from '../../arib/ids.ts';
import { type BroadcastMs, earliest, latest, plusMs } from '../../arib/time.ts';
import type { Direction } from '../navigation/spatial.ts';
import type { Placed } from '../ui/lanes.ts';
import { programAt, type Timed } from './column.ts';

export interface Place {
  /** Index of the column. */
  readonly column: number;
  readonly programId: ProgramId;
  /** Epoch ms. */
  readonly anchor: BroadcastMs;
}

/** A column whose nearest programme is further away in time is skipped: the view would jump. */
const FAR_MS = 3 * 3_600_000;

export interface Columns<P extends Timed> {
  readonly count: number;
  at(index: number): readonly Placed<P>[];
}

function anchorIn(program: Timed, wished: BroadcastMs): BroadcastMs {
  return earliest(plusMs(program.endAt, -1), latest(program.startAt, wished));
}

function sideways<P extends Timed>(
  columns: Columns<P>,
  from: Place,
  by: 1 | -1,
  current: P,
): Place | undefined {
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
function neighbourLane<P extends Timed>(column: readonly Placed<P>[], current: P, by: 1 | -1): P | undefined {
  const own = column.find(({ program }) => program.id === current.id);
  if (own === undefined || own.lanes < 2) return undefined;
  return column.find(
    ({ program, lane }) =>
      lane === own.lane + by && program.startAt < current.endAt && program.endAt > current.startAt,
  )?.program;
}

/** Undefined when there is nothing in that direction: the key is then not handled here. */
export function stepFrom<P extends Timed>(
  columns: Columns<P>,
  from: Place,
  direction: Direction,
): Place | undefined {
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
export function enterAt<P extends Timed>(
  columns: Columns<P>,
  column: number,
  at: BroadcastMs,
): Place | undefined {
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
