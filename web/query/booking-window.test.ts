import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { ALL, covers, hoursAround, NOTHING, windowAround, windowOf } from './booking-window.ts';

const HOUR = 3_600_000;
const stretch = (from: number, to: number) => ({ from: broadcastMs(from), to: broadcastMs(to) });
const program = (from: number, to: number) => ({ start_at: broadcastMs(from), end_at: broadcastMs(to) });

test('is the union of all requested windows', () => {
  expect(windowOf([stretch(5, 9), stretch(2, 7)])).toEqual(stretch(2, 9));
  expect(windowOf([stretch(5, 9), undefined])).toEqual(ALL);
  expect(windowOf([])).toEqual(ALL);
});

test('is in whole hours around programmes, in any order', () => {
  expect(windowAround([program(3 * HOUR + 5, 4 * HOUR), program(HOUR, 2 * HOUR)])).toEqual(
    stretch(HOUR, 5 * HOUR),
  );
  expect(windowAround([])).toBeUndefined();
  expect(hoursAround(broadcastMs(HOUR), broadcastMs(HOUR))).toEqual(stretch(HOUR, 2 * HOUR));
});

test('data of a smaller window is not used for a larger one', () => {
  const day = stretch(0, 24 * HOUR);
  const early = hoursAround(broadcastMs(1), broadcastMs(2));
  expect([covers(ALL, day), covers(day, early), covers(day, ALL), covers(NOTHING, day)]).toEqual([
    ...[true, true, false, false],
  ]);
});
