import { describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../arib/time.ts';
import { recordingId } from '../model/ids.ts';
import { type Keepable, type KeepLimits, recordingsToRetire } from './retention-policy.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = broadcastMs(1_800_000_000_000);

/** Recorded this many days ago; the number is also its id. */
function recorded(daysAgo: number, over: Partial<Keepable> = {}): Keepable {
  const startAt = broadcastMs(NOW - daysAgo * DAY - HOUR);
  return {
    id: recordingId(daysAgo),
    startAt,
    endAt: broadcastMs(startAt + HOUR),
    watchedAt: null,
    isProtected: false,
    state: 'recorded',
    ...over,
  };
}

const watched = { watchedAt: broadcastMs(NOW - HOUR) };
const going = (list: readonly Keepable[], limits: Partial<KeepLimits>): number[] =>
  recordingsToRetire(list, { keepNewest: null, keepDays: null, ...limits }, NOW).map(({ id }) => id);

describe('a rule that keeps the newest', () => {
  test('deletes the excess, the oldest first', () => {
    expect(going([recorded(1), recorded(4), recorded(2), recorded(3)], { keepNewest: 2 })).toEqual([4, 3]);
    expect(going([recorded(1), recorded(2)], { keepNewest: 2 })).toEqual([]);
  });

  test('deletes watched recordings before unwatched ones', () => {
    const list = [recorded(1, watched), recorded(2, watched), recorded(3), recorded(4)];
    expect(going(list, { keepNewest: 3 })).toEqual([2]);
    expect(going(list, { keepNewest: 1 })).toEqual([2, 1, 4]);
  });

  test('additionally keeps protected recordings and those in progress', () => {
    const list = [
      recorded(0, { state: 'recording' }),
      recorded(1),
      recorded(2),
      recorded(9, { isProtected: true }),
    ];
    expect(going(list, { keepNewest: 1 })).toEqual([2]);
    expect(going(list, { keepNewest: 2 })).toEqual([]);
  });

  test('does not wait for an encode', () => {
    expect(going([recorded(1, { state: 'available' }), recorded(2)], { keepNewest: 1 })).toEqual([2]);
  });

  test('deletes nothing because of a failed one, which is deleted when all kept ones are newer', () => {
    const failed = (daysAgo: number) => recorded(daysAgo, { state: 'failed' });
    expect(going([failed(1), recorded(2), recorded(3)], { keepNewest: 2 })).toEqual([]);
    expect(going([recorded(1), recorded(2), failed(3)], { keepNewest: 2 })).toEqual([3]);
    expect(going([recorded(1), failed(3)], { keepNewest: 2 })).toEqual([]);
    expect(going([recorded(1), failed(2), recorded(3)], { keepNewest: 1 })).toEqual([3, 2]);
  });
});

describe('a rule that keeps for days', () => {
  test('deletes older recordings, watched or not', () => {
    const list = [
      recorded(6),
      recorded(7),
      recorded(8),
      recorded(9, watched),
      recorded(10, { state: 'failed' }),
    ];
    expect(going(list, { keepDays: 7 })).toEqual([9, 10, 8]);
  });

  test('and a number of the newest', () => {
    expect(
      going(
        [1, 2, 3, 8].map((day) => recorded(day)),
        { keepDays: 7, keepNewest: 2 },
      ),
    ).toEqual([8, 3]);
  });
});

test('a rule without limits keeps everything', () => {
  expect(going([recorded(9999), recorded(1, watched)], {})).toEqual([]);
});

test('for any recordings: deletes none that is protected or in progress, and keeps the number of good ones', () => {
  for (let seed = 1; seed < 2_000; seed++) {
    const bit = (shift: number, size: number): number => ((seed * 2_654_435_761) >>> shift) % size;
    const list = Array.from({ length: bit(3, 9) }, (_, index) => {
      const state =
        (['recorded', 'failed', 'available', 'recording'] as const)[(seed >>> index) % 4] ?? 'recorded';
      const isWatched = (seed * (index + 3)) % 3 === 0;
      return recorded((seed * (index + 1)) % 40, {
        id: recordingId(index),
        state,
        isProtected: (seed + index) % 5 === 0,
        watchedAt: isWatched ? NOW : null,
      });
    });
    const limits = {
      keepNewest: bit(7, 2) === 0 ? null : bit(9, 4) + 1,
      keepDays: bit(11, 2) === 0 ? null : bit(13, 30),
    };
    const gone = recordingsToRetire(list, limits, NOW);
    expect(gone.filter((one) => one.isProtected || one.state === 'recording')).toEqual([]);
    const rest = list.filter((one) => !gone.includes(one));
    expect(recordingsToRetire(rest, limits, NOW)).toEqual([]);
    const isGood = (one: Keepable): boolean =>
      !one.isProtected && (one.state === 'recorded' || one.state === 'available');
    const young = list.filter(
      (one) => isGood(one) && (limits.keepDays === null || one.endAt >= NOW - limits.keepDays * DAY),
    );
    expect(rest.filter(isGood).length).toBe(Math.min(young.length, limits.keepNewest ?? young.length));
  }
});
