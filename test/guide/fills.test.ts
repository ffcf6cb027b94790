/**
 * Service, agent and synthetic broadcast: a new database fills its guide automatically and keeps it up to
 * date.
 */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningAgent, startAgent } from '../../agent/agent.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { GuideCollect, GuideStatus, Station, SystemFacts } from '../../lib/wire/api.ts';
import { CLOCK_WARNING_MS } from '../../src/guide/guide-service.ts';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { loadScenario } from '../../synth/scenario/load.ts';
import type { Scenario } from '../../synth/scenario/model.ts';
import { startTestService, type TestService } from '../service/harness.ts';

import { until } from '../until.ts';

const DAY_MS = 86_400_000;
/** Schedules are sent faster than in a real broadcast by this factor: the rarest tables repeat every 18 s. */
const SCHEDULE_SPEED = 20;

let folder: string;
let air: PlayedAir;
let agent: RunningAgent;
let service: TestService;

/** The text of a scenario's file; stations that list no programmes generate them. */
function scenarioText(scenario: Scenario): string {
  return JSON.stringify(scenario, (_key, value: unknown) => (value === 'generated' ? undefined : value));
}

async function read<T>(path: string, method = 'GET'): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return (await (await fetch(`${service.url}/api/${path}`, { method, headers })).json()) as T;
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-fills-'));
  air = await PlayedAir.open();
  const scenario = scenarioText({ ...loadScenario('mini'), scheduleSpeed: SCHEDULE_SPEED });
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(await air.put({ scenario })));
  agent = await startAgent({
    host: '127.0.0.1',
    port: 0,
    networks: Networks.parse('127.0.0.0/8'),
    tunersFile: join(folder, 'tuners.json'),
    channelsFile,
    fakeTune: air.tuneCommand,
    fakeTuners: 'GR:2,BS+CS:2',
    environment: process.env,
    log: SILENT_LOG,
    timing: { lingerMs: 100 },
  });
  service = await startTestService({ environment: { TUNER_AGENT_URL: agent.url, EPG_SWEEP_SETTLE: '2000' } });
});

afterAll(async () => {
  await service?.close();
  await agent?.close();
  await air?.close();
  if (existsSync(folder)) rmSync(folder, { recursive: true });
});

interface TruthEvent {
  eventId: number;
  startAt: number;
}

describe('a fresh database', () => {
  test('fills its guide automatically, three days ahead for every station, and then releases the tuners', async () => {
    await until(async () => {
      const { stations } = await read<GuideStatus>('guide/status');
      return stations.length > 0 && stations.every(({ thin, lastReadAt }) => !thin && lastReadAt !== null);
    });
    const status = await read<GuideStatus>('guide/status');
    for (const { filledUntil } of status.stations)
      expect(filledUntil).toBeGreaterThan(Date.now() + 3 * DAY_MS);
    await until(async () => {
      const tuners = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
      const { visits } = await read<GuideStatus>('guide/status');
      return visits.length === 0 && tuners.every((tuner) => tuner.users.length === 0);
    });
  });

  test('contains every programme of the next days that was sent, with its texts', async () => {
    const database = new Database(join(service.folder, 'svc.db'), { readonly: true });
    const rows = database
      .query<{ id: number; start_at: number; extended: string | null }, []>(
        'SELECT id, start_at, extended FROM programs WHERE hidden = 0',
      )
      .all();
    database.close();
    const stored = new Map(rows.map((row) => [row.id, row]));
    let compared = 0;
    for (const [type, channel] of [
      ['GR', 'T27'],
      ['BS', 'BS03_0'],
      ['CS', 'CS02'],
    ] as const) {
      const truth = (await air.truth({ type, channel }, Date.now(), true)) as {
        networkId: number;
        stations: { serviceId: number; partialReception: boolean; schedule?: TruthEvent[] }[];
      };
      for (const { serviceId, partialReception, schedule = [] } of truth.stations) {
        if (partialReception) continue;
        const [from, to] = [Date.now() + DAY_MS / 8, Date.now() + 3 * DAY_MS];
        for (const { eventId, startAt } of schedule.filter(
          (event) => event.startAt > from && event.startAt < to,
        )) {
          const row = stored.get((truth.networkId * 100_000 + serviceId) * 100_000 + eventId);
          expect(row?.start_at).toBe(startAt);
          compared += 1;
        }
      }
    }
    expect(compared).toBeGreaterThan(100);
    expect(rows.filter((row) => row.extended !== null).length).toBeGreaterThan(rows.length * 0.8);
  });

  test('knows the offset of this machine from the clock of each network', async () => {
    const { clocks } = await read<GuideStatus>('guide/status');
    expect(new Set(clocks.map(({ type }) => type))).toEqual(new Set(['GR', 'BS', 'CS']));
    // Both use this machine's clock; the remaining difference is the latency of the stream, seconds on a busy
    // machine.
    for (const { offsetMs, warning } of clocks)
      expect([Math.abs(offsetMs) < 4000, warning]).toEqual([true, Math.abs(offsetMs) > CLOCK_WARNING_MS]);
    const network = (offset: { networkId: number }): number => offset.networkId;
    expect((await read<SystemFacts>('system')).clocks.map(network)).toEqual(clocks.map(network));
  });
});

describe("'collect now'", () => {
  test('reads every channel at a higher priority, and stops when it is released', async () => {
    const pressed = await read<GuideCollect>('guide/collect', 'POST');
    expect(pressed.pressed).toBe(true);
    expect(pressed.until ?? 0).toBeGreaterThan(Date.now() + 50_000);
    await until(async () => {
      const tuners = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
      const users = tuners.flatMap((tuner) => tuner.users);
      return (
        users.length === 4 && users.every(({ use, priority }) => use.startsWith('epg ') && priority === 8)
      );
    });
    const { progress, visits } = await read<GuideStatus>('guide/status');
    expect([progress, visits.length]).toEqual([{ done: 0, total: 5 }, 4]);
    expect(await read<GuideCollect>('guide/collect', 'DELETE')).toEqual({ pressed: false, until: null });
    await until(async () => {
      const tuners = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
      return tuners.every((tuner) => tuner.users.length === 0);
    });
  });
});

describe('a stream with a viewer', () => {
  test('updates the present programmes of all stations of its channel without a collection run', async () => {
    const [home] = await read<Station[]>('services');
    const database = new Database(join(service.folder, 'svc.db'));
    database.run('PRAGMA busy_timeout = 5000');
    database.run('DELETE FROM programs');
    const own = (await read<Station[]>('services')).filter(
      ({ id }) => Math.floor(id / 100_000) === Math.floor((home?.id ?? 0) / 100_000),
    );
    expect(own.map(({ now }) => now)).toEqual(own.map(() => null));
    const leaving = new AbortController();
    const response = await fetch(`${service.url}/${home?.live}?codec=raw`, { signal: leaving.signal });
    const reader = response.body?.getReader();
    const drain = (async () => {
      while (!((await reader?.read())?.done ?? true));
    })().catch(() => {});
    await until(async () => {
      const rows = await read<Station[]>('services');
      return own.every(({ id }) => rows.find((row) => row.id === id)?.now != null);
    });
    const tuners = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
    const onHome = tuners.find(({ tuned }) => tuned?.channel === 'T27');
    const uses = onHome?.users.map(({ use }) => use) ?? [];
    expect(uses).toContain('live GR/T27');
    expect(uses.filter((use) => use.startsWith('epg '))).toEqual([]);
    leaving.abort();
    await drain;
    database.close();
  });
});
