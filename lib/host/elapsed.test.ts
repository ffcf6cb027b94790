import { describe, expect, test } from 'bun:test';
import { monotonicMs } from './clock.ts';
import { elapsedClock } from './elapsed.ts';

describe('elapsedClock', () => {
  test('follows the monotonic clock to the millisecond', () => {
    let awake = 500;
    const elapsed = elapsedClock(
      () => monotonicMs(awake),
      () => Math.floor(awake / 1000) + 77,
    );
    const start = elapsed();
    expect<number>(start).toBe(77_000);
    for (let at = 500; at < 600_000; at += 333) {
      awake = at;
      expect<number>(elapsed() - start).toBe(at - 500);
    }
  });

  test('includes the time the machine was suspended', () => {
    let awake = 500;
    let uptime = 100;
    const elapsed = elapsedClock(
      () => monotonicMs(awake),
      () => uptime,
    );
    const start = elapsed();
    awake += 250;
    uptime += 3600;
    expect(Math.abs(elapsed() - start - 3_600_000)).toBeLessThanOrEqual(1000);
    const woken = elapsed();
    awake += 10_000;
    uptime += 10;
    expect<number>(elapsed() - woken).toBe(10_000);
  });
});
