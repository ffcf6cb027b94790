/** Expiry by age, and the case that the time is not known. */

import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../arib/time.ts';
import { systemWallClock } from '../../host/clock.ts';
import { createLog } from '../../host/log.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { Hub } from '../hub/hub.ts';
import { openDatabase } from '../store/database.ts';
import { RecycleBin } from '../store/recycle-bin.ts';
import { RetentionService } from './retention-service.ts';

const START = Date.UTC(2026, 10, 21);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test('nothing is deleted while the clock may be wrong', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-retention-'));
  const folder = join(root, 'recordings');
  const database = openDatabase(join(root, 'svc.db'));
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (101, 'BS', 4, 101, 'BS01_0', '衛星', 1, 101, 0)`,
  );
  database.run(
    `INSERT INTO rules (id, name, conditions, keep_days, created_at, updated_at) VALUES (1, 'r', '{"keyword":"番組"}', 7, 0, 0)`,
  );
  const row = { station: 101, serviceName: '衛星', name: '番組', startAt: START, endAt: START + HOUR };
  putRecording(database, { ...row, ruleId: 1 }, folder);
  putRecording(database, { ...row, binnedAt: START + 2 * HOUR }, folder);
  const deleted = putRecording(database, { ...row, content: null }, folder);
  database.run(`UPDATE recordings SET deleted_at = ${START + HOUR} WHERE id = ${deleted}`);
  let now = broadcastMs(START + 60 * DAY);
  let isSure = false;
  const retention = new RetentionService({
    recycleBin: new RecycleBin(database),
    hub: new Hub(() => {}),
    intervalMs: DAY,
    log: createLog({ level: 'error', now: systemWallClock, write: () => {} }),
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
    database.close();
    rmSync(root, { recursive: true });
  }
});
