/** How far the service's guide reaches, for the guide and the tuner screen. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';

interface Gathered {
  /** Stations with a guide, of those that can have one. */
  readonly known: number;
  readonly total: number;
}

export function gathered(stations: GuideStatus['stations']): Gathered {
  const able = stations.filter((station) => !station.noGuide);
  return { known: able.filter((station) => station.filledUntil !== null).length, total: able.length };
}

/** How many of the shown stations were read, while one is being read for the first time; undefined: none is. */
export function firstReading(
  { stations, visits }: GuideStatus,
  isShown: (station: StationId) => boolean,
): Gathered | undefined {
  const able = stations.filter(({ stationId, noGuide }) => !noGuide && isShown(stationId));
  const unread = new Set(
    able.filter(({ lastReadAt }) => lastReadAt === null).map(({ stationId }) => stationId),
  );
  if (!visits.some(({ stationIds }) => stationIds.some((id) => unread.has(id)))) return undefined;
  return { known: able.length - unread.size, total: able.length };
}
