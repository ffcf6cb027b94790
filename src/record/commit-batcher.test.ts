import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../test/until.ts';
import { RecordingStore } from '../store/recording-store.ts';
import { CommitBatcher } from './commit-batcher.ts';

let database: Database;
let commits: CommitBatcher;
const put = (value: number) => () => {
  database.run('INSERT INTO numbers VALUES (?)', [value]);
};
const stored = (): number[] =>
  database
    .query<{ value: number }, []>('SELECT value FROM numbers ORDER BY value')
    .all()
    .map(({ value }) => value);

beforeEach(() => {
  database = new Database(':memory:', { strict: true });
  database.run('CREATE TABLE numbers (value INTEGER PRIMARY KEY)');
  commits = new CommitBatcher({ store: new RecordingStore(database) });
});
afterEach(() => database.close());

test('concurrent writes share a transaction, and each caller gets its own result', async () => {
  const all = [1, 2, 3].map((value) => commits.commit(put(value)));
  expect(stored()).toEqual([]);
  await Promise.all(all);
  expect(stored()).toEqual([1, 2, 3]);
});

test('a failing write does not fail the others', async () => {
  const results = await Promise.allSettled([1, 2, 2, 3].map((value) => commits.commit(put(value))));
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(stored()).toEqual([1, 2, 3]);
});

test('a failing transaction is reported to every caller', async () => {
  const all = [1, 2].map((value) => commits.commit(put(value)));
  database.run('BEGIN IMMEDIATE');
  database.run('PRAGMA query_only = 1');
  const results = await Promise.allSettled(all);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  database.run('PRAGMA query_only = 0');
  database.run('ROLLBACK');
  await commits.commit(put(5));
  expect(stored()).toEqual([5]);
});

test('other tasks run in between', async () => {
  const slow = (value: number) => () => {
    Bun.sleepSync(5);
    put(value)();
  };
  let turns = 0;
  const probe = setInterval(() => {
    turns += 1;
  }, 1);
  await Promise.all(Array.from({ length: 20 }, (_, value) => commits.commit(slow(value))));
  clearInterval(probe);
  expect(stored()).toHaveLength(20);
  expect(turns).toBeGreaterThan(3);
});

test('a flush stores pending writes at once', () => {
  void commits.commit(put(1));
  commits.flush();
  expect(stored()).toEqual([1]);
});

test('a change that was answered before it was stored is kept, however the database fails afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-commits-'));
  const path = join(folder, 'numbers.db');
  using other = new Database(path, { strict: true });
  other.run('CREATE TABLE numbers (value INTEGER PRIMARY KEY)');
  using own = new Database(path, { strict: true });
  const insert = (value: number) => () => void own.run('INSERT INTO numbers VALUES (?)', [value]);
  const late = new CommitBatcher({ store: new RecordingStore(own) });
  other.run('BEGIN IMMEDIATE');
  await late.commit(insert(1), 10);
  own.run('PRAGMA query_only = 1');
  other.run('ROLLBACK');
  expect(await late.commit(insert(2)).catch(() => 'failed')).toBe('failed');
  own.run('PRAGMA query_only = 0');
  const values = () => other.query('SELECT value FROM numbers').values().flat();
  await until('it is stored', () => values().length > 0);
  expect(values()).toEqual([1]);
  rmSync(folder, { recursive: true });
});
