/** The service and its agent: unavailable, back, changed; and the events that clients receive. */
import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { Station, Status } from '../../lib/wire/api.ts';
import { tunerOf } from '../tuner.ts';
import { until } from '../until.ts';
import { CHANNELS, HOME_STATION, StandInAgent, startTestService, type TestService } from './harness.ts';

let agent: StandInAgent;
const open: TestService[] = [];

beforeEach(() => {
  agent = new StandInAgent();
  agent.start();
});

afterEach(async () => {
  for (const service of open.splice(0)) await service.close();
  await agent.stop();
});

async function start(environment: Record<string, string> = {}): Promise<TestService> {
  const service = await startTestService({
    environment: { TUNER_AGENT_URL: agent.url, CHANNEL_SYNC_INTERVAL: '100', ...environment },
  });
  open.push(service);
  return service;
}

async function json<T>(service: TestService, path: string): Promise<T> {
  return (await (await fetch(`${service.url}${path}`)).json()) as T;
}

const names = async (service: TestService): Promise<string[]> =>
  (await json<Station[]>(service, '/api/services')).map((station) => station.name);

/** Follows `/api/events`. @returns the names received */
async function listen(service: TestService): Promise<{ received: string[]; stop(): void }> {
  const stopping = new AbortController();
  const response = await fetch(`${service.url}/api/events`, { signal: stopping.signal });
  expect(response.headers.get('content-type')).toStartWith('text/event-stream');
  const received: string[] = [];
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      for (const match of decoder.decode(chunk).matchAll(/^event: (\w+)$/gm)) received.push(match[1] ?? '');
    }
  })().catch(() => {});
  return { received, stop: () => stopping.abort() };
}

describe('the agent', () => {
  test('that is not running at the start is found when it comes up, with its stations', async () => {
    await agent.stop();
    const service = await start();
    await until(async () => (await json<Status>(service, '/api/status')).agent.state === 'unavailable');
    const status = await json<Status>(service, '/api/status');
    expect(status.agent.message).toContain('チューナーエージェント');
    expect(await names(service)).toEqual([]);
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
    agent.start();
    await until(async () => (await names(service)).length === 2);
    await until(async () => (await json<Status>(service, '/api/status')).agent.state === 'connected');
  });

  test('that becomes unavailable does not remove the stations, and is found again', async () => {
    const service = await start();
    await until(async () => (await names(service)).length === 2);
    const { received, stop } = await listen(service);
    await agent.stop();
    await until(() => received.includes('tuners'));
    await until(async () => (await json<Status>(service, '/api/status')).agent.state === 'unavailable');
    expect(await names(service)).toHaveLength(2);
    agent.start();
    await until(async () => (await json<Status>(service, '/api/status')).agent.state === 'connected');
    stop();
  });

  test('that announces channels is read again at once, and clients receive an event', async () => {
    const service = await start({ CHANNEL_SYNC_INTERVAL: '3600000' });
    await until(async () => (await names(service)).length === 2);
    await until(async () => (await json<Status>(service, '/api/status')).agent.state === 'connected');
    const { received, stop } = await listen(service);
    agent.channels = CHANNELS.slice(0, 1);
    await until(async () => {
      agent.announce('channels');
      return received.includes('channels') && received.includes('services');
    });
    expect(await names(service)).toEqual(['試験テレビ']);
    agent.announce('tuners');
    await until(() => received.includes('tuners'));
    stop();
  });

  test('that changes without an event is imported at the next interval', async () => {
    const service = await start();
    await until(async () => (await names(service)).length === 2);
    agent.channels = CHANNELS.map((channel) => ({
      ...channel,
      stations: channel.stations.map((station) => ({ ...station, name: `新${station.name}` })),
    }));
    await until(async () => (await names(service))[0] === '新試験テレビ');
  });

  test('that lists nothing removes no station', async () => {
    const service = await start();
    await until(async () => (await names(service)).length === 2);
    const imports = (): number => service.lines.filter((line) => line.includes('stations imported')).length;
    const before = imports();
    agent.channels = [];
    const reads = agent.channelReads;
    // Imports are sequential: when the second is read, the first has been evaluated.
    await until(() => agent.channelReads >= reads + 2);
    expect(await names(service)).toHaveLength(2);
    expect(imports()).toBe(before);
  });

  test('that lists invalid data is logged once and removes no station', async () => {
    const service = await start();
    await until(async () => (await names(service)).length === 2);
    agent.channels = [{ type: 'XX' } as never];
    const reads = agent.channelReads;
    await until(() => agent.channelReads >= reads + 3);
    const warned = service.lines.filter((line) => /^WARN .*stations not imported/.test(line));
    expect(warned).toEqual([expect.stringContaining('不正')]);
    expect(await names(service)).toHaveLength(2);
  });

  test('that is unavailable makes a live request 503, with the reason', async () => {
    const service = await start();
    await until(async () => (await names(service)).length === 2);
    await agent.stop();
    const response = await fetch(`${service.url}/api/services/${HOME_STATION}/live?codec=raw`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'agent_unavailable' });
  });

  test('that has no tuner makes a live request 503 no_tuner', async () => {
    const service = await start();
    await until(async () => (await names(service)).length === 2);
    const response = await fetch(`${service.url}/api/services/${HOME_STATION}/live?codec=raw`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'no_tuner' });
  });
});

