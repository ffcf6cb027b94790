import { expect, test } from 'bun:test';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import { exactSpanText, marginText, stateReason, stateWords } from '../words/reservation.ts';
import { dayOfText, textOfDay } from './days.ts';
import { arrange, countsOf, filterOf, nextUp } from './sort.ts';

const HOUR = 3_600_000;
/** 2026-11-21 15:00 in Japan. */
const NOW = broadcastMs(Date.UTC(2026, 10, 21, 6));

function item(id: number, hours: number, changes: Partial<ReservationItem> = {}): ReservationItem {
  return {
    id: reservationId(id),
    programId: id as ProgramId,
    stationId: 1 as StationId,
    serviceName: '局',
    name: '番組',
    title: '番組',
    startAt: broadcastMs(NOW + hours * HOUR),
    endAt: broadcastMs(NOW + (hours + 1) * HOUR),
    state: 'scheduled',
    priority: 2,
    ruleId: null,
    reason: null,
    tuner: null,
    ...changes,
  };
}

const ITEMS = [
  item(1, 14),
  item(2, 13),
  item(3, 2, { state: 'conflict' }),
  item(4, 1, { state: 'conflict', ruleId: ruleId(9) }),
  item(5, -0.5, { state: 'recording', ruleId: ruleId(9) }),
  item(6, -5, { state: 'finished' }),
  item(7, -40, { state: 'missed', ruleId: ruleId(9) }),
  item(8, -5, { state: 'skipped' }),
  item(9, 5, { state: 'cancelled' }),
  item(10, -3, { state: 'conflict' }),
];

const ids = (days: readonly { items: readonly ReservationItem[] }[]): number[][] =>
  days.map(({ items }) => items.map(({ id }) => id));

test('conflicts come first, the rest by broadcast day: 04:00 belongs to the day before', () => {
  const shown = arrange(ITEMS, { filter: 'all', completed: false, now: NOW });
  expect(ids(shown.conflicts)).toEqual([[4, 3]]);
  expect(ids(shown.days)).toEqual([[5, 9, 2], [1]]);
  expect(shown.over).toEqual([]);
});

test('past ones are listed on demand, latest first', () => {
  const { over } = arrange(ITEMS, { filter: 'all', completed: true, now: NOW });
  expect(ids(over)).toEqual([[10, 6, 8], [7]]);
});

test('filters', () => {
  const rule = arrange(ITEMS, { filter: 'rule', completed: true, now: NOW });
  expect([rule.conflicts, rule.days, rule.over].map(ids)).toEqual([[[4]], [[5]], [[7]]]);
  const conflict = arrange(ITEMS, { filter: 'conflict', completed: false, now: NOW });
  expect([ids(conflict.conflicts), conflict.days]).toEqual([[[4, 3]], []]);
  const worth = [
    item(20, -9, { state: 'finished', verdict: 'complete' }),
    item(21, -9, { state: 'finished', verdict: 'damaged' }),
    item(22, -9, { state: 'finished', verdict: 'lost' }),
  ];
  const trouble = arrange([...ITEMS, ...worth], { filter: 'trouble', completed: false, now: NOW });
  expect([trouble.conflicts, trouble.days, ids(trouble.over)]).toEqual([[], [], [[21, 22], [7]]]);
  expect(countsOf(worth, NOW)).toMatchObject({ missed: 0, failed: 1, damaged: 1 });
  expect([filterOf('manual'), filterOf('x'), filterOf(null)]).toEqual(['manual', 'all', 'all']);
});

test('skipped ones are not missed, and conflicts that are over are not counted as such', () => {
  expect(countsOf(ITEMS, NOW)).toEqual({
    booked: 2,
    recording: 1,
    conflict: 2,
    missed: 1,
    ...{ failed: 0, damaged: 0 },
  });
});

test('days have a name in the address', () => {
  const day = dayOfText('20261122', NOW);
  expect(textOfDay(day)).toBe('20261122');
  // 05:00 in Japan.
  expect(new Date(day).toISOString()).toBe('2026-11-21T20:00:00.000Z');
  expect(dayOfText('x', NOW)).toBe(broadcastMs(Date.UTC(2026, 10, 20, 20)));
});

test('states in words, with the reason of the service before our own', () => {
  expect(stateWords('missed').face).toBe('録り逃し');
  const reason = 'チューナーが足りませんでした';
  expect(stateReason({ state: 'missed', reason })).toBe(reason);
  expect(stateReason({ state: 'missed', reason: null })).toContain('始められません');
});

test('margins and times to the second', () => {
  expect([0, 10_000, 60_000, 150_000].map(marginText)).toEqual(['なし', '10秒', '1分', '2分30秒']);
  expect(exactSpanText(broadcastMs(NOW - 10_000), broadcastMs(NOW + HOUR))).toBe('14:59:50 – 16:00');
});

test('running ones, and the next few of the day', () => {
  const more = [item(20, 3), item(21, 4), item(22, 6), item(23, 30)];
  const { running, coming } = nextUp([...ITEMS, ...more], NOW);
  expect(running.map(({ id }) => id)).toEqual<unknown>([5]);
  expect(coming.map(({ id }) => id)).toEqual<unknown>([20, 21, 22]);
});
