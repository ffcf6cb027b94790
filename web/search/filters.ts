/** Filters of a search: stored in the address, and copied to a rule unchanged. */
import { BROADCAST_TYPES, type StationId } from '../../lib/arib/ids.ts';
import type { PreviewProgram, RuleBody, RulePreview, SearchResult, Station } from '../../lib/wire/api.ts';
import { genreText, MAJOR_GENRES, majorGenreName, middleGenres } from '../words/genre.ts';
import { TEXTS } from './texts.ts';

export interface GenreWish {
  readonly lv1: number;
  /** null: all of the major genre. */
  readonly lv2: number | null;
}

export interface Filters {
  readonly types: readonly Station['type'][];
  /** null: those of every station. */
  readonly stationId: StationId | null;
  readonly genre: GenreWish | null;
  /** 0 Sunday to 6, by broadcast day. */
  readonly weekdays: readonly number[];
  readonly time: TimeBand | null;
  readonly free: boolean;
}

/** Minutes of the day, end exclusive; the last one crosses midnight. */
export const TIME_BANDS = [
  { key: 'morning', label: TEXTS.morning, hours: TEXTS.morningHours, from: 300, to: 660 },
  { key: 'day', label: TEXTS.day, hours: TEXTS.dayHours, from: 660, to: 1020 },
  { key: 'evening', label: TEXTS.evening, hours: TEXTS.eveningHours, from: 1020, to: 1380 },
  { key: 'night', label: TEXTS.night, hours: TEXTS.nightHours, from: 1380, to: 300 },
] as const;
type TimeBand = (typeof TIME_BANDS)[number]['key'];

export const NO_FILTERS: Filters = {
  types: [],
  stationId: null,
  genre: null,
  weekdays: [],
  time: null,
  free: false,
};

function genreOf(text: string | null): GenreWish | null {
  const found = /^(\d{1,2})(?:-(\d{1,2}))?$/u.exec(text ?? '');
  if (found === null) return null;
  const lv1 = Number(found[1]);
  const lv2 = found[2] === undefined ? null : Number(found[2]);
  return lv1 > 15 || (lv2 ?? 0) > 15 ? null : { lv1, lv2 };
}

export function filtersOf(query: URLSearchParams): Filters {
  const station = query.get('stationId') ?? '';
  return {
    types: BROADCAST_TYPES.filter((type) => (query.get('type') ?? '').split(',').includes(type)),
    stationId: /^\d{1,15}$/u.test(station) ? (Number(station) as StationId) : null,
    genre: genreOf(query.get('genre')),
    weekdays: [0, 1, 2, 3, 4, 5, 6].filter((day) => (query.get('weekday') ?? '').includes(String(day))),
    time: TIME_BANDS.find(({ key }) => key === query.get('time'))?.key ?? null,
    free: query.get('free') === '1',
  };
}

const genreKey = ({ lv1, lv2 }: GenreWish): string => (lv2 === null ? String(lv1) : `${lv1}-${lv2}`);

/** As parameters of the address; null: absent. */
export function filterParameters(filters: Filters): Record<string, string | null> {
  const { types, stationId, genre, weekdays, time, free } = filters;
  return {
    type: types.length === 0 ? null : types.join(),
    stationId: stationId === null ? null : String(stationId),
    genre: genre === null ? null : genreKey(genre),
    weekday: weekdays.length === 0 ? null : weekdays.join(''),
    time,
    free: free ? '1' : null,
  };
}

export function countFilters({ types, stationId, genre, weekdays, time, free }: Filters): number {
  const set = [
    types.length > 0,
    stationId !== null,
    genre !== null,
    weekdays.length > 0,
    time !== null,
    free,
  ];
  return set.filter(Boolean).length;
}

/** Whether they choose among programmes by themselves: of all free ones too many would be found. */
export function isEnough(filters: Filters): boolean {
  return countFilters({ ...filters, free: false }) > 0;
}

/** The rule that means the same. */
export function bodyOf(words: string, { types, stationId, genre, weekdays, time, free }: Filters): RuleBody {
  const band = TIME_BANDS.find(({ key }) => key === time);
  return {
    keyword: words.trim(),
    types: [...types],
    stationIds: stationId === null ? [] : [stationId],
    genres:
      genre === null ? [] : [genre.lv2 === null ? { lv1: genre.lv1 } : { lv1: genre.lv1, lv2: genre.lv2 }],
    weekdays: [...weekdays],
    timeFrom: band?.from ?? null,
    timeTo: band?.to ?? null,
    freeOnly: free,
  };
}

/** The editor of a new rule with the words and filters filled in. */
export function ruleAddress(words: string, filters: Filters): string {
  const { types, stationIds = [], genres = [], weekdays = [], timeFrom, timeTo } = bodyOf(words, filters);
  const query = new URLSearchParams({ keyword: words.trim() });
  for (const type of types ?? []) query.append('type', type);
  for (const id of stationIds) query.append('stationId', String(id));
  for (const { lv1, lv2 } of genres) query.append('genre', genreKey({ lv1, lv2: lv2 ?? null }));
  for (const day of weekdays) query.append('weekday', String(day));
  if (timeFrom != null && timeTo != null) query.set('time', `${timeFrom}-${timeTo}`);
  return `rules?new&${query}`;
}

export function genreWishText({ lv1, lv2 }: GenreWish): string {
  return lv2 === null ? majorGenreName(lv1) : (genreText(lv1, lv2) ?? majorGenreName(lv1));
}

/** Fewer letters are the beginning of too much. */
const LEAST_LETTERS = 2;
const MOST_OFFERED = 3;

/** Genres whose name has the words in it, major ones first. */
export function genresNamed(words: string): GenreWish[] {
  const wanted = words.trim();
  if (Array.from(wanted).length < LEAST_LETTERS) return [];
  const majors = MAJOR_GENRES.filter(({ name }) => name.includes(wanted)).map(({ lv1 }) => ({
    lv1,
    lv2: null,
  }));
  const middles = MAJOR_GENRES.flatMap(({ lv1 }) =>
    middleGenres(lv1)
      .filter(({ name }) => name.includes(wanted))
      .map(({ lv2 }) => ({ lv1, lv2 })),
  );
  return [...majors, ...middles].slice(0, MOST_OFFERED);
}

function rowOf({ id, name, serviceName, startAt, endAt, reservationId, state }: PreviewProgram) {
  return {
    id,
    name,
    service_name: serviceName,
    start_at: startAt,
    end_at: endAt,
    reservation_state: reservationId === null ? null : state,
  };
}

const NO_ROWS = { more: false, rows: [] };

/** The result of a rule's preview in the form of a search. */
export function resultOf(words: string, { programs, total }: RulePreview, rows: number): SearchResult {
  const shown = programs.slice(0, rows).map(rowOf);
  return {
    q: words,
    programs: { more: total > shown.length, rows: shown },
    ...{ recordings: NO_ROWS, reservations: NO_ROWS, rules: NO_ROWS },
  };
}
