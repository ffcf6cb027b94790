/** A whole service in this process, with a stand-in agent whose responses a test defines. */
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StationId } from '../../lib/arib/ids.ts';
import { monotonicMs, systemMonotonicClock, systemWallClock, wallMs } from '../../lib/host/clock.ts';
import { createLog, type Log } from '../../lib/host/log.ts';
import { systemRandom } from '../../lib/host/random.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import { readConfig } from '../../src/config.ts';
import { type RunningService, startService } from '../../src/service.ts';
import { SecretWatch } from '../access/secret-watch.ts';
import {
  startBackgroundWorker,
  startDatabaseWorker,
  startGuideWorker,
  startReceptionWorker,
  startScheduleWorker,
} from '../built-programs.ts';

export const CHANNELS: Channel[] = [
  {
    type: 'GR',
    channel: 'T27',
    tsid: 0x7fe8,
    networkId: 0x7fe8,
    stations: [
      { serviceId: 1024, name: '試験テレビ', serviceType: 1, remoteControlKey: 1 },
      { serviceId: 1408, name: '試験ワンセグ', serviceType: 0xc0, remoteControlKey: 1 },
    ],
  },
  {
    type: 'BS',
    channel: 'BS01_0',
    tsid: 0x4010,
    networkId: 4,
    stations: [{ serviceId: 151, name: '試験衛星', serviceType: 1, remoteControlKey: null }],
  },
];

export const HOME_STATION = (0x7fe8 * 100_000 + 1024) as StationId;

/**
 * A stand-in for the agent: lists the given tuners and channels, and can be stopped and started on the same
 * port.
 */
export class StandInAgent {
  channels: Channel[] = CHANNELS;
  tuners: Tuner[] = [];
  /** Response of `/agent/stream`; default: no tuner is free. */
  stream: (url: URL) => Response = () =>
    Response.json({ message: '空きチューナーがありません' }, { status: 409 });
  /** Number of requests for the channels. */
  channelReads = 0;
  /** Whether a stored table of channels is listed from then on; else the channels stay as a test set them. */
  storesChannels = false;
  /** Tables that were stored. */
  readonly puts: { readonly path: string; readonly body: unknown }[] = [];
  #server: ReturnType<typeof Bun.serve> | undefined;
  #port = 0;
  readonly #listeners = new Set<ReadableStreamDefaultController<Uint8Array>>();

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  start(): void {
    this.#server = Bun.serve({
      port: this.#port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: async (request) => {
        if (request.method === 'PUT') this.#take(new URL(request.url).pathname, await request.json());
        return this.#answer(new URL(request.url));
      },
    });
    this.#port = this.#server.port ?? 0;
  }

  async stop(): Promise<void> {
    this.#listeners.clear();
    await this.#server?.stop(true);
    this.#server = undefined;
  }

  announce(event: string): void {
    const bytes = new TextEncoder().encode(`event: ${event}\ndata: 1\n\n`);
    for (const controller of this.#listeners) controller.enqueue(bytes);
  }

  #take(path: string, body: unknown): void {
    this.puts.push({ path, body });
    if (path !== '/agent/channels' || !this.storesChannels) return;
    this.channels = body as Channel[];
    this.announce('channels');
  }

  #answer(url: URL): Response {
    const path = url.pathname;
    if (path === '/agent/channels') {
      this.channelReads += 1;
      return Response.json(this.channels);
    }
    if (path === '/agent/tuners') return Response.json(this.tuners);
    if (path === '/agent/stream') return this.stream(url);
    if (path !== '/agent/events') return new Response(null, { status: 404 });
    let mine: ReadableStreamDefaultController<Uint8Array> | undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        mine = controller;
        this.#listeners.add(controller);
        controller.enqueue(new TextEncoder().encode(': hello\n\n'));
      },
      cancel: () => {
        if (mine !== undefined) this.#listeners.delete(mine);
      },
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  }
}

export interface TestService {
  readonly service: RunningService;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly folder: string;
  readonly lines: string[];
  close(): Promise<void>;
}

interface TestServiceOptions {
  environment?: Record<string, string>;
  webDir?: string | null;
  searchPath?: string;
  /** The machine's clock, which may be changed at any time; epoch ms. */
  now?: () => number;
  /** Time since the machine was started, ms; default: days, so that its clock is considered right. */
  elapsed?: () => number;
  /** Default: that of the service. */
  startGuideWorker?: () => Worker;
}

const UP_FOR_DAYS = (): number => performance.now() + 3 * 86_400_000;

/**
 * Trusts the loopback unless the environment says otherwise. Closing it fails if a secret of the service is
 * in its log.
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-test-'));
  const lines: string[] = [];
  const log: Log = createLog({ level: 'debug', now: systemWallClock, write: (line) => lines.push(line) });
  const secrets = new SecretWatch(systemRandom, options.environment ?? {});
  const service = await startService({
    config: readConfig({
      PORT: '0',
      DATA_DIR: folder,
      TRUSTED_NETWORKS: '127.0.0.0/8,::1/128',
      TUNER_AGENT_URL: 'http://127.0.0.1:1',
      ...options.environment,
    }),
    log,
    now: () => wallMs((options.now ?? Date.now)()),
    elapsed: () => monotonicMs((options.elapsed ?? UP_FOR_DAYS)()),
    monotonic: systemMonotonicClock,
    random: secrets.random,
    searchPath: options.searchPath ?? '/nonexistent',
    webDir: options.webDir ?? null,
    startReceptionWorker,
    startGuideWorker: options.startGuideWorker ?? startGuideWorker,
    startScheduleWorker,
    startBackgroundWorker,
    startDatabaseWorker,
  });
  return {
    service,
    url: `http://127.0.0.1:${service.port}`,
    folder,
    lines,
    close: async () => {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
      secrets.check(lines);
    },
  };
}

/** Writes bytes to a port and disconnects without reading the response. */
export function abandonedRequest(port: number, text: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text, () => resolve(socket)));
    socket.on('error', reject);
  });
}

/** Writes raw bytes to a port. @returns the data received until the connection ends */
export function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(answer));
    socket.on('error', () => {});
  });
}
