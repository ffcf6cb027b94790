/** Filters of the recordings list: in the address, in words, and as request parameters. Pure. */
import { computed } from '@preact/signals';
import type { StationId } from '../../lib/arib/ids.ts';
import { type RecordingId, type RuleId, recordingId } from '../../lib/wire/ids.ts';
import type { RecordingShow, RecordingSort } from '../../lib/wire/vocabulary.ts';
import { goBack, query, setQuery } from '../navigation/router.ts';
import { MAJOR_GENRES } from '../words/genre.ts';

// The recording whose sheet is open, kept in the address: Back closes the sheet, a link opens it.

export const shownRecording = computed<RecordingId | undefined>(() => {
  const text = query.value.get('recording') ?? '';
  return /^\d{1,15}$/u.test(text) ? recordingId(Number(text)) : undefined;
});

/** Whether the sheet was opened from this screen: then Back closes it. */
function isOpenedHere(): boolean {
  const state: unknown = history.state;
  return typeof state === 'object' && state !== null && 'over' in state;
}

export function openRecording(id: RecordingId): void {
  setQuery({ recording: String(id) }, shownRecording.value !== undefined);
}

export function closeRecording(): void {
  if (shownRecording.value === undefined) return;
  if (isOpenedHere()) goBack();
  else setQuery({ recording: null }, true);
}

export function openSeries(key: string): void {
  setQuery({ series: key }, false);
}

export function closeSeries(): void {
  if (isOpenedHere()) goBack();
  else setQuery({ series: null }, true);
}

export interface RecordingQuery {
  readonly q: string;
  /** Undefined: recordings that can be watched. */
  readonly show: RecordingShow | undefined;
  readonly unwatched: boolean;
  readonly stationId: StationId | undefined;
  readonly ruleId: RuleId | undefined;
  readonly genre: number | undefined;
  /** Key of the series that is opened. */
  readonly series: string | undefined;
}

/** `recording` is at the top of the screen anyway. */
const SHOWS: readonly RecordingShow[] = ['failed', 'bin', 'protected'];

function integerOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/u.test(text) ? Number(text) : undefined;
}

export function queryOf(address: URLSearchParams): RecordingQuery {
  const show = SHOWS.find((known) => known === address.get('show'));
  const series = address.get('series') ?? '';
  return {
    q: address.get('q') ?? '',
    show,
    unwatched: show === undefined && address.get('unwatched') === '1',
    stationId: integerOf(address.get('station')) as StationId | undefined,
    ruleId: integerOf(address.get('rule')) as RuleId | undefined,
    genre: MAJOR_GENRES.find(({ lv1 }) => lv1 === integerOf(address.get('genre')))?.lv1,
    series: series === '' ? undefined : series,
  };
}

/** The address without the parts of a filter. */
export const NO_RECORDING_FILTERS: Readonly<Record<string, null>> = {
  q: null,
  show: null,
  unwatched: null,
  station: null,
  rule: null,
  genre: null,
};

/** Number of active filters, kind and search words not counted. */
export function narrowings({ stationId, ruleId, genre }: RecordingQuery): number {
  return [stationId, ruleId, genre].filter((one) => one !== undefined).length;
}

/** Whether anything narrows the list, other than a series. */
export function isFiltered(query: RecordingQuery): boolean {
  return query.q.trim() !== '' || query.show !== undefined || query.unwatched || narrowings(query) > 0;
}

/** The parameters of `GET /api/recordings`, without those of the page. */
export function listParameters(query: RecordingQuery, sort: RecordingSort): URLSearchParams {
  const out = new URLSearchParams();
  const set = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== '') out.set(name, String(value));
  };
  set('q', query.q.trim());
  set('show', query.show);
  set('unwatched', query.unwatched ? '1' : undefined);
  set('stationId', query.stationId);
  set('ruleId', query.ruleId);
  set('genre', query.genre);
  set('series', query.series);
  set('sort', sort);
  return out;
}
