import { expect, test } from 'bun:test';
import { monotonicMs } from './clock.ts';
import { Watchdog } from './watchdog.ts';

const LIMITS = { askMs: 1000, limitMs: 10_000, startLimitMs: 30_000 };

/** A worker that answers or not, in virtual time. */
function rig(isExcused?: () => boolean) {
  let now = 0;
  let asked = 0;
  const silent: number[] = [];
  const dog = new Watchdog({
    ...LIMITS,
    isExcused,
    ask: () => {
      asked += 1;
    },
    onSilent: (ms) => silent.push(ms),
    clock: () => monotonicMs(now),
  });
  dog.watch();
  return {
    dog,
    silent,
    asked: () => asked,
    /** Ticks of the watching thread at intervals of `apartMs`. */
    pass: (turns: number, apartMs: number, answers = false) => {
      for (let turn = 0; turn < turns; turn += 1) {
        now += apartMs;
        if (answers) dog.answered();
        dog.turn();
      }
    },
    close: () => dog.rest(),
  };
}

test('a worker that answers is pinged periodically', () => {
  const { pass, silent, asked, close } = rig();
  pass(1000, 1000, true);
  close();
  expect(silent).toEqual([]);
  expect(asked()).toBe(1001);
});

test('a worker that stops answering is reported once, after the limit', () => {
  const { pass, silent, asked } = rig();
  pass(5, 1000, true);
  const before = asked();
  pass(9, 1000);
  expect(silent).toEqual([]);
  pass(20, 1000);
  expect(silent[0]).toBe(10_000);
  expect(asked()).toBe(before);
});

test('a worker that starts slowly has the longer start limit', () => {
  const { pass, silent } = rig();
  pass(29, 1000);
  expect(silent).toEqual([]);
  pass(1, 1000);
  expect(silent).toEqual([30_000]);
});

test('a pause of the watching thread does not count as silence of the worker', () => {
  const { pass, silent, close } = rig();
  pass(1, 1000, true);
  pass(1, 3_600_000);
  // Ten times slower than usual for a minute and a half.
  pass(8, 10_000);
  expect(silent).toEqual([]);
  pass(1, 1000, true);
  pass(9, 1000);
  expect(silent).toEqual([]);
  close();
});

test('after rest() the limit starts again', () => {
  const { dog, pass, silent } = rig();
  pass(1, 1000, true);
  pass(8, 1000);
  dog.rest();
  dog.watch();
  pass(9, 1000);
  expect(silent).toEqual([]);
  pass(1, 1000);
  expect(silent).toHaveLength(1);
});

test('excused silence does not count, other silence does', () => {
  let isExcused = false;
  const { pass, silent } = rig(() => isExcused);
  pass(1, 1000, true);
  pass(9, 1000);
  isExcused = true;
  pass(1000, 1000);
  expect(silent).toEqual([]);
  isExcused = false;
  pass(2, 1000);
  expect(silent).toEqual([10_000]);
});
