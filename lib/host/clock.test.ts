import { expect, test } from 'bun:test';
import { monotonicMs, RemoteClock, untilSharedTick } from './clock.ts';

test('times of another clock are converted by the fastest message, and are never early', () => {
  let now = 1_000;
  const remote = new RemoteClock(() => monotonicMs(now));
  // The other clock is 900 behind; this message takes 50.
  remote.heard(monotonicMs(50));
  expect(remote.local(monotonicMs(50))).toBe(monotonicMs(1_000));
  now = 2_000;
  remote.heard(monotonicMs(1_100));
  expect(remote.local(monotonicMs(50))).toBe(monotonicMs(950));
  now = 3_000;
  remote.heard(monotonicMs(2_000));
  expect(remote.local(monotonicMs(2_050))).toBe(monotonicMs(2_950));
});

test('timers started at different times within a period expire at the same moment', () => {
  const expiries = [1000, 1010.5, 1049.9].map((now) => now + untilSharedTick(monotonicMs(now), 50));
  expect(expiries.map((at) => Math.round(at * 1000) / 1000)).toEqual([1050, 1050, 1050]);
});

test('the delay is never 0, so that something is collected', () => {
  expect(untilSharedTick(monotonicMs(0), 150)).toBe(150);
});
