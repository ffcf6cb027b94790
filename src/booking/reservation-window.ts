/** The part of a list of reservations that a screen shows. */
import type { BroadcastMs } from '../../arib/time.ts';

/** Undefined: no bound on that side. */
export interface ReservationWindow {
  /** Airings that end after it, epoch ms. */
  from?: BroadcastMs | undefined;
  /** Airings that begin before it, epoch ms. */
  to?: BroadcastMs | undefined;
  /** The first so many, in the order of the list. */
  limit?: number | undefined;
}

export function withinWindow<T extends { readonly startAt: BroadcastMs; readonly endAt: BroadcastMs }>(
  rows: readonly T[],
  { from, to, limit }: ReservationWindow,
): readonly T[] {
  if (from === undefined && to === undefined) return limit === undefined ? rows : rows.slice(0, limit);
  return rows
    .filter(
      ({ startAt, endAt }) => (from === undefined || endAt > from) && (to === undefined || startAt < to),
    )
    .slice(0, limit);
}
