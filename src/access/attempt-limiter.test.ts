import { expect, test } from 'bun:test';
import { monotonicMs } from '../../lib/host/clock.ts';
import { AttemptLimiter, retryAfter } from './attempt-limiter.ts';

function limiter() {
  let now = 0;
  const attempts = new AttemptLimiter({ burst: 3, refillMs: 1_000 }, () => monotonicMs(now));
  return { attempts, pass: (ms: number) => (now += ms) };
}

test('a burst passes, then one attempt per refill of the budget', () => {
  const { attempts, pass } = limiter();
  const tries = () => [1, 2, 3, 4].map(() => attempts.attempt('192.0.2.1'));
  expect(tries()).toEqual([0, 0, 0, 1_000]);
  pass(400);
  expect(attempts.attempt('192.0.2.1')).toBe(600);
  pass(600);
  expect(attempts.attempt('192.0.2.1')).toBe(0);
  expect(attempts.attempt('192.0.2.1')).toBe(1_000);
  expect(attempts.attempt('192.0.2.2')).toBe(0);
  pass(3_600_000);
  expect(tries()).toEqual([0, 0, 0, 1_000]);
});

test('addresses of one IPv6 /64 share a budget', () => {
  const { attempts } = limiter();
  const tries = [1, 2, 3, 4].map((n) => attempts.attempt(`2001:db8::${n}:${n}`));
  expect(tries).toEqual([0, 0, 0, 1_000]);
  expect(attempts.attempt('2001:db8:0:1::1')).toBe(0);
});

test('many client addresses do not make the table grow', () => {
  const { attempts } = limiter();
  for (let n = 0; n < 10_000; n++) attempts.attempt(`10.0.${n >> 8}.${n & 255}`);
  expect(attempts.size).toBe(2_048);
});

test('active addresses are kept, the least recently active one is evicted', () => {
  const { attempts } = limiter();
  const restless = '192.0.2.1';
  for (let n = 0; n < 3; n++) attempts.attempt(restless);
  for (let n = 0; n < 2_047; n++) attempts.attempt(`10.0.${n >> 8}.${n & 255}`);
  expect(attempts.attempt(restless)).toBe(1_000);
  attempts.attempt('192.0.2.2');
  expect(attempts.attempt(restless)).toBe(1_000);
});

test('a string that is not an address is used as the key unchanged', () => {
  const { attempts } = limiter();
  const tries = [1, 2, 3, 4].map(() => attempts.attempt('unknown'));
  expect(tries).toEqual([0, 0, 0, 1_000]);
});

test('Retry-After is in whole seconds, never 0', () => {
  expect([1, 1_000, 1_001].map(retryAfter)).toEqual(['1', '1', '2']);
});