describe('an agent of another version', () => {
  const later = { ...tunerOf(['GR'], { id: 'b' }), driver: 'usb4', state: 'calibrating' } as unknown as Tuner;

  test('keeps every tuner usable, and its own words survive an edit', async () => {
    agent.tuners = [tunerOf(['GR'], { id: 'a' }), later];
    const service = await start();
    const listed = await json<Tuner[]>(service, '/api/tuners');
    expect(listed.map(({ id, driver, state }) => [id, driver, state])).toEqual([
      ['a', 'fake', 'idle'],
      ['b', 'usb4', 'idle'],
    ]);
    const put = (driver: string) =>
      fetch(`${service.url}/api/tuners`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify([{ driver, device: '', types: ['GR'] }]),
      });
    expect((await put('usb4')).status).toBe(200);
    const refused = await put('usb5');
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ path: '0.driver' }),
    ]);
    const edits = agent.puts.filter(({ path }) => path === '/agent/tuners');
    expect(edits.map(({ body }) => body)).toEqual([[{ driver: 'usb4', device: '', types: ['GR'] }]]);
  });

  test('keeps channels that this version does not know when a table is stored', async () => {
    const unknown = { type: 'BS4K', channel: 'X1' } as unknown as Channel;
    agent.channels = [...CHANNELS.slice(0, 1), unknown];
    const service = await start();
    await until(async () => (await names(service)).length === 1);
    const stored = await until('the standard table is stored', () => agent.puts[0]?.body);
    expect(stored).toContainEqual(unknown);
  });
});

describe('the standard table of a satellite type without a station', () => {
  const types = (body: unknown) => [...new Set((body as Channel[]).map(({ type }) => type))];

  test('is stored with the agent, and listed once a tuner receives the type', async () => {
    agent.channels = CHANNELS.slice(0, 1);
    agent.tuners = [tunerOf(['GR'])];
    agent.storesChannels = true;
    const service = await start();
    const stored = await until('it is stored', () => agent.puts[0]);
    expect(stored.path).toBe('/agent/channels');
    expect(types(stored.body)).toEqual(['GR', 'BS', 'CS']);
    expect((stored.body as Channel[]).every(({ stations }) => stations.length > 0)).toBe(true);
    await until(async () => (await names(service)).length === 1);
    agent.tuners = [tunerOf(['GR']), tunerOf(['BS', 'CS'])];
    await until(async () => (await names(service)).length > 30);
    // It is not stored again, and its stations stay.
    const { channelReads } = agent;
    await until(async () => agent.channelReads > channelReads + 2);
    expect(agent.puts).toHaveLength(1);
  });

  test('is not stored during a scan, nor for a type that has a station', async () => {
    agent.tuners = [tunerOf(['GR'])];
    const satellites: Channel[] = [
      ...CHANNELS,
      { ...(CHANNELS[1] as Channel), type: 'CS', channel: 'CS02', networkId: 6 },
    ];
    agent.channels = satellites;
    // A tuner that takes forever.
    agent.stream = () => new Response(new ReadableStream());
    const service = await start();
    await until(async () => (await names(service)).length === 3);
    const scan = (method: string) =>
      fetch(`${service.url}/api/scan`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(method === 'POST' ? { body: JSON.stringify({ types: ['GR'] }) } : {}),
      });
    expect((await scan('POST')).status).toBeLessThan(300);
    agent.channels = satellites.slice(0, 2);
    const { channelReads } = agent;
    await until(async () => agent.channelReads > channelReads + 3);
    expect(agent.puts).toEqual([]);
    await scan('DELETE');
    const stored = await until('it is stored after the scan', () => agent.puts[0]?.body);
    expect(types(stored)).toEqual(['GR', 'BS', 'CS']);
    // The only station of BS is still the one that was there.
    expect((stored as Channel[]).filter(({ type }) => type === 'BS')).toEqual([CHANNELS[1] as Channel]);
  });
});

describe('closing', () => {
  test('ends event streams cleanly and stops answering', async () => {
    const service = await start();
    const response = await fetch(`${service.url}/api/events`);
    const text = response.text();
    await service.service.close();
    expect(await text).toStartWith(': open');
    expect(
      await fetch(`${service.url}/api/health`).then(
        () => 'answers',
        () => 'gone',
      ),
    ).toBe('gone');
  });
});

describe('a station that is gone from the agent', () => {
  test('is hidden at once, and later its guide and bookings are removed', async () => {
    const service = await start({ SERVICE_FORGET_AFTER: '300' });
    await until(async () => (await names(service)).length === 2);
    const database = new Database(join(service.folder, 'svc.db'), { strict: true });
    const later = Date.now() + 3_600_000;
    const satellite = 400_151;
    database
      .query(
        `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
           is_free, copy_never, updated_at)
         VALUES ($id, $satellite, 1, $later, $end, 0, '番組', '', '[]', '[]', 1, 0, 0)`,
      )
      .run({ id: satellite * 100_000 + 1, satellite, later, end: later + 1000 });
    database
      .query(
        `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
           created_at, updated_at) VALUES (1, $satellite, 'scheduled', 2, '番組', '', $later, $later, 0, 0)`,
      )
      .run({ satellite, later });
    const { received, stop } = await listen(service);
    agent.channels = CHANNELS.slice(0, 1);
    agent.announce('channels');
    await until(async () => (await names(service)).length === 1);
    // The plan may have reported it before: none of these tuners receives it.
    await until(() => database.query('SELECT state FROM reservations').values()[0]?.[0] === 'cancelled');
    await until(() => received.includes('reservations'));
    expect(database.query('SELECT id FROM programs').values()).toEqual([]);
    agent.channels = CHANNELS;
    agent.announce('channels');
    await until(async () => (await names(service)).length === 2);
    stop();
    database.close();
  });
});
