/** The time range for which the list of reservations is read. Pure. */
import { type BroadcastMs, broadcastMs, earliest, HOUR_MS, latest } from '../../lib/arib/time.ts';

/** Reservations whose programmes overlap it. */
export interface BookingWindow {
  readonly from: BroadcastMs;
  readonly to: BroadcastMs;
}

export const ALL: BookingWindow = { from: broadcastMs(-Infinity), to: broadcastMs(Infinity) };
export const NOTHING: BookingWindow = { from: broadcastMs(0), to: broadcastMs(0) };

/** A window of whole hours, so that one that moves with the time is read again no more than once an hour. */
export function hoursAround(from: BroadcastMs, to: BroadcastMs): BookingWindow {
  return {
    from: broadcastMs(Math.floor(from / HOUR_MS) * HOUR_MS),
    to: broadcastMs(Math.ceil((to + 1) / HOUR_MS) * HOUR_MS),
  };
}

/** The stretch that covers programmes; undefined: there are none. */
export function windowAround(
  programs: readonly { readonly start_at: BroadcastMs; readonly end_at: BroadcastMs }[],
): BookingWindow | undefined {
  const [first, ...others] = programs;
  if (first === undefined) return undefined;
  const from = earliest(first.start_at, ...others.map((one) => one.start_at));
  return hoursAround(from, latest(first.end_at, ...others.map((one) => one.end_at)));
}

/** The stretch that covers all of them; undefined in `needs`, or no need at all: everything. */
export function windowOf(needs: Iterable<BookingWindow | undefined>): BookingWindow {
  const wanted = [...needs];
  if (wanted.includes(undefined)) return ALL;
  const [first, ...others] = wanted.filter((one) => one !== undefined);
  if (first === undefined) return ALL;
  return {
    from: earliest(first.from, ...others.map(({ from }) => from)),
    to: latest(first.to, ...others.map(({ to }) => to)),
  };
}

export function covers(outer: BookingWindow, inner: BookingWindow): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

export function isSameWindow(a: BookingWindow, b: BookingWindow): boolean {
  return a.from === b.from && a.to === b.to;
}
