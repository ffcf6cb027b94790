/** Service, agent and synthetic broadcast with the interfaces for other programs, shared by the tests of a file. */
import { afterAll, beforeAll } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningAgent, startAgent } from '../../agent/agent.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { FFMPEG_WITHOUT_AV1 } from '../program.ts';
import { startTestService, type TestService } from '../service/harness.ts';
import { airOf } from '../synth/tuning.ts';
import { until } from '../until.ts';

class CompatHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-compat-'));
  readonly socket = join(this.folder, 'mirakurun.sock');
  #agent: RunningAgent | undefined;
  #service: TestService | undefined;

  async begin(environment: Record<string, string>): Promise<void> {
    const { air, channels } = await airOf('mini');
    const channelsFile = join(this.folder, 'channels.json');
    writeFileSync(channelsFile, JSON.stringify(channels));
    this.#agent = await startAgent({
      host: '127.0.0.1',
      port: 0,
      networks: Networks.parse('127.0.0.0/8'),
      tunersFile: join(this.folder, 'tuners.json'),
      channelsFile,
      fakeTune: air.tuneCommand,
      fakeTuners: 'GR:2,BS+CS:1',
      environment: process.env,
      log: SILENT_LOG,
      timing: { lingerMs: 100 },
    });
    this.#service = await startTestService({
      environment: {
        ...{ TUNER_AGENT_URL: this.#agent.url, EPG_SWEEP_SETTLE: '0', EPG_CHANNEL_TIMEOUT: '1000' },
        ...{ TRUSTED_PROXIES: '127.0.0.1', MIRAKURUN_PORT: '0', MIRAKURUN_SOCKET: this.socket },
        ...{
          HDHR_PORT: '0',
          HDHOMERUN_DISCOVERY_PORT: '0',
          FFMPEG_PATH: FFMPEG_WITHOUT_AV1,
          ...environment,
        },
      },
    });
    await until('the guide of every terrestrial station is there', async () => {
      const services = (await this.json('/api/services')) as { serviceId: number; networkId: number }[];
      const programs = (await this.json('/api/programs')) as typeof services;
      const own = services.filter(({ networkId }) => networkId > 0x7000);
      const has = (one: (typeof services)[number]): boolean =>
        programs.some(
          (program) => program.serviceId === one.serviceId && program.networkId === one.networkId,
        );
      return services.length > own.length && own.length > 1 && own.every(has);
    });
  }

  async end(): Promise<void> {
    await this.#service?.close();
    await this.#agent?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get service(): TestService {
    if (this.#service === undefined) throw new Error('not started');
    return this.#service;
  }

  /** Port of the Mirakurun-compatible interface. */
  get port(): number {
    return this.service.service.compat.mirakurunPort ?? 0;
  }

  /** Address of the HDHomeRun-compatible interface. */
  get hdhr(): string {
    return `http://127.0.0.1:${this.service.service.compat.hdhomerunPort}`;
  }

  get = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${this.port}${path}`, init);

  json = async (path: string): Promise<unknown> => (await this.get(path)).json();

  async tuners(): Promise<Tuner[]> {
    const response = await fetch(`${this.#agent?.url}/agent/tuners`);
    return (await response.json()) as Tuner[];
  }

  /** Uses of this interface at the agent. */
  async uses(): Promise<string[]> {
    const users = (await this.tuners()).flatMap((tuner) => tuner.users.map(({ use }) => use));
    return users.filter((use) => use.startsWith('mirakurun '));
  }
}

export function compatHome(environment: Record<string, string> = {}): CompatHome {
  const home = new CompatHome();
  beforeAll(() => home.begin(environment));
  afterAll(() => home.end());
  return home;
}
