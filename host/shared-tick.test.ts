import { expect, test } from 'bun:test';
import { monotonicMs } from './clock.ts';
import { untilSharedTick } from './shared-tick.ts';

test('timers started at different times within a period expire at the same moment', () => {
  const expiries = [1000, 1010.5, 1049.9].map((now) => now + untilSharedTick(monotonicMs(now), 50));
  expect(expiries.map((at) => Math.round(at * 1000) / 1000)).toEqual([1050, 1050, 1050]);
});

test('the delay is never 0, so that something is collected', () => {
  expect(untilSharedTick(monotonicMs(0), 150)).toBe(150);
});
