import { describe, expect, test } from 'bun:test';
import { monotonicMs } from '../../lib/wire/times.ts';
import { type BufferedSpan, bufferedAhead } from '../player/media-timeline.ts';
import { afterStall, type Decision, LivePacing, startSteering, steer } from './live-pacing.ts';

const STEP_MS = 250;
const BEGIN = monotonicMs(0);

interface Run {
  position: number;
  lowest: number;
  latest: number;
  rates: Set<number>;
  jumps: number;
  steering: Decision['steering'];
}

/**
 * Plays `seconds` of a stream whose encoder is `lead` seconds ahead at the start and delivers fragments of
 * `fragment` seconds in real time.
 */
function play(seconds: number, lead: number, fragment: number, steering = startSteering(BEGIN)): Run {
  const run: Run = {
    position: 0,
    lowest: Number.POSITIVE_INFINITY,
    latest: 0,
    rates: new Set(),
    jumps: 0,
    steering,
  };
  let rate = 1;
  for (let at = STEP_MS; at <= seconds * 1000; at += STEP_MS) {
    const end = lead + Math.floor(at / 1000 / fragment) * fragment;
    run.position = Math.min(end, run.position + (STEP_MS / 1000) * rate);
    const decision = steer(run.steering, {
      at: monotonicMs(at),
      position: run.position,
      ranges: [{ start: 0, end }],
      running: true,
    });
    run.steering = decision.steering;
    rate = decision.rate;
    run.rates.add(rate);
    if (decision.seekTo !== undefined) {
      run.position = decision.seekTo;
      run.jumps += 1;
    }
    run.latest = end - run.position;
    if (at > (seconds - 5) * 1000) run.lowest = Math.min(run.lowest, run.latest);
  }
  return run;
}

describe('steer', () => {
  test('plays at its own pace when the buffer is right', () => {
    const run = play(20, 1.2, 0.5, startSteering(BEGIN, 0.8));
    expect([...run.rates]).toEqual([1]);
    expect(run.jumps).toBe(0);
  });

  test('catches up gently from three seconds behind', () => {
    const run = play(90, 3, 0.5, startSteering(BEGIN, 0.8));
    expect(run.jumps).toBe(0);
    expect(Math.max(...run.rates)).toBe(1.05);
    expect(run.lowest).toBeGreaterThan(0.5);
    expect(run.lowest).toBeLessThan(1.3);
  });

  test('jumps when far behind, and lands near the target', () => {
    const run = play(10, 30, 0.5);
    expect(run.jumps).toBe(1);
    expect(run.latest).toBeLessThan(2.2);
  });

  test('slows down rather than run dry', () => {
    const run = play(30, 0.2, 0.5);
    expect(Math.min(...run.rates)).toBe(0.97);
    expect(run.lowest).toBeGreaterThan(0.2);
  });

  test('a stall raises the target, quiet time lowers it again', () => {
    const raised = afterStall(afterStall(startSteering(BEGIN), BEGIN), BEGIN);
    expect(raised.target).toBeCloseTo(1.5);
    expect(play(605, 2.2, 0.5, raised).steering.target).toBeCloseTo(1.2);
    expect(play(605, 1.2, 0.5, startSteering(BEGIN, 0.3)).steering.target).toBeCloseTo(0.2);
    let endless = startSteering(BEGIN);
    for (let count = 0; count < 50; count += 1) endless = afterStall(endless, BEGIN);
    expect(endless.target).toBe(4);
  });

  const at = (position: number, ranges: BufferedSpan[], now: number, from = startSteering(BEGIN)) =>
    steer(from, { at: monotonicMs(now), position, ranges, running: true });

  test('seeks to the buffer at once when the position is outside it', () => {
    expect(at(0, [{ start: 100, end: 101 }], 10).seekTo).toBeCloseTo(100.02);
    const ranges = [
      { start: 0, end: 5 },
      { start: 8, end: 9 },
    ];
    expect(at(6, ranges, 10).seekTo).toBeCloseTo(8.02);
  });

  test('skips a gap only after stalling at its edge', () => {
    const ranges = [
      { start: 0, end: 5 },
      { start: 5.4, end: 8 },
    ];
    const first = at(5, ranges, 0);
    expect(first.seekTo).toBeUndefined();
    expect(at(5, ranges, 500, first.steering).seekTo).toBeCloseTo(5.42);
  });

  test('skips a gap after stalling, even if the element stopped short of its edge', () => {
    const ranges = [
      { start: 0, end: 4.89 },
      { start: 5.21, end: 8 },
    ];
    const first = steer(startSteering(BEGIN), {
      at: monotonicMs(250),
      position: 4.82,
      ranges,
      running: true,
    });
    expect(first.seekTo).toBeUndefined();
    const stood = steer(first.steering, { at: monotonicMs(750), position: 4.82, ranges, running: true });
    expect(stood.seekTo).toBeCloseTo(5.23);
  });

  test('does nothing while paused or without a buffer', () => {
    const paused = steer(startSteering(BEGIN), {
      at: monotonicMs(9000),
      position: 0,
      ranges: [{ start: 50, end: 99 }],
      running: false,
    });
    expect(paused.seekTo).toBeUndefined();
    expect(paused.rate).toBe(1);
    expect(at(0, [], 9000).seekTo).toBeUndefined();
  });
});

test('bufferedAhead counts to the next gap only', () => {
  const ranges = [
    { start: 0, end: 5 },
    { start: 8, end: 9 },
  ];
  expect(bufferedAhead(ranges, 2)).toBe(3);
  expect(bufferedAhead(ranges, 6)).toBe(0);
});

describe('LivePacing', () => {
  test('keeps 90 s for seeking back, also while paused, and no more than two minutes', () => {
    const pacing = new LivePacing(BEGIN, 0.8);
    expect(pacing.removable([{ start: 0, end: 112 }], 109, false)).toBeUndefined();
    expect(pacing.removable([{ start: 0, end: 113 }], 111, false)).toEqual({ start: 0, end: 21 });
    expect(pacing.removable([{ start: 0, end: 139 }], 3, true)).toBeUndefined();
    expect(pacing.removable([{ start: 0, end: 141 }], 3, true)).toEqual({ start: 0, end: 21 });
    expect(pacing.removable([], 61, false)).toBeUndefined();
    expect(pacing.edge([{ start: 31, end: 46 }])).toBeCloseTo(45.2);
    expect(pacing.edge([])).toBeUndefined();
  });

  test('keeps the position that the viewer sought, except at gaps', () => {
    const pacing = new LivePacing(BEGIN, 0.5);
    pacing.follows = false;
    for (let at = 250; at < 10_000; at += 250) {
      const pace = pacing.next({
        at: monotonicMs(at),
        position: at / 1000,
        ranges: [{ start: 0, end: 90 }],
        running: true,
      });
      expect(pace).toEqual({ rate: 1, seekTo: undefined });
    }
    const gap = pacing.next({
      at: monotonicMs(11_000),
      position: 10,
      ranges: [{ start: 20, end: 90 }],
      running: true,
    });
    expect(gap.seekTo).toBeCloseTo(20.02);
  });
});
