/**
 * The channel scan over a real agent and the synthetic broadcast: starts without channels and finds exactly
 * those on the air.
 */
import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentTiming, type RunningAgent, startAgent } from '../../agent/agent.ts';
import type { StationId } from '../../lib/arib/ids.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { ScanStatus, Station } from '../../lib/wire/api.ts';
import { SocketClient } from '../live/socket-client.ts';
import { airOf } from '../synth/tuning.ts';
import { until } from '../until.ts';
import { startTestService, type TestService } from './harness.ts';

// Missing films are made first.
beforeAll(() => airOf('mini'));

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Household {
  agent: RunningAgent;
  service: TestService;
  get<T>(path: string): Promise<T>;
  send(method: string, path: string, body?: unknown): Promise<Response>;
  tuners(): Promise<Tuner[]>;
  channels(): Promise<Channel[]>;
  ended(): Promise<ScanStatus>;
}

interface HouseholdOptions {
  /** A scenario on the air, or shell commands in place of it. */
  tune: { scenario: string } | string;
  channels?: unknown;
  tuners?: string;
  timing?: Partial<AgentTiming>;
}

async function household(options: HouseholdOptions): Promise<Household> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-scan-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const { tune } = options;
  const script = join(folder, 'tune');
  writeFileSync(script, `#!/bin/sh\n${typeof tune === 'string' ? tune : ''}\n`);
  chmodSync(script, 0o755);
  const fakeTune = typeof tune === 'string' ? script : (await airOf(tune.scenario)).air.tuneCommand;
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(options.channels ?? []));
  const agent = await startAgent({
    host: '127.0.0.1',
    port: 0,
    networks: Networks.parse('127.0.0.0/8'),
    tunersFile: join(folder, 'tuners.json'),
    channelsFile,
    fakeTune,
    fakeTuners: options.tuners ?? 'GR:3,BS+CS:3',
    environment: process.env,
    log: SILENT_LOG,
    timing: { lingerMs: 50, ...options.timing },
  });
  closers.push(() => agent.close());
  const service = await startTestService({ environment: { TUNER_AGENT_URL: agent.url } });
  closers.push(() => service.close());
  const get = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${service.url}${path}`)).json()) as T;
  const send = (method: string, path: string, body?: unknown) =>
    fetch(`${service.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    agent,
    service,
    get,
    send,
    tuners: () => get<Tuner[]>('/api/tuners'),
    channels: () => get<Channel[]>('/api/channels'),
    ended: () =>
      until('the scan ends', async () => {
        const status = await get<ScanStatus>('/api/scan');
        return status.state === 'running' ? undefined : status;
      }),
  };
}

async function scenarioChannels(scenario: string): Promise<readonly Channel[]> {
  return (await airOf(scenario)).channels;
}

/** The part of a scenario that a scan stores: no one-segment and data services. */
function kept(channels: readonly Channel[]): Channel[] {
  return channels.map((channel) => ({
    ...channel,
    stations: channel.stations.filter((station) => station.serviceType !== 0xc0),
  }));
}

const byName = (channels: readonly Channel[]): Channel[] =>
  [...channels].sort((a, b) => (a.channel < b.channel ? -1 : 1));

