import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { FileSyncer } from './file-syncer.ts';

test('a file is put on disk by another thread, and what the system says to it is told', async () => {
  let workers = 0;
  const syncer = new FileSyncer(() => {
    workers += 1;
    return new Worker(new URL('../sync.worker.ts', import.meta.url));
  });
  const code = syncer
    .sync(join(import.meta.dir, 'no such file'))
    .catch((error: { code?: unknown }) => error.code);
  await syncer.sync(import.meta.path);
  expect(await code).toBe('ENOENT');
  expect(workers).toBe(1);
});
