import { expect, test } from 'bun:test';
import { Watchdog } from './watchdog.ts';

const LIMITS = { askMs: 1000, limitMs: 10_000, startLimitMs: 30_000 };

/** A worker that answers or not, and the time that passes from one turn to the next. */
function rig() {
  let now = 0;
  let asked = 0;
  const silent: number[] = [];
  const dog = new Watchdog({
    ...LIMITS,
    ask: () => {
      asked += 1;
    },
    onSilent: (ms) => silent.push(ms),
    elapsed: () => now,
  });
  dog.watch();
  return {
    dog,
    silent,
    asked: () => asked,
    /** Turns that come so far apart, ms. */
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

test('a worker that answers is asked on and on', () => {
  const { pass, silent, asked, close } = rig();
  pass(1000, 1000, true);
  close();
  expect(silent).toEqual([]);
  expect(asked()).toBe(1001);
});

test('a worker that stops answering is told once, after its limit, and asked no more meanwhile', () => {
  const { pass, silent, asked } = rig();
  pass(5, 1000, true);
  const before = asked();
  pass(9, 1000);
  expect(silent).toEqual([]);
  pass(20, 1000);
  expect(silent[0]).toBe(10_000);
  expect(asked()).toBe(before);
});

test('one that is slow to start has longer', () => {
  const { pass, silent } = rig();
  pass(29, 1000);
  expect(silent).toEqual([]);
  pass(1, 1000);
  expect(silent).toEqual([30_000]);
});

test('a machine that slept an hour, or in which nobody has a turn for long, is no silence', () => {
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

test('what rests is not watched, and has its whole time when it is watched again', () => {
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
