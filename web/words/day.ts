/** The broadcast day: it begins at 05:00 in Japan, and the guide covers eight of them. */
import { type BroadcastMs, broadcastMs, DAY_MS, HOUR_MS } from '../../lib/arib/time.ts';

export const DAYS = 8;

/** 05:00 JST is 20:00 UTC of the day before. */
const DAY_START_UTC_MS = 20 * HOUR_MS;

/** 05:00 JST of the broadcast day that `at` lies in. */
export function broadcastDay(at: BroadcastMs): BroadcastMs {
  return broadcastMs(Math.floor((at - DAY_START_UTC_MS) / DAY_MS) * DAY_MS + DAY_START_UTC_MS);
}