describe('a channel scan', () => {
  test('from no channels finds exactly what is on the air, and lists it', async () => {
    const channels = await scenarioChannels('mini');
    const home = await household({ tune: { scenario: 'mini' } });
    expect(await home.get<ScanStatus>('/api/scan')).toMatchObject({ state: 'idle', done: 0, found: [] });
    const started = await home.send('POST', '/api/scan', { types: ['GR', 'BS', 'CS'] });
    expect(started.status).toBe(200);
    expect(await started.json()).toMatchObject({ state: 'running', total: 100 });
    const second = await home.send('POST', '/api/scan', { types: ['GR'] });
    expect([second.status, ((await second.json()) as { code: string }).code]).toEqual([409, 'conflict']);
    const status = await home.ended();
    expect(status).toMatchObject({ state: 'finished', message: null });
    expect([status.done, status.failed.length]).toEqual([status.total, 100 - channels.length]);
    expect(byName(await home.channels())).toEqual(byName(kept(channels)));
    await until(async () => (await home.get<Station[]>('/api/services')).length > 0);
    const listed = (await home.get<Station[]>('/api/services')).map(({ id, name }) => ({ id, name }));
    const expected = kept(channels).flatMap(({ networkId, stations }) =>
      stations.map(({ serviceId, name }) => ({ id: (networkId ?? 0) * 100_000 + serviceId, name })),
    );
    expect(listed.sort((a, b) => a.id - b.id)).toEqual<unknown>(expected.sort((a, b) => a.id - b.id));
  });

  const BEFORE: Channel[] = [
    {
      type: 'GR',
      channel: 'T20',
      tsid: 0x7c00,
      networkId: 0x7c00,
      stations: [{ serviceId: 1, name: '前の局', serviceType: 1, remoteControlKey: 3 }],
    },
    {
      type: 'BS',
      channel: 'BS09_0',
      tsid: 0x4090,
      networkId: 4,
      stations: [{ serviceId: 911, name: '前の衛星', serviceType: 1, remoteControlKey: null }],
    },
    {
      type: 'CS',
      channel: 'CS24',
      tsid: 0x7180,
      networkId: 7,
      stations: [{ serviceId: 999, name: '前の専門局', serviceType: 1, remoteControlKey: null }],
    },
  ];

  test('replaces the scanned types only', async () => {
    const channels = await scenarioChannels('mini');
    const home = await household({ tune: { scenario: 'mini' }, channels: BEFORE });
    await home.send('POST', '/api/scan', { types: ['GR'] });
    expect(await home.ended()).toMatchObject({ state: 'finished', types: ['GR'] });
    const terrestrial = kept(channels).filter(({ type }) => type === 'GR');
    expect(byName(await home.channels())).toEqual(byName([...terrestrial, ...BEFORE.slice(1)]));
  });

  test('that is aborted changes nothing and releases the tuners', async () => {
    const home = await household({
      tune: { scenario: 'mini' },
      channels: BEFORE,
    });
    await home.send('POST', '/api/scan', { types: ['GR', 'BS'] });
    await until(async () => (await home.get<ScanStatus>('/api/scan')).found.length > 0);
    const answer = await home.send('DELETE', '/api/scan');
    expect(answer.status).toBe(204);
    expect(await home.get<ScanStatus>('/api/scan')).toMatchObject({ state: 'aborted', current: [] });
    expect(await home.channels()).toEqual(BEFORE);
    await until(async () => (await home.tuners()).every((tuner) => tuner.users.length === 0));
    expect((await home.send('DELETE', '/api/scan')).status).toBe(204);
  });

  test('with a tuner without signal ends in time, reports why, and keeps the stations', async () => {
    const home = await household({ tune: 'echo "no device" >&2; exit 1', channels: BEFORE });
    await home.send('POST', '/api/scan', { types: ['BS'] });
    const status = await home.ended();
    expect(status).toMatchObject({ state: 'failed', found: [], done: 48, total: 48 });
    expect(status.message).toContain('一つも見つかりませんでした');
    expect(status.failed).toHaveLength(48);
    for (const { message } of status.failed) expect(message).toMatch(/[ぁ-ん]/);
    expect(await home.channels()).toEqual(BEFORE);
  });

  test('with a tuner that sends no data, or no valid broadcast, ends in time', async () => {
    for (const tune of ['exec sleep 60', 'exec cat /dev/zero']) {
      const home = await household({ tune, channels: BEFORE, timing: { syncMs: 100, killGraceMs: 100 } });
      await home.send('POST', '/api/scan', { types: ['CS'] });
      const status = await home.ended();
      expect(status).toMatchObject({ state: 'failed', done: 12, total: 12 });
      for (const { message } of status.failed) expect(message).toContain('選局しましたが');
      expect(await home.channels()).toEqual(BEFORE);
    }
  });

  test('is refused for types without a tuner, for no types, and while the agent is unavailable', async () => {
    const home = await household({ tune: 'exit 1', tuners: 'GR:1' });
    const code = async (answer: Response) => [
      answer.status,
      ((await answer.json()) as { code: string }).code,
    ];
    expect(await code(await home.send('POST', '/api/scan', { types: ['GR', 'BS'] }))).toEqual([
      503,
      'no_tuner',
    ]);
    for (const body of [{}, { types: [] }, { types: ['GR', 'GR'] }, { types: ['XX'] }]) {
      expect(await code(await home.send('POST', '/api/scan', body))).toEqual([400, 'bad_request']);
    }
    await home.agent.close();
    expect(await code(await home.send('POST', '/api/scan', { types: ['GR'] }))).toEqual([
      503,
      'agent_unavailable',
    ]);
  });

  test('does not wait for a station that is only prepared for the next zap', async () => {
    const channels = await scenarioChannels('mini');
    const home = await household({ tune: { scenario: 'mini' }, channels, tuners: 'GR:1' });
    await home.send('PUT', '/api/settings', { collectGuide: false });
    const uses = async (): Promise<string[]> =>
      (await home.tuners()).flatMap(({ users }) => users.map(({ use }) => use));
    const stations = await until(async () => {
      const listed = await home.get<Station[]>('/api/services');
      return listed.length > 0 && (await uses()).length === 0 ? listed : undefined;
    });
    const client = await SocketClient.open(home.service.url);
    // It ends by itself 20 s later.
    const begun = performance.now();
    client.send({ type: 'prepare', stationId: stations[0]?.id as StationId });
    await until(async () => (await uses()).some((use) => use.startsWith('live ')));
    await home.send('POST', '/api/scan', { types: ['GR'] });
    // Its own channel would be read beside it.
    await until(async () => /^scan \S+$/.test((await uses()).join()));
    expect(performance.now() - begun).toBeLessThan(15_000);
    await home.send('DELETE', '/api/scan');
    await client.leave();
  });

  test('does not interrupt watched channels, and reads from their streams', async () => {
    const channels = await scenarioChannels('mini');
    const home = await household({ tune: { scenario: 'mini' }, channels, tuners: 'GR:2' });
    await until(async () => (await home.get<Station[]>('/api/services')).length > 0);
    const [station] = await home.get<Station[]>('/api/services');
    const leaving = new AbortController();
    const watched = await fetch(`${home.service.url}/${station?.live}?codec=raw`, { signal: leaving.signal });
    const reader = watched.body?.getReader();
    let bytes = 0;
    let ended = false;
    const watching = (async () => {
      for (;;) {
        const read = await reader?.read();
        bytes += read?.value?.length ?? 0;
        if (read?.done !== false) break;
      }
      ended = true;
    })().catch(() => {});
    await until(() => bytes > 0);
    await home.send('POST', '/api/scan', { types: ['GR'] });
    const status = await home.ended();
    expect(status.state).toBe('finished');
    expect(status.found.map(({ channel }) => channel).sort()).toEqual(['T26', 'T27']);
    expect(ended).toBe(false);
    leaving.abort();
    await watching;
  });
});

