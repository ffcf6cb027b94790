/** How far the service's guide reaches, in words that the guide and the tuner screen share. */
import type { GuideStatus } from '../../wire/api.ts';
import { getGuideStatus } from './api.ts';
import { type Resource, useResource } from './resource.ts';

/** Visits begin and end without an event of their own. */
const POLL_MS = 4_000;

export function useGuideStatus(): Resource<GuideStatus> {
  return useResource(getGuideStatus, { events: ['programs', 'services'], poll: POLL_MS });
}

export interface Gathered {
  /** Stations that have a guide here, of those that can have one. */
  readonly known: number;
  readonly total: number;
}

export function gathered(stations: GuideStatus['stations']): Gathered {
  const able = stations.filter((station) => !station.noGuide);
  return { known: able.filter((station) => station.filledUntil !== null).length, total: able.length };
}
