import { expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { nextDecisionMs } from './next-decision.ts';

const MINUTE = 60_000;
const one = (state: 'conflict' | 'scheduled' | 'recording' | 'missed', startAt: number, endAt: number) => ({
  ...{ state, startAt: broadcastMs(startAt), endAt: broadcastMs(endAt) },
});

test('a short programme in conflict is planned again at its start, and when a recording ends during it', () => {
  const short = one('conflict', 10 * MINUTE, 12 * MINUTE);
  const blocker = one('recording', 0, 10 * MINUTE + 20_000);
  expect(nextDecisionMs([short, blocker], broadcastMs(0))).toBe(10 * MINUTE);
  expect(nextDecisionMs([short, blocker], broadcastMs(10 * MINUTE + 18_000))).toBe(2_000);
  // Whatever end was announced, a programme may end early.
  expect(nextDecisionMs([short, blocker], broadcastMs(10 * MINUTE))).toBe(5_000);
  expect(nextDecisionMs([short], broadcastMs(11 * MINUTE))).toBe(5_000);
});

test('other programmes cause no additional planning', () => {
  expect(nextDecisionMs([], broadcastMs(0))).toBe(Infinity);
  expect(nextDecisionMs([one('conflict', 0, 3 * MINUTE)], broadcastMs(0))).toBe(Infinity);
  expect(nextDecisionMs([one('conflict', 0, 2 * MINUTE)], broadcastMs(2 * MINUTE))).toBe(Infinity);
  expect(
    nextDecisionMs([one('scheduled', MINUTE, 2 * MINUTE), one('missed', 0, MINUTE)], broadcastMs(0)),
  ).toBe(Infinity);
});
