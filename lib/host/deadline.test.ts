import { describe, expect, test } from 'bun:test';
import { monotonicMs } from './clock.ts';
import { AwakeTimer, settlesWithin, sleepUnlessAborted, unlessAborted, within } from './deadline.ts';

const NEVER = new Promise<never>(() => {});
const HOUR_MS = 3_600_000;

describe('within', () => {
  test('passes on a result or rejection within the limit', async () => {
    expect(await within(HOUR_MS, Promise.resolve(1), () => 'late')).toBe(1);
    await expect(within(HOUR_MS, Promise.reject(new Error('broken')), () => 'late')).rejects.toThrow(
      'broken',
    );
  });

  test("returns or throws the caller's fallback after the limit", async () => {
    expect(await within(1, NEVER, () => 'late')).toBe('late');
    const refuse = (): never => {
      throw new Error('too late');
    };
    await expect(within(1, NEVER, refuse)).rejects.toThrow('too late');
  });

  test('a rejection after the limit is not an unhandled rejection', async () => {
    const late = Promise.withResolvers<void>();
    expect(await within(1, late.promise, () => 'late')).toBe('late');
    late.reject(new Error('afterwards'));
    await Bun.sleep(1);
  });
});

test('settlesWithin returns whether the promise settled in time, also if it rejected', async () => {
  expect(await settlesWithin(HOUR_MS, Promise.resolve())).toBe(true);
  expect(await settlesWithin(HOUR_MS, Promise.reject(new Error('broken')))).toBe(true);
  expect(await settlesWithin(1, NEVER)).toBe(false);
});

test('unlessAborted returns the result or throws the abort reason', async () => {
  const stop = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), stop.signal)).toBe(1);
  const waiting = unlessAborted(NEVER, stop.signal);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  await expect(unlessAborted(NEVER, stop.signal)).rejects.toThrow('stopped');
});

test('sleepUnlessAborted ends after its time or on abort', async () => {
  const stop = new AbortController();
  await sleepUnlessAborted(1, stop.signal);
  const sleeping = sleepUnlessAborted(HOUR_MS, stop.signal);
  stop.abort();
  await sleeping;
  await sleepUnlessAborted(HOUR_MS, stop.signal);
});

function rig(limitMs: number) {
  let now = 0;
  const expired: number[] = [];
  const timer = new AwakeTimer({
    limitMs,
    stepMs: 500,
    clock: () => monotonicMs(now),
    onExpired: (ms) => expired.push(ms),
  });
  const pass = (turns: number, apartMs: number): void => {
    for (let turn = 0; turn < turns; turn += 1) {
      now += apartMs;
      timer.turn();
    }
  };
  return { timer, expired, pass };
}

test('expires once, after its limit', () => {
  const { timer, expired, pass } = rig(8_000);
  timer.restart();
  pass(15, 500);
  expect(expired).toEqual([]);
  pass(5, 500);
  expect(expired).toEqual([8_000]);
});

test('a restart counts from 0 again, a stop ends it', () => {
  const { timer, expired, pass } = rig(2_000);
  timer.restart();
  pass(3, 500);
  timer.restart();
  pass(3, 500);
  timer.stop();
  pass(10, 500);
  expect(expired).toEqual([]);
});

test('a pause of the process counts as one step', () => {
  const { timer, expired, pass } = rig(8_000);
  timer.restart();
  pass(1, 3_600_000);
  pass(14, 500);
  expect(expired).toEqual([]);
  pass(1, 500);
  expect(expired).toEqual([8_000]);
});
