/** Where the week of reservations opens. Pure. */
import { type BroadcastMs, DAY_MS, HOUR_MS } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import type { WeekCorner, WeekView } from '../ui/week.tsx';

const DAY_HOURS = 24;
/** 18:00, from 05:00 on: prime time has an hour before it. */
const PRIME_HOUR = 13;

/** At prime time; where nothing is booked then, as close to it as something is. */
export function bookedCorner(
  items: readonly Pick<ReservationItem, 'startAt' | 'endAt'>[],
  days: readonly BroadcastMs[],
  { hours, days: inView }: WeekView,
): WeekCorner {
  const [first = 0] = days;
  const parts = items.map(({ startAt, endAt }) => {
    const day = Math.floor((startAt - first) / DAY_MS);
    const from = (startAt - first - day * DAY_MS) / HOUR_MS;
    return { day, from, to: from + (endAt - startAt) / HOUR_MS };
  });
  const firstDay = Math.min(...parts.map(({ day }) => day));
  const day = firstDay < inView || firstDay === Infinity ? 0 : firstDay;
  const seen = parts.filter((part) => part.day >= day && part.day < day + inView);
  const latest = Math.max(0, DAY_HOURS - hours);
  const corners = Array.from({ length: Math.floor(latest) + 1 }, (_, hour) => hour)
    .filter((hour) => seen.some(({ from, to }) => from < hour + hours && to > hour))
    .sort((a, b) => Math.abs(a - PRIME_HOUR) - Math.abs(b - PRIME_HOUR));
  return { hour: corners[0] ?? Math.min(PRIME_HOUR, latest), day };
}
