import { expect, test } from 'bun:test';
import { broadcastMs, plusMs } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/wire/times.ts';
import { BroadcastTime } from './live-player.ts';

const AT = broadcastMs(Date.UTC(2026, 10, 20, 12));

test('the time is unknown until one was received', () => {
  const time = new BroadcastTime();
  expect(time.delay(3, monotonicMs(0))).toBeUndefined();
  expect(time.at(3)).toBeUndefined();
});

test('the least delayed sample determines the delay of the picture', () => {
  const time = new BroadcastTime();
  time.add(10, AT, monotonicMs(1_000));
  expect(time.delay(8.5, monotonicMs(1_000))).toBeCloseTo(1.5);
  expect(time.delay(8.5, monotonicMs(2_000))).toBeCloseTo(2.5);
  // Held up for a second on its way.
  time.add(15, plusMs(AT, 5_000), monotonicMs(7_000));
  expect(time.delay(15, monotonicMs(7_000))).toBeCloseTo(1);
  // What a joiner got from the backlog was old; the next one is new.
  time.add(22, plusMs(AT, 12_000), monotonicMs(11_000));
  expect(time.delay(20, monotonicMs(11_000))).toBeCloseTo(2);
  expect(time.at(20)).toBe(plusMs(AT, 10_000));
});

test('a clock jump restarts the measurement', () => {
  const time = new BroadcastTime();
  time.add(10, AT, monotonicMs(1_000));
  time.add(12, plusMs(AT, 3_600_000), monotonicMs(6_000));
  expect(time.delay(12, monotonicMs(6_000))).toBe(0);
});
