import { expect, test } from 'bun:test';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import { PendingLogins, returnAddress } from './login-routes.ts';

const MINUTE = 60_000;

function rig() {
  const clock = { ms: 1_000 };
  const pending = new PendingLogins(() => clock.ms as MonotonicMs);
  const add = (state: string, browser = 'mine', address = '192.0.2.1') => {
    const checks = { state, nonce: 'n', codeVerifier: 'v' };
    pending.add({ checks, redirectUri: 'r', to: 't' }, browser, address);
  };
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

test('at most 500 are kept, and 20 of an address; others keep theirs', () => {
  const { pending, add } = rig();
  add('own', 'mine', '198.51.100.9');
  for (let n = 0; n < 600; n++) add(`s${n}`, 'mine', `2001:db8:0:${Math.floor(n / 100)}::${n}`);
  expect(pending.size).toBe(121);
  expect([pending.take('s0', 'mine'), pending.take('s79', 'mine')]).toEqual([undefined, undefined]);
  expect(pending.take('s80', 'mine')).toBeDefined();
  for (let n = 0; n < 600; n++) add(`t${n}`, 'mine', `192.0.${n % 30}.2`);
  expect(pending.size).toBe(500);
  expect(pending.take('own', 'mine')).toBeDefined();
});

test('a browser with a login in progress is known until it is completed or expires', () => {
  const { clock, pending, add } = rig();
  add('a');
  add('b', 'another');
  expect([pending.knows('mine'), pending.knows('planted')]).toEqual([true, false]);
  pending.take('a', 'mine');
  expect(pending.knows('mine')).toBe(false);
  clock.ms += 10 * MINUTE;
  expect(pending.knows('another')).toBe(false);
});

const BASE = 'https://tv.example/box/';

const rows: [what: string, to: string | null, address: string][] = [
  ['nothing', null, BASE],
  ['the home screen', '', BASE],
  ['a screen with its question', 'recordings?q=a#x', `${BASE}recordings?q=a#x`],
  ['an address of its own', `${BASE}guide`, `${BASE}guide`],
  ['another host', 'https://evil.example/', BASE],
  ['another host, in short', '//evil.example/', BASE],
  ['another host behind the root', '/box//evil.example', BASE],
  ['another host by a backslash', '\\\\evil.example', BASE],
  ['another scheme', 'javascript:alert(1)', BASE],
  ['another port', 'https://tv.example:444/box/', BASE],
  ['above the prefix', '../other', BASE],
  ['another path of the host', '/other', BASE],
  ['a name and a password', 'https://a:b@tv.example/box/guide', BASE],
  ['a name alone', 'https://a@tv.example/box/guide', BASE],
  ['what is no address', 'https://[', BASE],
  ['the login, which would be a loop', 'login?to=guide', BASE],
  ['the logout', 'logout', BASE],
  ['what only begins so', 'logins', `${BASE}logins`],
  ['the pairing page, which then asks', 'device?code=AB', `${BASE}device?code=AB&confirm=1`],
  ['the same with a slash', 'device/?code=AB&confirm=', `${BASE}device/?code=AB&confirm=1`],
  ['the longest', `x${'y'.repeat(1_023)}`, `${BASE}x${'y'.repeat(1_023)}`],
  ['what is too long', `x${'y'.repeat(1_024)}`, BASE],
];
for (const [what, to, address] of rows) test(what, () => expect(returnAddress(to, BASE)).toBe(address));
