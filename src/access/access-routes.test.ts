import { expect, test } from 'bun:test';
import { monotonicMs } from '../../lib/host/clock.ts';
import { systemRandom } from '../../lib/host/random.ts';
import type { Requester } from '../model/requester.ts';
import { LiveTickets } from './access-routes.ts';

function counter() {
  let now = 0;
  const tickets = new LiveTickets({ now: () => monotonicMs(now), random: systemRandom });
  return { tickets, pass: (ms: number) => (now += ms) };
}

const asker = (tokenId: number): Requester => ({ letIn: { by: 'token', tokenId }, address: '192.0.2.1' });

test('a ticket works once, for the client that it was issued to', () => {
  const { tickets } = counter();
  const [first, second] = [tickets.issue(asker(1)), tickets.issue(asker(2))];
  expect(first).toMatch(/^[\w-]{43}$/);
  expect(tickets.redeem(second)).toEqual(asker(2));
  expect(tickets.redeem(first)).toEqual(asker(1));
  expect(tickets.redeem(first)).toBeUndefined();
  for (const other of ['', 'x', `${second}x`, '__proto__']) expect(tickets.redeem(other)).toBeUndefined();
});

test('it works for 30 s', () => {
  const { tickets, pass } = counter();
  const ticket = tickets.issue(asker(1));
  pass(15_000);
  const later = tickets.issue(asker(2));
  pass(15_000);
  expect(tickets.redeem(ticket)).toBeUndefined();
  pass(14_999);
  expect(tickets.redeem(later)).toEqual(asker(2));
});

test('a client beyond 32 tickets loses its own oldest', () => {
  const { tickets } = counter();
  const other = tickets.issue(asker(2));
  const issued = Array.from({ length: 300 }, () => tickets.issue(asker(1)));
  expect(issued.map((ticket) => tickets.redeem(ticket) !== undefined).indexOf(true)).toBe(268);
  expect(tickets.redeem(other)).toEqual(asker(2));
});

test('at most 256 are kept; the oldest are dropped', () => {
  const { tickets } = counter();
  const issued = Array.from({ length: 300 }, (_, index) => tickets.issue(asker(index)));
  const known = issued.map((ticket) => tickets.redeem(ticket) !== undefined);
  expect(known.indexOf(true)).toBe(44);
  expect(known.filter(Boolean)).toHaveLength(256);
});
