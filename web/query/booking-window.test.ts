import { expect, test } from 'bun:test';
import { ALL, covers, hoursAround, NOTHING, windowAround, windowOf } from './booking-window.ts';

const HOUR = 3_600_000;

test('is what all that are there need together', () => {
  expect(
    windowOf([
      { from: 5, to: 9 },
      { from: 2, to: 7 },
    ]),
  ).toEqual({ from: 2, to: 9 });
  expect(windowOf([{ from: 5, to: 9 }, undefined])).toEqual(ALL);
  expect(windowOf([])).toEqual(ALL);
});

test('is of whole hours around programmes, whatever their order', () => {
  expect(
    windowAround([
      { start_at: 3 * HOUR + 5, end_at: 4 * HOUR },
      { start_at: HOUR, end_at: 2 * HOUR },
    ]),
  ).toEqual({
    from: HOUR,
    to: 5 * HOUR,
  });
  expect(windowAround([])).toBeUndefined();
  expect(hoursAround(HOUR, HOUR)).toEqual({ from: HOUR, to: 2 * HOUR });
});

test('what was read of less does not do for more', () => {
  const day = { from: 0, to: 24 * HOUR };
  expect([covers(ALL, day), covers(day, hoursAround(1, 2)), covers(day, ALL), covers(NOTHING, day)]).toEqual([
    ...[true, true, false, false],
  ]);
});
