/**
 * `--long`: the service shares one processor with 40 busy processes, while its guide worker writes without a pause:
 * recordings, their encodes, plans and the changes of users are all stored, without a restart.
 */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Recording, ReservationItem, Station } from '../../lib/wire/api.ts';
import { putPrograms } from '../service/guide-rows.ts';
import { until } from '../until.ts';
import { CrowdAgent } from './crowd-agent.ts';
import { LONG } from './household.ts';

const STATIONS = 7;
/** `STARVED_BUSY` for a machine that other work starves as well. */
const BUSY = Number(process.env.STARVED_BUSY ?? 40);
const SECONDS = 20;
/** Until the programmes begin. */
const LEAD_MS = 60_000;
/** As long as a transaction of the guide worker. */
const WRITER_MS = 8;
const FORGETTING = /locked|not planned|not queued|not stored|retention failed|not recovered/;

const agent = new CrowdAgent(STATIONS, 1);
const busy: Bun.Subprocess[] = [];
let service: Bun.Subprocess<'pipe', 'pipe', 'inherit'>;
let output: ReturnType<typeof lines>;
let url = '';
let folder = '';

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const all = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = all.pop() ?? '';
    yield* all;
  }
}

/** On the first processor only, and behind other work of this machine. */
const pinned = (words: string[]): string[] => ['nice', '-n', '10', 'taskset', '-c', '0', ...words];

beforeAll(async () => {
  if (!LONG) return;
  const environment = { TUNER_AGENT_URL: agent.url, RECONCILE_INTERVAL: '5000' };
  const words = [process.execPath, join(import.meta.dir, 'starved-service.ts'), JSON.stringify(environment)];
  service = Bun.spawn(pinned(words), {
    env: { ...process.env, WRITER_MS: String(WRITER_MS) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  output = lines(service.stdout);
  ({ url, folder } = JSON.parse((await output.next()).value ?? '') as { url: string; folder: string });
});

afterAll(async () => {
  for (const one of busy) one.kill();
  service?.kill();
  await service?.exited;
  await agent.close();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

async function ask<T>(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; value: T; ms: number }> {
  const began = performance.now();
  const answer = await fetch(`${url}/api/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const ms = performance.now() - began;
  return { status: answer.status, value: (text === '' ? null : JSON.parse(text)) as T, ms };
}

test.skipIf(!LONG)('a starved service forgets nothing', async () => {
  await until(
    'the stations are known',
    async () => (await ask<Station[]>('GET', 'services')).value.length === STATIONS || undefined,
  );
  for (let one = 0; one < BUSY; one++) busy.push(Bun.spawn(pinned(['sh', '-c', 'while :; do :; done'])));
  const at = Math.ceil((Date.now() + LEAD_MS) / 1000) * 1000;
  const database = new Database(join(folder, 'svc.db'));
  database.run('PRAGMA busy_timeout = 60000');
  const programmes = putPrograms(
    database,
    agent.stations.map((station) => ({
      ...{ station, event: 1, startAt: at, endAt: at + SECONDS * 1000, name: '忙しい夜の番組' },
    })),
  );
  const refused: unknown[] = [];
  let slowest = 0;
  const change = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, value, ms } = await ask(method, path, body);
    slowest = Math.max(slowest, ms);
    if (status >= 300) refused.push({ method, path, status, value });
  };
  for (const programId of programmes) await change('POST', 'reservations', { programId, encode: 'h264' });
  let changes = 0;
  const changed = async (): Promise<void> => {
    changes += 1;
    await change('PUT', 'settings', { marginBefore: 5000 + (changes % 10) });
  };
  await until('all are planned', async () => {
    await changed();
    const { value } = await ask<ReservationItem[]>('GET', 'reservations');
    return value.filter(({ state }) => state === 'scheduled').length === STATIONS || undefined;
  });
  await until('all are recorded and judged', async () => {
    await changed();
    const { value } = await ask<Recording[]>('GET', 'recordings?limit=50');
    return (value.length === STATIONS && value.every(({ verdict }) => verdict !== null)) || undefined;
  });
  await until('all encodes are queued', () => {
    const queued = database.query('SELECT DISTINCT recording_id FROM encodes').all();
    return queued.length === STATIONS || undefined;
  });
  database.close();
  for (const one of busy) one.kill();
  service.stdin.end();
  const warnings = JSON.parse((await output.next()).value ?? '') as string[];
  console.log(`${changes} changes, the slowest took ${Math.round(slowest)} ms; ${warnings.length} warnings`);
  expect(refused).toEqual([]);
  expect(warnings.filter((line) => FORGETTING.test(line))).toEqual([]);
});
