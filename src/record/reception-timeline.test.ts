import { expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { wallMs } from '../../host/clock.ts';
import { nothingMeasured } from '../model/verdict.ts';
import { ReceptionTimeline } from './reception-timeline.ts';

function reception(clock: { now: number }, former = nothingMeasured()) {
  return new ReceptionTimeline({
    former,
    broadcastClock: () => broadcastMs(clock.now),
    wallClock: () => wallMs(clock.now),
    began: () => {},
    onReceiving: () => {},
  });
}

const second = (from: number) => ({
  kind: 'progress' as const,
  progress: {
    second: { from, to: from + 1000, packets: 10, drops: 0, errors: 0, scrambled: 0, pcr: null },
    ...{ path: '/a.ts', size: 0, queued: 0, slowestMs: 0 },
  },
});

test('what is not received is told before it is over, and what comes after a stop is of the stop', () => {
  const clock = { now: 1000 };
  const first = reception(clock);
  first.begin();
  expect([first.isTried, first.soFar.breaks]).toEqual([true, []]);
  first.lose('no_tuner');
  clock.now = 6000;
  const saved = structuredClone(first.soFar);
  expect(saved.breaks).toEqual([{ cause: 'no_tuner', from: 1000, to: 6000 }]);
  expect(first.measured.breaks).toEqual([]);

  clock.now = 20_000;
  const next = reception(clock, saved);
  next.begin();
  next.beginLife();
  next.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, 0);
  next.take(second(0), 0);
  expect(next.measured).toMatchObject({
    stretches: [{ from: 20_000, to: 21_000 }],
    breaks: [
      { cause: 'no_tuner', from: 1000, to: 6000 },
      { cause: 'service_stopped', from: 6000, to: 20_000 },
    ],
    files: [{ path: '/a.ts' }],
  });
});

test('a clock that is set moves what this process told, and what it waits for', () => {
  const clock = { now: 10_000 };
  const former = { ...nothingMeasured(), stretches: [{ from: 0, to: 5000 }] };
  const one = reception(clock, former);
  one.begin();
  one.beginLife();
  one.take({ kind: 'opened', path: '/a.ts', size: 0, former: null }, 0);
  one.take(second(0), 0);
  clock.now += 600_000;
  one.clockSet(600_000);
  one.take(second(1000), 1000);
  expect(one.measured.stretches).toEqual([
    { from: 0, to: 5000 },
    { from: 610_000, to: 612_000 },
  ]);
  expect(one.measured.breaks).toEqual([{ cause: 'service_stopped', from: 5000, to: 610_000 }]);
});
