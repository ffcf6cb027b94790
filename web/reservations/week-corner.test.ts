import { expect, test } from 'bun:test';
import { broadcastMs, DAY_MS, HOUR_MS, plusMs } from '../../lib/arib/time.ts';
import { bookedCorner } from './week-corner.ts';

/** 05:00 in Japan. */
const FIRST = broadcastMs(Date.UTC(2026, 10, 20, 20));
const DAYS = Array.from({ length: 8 }, (_, day) => plusMs(FIRST, day * DAY_MS));
/** @param hour from 05:00 */
const booked = (day: number, hour: number) => ({
  startAt: plusMs(FIRST, day * DAY_MS + hour * HOUR_MS),
  endAt: plusMs(FIRST, day * DAY_MS + (hour + 0.5) * HOUR_MS),
});
const corner = (items: ReturnType<typeof booked>[], hours = 8, days = 8) =>
  bookedCorner(items, DAYS, { hours, days });

test('the week opens in the evening, whether something is booked then or nothing at all', () => {
  expect(corner([])).toEqual({ hour: 13, day: 0 });
  expect(corner([booked(0, 2), booked(5, 16)])).toEqual({ hour: 13, day: 0 });
});

test('where nothing is booked in the evening, the nearest booking is in view', () => {
  expect(corner([booked(0, 2), booked(3, 4)])).toEqual({ hour: 4, day: 0 });
  expect(corner([booked(0, 23)])).toEqual({ hour: 16, day: 0 });
});

test('on a narrow screen it opens at the first day on which something is booked', () => {
  expect(corner([booked(4, 15), booked(6, 15)], 8, 2)).toEqual({ hour: 13, day: 4 });
  expect(corner([booked(1, 15)], 8, 2)).toEqual({ hour: 13, day: 0 });
  expect(corner([booked(4, 2), booked(6, 15)], 8, 2)).toEqual({ hour: 2, day: 4 });
});

test('a view of the whole day begins with it', () => {
  expect(corner([booked(0, 2)], 24)).toEqual({ hour: 0, day: 0 });
  expect(corner([], 30)).toEqual({ hour: 0, day: 0 });
});
