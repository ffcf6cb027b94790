/**
 * A worker of the service holds the database's write lock for seconds, again and again: nothing that must be written is
 * refused or forgotten, and the main thread does not stand still meanwhile.
 */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { WorkerLink } from '../../lib/host/worker-link.ts';
import type { GuideContract } from '../../src/guide/guide-messages.ts';
import { openDatabase } from '../../src/store/database.ts';
import {
  atomically,
  isLocked,
  limitLockWait,
  stopWaiting,
  whenWritable,
} from '../../src/store/transaction.ts';
import { type WorkerLock, WriteLock } from '../../src/store/write-lock.ts';
import { until } from '../until.ts';
import { startTestService, type TestService } from './harness.ts';
import { putRecording } from './recording-rows.ts';
import { HELD_MS } from './writer.worker.ts';

/** `atomically` waits for 250 ms for the worker and for 20 ms for SQLite; the rest is for other load on the machine. */
const BLOCKED_MS = 900;
const startWriter = (): Worker => new Worker(new URL('./writer.worker.ts', import.meta.url));

/** The longest time that the event loop of this thread, and of the service in it, did not run. */
class Beat {
  longestMs = 0;
  #at = performance.now();
  readonly #timer = setInterval(() => {
    const now = performance.now();
    this.longestMs = Math.max(this.longestMs, now - this.#at);
    this.#at = now;
  }, 5);

  stop(): number {
    clearInterval(this.#timer);
    return this.longestMs;
  }
}

let service: TestService;

beforeAll(async () => {
  service = await startTestService({
    environment: { RECONCILE_INTERVAL: '300' },
    startGuideWorker: startWriter,
  });
});
afterAll(() => service?.close());

test("users' changes are stored, and answers to others do not wait for them", async () => {
  const beat = new Beat();
  let isOver = false;
  const reads = (async (): Promise<number> => {
    let slowest = 0;
    while (!isOver) {
      const began = performance.now();
      expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - began);
      await Bun.sleep(10);
    }
    return slowest;
  })();
  const headers = { 'content-type': 'application/json' };
  for (const marginBefore of [1000, 2000, 3000, 4000]) {
    const body = JSON.stringify({ marginBefore });
    const answer = await fetch(`${service.url}/api/settings`, { method: 'PUT', headers, body });
    expect(answer.status).toBe(200);
    // The worker goes on before the next one.
    await Bun.sleep(HELD_MS / 3);
  }
  isOver = true;
  expect(await reads).toBeLessThan(BLOCKED_MS);
  expect(beat.stop()).toBeLessThan(BLOCKED_MS);
  const stored = new Database(join(service.folder, 'svc.db'), { readonly: true });
  const row = stored.query("SELECT value FROM settings WHERE key = 'marginBefore'").get();
  stored.close();
  expect(row).toEqual({ value: '4000' });
});

test('a recording whose encode was not queued at its end is queued without a restart', async () => {
  const database = new Database(join(service.folder, 'svc.db'), { strict: true });
  database.run('PRAGMA busy_timeout = 30000');
  database.run('BEGIN IMMEDIATE');
  const endAt = Date.now() - 60_000;
  const row = {
    station: 3273601024,
    serviceName: 'ひばり放送',
    name: '灯台の朝',
    startAt: endAt - 600_000,
    endAt,
  };
  const id = putRecording(database, { ...row, encode: 'h264' }, join(service.folder, 'recordings'));
  database.run('COMMIT');
  const queued = await until(
    'it is queued',
    () => database.query('SELECT state FROM encodes WHERE recording_id = ?').get(id) ?? undefined,
  );
  expect(queued).toMatchObject({ state: expect.any(String) });
  database.close();
  const lines = service.lines.filter(
    (line) => /^(WARN|ERROR)/.test(line) && /lock|not planned|not stored/.test(line),
  );
  expect(lines).toEqual([]);
});

/** A database with a worker that writes it. */
function workshop() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-writer-'));
  const path = join(folder, 'svc.db');
  const database = openDatabase(path);
  const lock = new WriteLock();
  limitLockWait(database, lock);
  const held: WorkerLock = lock.share();
  const link = new WorkerLink<GuideContract>({
    name: 'writer',
    startWorker: startWriter,
    log: SILENT_LOG,
    watchdog: null,
    setup: (send) => send({ kind: 'open', path, lock: held, writeMs: { visit: 0, feed: 0 } }),
  });
  link.start();
  const isHeld = (): Promise<true> =>
    until('the worker writes', () => (lock.freeBlocking(0) ? undefined : true));
  const put = (value: string) =>
    atomically(database, () =>
      database.run('INSERT OR REPLACE INTO settings VALUES (?, ?, 0)', ['x', value]),
    );
  const close = async (): Promise<void> => {
    await link.close(0);
    database.close();
    rmSync(folder, { recursive: true });
  };
  return { database, lock, held, link, isHeld, put, close };
}

test('a write that must happen follows the transaction in progress, and blocks nothing meanwhile', async () => {
  const { database, isHeld, put, close } = workshop();
  const beat = new Beat();
  for (let turn = 0; turn < 4; turn++) {
    await isHeld();
    const began = performance.now();
    await whenWritable(database, () => put(String(turn)));
    expect(performance.now() - began).toBeLessThan(2 * HELD_MS);
  }
  expect(beat.stop()).toBeLessThan(BLOCKED_MS);
  await close();
});

test('a write that does not wait is refused soon, and further ones at once', async () => {
  const { database, isHeld, put, close } = workshop();
  await isHeld();
  const took = [0, 0, 0].map(() => {
    const began = performance.now();
    let error: unknown;
    try {
      put('a');
    } catch (thrown) {
      error = thrown;
    }
    expect(isLocked(error)).toBe(true);
    return performance.now() - began;
  });
  expect(took[0]).toBeLessThan(700);
  expect(Math.min(took[1] ?? 0, took[2] ?? 0)).toBeLessThan(150);
  // The end of the service does not wait for it.
  stopWaiting(database);
  const began = performance.now();
  await whenWritable(database, () => put('b')).catch(() => {});
  expect(performance.now() - began).toBeLessThan(700);
  await close();
});

test('the lock of a worker that is lost in its transaction is released', async () => {
  const { database, lock, held, link, isHeld, put, close } = workshop();
  await isHeld();
  await link.close(0);
  lock.revoke(held);
  await whenWritable(database, () => put('a'), 5_000);
  expect(lock.freeBlocking(0)).toBe(true);
  await close();
});
