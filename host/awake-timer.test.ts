import { expect, test } from 'bun:test';
import { AwakeTimer } from './awake-timer.ts';
import { monotonicMs } from './clock.ts';

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
