/** The station list that all screens share: read once, again on every event, and when a programme ends. */
import { computed, signal } from '@preact/signals';
import type { Station } from '../../wire/api.ts';
import { ApiFailure, getStations, networkFailure } from './api.ts';
import { listen } from './events.ts';

export type StationList =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly stations: readonly Station[] }
  /** Only while nothing was ever read: a list once read stays on the screen, its age is what the banner tells. */
  | { readonly kind: 'failed'; readonly failure: ApiFailure };

export const stationList = signal<StationList>({ kind: 'loading' });

export const stations = computed<readonly Station[]>(() =>
  stationList.value.kind === 'ready' ? stationList.value.stations : [],
);

export function stationById(id: number): Station | undefined {
  return stations.value.find((station) => station.id === id);
}

/** The next station of the same broadcast type, around the end; undefined for an unknown or only station. */
export function neighbour(list: readonly Station[], id: number, step: 1 | -1): Station | undefined {
  const station = list.find((candidate) => candidate.id === id);
  const band = list.filter((candidate) => candidate.type === station?.type);
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

let reading: Promise<void> | undefined;
let readAgain = false;
let refresh: ReturnType<typeof setTimeout> | undefined;

function planRefresh(list: readonly Station[]): void {
  clearTimeout(refresh);
  const ends = list.flatMap((station) => (station.now === null ? [] : [station.now.endAt]));
  if (ends.length === 0) return;
  const wait = Math.min(...ends) + AFTER_END_MS - Date.now();
  refresh = setTimeout(
    () => void readStations(),
    Math.min(LONGEST_REFRESH_MS, Math.max(SHORTEST_REFRESH_MS, wait)),
  );
}

async function readOnce(): Promise<void> {
  try {
    const list = await getStations();
    stationList.value = { kind: 'ready', stations: list };
    planRefresh(list);
  } catch (error) {
    const failure = error instanceof ApiFailure ? error : networkFailure(error);
    if (stationList.value.kind !== 'ready') stationList.value = { kind: 'failed', failure };
  }
}

/** Reads the list; calls during a read lead to one more read after it. */
export function readStations(): Promise<void> {
  if (reading !== undefined) {
    readAgain = true;
    return reading;
  }
  const run = async (): Promise<void> => {
    do {
      readAgain = false;
      await readOnce();
    } while (readAgain);
    reading = undefined;
  };
  reading = run();
  return reading;
}

/** Shows the skeleton again and reads. */
export function retryStations(): void {
  stationList.value = { kind: 'loading' };
  void readStations();
}

export function startStations(): void {
  void readStations();
  listen({
    onEvent(name) {
      if (name === 'services' || name === 'programs' || name === 'reservations') void readStations();
    },
    onReturn: () => void readStations(),
  });
}
