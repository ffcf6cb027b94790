/** When conflicts of short programmes are planned again: they may be shorter than the usual interval. Pure. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { Reservation } from '../model/reservation.ts';

/** Longer ones are planned again often enough by the usual interval. */
const SHORT_MS = 3 * 60_000;
/** While one is on air, a tuner may become free at any moment, also before an announced end. */
const ON_AIR_MS = 5_000;

type Times = Pick<Reservation, 'state' | 'startAt' | 'endAt'>;

/**
 * Time until a tuner may become free for a conflict with a short programme; Infinity: there is none. @param now epoch
 * ms
 */
export function nextDecisionMs(reservations: readonly Times[], now: BroadcastMs): number {
  const short = reservations.filter(
    ({ state, startAt, endAt }) => state === 'conflict' && endAt > now && endAt - startAt < SHORT_MS,
  );
  if (short.length === 0) return Infinity;
  const ends = reservations.flatMap(({ state, endAt }) =>
    (state === 'scheduled' || state === 'recording') && endAt > now ? [endAt] : [],
  );
  const moments = short.flatMap(({ startAt, endAt }) => [
    startAt > now ? startAt : now + ON_AIR_MS,
    ...ends.filter((end) => end >= startAt && end < endAt),
  ]);
  return Math.min(...moments.filter((at) => at > now)) - now;
}
