import { describe, expect, spyOn, test } from 'bun:test';
import {
  type LatenessSample,
  latenessOf,
  MachineLateness,
  MOST_FACTOR,
  MOST_LATE_MS,
} from './machine-lateness.ts';

const sample = (more: Partial<LatenessSample> = {}): LatenessSample => ({
  slowness: 1,
  share: 1,
  lateMs: 0,
  ...more,
});

describe('the factor of a machine', () => {
  test('is 1 on a quiet machine of the reference speed, and on a faster one', () => {
    expect(latenessOf([])).toEqual({ factor: 1, lateMs: 0 });
    expect(latenessOf([sample(), sample({ slowness: 0.4 })])).toEqual({ factor: 1, lateMs: 0 });
  });

  test('is its slowness, divided by the share of a processor that is left', () => {
    expect(latenessOf([sample({ slowness: 2.5 })]).factor).toBe(2.5);
    expect(latenessOf([sample({ share: 0.25 })]).factor).toBe(4);
    expect(latenessOf([sample({ slowness: 2.5, share: 0.25 })]).factor).toBe(10);
  });

  test('follows busy moments that are not rare, and the latest timer', () => {
    const quiet = Array.from({ length: 16 }, () => sample());
    const busy = Array.from({ length: 4 }, () => sample({ share: 0.5 }));
    expect(latenessOf([...quiet, ...busy]).factor).toBe(2);
    expect(latenessOf([...quiet, ...quiet, sample({ share: 0.01, lateMs: 700 })])).toEqual({
      factor: 1,
      lateMs: 700,
    });
  });
});

/** Prints the factor of a process that shares one processor with `loops` busy loops. */
async function factorBeside(loops: number): Promise<number> {
  const script = `
    import { MachineLateness } from '${import.meta.dir}/machine-lateness.ts';
    using lateness = await MachineLateness.start();
    await Bun.sleep(1_500);
    console.log(lateness.factor);
    process.exit();`;
  const pinned = (...words: string[]) =>
    Bun.spawn(['taskset', '-c', '0', ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  const busy = Array.from({ length: loops }, () => pinned('sh', '-c', 'while :; do :; done'));
  try {
    return Number(await new Response(pinned(process.execPath, '-e', script).stdout).text());
  } finally {
    for (const loop of busy) loop.kill('SIGKILL');
    await Promise.all(busy.map((loop) => loop.exited));
  }
}

test.skipIf(Bun.which('taskset') === null)('busy loops on the same processor are noticed', async () => {
  // Three loops beside it leave a quarter; other tests beside this one only make it later.
  expect(await factorBeside(3)).toBeGreaterThan(2);
});

test('limits are widened, and a machine that is too slow skips the test', async () => {
  using lateness = await MachineLateness.start();
  expect(lateness.factor).toBeGreaterThanOrEqual(1);
  expect(lateness.widened(100)).toBeGreaterThanOrEqual(100);
  const said = spyOn(console, 'log').mockImplementation(() => {});
  expect(lateness.isTooSlow({ factor: MOST_FACTOR + 0.25, lateMs: 7 })).toBe(true);
  expect(lateness.isTooSlow({ factor: 1, lateMs: MOST_LATE_MS + 1 })).toBe(true);
  expect(lateness.isTooSlow({ factor: MOST_FACTOR, lateMs: MOST_LATE_MS })).toBe(false);
  expect(said.mock.calls.flat()).toEqual([
    'skipped: machine too slow (×12.3, timers 7 ms late)',
    'skipped: machine too slow (×1.0, timers 2501 ms late)',
  ]);
  said.mockRestore();
});
