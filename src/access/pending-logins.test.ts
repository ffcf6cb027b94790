import { expect, test } from 'bun:test';
import type { MonotonicMs } from '../../host/clock.ts';
import { PendingLogins } from './pending-logins.ts';

const MINUTE = 60_000;

function rig() {
  const clock = { ms: 1_000 };
  const pending = new PendingLogins(() => clock.ms as MonotonicMs);
  const add = (state: string, browser = 'mine') =>
    pending.add({ checks: { state, nonce: 'n', codeVerifier: 'v' }, redirectUri: 'r', to: 't' }, browser);
  return { clock, pending, add };
}

test('a login is completed once, by the browser that started it', () => {
  const { pending, add } = rig();
  add('a');
  expect(pending.take('b', 'mine')).toBeUndefined();
  expect(pending.take('a', 'another')).toBeUndefined();
  expect(pending.take('a', 'mine')).toMatchObject({ redirectUri: 'r', to: 't', checks: { nonce: 'n' } });
  expect(pending.take('a', 'mine')).toBeUndefined();
  expect(pending.size).toBe(0);
});

test('it can be completed for 10 minutes', () => {
  const { clock, pending, add } = rig();
  add('a');
  add('b');
  clock.ms += 10 * MINUTE - 1;
  expect(pending.take('a', 'mine')).toBeDefined();
  clock.ms += 1;
  expect(pending.take('b', 'mine')).toBeUndefined();
  expect(pending.size).toBe(0);
});

test('expired logins are removed when the next one starts', () => {
  const { clock, pending, add } = rig();
  add('a');
  clock.ms += 5 * MINUTE;
  add('b');
  clock.ms += 5 * MINUTE;
  add('c');
  expect(pending.size).toBe(2);
  expect(pending.take('b', 'mine')).toBeDefined();
});

test('at most 500 are kept; the oldest are dropped', () => {
  const { pending, add } = rig();
  for (let n = 0; n < 500; n++) add(`s${n}`);
  expect(pending.size).toBe(500);
  expect(pending.take('s0', 'mine')).toBeDefined();
  add('s0');
  expect(pending.size).toBe(500);
  add('s500');
  expect(pending.size).toBe(500);
  expect(pending.take('s1', 'mine')).toBeUndefined();
  expect(pending.take('s2', 'mine')).toBeDefined();
  expect(pending.take('s500', 'mine')).toBeDefined();
});
