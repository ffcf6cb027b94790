import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { FileSyncer } from './file-syncer.ts';

const startWorker = (): Worker => new Worker(new URL('../sync.worker.ts', import.meta.url));

test('a file is synced by another thread, and a system error keeps its code', async () => {
  let workers = 0;
  const syncer = new FileSyncer(() => {
    workers += 1;
    return startWorker();
  });
  const code = syncer
    .sync(join(import.meta.dir, 'no such file'))
    .catch((error: { code?: unknown }) => error.code);
  await syncer.sync(import.meta.path);
  expect(await code).toBe('ENOENT');
  expect(workers).toBe(1);
  await syncer.close();
});

test('a worker that dies rejects pending syncs and is replaced', async () => {
  const workers: Worker[] = [];
  const syncer = new FileSyncer(() => {
    const worker = startWorker();
    workers.push(worker);
    return worker;
  });
  await syncer.sync(import.meta.path);
  workers[0]?.dispatchEvent(new ErrorEvent('error', { message: 'out of memory' }));
  await syncer.sync(import.meta.path);
  expect(workers).toHaveLength(2);
  await syncer.close();
  const refused = await syncer.sync(import.meta.path).catch((error: { kind?: unknown }) => error.kind);
  expect(refused).toBe('closed');
});
