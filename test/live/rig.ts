/** Agent, synthetic broadcast and live service in this process, and helpers that read their streams. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningAgent, startAgent } from '../../agent/agent.ts';
import { networkId, type StationId, serviceId, stationId, transportStreamId } from '../../lib/arib/ids.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import type { AudioOption } from '../../lib/wire/api.ts';
import { Encoders } from '../../src/ffmpeg/encoders.ts';
import {
  type LiveOptions,
  type LiveRequest,
  LiveService,
  type LiveStream,
} from '../../src/live/live-service.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { ReceptionPool } from '../../src/reception/reception-pool.ts';
import { startReceptionWorker } from '../built-programs.ts';
import { FFMPEG_WITHOUT_AV1 } from '../program.ts';
import { airOf, tune } from '../synth/tuning.ts';
import { until } from '../until.ts';

/** Stations of the scenario `mini`. */
export const HD = stationId(networkId(32608), serviceId(9216));
export const DUAL_MONO = stationId(networkId(32608), serviceId(9217));
export const ONE_SEGMENT = stationId(networkId(32608), serviceId(9600));
export const OTHER_CHANNEL = stationId(networkId(32609), serviceId(9224));

/** The given number of seconds of T27, from now or an epoch ms on, generated as fast as possible. */
export function received(seconds: number, at = Date.now()): Promise<Uint8Array> {
  return tune({ type: 'GR', channel: 'T27', at, seconds });
}

/** Media are made once per machine. @param scenario a name, or a file */
export async function prepareAir(scenario?: string): Promise<StationRecord[]> {
  const { channels } = await airOf(scenario);
  return channels.flatMap((channel) =>
    channel.stations.map((station) => ({
      id: stationId(networkId(channel.networkId ?? 0), serviceId(station.serviceId)),
      type: channel.type,
      networkId: networkId(channel.networkId ?? 0),
      serviceId: serviceId(station.serviceId),
      transportStreamId: transportStreamId(channel.tsid ?? 0),
      channel: channel.channel,
      name: station.name,
      serviceType: station.serviceType,
      remoteControlKey: station.remoteControlKey ?? 0,
    })),
  );
}

/** ffmpeg processes started by this process. */
export function encoderPids(): number[] {
  const found: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const command = readFileSync(`/proc/${name}/cmdline`, 'latin1');
      if (Number(parent) === process.pid && state !== 'Z' && command.includes('pipe:0')) {
        found.push(Number(name));
      }
    } catch {
      // The process has exited.
    }
  }
  return found;
}

export const descriptors = (): number => readdirSync('/proc/self/fd').length;

export interface RigOptions {
  stations: readonly StationRecord[];
  tuners?: string;
  /** The broadcast, as prepared; default: `mini`. */
  scenario?: string;
  /** Replaces the agent that the rig starts. */
  agentUrl?: string;
  /** FFMPEG_PATH; default: one without AV1. */
  ffmpeg?: string;
  audios?: AudioOption[];
  onLost?: LiveOptions['onLost'];
  /** Before each list of the tuners. */
  beforeTuners?: () => Promise<void>;
  startWorker?: () => Worker;
  now?: () => number;
}

/** Reads a feed in the background. */
export class Watching {
  readonly parts: Uint8Array[] = [];
  bytes = 0;
  ending: 'clean' | 'broken' | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  constructor(readonly feed: LiveStream) {
    this.#reader = feed.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    void this.#run();
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }

  content(): Uint8Array<ArrayBuffer> {
    return Uint8Array.from(Buffer.concat(this.parts));
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.parts.push(value);
        this.bytes += value.length;
      }
      this.ending ??= 'clean';
    } catch {
      this.ending = 'broken';
    }
  }
}

async function tunersOf(agentUrl: string): Promise<Tuner[]> {
  const response = await fetch(`${agentUrl}/agent/tuners`);
  return (await response.json()) as Tuner[];
}

export class Rig {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-live-'));
  readonly #watching: Watching[] = [];

  private constructor(
    readonly agent: RunningAgent | undefined,
    readonly live: LiveService,
    readonly encoders: Encoders,
    readonly pool: ReceptionPool,
  ) {}

  static async start(options: RigOptions): Promise<Rig> {
    const agent = options.agentUrl === undefined ? await startRigAgent(options) : undefined;
    const now = () => wallMs((options.now ?? Date.now)());
    const encoders = new Encoders({
      path: options.ffmpeg ?? FFMPEG_WITHOUT_AV1,
      searchPath: process.env.PATH ?? '',
      log: SILENT_LOG,
      now,
    });
    const audios = options.audios ?? [{ id: '0:both', stream: 0, side: 'both', label: '主音声', main: true }];
    const pool = new ReceptionPool({
      agentUrl: options.agentUrl ?? agent?.url ?? '',
      startWorker: options.startWorker ?? startReceptionWorker,
      log: SILENT_LOG,
    });
    const live = new LiveService({
      pool,
      stations: {
        find: (id) => options.stations.find((station) => station.id === id),
        audios: () => audios,
      },
      encoders,
      onLost: options.onLost,
      tuners: async () => {
        await options.beforeTuners?.();
        return agent === undefined ? [] : tunersOf(agent.url);
      },
      log: SILENT_LOG,
    });
    return new Rig(agent, live, encoders, pool);
  }

  async watch(
    station: StationId,
    codec: LiveRequest['codec'] = 'h264',
    audio?: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Watching> {
    const watching = new Watching(await this.live.open({ stationId: station, codec, audio }, signal));
    this.#watching.push(watching);
    return watching;
  }

  async tuners(): Promise<Tuner[]> {
    return await tunersOf(this.agent?.url ?? '');
  }

  async uses(): Promise<string[]> {
    return (await this.tuners()).flatMap((tuner) => tuner.users.map((user) => user.use));
  }

  /** Disconnects all viewers; resolves when the tuner is released. */
  async leaveAll(): Promise<void> {
    await Promise.all(this.#watching.splice(0).map((watching) => watching.leave()));
    if (this.agent !== undefined) {
      await until('every tuner is released', async () => (await this.uses()).length === 0);
    }
    await until('every encoder ended', () => encoderPids().length === 0);
  }

  async close(): Promise<void> {
    await this.live.close();
    await this.pool.close();
    await this.encoders.close();
    await this.agent?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function startRigAgent({ tuners, scenario }: RigOptions): Promise<RunningAgent> {
  return startAgent({
    host: '127.0.0.1',
    port: 0,
    networks: Networks.parse('127.0.0.0/8'),
    tunersFile: '/nonexistent/tuners.json',
    channelsFile: '/nonexistent/channels.json',
    fakeTune: (await airOf(scenario)).air.tuneCommand,
    fakeTuners: tuners ?? 'GR:2',
    environment: process.env,
    log: SILENT_LOG,
    timing: { lingerMs: 2_000 },
  });
}
