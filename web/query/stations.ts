/** The station list that all screens share: read once, again on every event, and when a programme ends. */
import { computed, effect } from '@preact/signals';
import type { StationId } from '../../lib/arib/ids.ts';
import type { Station } from '../../lib/wire/api.ts';
import { currentMs } from '../device/clock.ts';
import type { ApiFailure } from './api.ts';
import { GUIDE_CHANGES } from './events.ts';
import { entryOf, keepFresh, pathQuery } from './use-query.ts';

export type StationList =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly stations: readonly Station[] }
  /** Only before the first successful read: afterwards the list stays on the screen, and the banner shows its age. */
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

const STATIONS = pathQuery<Station[]>('api/services', GUIDE_CHANGES);

export const stationList = computed<StationList>(() => {
  const { value, failure } = entryOf(STATIONS).answer.value;
  if (value !== undefined) return { kind: 'ready', stations: value };
  return failure === undefined ? { kind: 'loading' } : { kind: 'failed', failure };
});

export const stations = computed<readonly Station[]>(() =>
  stationList.value.kind === 'ready' ? stationList.value.stations : [],
);

export function stationById(id: StationId): Station | undefined {
  return stations.value.find((station) => station.id === id);
}

/** Without the sub-channels that show what their main station shows now. @param kept stays in any case */
export function withoutCopies(list: readonly Station[], kept?: number): readonly Station[] {
  const ids = new Set(list.map(({ id }) => id));
  return list.filter(
    ({ id, now }) => id === kept || now?.mainStationId === undefined || !ids.has(now.mainStationId),
  );
}

/**
 * The next station of the same broadcast type, around the end; undefined for an unknown or only station. Sub-channels
 * that show what their main station shows are passed over.
 */
export function neighbour(list: readonly Station[], id: StationId, step: 1 | -1): Station | undefined {
  const station = list.find((candidate) => candidate.id === id);
  const band = withoutCopies(list, id).filter((candidate) => candidate.type === station?.type);
  if (station === undefined || band.length < 2) return undefined;
  return band[(band.indexOf(station) + step + band.length) % band.length];
}

/** The terrestrial station of a remote control's number, the first of its branches. */
export function stationOfKey(list: readonly Station[], key: number): Station | undefined {
  return list.find((station) => station.type === 'GR' && station.remoteControlKey === key);
}

/** Time between two reads that ended programmes ask for. */
const SHORTEST_REFRESH_MS = 10_000;
const LONGEST_REFRESH_MS = 3_600_000;
/** The service needs a moment to learn that the next programme is on. */
const AFTER_END_MS = 1_500;

/** Milliseconds until the list is worth reading again without an event; undefined while nothing is on. */
function refreshIn(list: readonly Station[]): number | undefined {
  const ends = list.flatMap((station) => (station.now === null ? [] : [station.now.endAt]));
  if (ends.length === 0) return undefined;
  const waitMs = Math.min(...ends) + AFTER_END_MS - currentMs();
  return Math.min(LONGEST_REFRESH_MS, Math.max(SHORTEST_REFRESH_MS, waitMs));
}

export function readStations(): Promise<void> {
  return entryOf(STATIONS).renew();
}

export function startStations(): void {
  const { answer } = keepFresh(STATIONS);
  effect(() => {
    const wait = refreshIn(answer.value.value ?? []);
    if (wait === undefined) return undefined;
    const timer = setTimeout(() => void readStations(), wait);
    return () => clearTimeout(timer);
  });
}
