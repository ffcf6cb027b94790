/** How far the service's guide reaches, for the guide and the tuner screen. */
import type { GuideStatus } from '../../wire/api.ts';

interface Gathered {
  /** Stations with a guide, of those that can have one. */
  readonly known: number;
  readonly total: number;
}

export function gathered(stations: GuideStatus['stations']): Gathered {
  const able = stations.filter((station) => !station.noGuide);
  return { known: able.filter((station) => station.filledUntil !== null).length, total: able.length };
}
