/** The part of a list of reservations that a screen shows. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ReservationState } from '../../lib/wire/vocabulary.ts';
/** Undefined: no bound on that side. */
export interface ReservationWindow {
  /** Airings that end after it, epoch ms. */
  from?: BroadcastMs | undefined;
  /** Airings that begin before it, epoch ms. */
  to?: BroadcastMs | undefined;
  state?: ReservationState | undefined;
  /** Maximum number of items, in the order of the list. */
  limit?: number | undefined;
}

interface Row {
  readonly startAt: BroadcastMs;
  readonly endAt: BroadcastMs;
  readonly state: ReservationState;
}

export function withinWindow<T extends Row>(
  rows: readonly T[],
  { from, to, state, limit }: ReservationWindow,
): readonly T[] {
  if (from === undefined && to === undefined && state === undefined)
    return limit === undefined ? rows : rows.slice(0, limit);
  return rows
    .filter(
      (row) =>
        (from === undefined || row.endAt > from) &&
        (to === undefined || row.startAt < to) &&
        (state === undefined || row.state === state),
    )
    .slice(0, limit);
}
