/**
 * The whole service as a process: while a station is recorded its data broadcast is written beside it, also over a kill,
 * and equals what is read from the finished recording.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GuideWindow, Playback, Recording } from '../../lib/wire/api.ts';
import { SVC } from '../built-programs.ts';
import type { RecordedMessage } from '../data/recorded-message.ts';
import { type Program, startProgram, WITHOUT_FFMPEG } from '../program.ts';
import { until } from '../until.ts';
import { TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
const LENGTH_MS = 20_000;

let air: TestBroadcast;
let service: Program;

async function startService(): Promise<void> {
  service = await startProgram(SVC, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: join(air.folder, 'data'),
    TRUSTED_NETWORKS: '127.0.0.0/8',
    TUNER_AGENT_URL: air.agentUrl,
    ...WITHOUT_FFMPEG,
  });
}

async function get<T>(path: string): Promise<T> {
  const response = await fetch(`${service.url}/${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

beforeAll(async () => {
  const programmes = [{ durationSec: LENGTH_MS / 1000, title: '短い番組' }];
  const stations = [{ programmes, data: 'bml' }];
  air = await TestBroadcast.start([{ channel: 'T30', stations, bitrate: 4_000_000 }], 'GR:1');
  await startService();
});
afterAll(async () => {
  await service?.end();
  await air?.close();
});

async function lines(id: number): Promise<RecordedMessage[]> {
  const answer = await fetch(`${service.url}/api/recordings/${id}/databroadcast`);
  if (answer.status !== 200) throw new Error(await answer.text());
  return (await answer.text()).split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

/** The state at the end. */
function finalState(all: readonly RecordedMessage[]): string[] {
  const modules = new Map<string, string>();
  for (const { message } of all) {
    if (message.type === 'moduleDownloaded')
      modules.set(`${message.componentId}/${message.moduleId}`, JSON.stringify(message));
    else if (message.type === 'moduleListUpdated')
      modules.set(`${message.componentId}`, JSON.stringify(message));
  }
  return [...modules.values()].sort();
}

test('a recording has its data broadcast, also over a kill', async () => {
  const stations = () => get<{ id: number }[]>('api/services');
  await until('the station is listed', async () => (await stations()).length > 0);
  const station = (await stations())[0]?.id ?? 0;
  const leaving = new AbortController();
  void fetch(`${service.url}/api/services/${station}/live?codec=raw`, { signal: leaving.signal })
    .then(({ body }) => body?.pipeTo(new WritableStream()))
    .catch(() => {});
  const bookable = async () => {
    const now = Date.now();
    const [row] = await get<GuideWindow>(
      `api/guide?from=${now - 60_000}&to=${now + 600_000}&stationId=${station}`,
    );
    return (row?.programs ?? []).filter(({ startAt }) => startAt > now + 4_000);
  };
  await until('the following programme is known', async () => (await bookable()).length > 0);
  const [programme] = await bookable();
  const booked = await fetch(`${service.url}/api/reservations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ programId: programme?.id, marginBefore: 0, marginAfter: 0 }),
  });
  expect(booked.status).toBeLessThan(300);
  leaving.abort();
  const folder = join(air.folder, 'data', 'recordings');
  const sidecar = (): string | undefined =>
    existsSync(folder) ? [...new Bun.Glob('*.databroadcast').scanSync(folder)][0] : undefined;
  await until('its data broadcast is being written', () => sidecar() !== undefined);
  await service.kill('SIGKILL');
  await startService();
  const list = () => get<Recording[]>('api/recordings');
  const id = (await list())[0]?.id ?? 0;
  await until('it has ended', async () => (await list())[0]?.recording === false);
  const { hasDataBroadcast } = await get<Playback>(`api/recordings/${id}/playback`);
  expect(hasDataBroadcast).toBe(true);
  const written = await lines(id);
  const path = join(folder, sidecar() ?? '');
  // The size of a recording is that of all its files.
  const sizes = [...new Bun.Glob('*').scanSync(folder)].map((name) => statSync(join(folder, name)).size);
  await until(
    'it is counted',
    async () => (await list())[0]?.bytes === sizes.reduce((sum, size) => sum + size, 0),
  );
  rmSync(path);
  const again = await lines(id);
  expect(finalState(written)).toEqual(finalState(again));
  expect(finalState(again).length).toBeGreaterThan(8);
  expect(written.map(({ at }) => at)).toEqual(written.map(({ at }) => at).sort((one, other) => one - other));
  const clocks = written.flatMap(({ message }) => (message.type === 'currentTime' ? [message.at] : []));
  expect(clocks.length).toBeGreaterThan(8);
  expect(Math.abs((clocks.at(-1) ?? 0) - ((programme?.startAt ?? 0) + LENGTH_MS))).toBeLessThan(4_000);
});
