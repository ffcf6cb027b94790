/** Service, agent and synthetic broadcast together: the station list matches the broadcast. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningAgent, startAgent } from '../../agent/agent.ts';
import type { StationId } from '../../lib/arib/ids.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { Station } from '../../lib/wire/api.ts';

import { airOf } from '../synth/tuning.ts';
import { until } from '../until.ts';
import { startTestService, type TestService } from './harness.ts';

let folder: string;
let agent: RunningAgent;
let service: TestService;

interface Truth {
  networkId: number;
  stations: {
    serviceId: number;
    name: string;
    partialReception: boolean;
    present: { eventId: number; startAt: number; durationMs: number; title: string };
    following: { eventId: number; startAt: number };
  }[];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-air-'));
  const { air, channels } = await airOf('mini');
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(channels));
  agent = await startAgent({
    host: '127.0.0.1',
    port: 0,
    networks: Networks.parse('127.0.0.0/8'),
    tunersFile: join(folder, 'tuners.json'),
    channelsFile,
    fakeTune: air.tuneCommand,
    fakeTuners: 'GR:1,BS+CS:1',
    environment: process.env,
    log: SILENT_LOG,
    timing: { lingerMs: 100 },
  });
  // Reading a whole guide takes minutes; that is tested in test/guide.
  const environment = { TUNER_AGENT_URL: agent.url, EPG_SWEEP_SETTLE: '0', EPG_CHANNEL_TIMEOUT: '1000' };
  service = await startTestService({ environment });
});

afterAll(async () => {
  await service?.close();
  await agent?.close();
  if (existsSync(folder)) rmSync(folder, { recursive: true });
});

async function stations(): Promise<Station[]> {
  return (await (await fetch(`${service.url}/api/services`)).json()) as Station[];
}

async function tuners(): Promise<Tuner[]> {
  return (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
}

describe('what is on the air', () => {
  test('is collected automatically and matches the broadcast', async () => {
    await until(
      async () => (await stations()).length > 0 && (await stations()).every((row) => row.now !== null),
    );
    const listed = new Map((await stations()).map((row) => [row.id, row]));
    let compared = 0;
    for (const [type, channel] of [
      ['GR', 'T27'],
      ['GR', 'T26'],
      ['BS', 'BS01_0'],
    ] as const) {
      const { air } = await airOf('mini');
      const truth = (await air.truth({ type, channel }, Date.now())) as Truth;
      for (const station of truth.stations) {
        const id = truth.networkId * 100_000 + station.serviceId;
        const row = listed.get(id as StationId);
        expect(row === undefined).toBe(station.partialReception);
        if (row === undefined) continue;
        // The next programme may have begun in the meantime.
        const known = [station.present.eventId, station.following.eventId];
        expect(known).toContain((row.now?.id ?? 0) % 100_000);
        if (row.now?.id === id * 100_000 + station.present.eventId) {
          expect(row.now).toMatchObject({
            name: station.present.title,
            startAt: station.present.startAt,
            endAt: station.present.startAt + station.present.durationMs,
          });
        }
        expect(row.now?.audios.map((option) => option.id)).toContain('0:both');
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(3);
  });

  test('releases the tuners after reading', async () => {
    await until(async () => (await tuners()).every((tuner) => tuner.users.length === 0));
  });

  test('a viewer gets the station narrowed, and disconnecting frees the tuner', async () => {
    const [first] = await stations();
    const leaving = new AbortController();
    const response = await fetch(`${service.url}/${first?.live}?codec=raw`, { signal: leaving.signal });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'video/mp2t']);
    const reader = response.body?.getReader();
    let bytes = 0;
    while (bytes < 188 * 200) bytes += (await reader?.read())?.value?.length ?? 0;
    expect((await tuners()).flatMap((tuner) => tuner.users.map((user) => user.use))).toContain('live GR/T27');

    const other = (await stations()).find((row) => row.type === 'GR' && row.name.startsWith('あさぎり'));
    const refused = await fetch(`${service.url}/${other?.live}?codec=raw`);
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: 'no_tuner' });

    leaving.abort();
    await until(async () => (await tuners()).every((tuner) => tuner.users.length === 0));
  });

  test('a stream whose tuner fails is aborted, and the service continues', async () => {
    const [first] = await stations();
    const response = await fetch(`${service.url}/${first?.live}?codec=raw`);
    const reader = response.body?.getReader();
    await reader?.read();
    await agent.close();
    const end = async (): Promise<string> => {
      for (;;) {
        const { done } = (await reader?.read()) ?? { done: true };
        if (done) return 'clean end';
      }
    };
    expect(await end().catch(() => 'aborted')).toBe('aborted');
    const again = await fetch(`${service.url}/${first?.live}?codec=raw`);
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([
      503,
      'agent_unavailable',
    ]);
    expect((await fetch(`${service.url}/api/health`)).status).toBe(200);
  });
});
