import { describe, expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { RulePreview } from '../../lib/wire/api.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import { formOfQuery, readForm } from '../rules/form.ts';
import {
  bodyOf,
  countFilters,
  type Filters,
  filterParameters,
  filtersOf,
  genresNamed,
  genreWishText,
  isEnough,
  NO_FILTERS,
  resultOf,
  ruleAddress,
} from './filters.ts';

const ALL: Filters = {
  types: ['GR', 'CS'],
  stationId: 3274001024 as StationId,
  genre: { lv1: 7, lv2: 0 },
  weekdays: [0, 5],
  time: 'night',
  free: true,
};

function addressOf(filters: Filters): URLSearchParams {
  const set = Object.entries(filterParameters(filters)).filter(
    (one): one is [string, string] => one[1] !== null,
  );
  return new URLSearchParams(set);
}

describe('filters', () => {
  test('are restored from the URL', () => {
    for (const filters of [NO_FILTERS, ALL, { ...NO_FILTERS, genre: { lv1: 3, lv2: null } }])
      expect(filtersOf(addressOf(filters))).toEqual(filters);
  });

  test('an invalid URL does not filter', () => {
    const strange = new URLSearchParams('type=XX&stationId=-1&genre=99&weekday=9&time=noon&free=yes');
    expect(filtersOf(strange)).toEqual(NO_FILTERS);
    expect(filtersOf(new URLSearchParams('genre=7-99')).genre).toBeNull();
  });

  test('are counted by kind; free programmes alone are too many to be listed', () => {
    expect([NO_FILTERS, ALL].map(countFilters)).toEqual([0, 6]);
    expect([NO_FILTERS, { ...NO_FILTERS, free: true }, ALL].map(isEnough)).toEqual([false, false, true]);
  });

  test('become a rule with the same conditions', () => {
    const wanted = bodyOf('灯台 守', ALL);
    expect(wanted).toMatchObject({
      timeFrom: 1380,
      timeTo: 300,
      freeOnly: true,
      genres: [{ lv1: 7, lv2: 0 }],
    });
    const query = new URLSearchParams(ruleAddress('灯台 守', ALL).replace('rules?', ''));
    const { body, faults } = readForm(formOfQuery(query));
    expect(faults).toEqual([]);
    expect(body).toMatchObject({ ...wanted, weekdays: [0, 5], types: ['GR', 'CS'] });
  });
});

test('genres are offered by their names', () => {
  expect(genresNamed('アニメ').map(genreWishText)).toEqual([
    'アニメ・特撮',
    '映画／アニメ',
    'アニメ・特撮／国内アニメ',
  ]);
  expect(genresNamed('ア')).toEqual([]);
  expect(genresNamed('灯台守')).toEqual([]);
});

test('matches of a rule are shown as results, up to a limit', () => {
  const program = (id: number) => ({
    ...{
      id: id as ProgramId,
      stationId: 1 as StationId,
      serviceName: '局',
      name: `番組${id}`,
      title: `番組${id}`,
      startAt: broadcastMs(id),
      endAt: broadcastMs(id + 1),
    },
    ...{ state: 'scheduled' as const, reason: null, reservationId: id === 1 ? reservationId(5) : null },
  });
  const preview: RulePreview = { total: 9, programs: [program(1), program(2), program(3)] };
  const { programs, recordings } = resultOf('番組', preview, 2);
  expect(programs.more).toBe(true);
  expect(programs.rows.map((row) => [row.id, row.reservation_state])).toEqual<unknown>([
    [1, 'scheduled'],
    [2, null],
  ]);
  expect(recordings).toEqual({ more: false, rows: [] });
});
