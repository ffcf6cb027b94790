import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs } from '../../lib/host/clock.ts';
import { openReader } from './connection.ts';
import { openDatabase } from './database.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';
import { WriteLock } from './write-lock.ts';

const PAGE = 4096;
const BLOB = 'x'.repeat(PAGE);

let folder: string;
let path: string;
let database: Database;
let checkpointer: WalCheckpointer;
/** Step of the clock that measures the disk, ms per reading. */
let tickMs: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-log-'));
  path = join(folder, 'svc.db');
  database = openDatabase(path);
  database.run('CREATE TABLE blobs (id INTEGER PRIMARY KEY, text TEXT)');
  let at = 0;
  tickMs = 0;
  checkpointer = new WalCheckpointer(path, () => {
    at += tickMs;
    return monotonicMs(at);
  });
});

afterEach(() => {
  checkpointer.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Each commit has about two pages. */
function commit(count: number): void {
  const put = database.query('INSERT INTO blobs (text) VALUES (?)');
  database.transaction(() => {
    for (let done = 0; done < count; done += 1) put.run(BLOB);
  })();
}

const logBytes = (): number => statSync(`${path}-wal`).size;
const stored = (): number =>
  database.query<{ n: number }, []>('SELECT count(*) AS n FROM blobs').get()?.n ?? 0;

test('the WAL is checkpointed, restarted when it is long, and nothing is lost', () => {
  for (let round = 0; round < 30; round += 1) {
    commit(300);
    checkpointer.sync();
    const { pages } = checkpointer.look();
    expect(pages).toBeLessThan(4096 + 1500);
  }
  expect(logBytes()).toBeLessThan(32 * 1024 * 1024);
  expect(stored()).toBe(9000);
  expect(
    database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').get()?.integrity_check,
  ).toBe('ok');
});

test('only the checkpointer restarts the WAL, as that waits for the disk', () => {
  commit(1100);
  const { pages, unwritten } = checkpointer.look();
  expect(unwritten).toBe(0);
  expect(pages).toBeGreaterThan(1100);
  commit(1);
  expect(checkpointer.length().pages).toBeGreaterThan(pages);
  // Also with a WAL that the checkpointer restarted itself.
  commit(4000);
  expect(checkpointer.look().pages).toBeLessThan(10);
  commit(1);
  expect(checkpointer.length().pages).toBeGreaterThan(1);
});

test('a long read delays the restart of the WAL without blocking others; it restarts after the read', () => {
  const reader = openReader(path);
  reader.run('BEGIN');
  const before = reader.query<{ n: number }, []>('SELECT count(*) AS n FROM blobs');
  expect(before.get()?.n).toBe(0);
  for (let round = 0; round < 6; round += 1) {
    commit(1000);
    checkpointer.look();
  }
  expect(checkpointer.length().pages).toBeGreaterThan(6000);
  expect(before.get()?.n).toBe(0);
  expect(stored()).toBe(6000);
  reader.run('COMMIT');
  expect(checkpointer.look().pages).toBeLessThan(10);
  expect(logBytes()).toBeLessThan(100_000);
  reader.close();
});

test('on a slow disk the WAL is checkpointed when it is long, and restarted only when it is very long', () => {
  tickMs = 1000;
  checkpointer.sync();
  commit(1100);
  expect(checkpointer.look().unwritten).toBeGreaterThan(1100);
  tickMs = 0;
  checkpointer.sync();
  expect(checkpointer.look().unwritten).toBe(0);
  tickMs = 1000;
  commit(4000);
  expect(checkpointer.look().pages).toBeGreaterThan(5000);
  commit(12_000);
  expect(checkpointer.look().pages).toBeLessThan(10);
});

test('after closing the database is one complete file', () => {
  commit(10);
  checkpointer.close();
  database.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  database = openDatabase(path);
  expect(stored()).toBe(10);
  checkpointer = new WalCheckpointer(path, () => monotonicMs(0));
});

test('statistics of tables that grew are renewed, not while another thread writes', () => {
  database.run('CREATE INDEX blobs_by_text ON blobs (text)');
  commit(1_000);
  const rows = (): number =>
    database
      .query<{ n: number }, []>("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'sqlite_stat1'")
      .get()?.n ?? 0;
  const lock = new WriteLock();
  const locked = new WalCheckpointer(path, () => monotonicMs(0), lock.share());
  const end = lock.want();
  expect([locked.optimize(), rows()]).toEqual([false, 0]);
  end();
  expect([locked.optimize(), rows()]).toEqual([true, 1]);
  locked.close();
  expect(database.query("SELECT stat FROM sqlite_stat1 WHERE idx = 'blobs_by_text'").all()).toHaveLength(1);
});
