import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { ClockStepDetector } from './clock-step-detector.ts';

test('a clock step is detected, normal running and small corrections are not', () => {
  let [broadcast, elapsed] = [1_000_000, 500];
  const steps: number[] = [];
  const watch = new ClockStepDetector(
    () => broadcastMs(broadcast),
    () => monotonicMs(elapsed),
    (by) => steps.push(by),
  );
  const pass = (ms: number, slew = 0): void => {
    elapsed += ms;
    broadcast += ms + slew;
    expect(watch.now()).toBe(broadcastMs(broadcast));
  };
  pass(3_600_000);
  for (let second = 0; second < 100; second += 1) pass(1000, 50);
  expect(steps).toEqual([]);
  broadcast += 600_000;
  pass(10);
  pass(10);
  broadcast -= 1_200_000;
  pass(10);
  expect(steps).toEqual([600_000, -1_200_000]);
});
