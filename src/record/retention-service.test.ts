/** Expiry by age, and the case that the time is not known. */
import { describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemWallClock } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { Hub } from '../notify/hub.ts';
import { openDatabase } from '../store/database.ts';
import { RecycleBin } from '../store/recycle-bin.ts';
import {
  type Keepable,
  type KeepLimits,
  PlaybackActivity,
  RetentionService,
  recordingsToRetire,
} from './retention-service.ts';

const START = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A database with a station, a row of one of its programmes, and what a service needs besides its clock. */
function home() {
  const root = mkdtempSync(join(tmpdir(), 'svc-retention-'));
  const folder = join(root, 'recordings');
  const database = openDatabase(join(root, 'svc.db'));
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (101, 'BS', 4, 101, 'BS01_0', '衛星', 1, 101, 0)`,
  );
  const row = { station: 101, serviceName: '衛星', name: '番組', startAt: START, endAt: START + HOUR };
  const options = {
    recycleBin: new RecycleBin(database),
    hub: new Hub(() => {}),
    intervalMs: DAY,
    log: createLog({ level: 'error', now: systemWallClock, write: () => {} }),
  };
  const close = (): void => {
    database.close();
    rmSync(root, { recursive: true });
  };
  return { database, folder, row, options, close };
}

test('nothing is deleted while the clock may be wrong', async () => {
  const { database, folder, row, options, close } = home();
  database.run(
    `INSERT INTO rules (id, name, conditions, keep_days, created_at, updated_at) VALUES (1, 'r', '{"keyword":"番組"}', 7, 0, 0)`,
  );
  putRecording(database, { ...row, ruleId: 1 }, folder);
  putRecording(database, { ...row, binnedAt: START + 2 * HOUR }, folder);
  const deleted = putRecording(database, { ...row, content: null }, folder);
  database.run(`UPDATE recordings SET deleted_at = ${START + HOUR} WHERE id = ${deleted}`);
  let now = broadcastMs(START + 60 * DAY);
  let isSure = false;
  const retention = new RetentionService({
    ...options,
    now: () => now,
    isTimeSure: () => isSure,
  });
  const left = (): unknown =>
    database
      .query('SELECT binned_at > 0 AS binned, deleted_at > 0 AS deleted FROM recordings ORDER BY id')
      .values();
  try {
    await retention.run();
    expect(left()).toEqual([
      [null, null],
      [1, null],
      [null, 1],
    ]);
    expect(readdirSync(folder)).toHaveLength(2);
    // A day after the recording.
    now = broadcastMs(START + DAY);
    isSure = true;
    await retention.run();
    expect(readdirSync(folder)).toHaveLength(2);
    now = broadcastMs(START + 60 * DAY);
    await retention.run();
    expect(left()).toEqual([
      [1, null],
      [1, 1],
    ]);
    expect(readdirSync(folder)).toHaveLength(1);
    expect(existsSync(folder)).toBe(true);
  } finally {
    await retention.close();
    close();
  }
});

test('the bin is emptied also after the clock was set back', async () => {
  const { database, folder, row, options, close } = home();
  putRecording(database, { ...row, binnedAt: START + 2 * HOUR }, folder);
  const retention = new RetentionService({
    ...options,
    now: () => broadcastMs(START + HOUR),
  });
  try {
    expect(await retention.emptyBin()).toMatchObject({ count: 1, isRemoved: true });
    expect(retention.binned().count).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  } finally {
    await retention.close();
    close();
  }
});

describe('retention policy', () => {
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
});

test('viewers renew their activity; those that stopped expire', () => {
  let now = 0;
  const watching = new PlaybackActivity(() => broadcastMs(now));
  watching.note(recordingId(1));
  now += 300_000;
  watching.note(recordingId(2));
  expect([1, 2, 3].map((id) => watching.isWatched(recordingId(id)))).toEqual([true, true, false]);
  now += 300_000;
  expect([1, 2].map((id) => watching.isWatched(recordingId(id)))).toEqual([false, true]);
  watching.note(recordingId(2));
  now += 599_999;
  expect(watching.isWatched(recordingId(2))).toBe(true);
  // A clock step of a day does not affect who is watching.
  now -= 86_400_000;
  expect(watching.isWatched(recordingId(2))).toBe(false);
});
