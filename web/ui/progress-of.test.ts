import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { progressOf } from './progress-of.ts';

const progress = (startAt: number, endAt: number, now: number): number =>
  progressOf(broadcastMs(startAt), broadcastMs(endAt), broadcastMs(now));

test('progress stays within 0 and 1', () => {
  expect(progress(100, 200, 150)).toBe(0.5);
  expect(progress(100, 200, 50)).toBe(0);
  expect(progress(100, 200, 900)).toBe(1);
  expect(progress(200, 200, 200)).toBe(0);
});
