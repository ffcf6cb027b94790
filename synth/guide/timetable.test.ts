import { describe, expect, test } from 'bun:test';
import { type EpochMs, epochMs, jstDayStart } from '../../arib/time.ts';
import { DEFAULT } from '../scenario/default.ts';
import type { StationPlan } from '../scenario/model.ts';
import { DAY_MS } from './programme.ts';
import { Timetable } from './timetable.ts';

const DAY = jstDayStart(epochMs(Date.UTC(2026, 10, 20, 12)));
const STATIONS = DEFAULT.channels.flatMap(({ stations }) => stations);

function first(): StationPlan {
  const [station] = STATIONS;
  if (station === undefined) throw new Error('no station');
  return station;
}

function days(station: StationPlan, count: number, from: EpochMs = DAY) {
  return new Timetable(1, station).starting(from, epochMs(from + count * DAY_MS));
}

describe('made-up programmes', () => {
  test('fill every day of every station without a gap, in steps of five minutes', () => {
    for (const station of STATIONS) {
      const programmes = days(station, 9);
      for (const [index, { startAt, durationMs }] of programmes.entries()) {
        expect(startAt % 300_000).toBe(0);
        expect(durationMs / 60_000).toBeWithin(5, 121);
        const next = programmes[index + 1];
        if (next !== undefined) expect(next.startAt).toBe(epochMs(startAt + durationMs));
      }
    }
  });

  test('have ids of their own among the days that a guide carries', () => {
    for (const station of STATIONS) {
      const ids = days(station, 9).map(({ eventId }) => eventId);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  test('are the same whatever was asked before', () => {
    const asked = new Timetable(1, first());
    asked.present(epochMs(DAY + 5 * DAY_MS));
    asked.following(epochMs(DAY - 3 * DAY_MS));
    expect(asked.starting(DAY, epochMs(DAY + DAY_MS))).toEqual(days(first(), 1));
  });

  test('change the version of present/following from one to the next', () => {
    const programmes = days(first(), 9);
    for (const [index, { serial }] of programmes.slice(1).entries()) {
      expect(serial % 32).not.toBe((programmes[index]?.serial ?? 0) % 32);
    }
  });

  test('stand at the same time a week later', () => {
    const week = (from: number) =>
      days(first(), 1, epochMs(from)).map(({ startAt, durationMs }) => [startAt - from, durationMs]);
    expect(week(DAY + 7 * DAY_MS)).toEqual(week(DAY));
  });

  test('are other ones with another seed', () => {
    const other = new Timetable(2, first()).starting(DAY, epochMs(DAY + DAY_MS));
    expect(other.map(({ title }) => title)).not.toEqual(days(first(), 1).map(({ title }) => title));
  });
});

test('present and following meet at the boundary', () => {
  const guide = new Timetable(1, first());
  const [, second, third] = days(first(), 1);
  if (second === undefined || third === undefined) throw new Error('no programmes');
  expect(guide.present(second.startAt)).toEqual(second);
  expect(guide.following(second.startAt)).toEqual(third);
  expect(guide.present(epochMs(third.startAt - 1))).toEqual(second);
  expect(guide.present(third.startAt)).toEqual(third);
});