describe('satellite stations before any scan', () => {
  test('are those of the standard table, listed if there is a tuner for them, and a scan replaces them', async () => {
    const channels = await scenarioChannels('mini');
    const home = await household({ tune: { scenario: 'mini' }, tuners: 'GR:2,BS:2', channels: [] });
    await until(async () => (await home.channels()).length > 0);
    expect(new Set((await home.channels()).map(({ type }) => type))).toEqual(new Set(['BS', 'CS']));
    await until(async () => (await home.get<Station[]>('/api/services')).length > 20);
    const listed = await home.get<Station[]>('/api/services');
    expect(new Set(listed.map(({ type }) => type))).toEqual(new Set(['BS']));
    await home.send('POST', '/api/scan', { types: ['BS'] });
    expect(await home.ended()).toMatchObject({ state: 'finished' });
    const satellite = kept(channels).filter(({ type }) => type === 'BS');
    expect(byName((await home.channels()).filter(({ type }) => type === 'BS'))).toEqual(byName(satellite));
    await until(async () => (await home.get<Station[]>('/api/services')).length === 3);
  });
});

test('an unreadable table of channels is reported before a scan begins, with the position', async () => {
  const home = await household({ tune: 'exit 1', tuners: 'GR:1', channels: [{ type: 'GR' }] });
  const answer = await home.send('POST', '/api/scan', { types: ['GR'] });
  const { code, message } = (await answer.json()) as { code: string; message: string };
  expect([answer.status, code]).toEqual([503, 'agent_misconfigured']);
  expect(message).toContain('channels.json: [0].channel');
  expect(message).not.toContain('接続できません');
  expect((await home.get<ScanStatus>('/api/scan')).state).toBe('idle');
});

describe('the tuner screen', () => {
  test('tables are passed through, with their errors', async () => {
    const home = await household({ tune: 'exit 1', tuners: 'GR:1', channels: [] });
    const [tuner] = await home.tuners();
    expect(tuner).toMatchObject({ driver: 'fake', types: ['GR'], users: [] });
    // The service stores the standard table of the satellites.
    await until(async () => (await home.channels()).length > 0);
    const first = await fetch(`${home.service.url}/api/channels`);
    const tag = first.headers.get('etag') ?? '';
    expect([first.status, tag === '']).toEqual([200, false]);
    const again = await fetch(`${home.service.url}/api/channels`, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);

    const definition = { name: '居間', driver: 'fake', device: 'a', types: ['GR', 'BS'] };
    const put = await home.send('PUT', '/api/tuners', [{ ...definition, command: 'rm' }]);
    expect(put.status).toBe(200);
    expect(await put.json()).toMatchObject([{ name: '居間', types: ['GR', 'BS'] }]);
    const twice = await home.send('PUT', '/api/tuners', [
      { ...definition, id: 'x' },
      { ...definition, id: 'x' },
    ]);
    expect([twice.status, await twice.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'bad_request', message: expect.stringContaining('id') }),
    ]);
    const bad = await home.send('PUT', '/api/tuners', [{ ...definition, driver: 'x' }]);
    expect([bad.status, await bad.json()]).toEqual([400, expect.objectContaining({ path: '0.driver' })]);
    expect(await home.tuners()).toMatchObject([{ name: '居間' }]);

    await home.agent.close();
    for (const path of ['/api/tuners', '/api/channels']) {
      const answer = await fetch(`${home.service.url}${path}`);
      expect([answer.status, await answer.json()]).toEqual([
        503,
        expect.objectContaining({ code: 'agent_unavailable' }),
      ]);
    }
  });
});
