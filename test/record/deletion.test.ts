/** Recordings are purged from the recycle bin while the purging process is killed repeatedly. */
import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIN_MS } from '../../lib/wire/api.ts';
import { openDatabase } from '../../src/store/database.ts';
import { fuzzSeed, Random } from '../fuzz/random.ts';
import { putRecording } from '../service/recording-rows.ts';
import { until } from '../until.ts';

const RECORDINGS = 1_500;
const KILLS = 12;
/** Number of files by which the deletion may overshoot before the process is killed. */
const SLACK = 100;
const HOUR = 3_600_000;
const seed = fuzzSeed();

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test(`a kill never leaves a file without a row, or a recording without its file (FUZZ_SEED=${seed})`, async () => {
  const random = new Random(seed);
  const root = mkdtempSync(join(tmpdir(), 'svc-deletion-'));
  const folder = join(root, 'recordings');
  const path = join(root, 'svc.db');
  const database = openDatabase(path);
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
     VALUES (101, 'BS', 4, 101, 'BS01_0', '衛星', 1, 101, 0)`,
  );
  const now = Date.now();
  const row = { station: 101, serviceName: '衛星', name: '番組', content: new Uint8Array(188) };
  database
    .transaction(() => {
      for (let index = 0; index < RECORDINGS; index++) {
        const startAt = now - 90 * HOUR;
        // Every tenth is kept.
        const binnedAt = index % 10 === 0 ? null : now - BIN_MS - index;
        putRecording(database, { ...row, startAt, endAt: startAt + HOUR, binnedAt }, folder);
      }
    })
    .immediate();
  const named = (where: string): string[] =>
    database
      .query<{ path: string }, []>(
        `SELECT path FROM recording_files JOIN recordings ON id = recording_id WHERE ${where} ORDER BY path`,
      )
      .all()
      .map((one) => one.path);
  const staying = named('binned_at IS NULL');
  const agree = (): void => {
    const all = new Set(named('1'));
    expect(readdirSync(folder).filter((name) => !all.has(join(folder, name)))).toEqual([]);
    expect(named('deleted_at IS NULL').filter((one) => !existsSync(one))).toEqual([]);
    expect(named('binned_at IS NULL')).toEqual(staying);
  };
  const start = async (least: number) => {
    const file = join(import.meta.dir, 'deletion-process.ts');
    const child = Bun.spawn([process.execPath, file, path, folder, `${least}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await child.stdout.getReader().read();
    return child;
  };
  let interrupted = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const before = readdirSync(folder).length;
    if (before === staying.length) break;
    const some = Math.max(staying.length, before - random.below(250));
    const child = await start(some - SLACK);
    while (readdirSync(folder).length > some) await nextTurn();
    child.kill('SIGKILL');
    await child.exited;
    agree();
    const left = named('binned_at IS NOT NULL').length;
    if (left > 0 && left < RECORDINGS - staying.length) interrupted += 1;
  }
  const last = await start(0);
  await until(() => named('1').length === staying.length);
  last.kill('SIGKILL');
  await last.exited;
  agree();
  expect(readdirSync(folder).length).toBe(staying.length);
  expect(interrupted).toBeGreaterThan(0);
  database.close();
  rmSync(root, { recursive: true, force: true });
});
