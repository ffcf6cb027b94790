/**
 * Stands in for the guide worker: one transaction after the other. By default each holds the database's write lock for
 * seconds, as if the thread got no processor; with WRITER_MS in the environment it computes for as long as the guide
 * worker does, so that on a starved machine it really gets none.
 */
import { Database } from 'bun:sqlite';
import { serveWorker } from '../../lib/host/worker-server.ts';
import type { GuideContract } from '../../src/guide/guide-messages.ts';
import { holding, type WorkerLock } from '../../src/store/write-lock.ts';

declare const self: Worker;

export const HELD_MS = 1_500;
/** Longer than SQLite's polling interval, so that another program gets the lock too. */
const PAUSE_MS = 120;
const COMPUTING_MS = Number(process.env.WRITER_MS ?? 0);

function hold(): void {
  const until = performance.now() + COMPUTING_MS;
  if (COMPUTING_MS === 0) Bun.sleepSync(HELD_MS);
  while (performance.now() < until);
}

async function write(path: string, lock: WorkerLock): Promise<never> {
  const database = new Database(path, { strict: true });
  database.run('PRAGMA busy_timeout = 5000');
  const transaction = database.transaction(() => {
    database.run("UPDATE counters SET value = value WHERE name = 'recordings'");
    hold();
  });
  for (;;) {
    await holding(lock, () => transaction.immediate());
    await Bun.sleep(COMPUTING_MS === 0 ? PAUSE_MS : COMPUTING_MS);
  }
}

serveWorker<GuideContract>(self, () => ({
  requests: { end: () => null },
  order: (order) => {
    if (order.kind === 'open') void write(order.path, order.lock);
  },
}));
