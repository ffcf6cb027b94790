/** Up to when the programmes of stations are known. Pure. */
import type { StationId } from '../../arib/ids.ts';
import type { WallMs } from '../../host/clock.ts';
import type { Span } from '../store/program-store.ts';

/** Follows each station's programmes from `now` on as long as they are contiguous. @param spans sorted by start */
export function airingUntil(spans: readonly Span[], now: WallMs): Map<StationId, number> {
  const until = new Map<StationId, number>();
  for (const { stationId, startAt, endAt } of spans) {
    if (startAt > (until.get(stationId) ?? now) || endAt <= now) continue;
    until.set(stationId, Math.max(endAt, until.get(stationId) ?? 0));
  }
  return until;
}
