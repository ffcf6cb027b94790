import type { StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, DAY_MS, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import type { GuideWindow } from '../../lib/wire/api.ts';
import type { Query } from '../query/cache.ts';
import { GUIDE_CHANGES } from '../query/events.ts';
import { pathQuery } from '../query/use-query.ts';
import { broadcastDay } from './day.ts';

/** In the last hours of a broadcast day the next one is included. */
const EVENING_MS = 6 * HOUR_MS;

/** A station's programmes from this hour to the end of the broadcast day. */
export function stationDayQuery(stationId: StationId, at: BroadcastMs): Query<GuideWindow> {
  const from = plusMs(at, -(at % HOUR_MS));
  const to = plusMs(broadcastDay(plusMs(from, EVENING_MS)), DAY_MS);
  return pathQuery(`api/guide?stationId=${stationId}&from=${from}&to=${to}`, GUIDE_CHANGES);
}
