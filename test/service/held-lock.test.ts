/**
 * Another program holds the write lock of the database (`BEGIN IMMEDIATE`) when a recording is due: the
 * recording begins, every request is answered, and pending writes are stored once the lock is released.
 */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Recording, ReservationItem, Station } from '../../lib/wire/api.ts';
import { SVC } from '../built-programs.ts';
import { CrowdAgent } from '../faults/crowd-agent.ts';
import { MachineLateness } from '../machine-lateness.ts';
import { type Program, startProgram } from '../program.ts';
import { until } from '../until.ts';
import { putPrograms } from './guide-rows.ts';

/** On a quiet machine. A response that waited for the lock would take 5 s or never arrive. */
const ANSWER_MS = 3_000;
const MINUTE_MS = 60_000;

const folder = mkdtempSync(join(tmpdir(), 'svc-held-lock-'));
const path = join(folder, 'svc.db');
const agent = new CrowdAgent(1, 2);
let service: Program;

beforeAll(async () => {
  service = await startProgram(SVC, {
    ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: folder, TRUSTED_NETWORKS: '127.0.0.0/8' },
    TUNER_AGENT_URL: agent.url,
  });
});
afterAll(async () => {
  await service?.end();
  await agent.close();
  rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(method: string, what: string, body?: unknown) {
  const began = performance.now();
  const answer = await fetch(`${service.url}/api/${what}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const value = (text === '' ? null : JSON.parse(text)) as T;
  return { status: answer.status, value, ms: performance.now() - began };
}

/** Starts another process with an open write transaction. @returns a function that ends it */
async function holdLock(): Promise<() => Promise<void>> {
  const source = `
    const { Database } = require('bun:sqlite');
    const database = new Database(${JSON.stringify(path)});
    database.run('PRAGMA busy_timeout = 30000');
    database.run('BEGIN IMMEDIATE');
    console.log('held');
    await Bun.stdin.text();
    database.run('ROLLBACK');`;
  const child = Bun.spawn([process.execPath, '-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  const reader = child.stdout.getReader();
  await reader.read();
  return async () => {
    child.stdin.end();
    await child.exited;
  };
}

const recordedBytes = (): number => {
  const recordings = join(folder, 'recordings');
  return readdirSync(recordings).reduce((sum, name) => sum + statSync(join(recordings, name)).size, 0);
};

test('a recording begins, requests are answered, and the row follows when the lock is free', async () => {
  await until('the stations are known', async () =>
    (await ask<Station[]>('GET', 'services')).value.length === 2 ? true : undefined,
  );
  using lateness = await MachineLateness.start();
  const database = new Database(path);
  database.run('PRAGMA busy_timeout = 30000');
  const at = Date.now();
  const [first = 0, second = 0] = agent.stations;
  const [soon = 0, later = 0] = putPrograms(database, [
    {
      station: first,
      event: 1,
      startAt: at + 22_000,
      endAt: at + 10 * MINUTE_MS,
      name: '灯台の朝',
    },
    { station: second, event: 1, startAt: at + 30 * MINUTE_MS, endAt: at + 60 * MINUTE_MS, name: '港の夜' },
  ]);
  database.close();
  expect((await ask<ReservationItem>('POST', 'reservations', { programId: soon })).status).toBe(200);
  const release = await holdLock();
  const slowest: Record<string, number> = {};
  let refused: number | undefined;
  await until('it is recorded while the lock is held', async () => {
    for (const [method, what, body] of [
      ['GET', 'health', undefined],
      ['GET', 'recordings', undefined],
      ['GET', 'reservations', undefined],
      ['POST', 'reservations', { programId: later }],
    ] as const) {
      const { status, ms } = await ask(method, what, body);
      slowest[`${method} ${what}`] = Math.max(slowest[`${method} ${what}`] ?? 0, ms);
      if (method === 'POST') refused = status;
      else expect(status).toBe(200);
    }
    return recordedBytes() > 0 ? true : undefined;
  });
  expect(refused).toBe(503);
  if (!lateness.isTooSlow()) {
    const limitMs = lateness.widened(ANSWER_MS);
    for (const [what, ms] of Object.entries(slowest)) expect([what, ms < limitMs]).toEqual([what, true]);
  }
  expect((await ask<Recording[]>('GET', 'recordings?show=recording')).value).toEqual([]);
  await release();
  const [recording] = await until('its row is stored', async () => {
    const { value } = await ask<Recording[]>('GET', 'recordings?show=recording');
    return value.length === 1 && (value[0]?.progress?.bytes ?? 0) > 0 ? value : undefined;
  });
  expect(recording).toMatchObject({ title: '灯台の朝', state: 'recording' });
  expect((await ask('POST', 'reservations', { programId: later })).status).toBe(200);
  const stored = new Database(path, { readonly: true });
  // Each write is retried on its own, so one follows the other.
  const parts = await until('its file is stored', async () => {
    const rows = stored.query('SELECT recording_id AS id FROM recording_parts').all();
    return rows.length > 0 ? rows : undefined;
  });
  const state = stored.query('SELECT state FROM reservations WHERE program_id = ?').get(soon);
  stored.close();
  expect(parts).toEqual([{ id: recording?.id }]);
  expect(state).toEqual({ state: 'recording' });
});
