/** Logos over a real agent and the synthetic broadcast: read while a channel is watched, shown with the station. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningAgent, startAgent } from '../../agent/agent.ts';
import { completeLogo } from '../../lib/arib/si/logo.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { Station } from '../../lib/wire/api.ts';
import { logoPicture } from '../../synth/logo/picture.ts';
import { PlayedAir } from '../../synth/player/air-player.ts';
import { MINI } from '../../synth/scenario/mini.ts';
import { until } from '../until.ts';
import { startTestService, type TestService } from './harness.ts';

/** Speed-up of the broadcast: logos are sent once a minute. */
const SPEED = 12;
const LARGE = 5;

let folder: string;
let air: PlayedAir;
let agent: RunningAgent;
let service: TestService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-logos-'));
  air = await PlayedAir.open();
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(await air.put({ scenario: 'mini', speed: SPEED })));
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
  service = await startTestService({ environment: { TUNER_AGENT_URL: agent.url } });
});

afterAll(async () => {
  await service?.close();
  await agent?.close();
  await air?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function stations(): Promise<Station[]> {
  return (await (await fetch(`${service.url}/api/services`)).json()) as Station[];
}

/** Watches a station until the returned function is called; again if a busy machine drops the viewer. */
function watch(id: number): () => Promise<void> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const watching = (async () => {
    while (!signal.aborted) {
      try {
        const { status, body } = await fetch(`${service.url}/api/services/${id}/live?codec=raw`, { signal });
        if (status !== 200) await Bun.sleep(100);
        for await (const _ of body ?? []) if (signal.aborted) return;
      } catch {
        // The viewer was dropped, or leaves.
      }
    }
  })();
  return async () => {
    leaving.abort();
    await watching;
  };
}

function expected(networkId: number, serviceId: number): Uint8Array | undefined {
  for (const channel of MINI.channels) {
    const owner = channel.stations.find((one) => one.serviceId === serviceId);
    if (channel.networkId !== networkId || owner === undefined) continue;
    return completeLogo(logoPicture(channel, owner, LARGE));
  }
  return undefined;
}

async function logoOf(station: Station): Promise<Uint8Array> {
  const answer = await fetch(`${service.url}/${station.logo}`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png']);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Watches the first station of a channel until every station of the type has its large logo. */
async function collect(type: 'GR' | 'BS', first: string): Promise<Station[]> {
  await until('the list', async () => (await stations()).some((one) => one.name === first));
  const wanted = (await stations()).filter((one) => one.type === type);
  const leave = watch(wanted.find((one) => one.name === first)?.id ?? 0);
  const mine = wanted.filter((one) => type === 'BS' || one.name.startsWith('ひばり'));
  await until(`logos of ${type}`, async () => {
    const now = new Map((await stations()).map((one) => [one.id, one]));
    const pictures = await Promise.all(
      mine.map(async ({ id }) => {
        const station = now.get(id);
        return station?.logo == null ? undefined : await logoOf(station);
      }),
    );
    return mine.every(({ id }, at) => {
      const whole = expected(Math.floor(id / 100_000), id % 100_000);
      return whole !== undefined && Buffer.compare(pictures[at] ?? new Uint8Array(0), whole) === 0;
    });
  });
  await leave();
  return (await stations()).filter((one) => mine.some(({ id }) => id === one.id));
}

describe('logos', () => {
  test('of terrestrial stations are received from a watched channel, as pictures with their colours', async () => {
    const [station] = await stations();
    const none = await fetch(`${service.url}/api/services/${station?.id}/logo`);
    if (station?.logo === null) expect(none.status).toBe(404);
    const found = await collect('GR', 'ひばり放送');
    expect(found).toHaveLength(2);
    const [first] = found;
    const plain = await fetch(`${service.url}/api/services/${first?.id}/logo`);
    const tag = plain.headers.get('etag') ?? '';
    expect(plain.headers.get('cache-control')).toContain('no-cache');
    const kept = await fetch(`${service.url}/${first?.logo}`);
    expect(kept.headers.get('cache-control')).toContain('immutable');
    const again = await fetch(`${service.url}/${first?.logo}`, { headers: { 'if-none-match': tag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    for (const id of [1, 99999999999999]) {
      expect((await fetch(`${service.url}/api/services/${id}/logo`)).status).toBe(404);
    }
    expect((await fetch(`${service.url}/api/services/x/logo`)).status).toBe(400);
  });

  test('of satellite stations are received from the carousel, also those of other streams', async () => {
    const found = await collect('BS', 'ＢＳひばり');
    expect(found.map((one) => one.name).sort()).toEqual(['ＢＳあさぎり', 'ＢＳひばり', 'ＢＳひばり２']);
  });

  test('occupy no tuner after the last viewer has disconnected', async () => {
    await until('free tuners', async () => {
      const tuners = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as Tuner[];
      return tuners.every((tuner) => tuner.users.every(({ use }) => !use.startsWith('logo ')));
    });
  });
});
