import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import type { FromWorker, ToWorker } from '../../lib/host/worker-link.ts';
import { until } from '../../test/until.ts';
import { Failure } from '../model/failure.ts';
import { startDatabaseWorker } from '../workers.ts';
import { openDatabase } from './database.ts';
import { DatabaseWorkerClient } from './database-worker-client.ts';
import { WriteLock } from './write-lock.ts';

/** A stub of a worker whose disk finishes when the test decides. */
class FakeWorker extends EventTarget {
  readonly got: ToWorker[] = [];
  postMessage(message: ToWorker): void {
    this.got.push(message);
  }
  isTerminated = false;
  terminate(): void {
    this.isTerminated = true;
  }
  answer(data: FromWorker): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  requests(name: string) {
    return this.got.flatMap((one) => (one.link === 'request' && one.name === name ? [one] : []));
  }
  answered(name: string, body: unknown): void {
    const { id } = this.requests(name).at(-1) ?? { id: 0 };
    this.answer({ link: 'answer', id, body });
  }
  refused(message: string): void {
    const { id } = this.requests('sync').at(-1) ?? { id: 0 };
    this.answer({ link: 'failed', id, message, code: null });
  }
}

let database: Database;
let workers: FakeWorker[];
let lines: string[];
let client: DatabaseWorkerClient;

beforeEach(() => {
  database = new Database(':memory:', { strict: true });
  database.run('CREATE TABLE numbers (value INTEGER)');
  workers = [];
  lines = [];
  client = new DatabaseWorkerClient({
    writeLock: new WriteLock(),
    database,
    path: 'svc.db',
    startWorker: () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker as unknown as Worker;
    },
    log: createLog({ level: 'info', now: () => wallMs(0), write: (line) => lines.push(line) }, 'database'),
    limitMs: 200,
  });
});
afterEach(() => database.close());

const commit = (): void => {
  database.run('INSERT INTO numbers VALUES (1)');
};
const syncs = (): number => workers.at(-1)?.requests('sync').length ?? 0;
const synced = (worker = 0): void => workers[worker]?.answered('sync', null);
/** State of the promise after a turn of the event loop. */
async function state(promise: Promise<void>): Promise<string> {
  const later = new Promise<string>((resolve) => setTimeout(() => resolve('waits'), 5));
  return await Promise.race([promise.then(() => 'stored'), later]);
}

test('without a commit there is nothing to wait for', async () => {
  await client.stored();
  expect(workers).toHaveLength(0);
});

test('commits made while the disk is busy share its next sync', async () => {
  commit();
  const first = client.stored();
  expect(await state(first)).toBe('waits');
  commit();
  const [second, third] = [client.stored(), client.stored()];
  expect(syncs()).toBe(1);
  synced();
  await first;
  expect(await state(second)).toBe('waits');
  expect(syncs()).toBe(2);
  synced();
  await Promise.all([second, third]);
  await client.stored();
  expect(syncs()).toBe(2);
});

test('a sync that fails or times out is reported to all waiting callers; the next one is tried again', async () => {
  commit();
  const refused = client.stored();
  workers[0]?.refused('EIO');
  expect(refused).rejects.toBeInstanceOf(Failure);
  await refused.catch(() => {});
  expect(lines.join('')).toContain('EIO');
  await expect(client.stored()).rejects.toMatchObject({ code: 'busy' });
  synced();
  await client.stored();
});

test('a worker that died is restarted', async () => {
  commit();
  const lost = client.stored();
  workers[0]?.dispatchEvent(new ErrorEvent('error', { message: 'gone' }));
  await expect(lost).rejects.toBeInstanceOf(Failure);
  const again = client.stored();
  expect(workers).toHaveLength(2);
  synced(1);
  await again;
});

test('an integrity check runs in a worker of its own that ends with it; the same damage is logged once', async () => {
  client = new DatabaseWorkerClient({ ...client.options, inspectMs: 1 });
  client.start();
  await until('the inspection', async () => (workers.length === 2 ? true : undefined));
  expect(workers[1]?.requests('inspect').map(({ body }) => body)).toEqual([{ path: 'svc.db' }]);
  const fields = [{ table: 'programs', row: 5, field: 'genres' }];
  const field = { table: 'programs', row: 5, field: 'genres' };
  workers[1]?.answered('inspect', { fields: [...fields, field], problems: ['page 3', 'page 3'] });
  await until('its end', async () => (workers[1]?.isTerminated ? true : undefined));
  expect(client.trouble).toContain('壊れて');
  expect(lines.map((line) => line.replace(/^\S+ \S+ /, '').trim())).toHaveLength(2);
  expect(lines.join('')).toContain('row=5');
  const closing = client.close();
  workers[0]?.answer({ link: 'closed' });
  await closing;
});

test('shutdown reports whether everything is in the database, and closes once', async () => {
  client.start();
  const closing = client.close();
  workers[0]?.answer({ link: 'closed' });
  expect(await closing).toBe(true);
  expect(await client.close()).toBe(false);
});

test('a worker that hangs without dying is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-database-worker-'));
  const path = join(folder, 'svc.db');
  const real = openDatabase(path);
  const hanging = URL.createObjectURL(new Blob(['onmessage = () => { for (;;); };']));
  const started: Worker[] = [];
  const replaced = new DatabaseWorkerClient({
    ...client.options,
    ...{ database: real, path, limitMs: 30_000 },
    watchdog: { askMs: 20, limitMs: 30_000, startLimitMs: 1_000 },
    startWorker: () => {
      const worker = started.length === 0 ? new Worker(hanging) : startDatabaseWorker();
      started.push(worker);
      return worker;
    },
  });
  try {
    real.run("INSERT INTO settings VALUES ('theme', '1', 0)");
    await expect(replaced.stored()).rejects.toBeInstanceOf(Failure);
    expect(lines.join('')).toContain('database worker');
    await until('what was committed is on disk', () =>
      replaced.stored().then(
        () => true,
        () => undefined,
      ),
    );
    expect(started.length).toBeGreaterThan(1);
    expect(await replaced.close()).toBe(true);
  } finally {
    real.close();
    rmSync(folder, { recursive: true });
  }
});
