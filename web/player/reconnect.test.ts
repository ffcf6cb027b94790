import { expect, test } from 'bun:test';
import { wallMs } from '../../wire/times.ts';
import { FRESH, nextTry, type Retry } from './reconnect.ts';

test('a stream that ended normally is requested again at once', () => {
  expect(nextTry(FRESH, 'closed', wallMs(1_000_000), 60_000).waitMs).toBe(0);
});

test('closing again within 30 s waits with exponential backoff', () => {
  const first = nextTry(FRESH, 'closed', wallMs(0), 60_000);
  const second = nextTry(first.retry, 'closed', wallMs(5_000), 4_000);
  const third = nextTry(second.retry, 'closed', wallMs(9_000), 2_000);
  expect([second.waitMs, third.waitMs]).toEqual([1_000, 2_000]);
});

test('broken streams wait 1, 2, 4 … up to 30 seconds', () => {
  let retry: Retry = FRESH;
  const waits: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    const next = nextTry(retry, 'broken', wallMs(count * 60_000), 0);
    waits.push(next.waitMs / 1000);
    retry = next.retry;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
});

test('the backoff is reset after 30 s of playback', () => {
  const next = nextTry({ failures: 5, restartedAt: wallMs(0) }, 'broken', wallMs(100_000), 31_000);
  expect(next.waitMs).toBe(1_000);
});
