/** The channels whose guide cannot be read, with the reason, for the tuner screen. Pure. */
import type { GuideTrouble } from '../../wire/guide.ts';
import type { StationRecord } from '../model/station.ts';
import { type ChannelKey, channelKey, type VisitHistory } from './visit-plan.ts';

/** @param unreachable channels without any usable tuner */
export function guideTroubles(
  stations: readonly StationRecord[],
  history: ReadonlyMap<ChannelKey, VisitHistory>,
  unreachable: readonly ChannelKey[],
): GuideTrouble[] {
  const troubles = new Map<ChannelKey, GuideTrouble>();
  for (const { id, type, channel } of stations) {
    const key = channelKey({ type, channel });
    const known = troubles.get(key);
    if (known !== undefined) {
      known.stationIds.push(id);
      continue;
    }
    const last = history.get(key);
    const failed = last !== undefined && last.failedAt !== 0;
    const missing = unreachable.includes(key);
    if (!failed && !missing) continue;
    troubles.set(key, {
      type,
      channel,
      stationIds: [id],
      kind: missing ? 'no_such_tuner' : last?.noTuner ? 'no_tuner' : 'unreadable',
      reason: missing ? null : (last?.reason ?? null),
      failures: last?.failures ?? 0,
      at: failed ? last.failedAt : null,
    });
  }
  return [...troubles.values()];
}
