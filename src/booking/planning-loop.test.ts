import { afterEach, describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import { nextDecisionMs, PlanningLoop } from './planning-loop.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Runs block until the test releases them. */
function rig(over: { everyMs?: number; gatherMs?: number; nextInMs?: () => number } = {}) {
  const waiting: ((went: boolean) => void)[] = [];
  let runs = 0;
  let most = 0;
  const loop = new PlanningLoop({
    run: () => {
      runs += 1;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
      return promise;
    },
    log: SILENT_LOG,
    gatherMs: 1,
    ...over,
  });
  closers.push(async () => {
    const closed = loop.close();
    for (const end of waiting.splice(0)) end(true);
    await closed;
  });
  const end = async (went = true): Promise<void> => {
    await until(() => waiting.length > 0);
    waiting.shift()?.(went);
  };
  return { loop, end, runs: () => runs, most: () => most };
}

describe('a loop', () => {
  test('resolves waiting callers after a run that started after their request, one run for many', async () => {
    const { loop, end, runs, most } = rig();
    loop.start();
    await until(() => runs() === 1);
    const done: string[] = [];
    const first = loop.settle(10_000).then(() => done.push('first'));
    loop.wake();
    const second = loop.settle(10_000).then(() => done.push('second'));
    await end();
    await until(() => runs() === 2);
    expect(done).toEqual([]);
    await end();
    await Promise.all([first, second]);
    expect([runs(), most()]).toEqual([2, 1]);
  });

  test('lets no caller wait beyond the limit', async () => {
    const { loop } = rig();
    loop.start();
    expect(await loop.settle(5)).toBe(false);
  });

  test('retries after a failure, and runs periodically', async () => {
    let runs = 0;
    const loop = new PlanningLoop({
      run: async () => {
        runs += 1;
        if (runs === 1) throw new Error('locked');
        return runs !== 2;
      },
      log: SILENT_LOG,
      everyMs: 20,
      gatherMs: 1,
    });
    closers.push(() => loop.close());
    loop.start();
    expect(await loop.settle(10_000)).toBe(true);
    expect(runs).toBe(3);
    await until(() => runs > 5);
  });

  test('stops after closing and releases waiting callers', async () => {
    const { loop, end, runs } = rig();
    loop.start();
    await until(() => runs() === 1);
    const waited = loop.settle(10_000);
    const closed = loop.close();
    expect(await waited).toBe(false);
    await end();
    await closed;
    loop.wake();
    expect(await loop.settle(10_000)).toBe(false);
    expect(runs()).toBe(1);
  });

  test('runs at the next decision time', async () => {
    let nextInMs = 1;
    const { loop, end, runs } = rig({ everyMs: 3_600_000, nextInMs: () => nextInMs });
    loop.start();
    await end();
    await until(() => runs() === 2);
    nextInMs = Infinity;
    await end();
    await Bun.sleep(30);
    expect(runs()).toBe(2);
  });
});

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
