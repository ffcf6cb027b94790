/** The time range for which the list of reservations is read. Pure. */

/** Epoch ms; reservations whose programmes overlap it. */
export interface BookingWindow {
  readonly from: number;
  readonly to: number;
}

export const ALL: BookingWindow = { from: -Infinity, to: Infinity };
export const NOTHING: BookingWindow = { from: 0, to: 0 };

const HOUR_MS = 3_600_000;

/** A window of whole hours, so that one that moves with the time is read again no more than once an hour. */
export function hoursAround(from: number, to: number): BookingWindow {
  return { from: Math.floor(from / HOUR_MS) * HOUR_MS, to: Math.ceil((to + 1) / HOUR_MS) * HOUR_MS };
}

/** The stretch that covers programmes; undefined: there are none. */
export function windowAround(
  programs: readonly { readonly start_at: number; readonly end_at: number }[],
): BookingWindow | undefined {
  if (programs.length === 0) return undefined;
  const from = Math.min(...programs.map((one) => one.start_at));
  return hoursAround(from, Math.max(...programs.map((one) => one.end_at)));
}

/** The stretch that covers all of them; undefined in `needs`, or no need at all: everything. */
export function windowOf(needs: Iterable<BookingWindow | undefined>): BookingWindow {
  const wanted = [...needs];
  if (wanted.length === 0 || wanted.includes(undefined)) return ALL;
  const windows = wanted.filter((one) => one !== undefined);
  return {
    from: Math.min(...windows.map(({ from }) => from)),
    to: Math.max(...windows.map(({ to }) => to)),
  };
}

export function covers(outer: BookingWindow, inner: BookingWindow): boolean {
  return outer.from <= inner.from && outer.to >= inner.to;
}

export function isSame(a: BookingWindow, b: BookingWindow): boolean {
  return a.from === b.from && a.to === b.to;
}
