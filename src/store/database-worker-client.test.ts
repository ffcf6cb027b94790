import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { createLog } from '../../host/log.ts';
import { Failure } from '../model/failure.ts';
import { DatabaseWorkerClient } from './database-worker-client.ts';
import type { FromDatabaseWorker, ToDatabaseWorker } from './database-worker-messages.ts';

/** A disk that is done when the test says so. */
class FakeWorker extends EventTarget {
  readonly got: ToDatabaseWorker[] = [];
  postMessage(message: ToDatabaseWorker): void {
    this.got.push(message);
  }
  isTerminated = false;
  terminate(): void {
    this.isTerminated = true;
  }
  answer(data: FromDatabaseWorker): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  synced(error: string | null = null): void {
    const last = this.got.findLast((one) => one.kind === 'sync');
    if (last?.kind === 'sync') this.answer({ kind: 'synced', serial: last.serial, error });
  }
}

let database: Database;
let workers: FakeWorker[];
let lines: string[];
let keeper: DatabaseWorkerClient;

beforeEach(() => {
  database = new Database(':memory:', { strict: true });
  database.run('CREATE TABLE numbers (value INTEGER)');
  workers = [];
  lines = [];
  keeper = new DatabaseWorkerClient({
    database,
    path: 'svc.db',
    startWorker: () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker as unknown as Worker;
    },
    log: createLog({ level: 'info', now: () => 0, write: (line) => lines.push(line) }, 'database'),
    limitMs: 200,
  });
});
afterEach(() => database.close());

const commit = (): void => {
  database.run('INSERT INTO numbers VALUES (1)');
};
const syncs = (): number => workers.at(-1)?.got.filter(({ kind }) => kind === 'sync').length ?? 0;
/** What it has come to by the next turn. */
async function state(promise: Promise<void>): Promise<string> {
  const later = new Promise<string>((resolve) => setTimeout(() => resolve('waits'), 5));
  return await Promise.race([promise.then(() => 'stored'), later]);
}

test('nothing committed waits for nothing', async () => {
  await keeper.stored();
  expect(workers).toHaveLength(0);
});

test('what is committed while the disk is busy waits for its next answer, all of it together', async () => {
  commit();
  const first = keeper.stored();
  expect(await state(first)).toBe('waits');
  commit();
  const [second, third] = [keeper.stored(), keeper.stored()];
  expect(syncs()).toBe(1);
  workers[0]?.synced();
  await first;
  expect(await state(second)).toBe('waits');
  expect(syncs()).toBe(2);
  workers[0]?.synced();
  await Promise.all([second, third]);
  await keeper.stored();
  expect(syncs()).toBe(2);
});

test('a disk that refuses, or gives no answer, is told to whoever waits; the next is asked again', async () => {
  commit();
  const refused = keeper.stored();
  workers[0]?.synced('EIO');
  expect(refused).rejects.toBeInstanceOf(Failure);
  await refused.catch(() => {});
  expect(lines.join('')).toContain('EIO');
  await expect(keeper.stored()).rejects.toMatchObject({ code: 'busy' });
  workers[0]?.synced();
  await keeper.stored();
});

test('a worker that died is started anew', async () => {
  commit();
  const lost = keeper.stored();
  workers[0]?.dispatchEvent(new ErrorEvent('error', { message: 'gone' }));
  await expect(lost).rejects.toBeInstanceOf(Failure);
  const again = keeper.stored();
  expect(workers).toHaveLength(2);
  workers[1]?.synced();
  await again;
});

test('the same damage is told once', () => {
  keeper.start();
  const fields = [{ table: 'programs', row: 5, field: 'genres' }];
  for (let day = 0; day < 2; day += 1) workers[0]?.answer({ kind: 'damaged', fields, problems: ['page 3'] });
  expect(lines.map((line) => line.replace(/^\S+ \S+ /, '').trim())).toHaveLength(2);
  expect(lines.join('')).toContain('row=5');
});

test('everything is looked through by a worker of its own, which goes when it has told', async () => {
  keeper = new DatabaseWorkerClient({ ...keeper.options, inspectMs: 1 });
  keeper.start();
  while (workers.length < 2) await Bun.sleep(1);
  expect(workers[1]?.got).toEqual([{ kind: 'inspect', path: 'svc.db' }]);
  workers[1]?.answer({ kind: 'damaged', fields: [], problems: ['page 3'] });
  expect(workers[1]?.isTerminated).toBe(true);
  expect(keeper.trouble).toContain('壊れて');
  const closing = keeper.close();
  workers[0]?.answer({ kind: 'down' });
  await closing;
});

test('the end does not wait for a disk that hangs', async () => {
  keeper.start();
  const closing = keeper.close();
  workers[0]?.answer({ kind: 'down' });
  expect(await closing).toBe(true);
  expect(await keeper.close()).toBe(false);
});
