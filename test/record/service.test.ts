/**
 * The whole service as a process, over HTTP only: a programme reserved by hand takes the only tuner from a
 * viewer, who is notified; the recording survives a restart of the service, and becomes a file.
 */
import { afterAll, beforeAll, expect } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import {
  type GuideWindow,
  type Playback,
  type Recording,
  type RecordingStatus,
  RecordingsSchema,
  type ReservationItem,
  ReservationSchema,
} from '../../lib/wire/api.ts';
import { ServerSentEventParser } from '../../src/tuner/agent-link.ts';
import { SVC } from '../built-programs.ts';
import { type Program, startProgram, WITHOUT_FFMPEG } from '../program.ts';
import { realTime } from '../real-time.ts';
import { until } from '../until.ts';
import { compare, probed, TestBroadcast } from './test-broadcast.ts';

// Broadcasts run in real time, on a machine that may be busy.
const LENGTH_MS = 16_000;
/** A fast machine would be back before a gap counts. */
const AWAY_MS = 1_500;
const MARGIN_MS = 2_000;

const { test } = realTime();
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
  const programmes = [{ durationSec: LENGTH_MS / 1000, title: '短い番組[字]' }];
  const channels = ['T30', 'T31'].map((channel) => ({ channel, stations: [{ programmes }] }));
  air = await TestBroadcast.start(channels, 'GR:1');
  await startService();
});
afterAll(async () => {
  await service?.end();
  await air?.close();
});

const stationOf = async (channel: string): Promise<number> => {
  const wanted = air.station(channel).serviceId;
  const stations = await get<{ id: number }[]>('api/services');
  return stations.find(({ id }) => id % 100_000 === wanted)?.id ?? 0;
};

/** Programmes that begin at or after `from`, in order. */
async function coming(stationId: number, from: number): Promise<GuideWindow[number]['programs']> {
  const [row] = await get<GuideWindow>(
    `api/guide?from=${from - 60_000}&to=${from + 600_000}&stationId=${stationId}`,
  );
  return (row?.programs ?? []).filter(({ startAt }) => startAt >= from);
}

/** Collects the events of the service until it ends. */
function listen(): { name: string; data: unknown }[] {
  const events: { name: string; data: unknown }[] = [];
  const parser = new ServerSentEventParser();
  void fetch(`${service.url}/api/events`).then(async ({ body }) => {
    try {
      for await (const chunk of body ?? []) {
        for (const { name, data } of parser.feed(chunk)) events.push({ name, data: JSON.parse(data) });
      }
    } catch {
      // The service ended.
    }
  });
  return events;
}

/**
 * Views a station like a player: requests again if a busy machine gave up tuning. @returns a function that
 * stops it
 */
async function watch(id: number): Promise<() => void> {
  const leaving = new AbortController();
  const refusals: string[] = [];
  const why = () => new Error(`not watched: ${refusals.join(' ')}`, { cause: refusals });
  await until('it is watched', async () => {
    const { signal } = leaving;
    const answer = await fetch(`${service.url}/api/services/${id}/live?codec=raw`, { signal });
    if (answer.status !== 200) refusals.push(await answer.text());
    else void answer.body?.pipeTo(new WritableStream()).catch(() => {});
    return answer.status === 200;
  }).catch(() => Promise.reject(why()));
  return () => leaving.abort();
}

test("a programme reserved by hand becomes a file, taking a viewer's tuner and surviving a restart of the service", async () => {
  await until(
    'both stations are listed',
    async () => (await stationOf('T31')) > 0 && (await stationOf('T30')) > 0,
  );
  const [station, other] = [await stationOf('T30'), await stationOf('T31')];
  const events = listen();
  // The tables of the watched stream announce the following programme.
  const leave = await watch(station);
  const bookable = () => coming(station, Date.now() + MARGIN_MS + 5000);
  await until('the following programme is known', async () => (await bookable()).length > 0);
  const [programme] = await bookable();
  const booked = await fetch(`${service.url}/api/reservations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ programId: programme?.id, marginBefore: MARGIN_MS, marginAfter: MARGIN_MS }),
  });
  const reservation = (await booked.json()) as ReservationItem;
  expect(Value.Check(ReservationSchema, reservation)).toBe(true);
  expect(reservation.state).toBe('scheduled');
  const { startAt, endAt } = reservation;
  leave();
  await watch(other);

  const list = (show = ''): Promise<Recording[]> => get(`api/recordings${show}`);
  await until('it is being recorded', async () => (await list())[0]?.progress?.phase === 'receiving');
  const [running] = await list();
  expect(Value.Check(RecordingsSchema, await list())).toBe(true);
  expect(running).toMatchObject({ recording: true, title: '短い番組', startAt, endAt, durationMs: null });
  await until('the viewer is notified who took the tuner', () =>
    events.some(({ name }) => name === 'yielded'),
  );
  expect(events.find(({ name }) => name === 'yielded')?.data).toEqual({
    serviceId: other,
    recording: {
      id: running?.id,
      title: '短い番組',
      serviceName: running?.serviceName,
      endAt: endAt + MARGIN_MS,
    },
  });
  for (const name of ['recordings', 'reservations', 'services']) {
    expect(events.map((event) => event.name)).toContain(name);
  }

  await until('half of it is on disk', () => Date.now() > startAt + LENGTH_MS / 2);
  const stopped = Date.now();
  await service.kill('SIGTERM');
  expect([service.exitCode(), Date.now() - stopped < 10_000]).toEqual([0, true]);
  await until('more is missing than a verdict tolerates', () => Date.now() > stopped + AWAY_MS);
  await startService();
  await until('it continues', async () => (await list())[0]?.progress?.phase === 'receiving');
  const back = Date.now();
  const id = running?.id ?? 0;
  const status = (): Promise<RecordingStatus> => get(`api/recordings/${id}/status`);
  await until('it has ended', async () => (await status()).state === 'recorded');

  const [ended] = await list();
  expect(ended).toMatchObject({
    ...{ id, recording: false, state: 'recorded', progress: null },
    verdict: { level: 'damaged', drops: 0, gaps: [{ cause: 'service_stopped' }] },
    series: { name: '短い番組' },
  });
  const [gap] = ended?.verdict?.gaps ?? [];
  expect(ended?.verdict?.gaps).toHaveLength(1);
  expect((gap?.endMs ?? 0) - (gap?.startMs ?? 0)).toBeLessThan(back - stopped + 2000);
  expect(ended?.verdict?.headMs).toBeGreaterThan(0);
  expect(ended?.verdict?.tailMs).toBeGreaterThan(0);
  expect(await get<ReservationItem>(`api/reservations/${reservation.id}`)).toMatchObject({
    state: 'finished',
  });

  const { duration } = await get<Playback>(`api/recordings/${id}/playback`);
  await until('the list has the length of the player', async () => {
    return (await list())[0]?.durationMs === Math.round(duration * 1000);
  });

  const folder = join(air.folder, 'data', 'recordings');
  const files = [...new Bun.Glob('*').scanSync(folder)];
  expect(files).toHaveLength(1);
  const path = join(folder, files[0] ?? '');
  expect(existsSync(path) && (await probed(path))).toBeGreaterThan(150);
  const bytes = new Uint8Array(await Bun.file(path).arrayBuffer());
  expect(ended?.bytes).toBe(bytes.length);
  const sent = await air.sent('T30', startAt - MARGIN_MS, Date.now());
  expect(compare(bytes, sent)).toMatchObject({ foreign: 0, holes: 1 });
});
