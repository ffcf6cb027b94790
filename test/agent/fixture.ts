/** A real agent on a free port, its files in a temporary folder, and a reader of its streams. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentOptions, type AgentTiming, type RunningAgent, startAgent } from '../../agent/agent.ts';
import { systemWallClock } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { type ReadPackets, readNumbered } from './packets.ts';

/**
 * Short where a test waits for the end of the time, and long where it must not end on a slow machine: the start of a
 * command, the pace of a source, and readers that share the agent's processor.
 */
const TIMING: Partial<AgentTiming> = {
  syncMs: HANG_LIMIT_MS,
  stallMs: HANG_LIMIT_MS,
  lingerMs: 300,
  drainMs: HANG_LIMIT_MS,
  killGraceMs: 300,
  coalesceMs: 5,
};

const SOURCE = join(import.meta.dir, 'ts-source.ts');

/** A command line for the given arguments of the source; its name is the channel. */
export function sourceCommand(folder: string, ...extra: string[]): string {
  return [process.execPath, SOURCE, '--name', '{channel}', '--log', join(folder, 'starts'), ...extra].join(
    ' ',
  );
}

class StreamReader {
  readonly #body: ReadableStream<Uint8Array>;
  readonly #abort: AbortController;
  readonly #parts: Uint8Array[] = [];
  bytes = 0;
  /** How the stream ended; undefined while it is open. */
  ending: 'clean' | 'aborted' | undefined;

  constructor(
    readonly response: Response,
    abort: AbortController,
  ) {
    if (response.body === null) throw new Error('no body');
    this.#body = response.body;
    this.#abort = abort;
    void this.#run();
  }

  get tuner(): string {
    return this.response.headers.get('x-svc-tuner') ?? '';
  }

  packets(): ReadPackets {
    return readNumbered(Buffer.concat(this.#parts));
  }

  async atLeast(bytes: number): Promise<void> {
    const wanted = this.bytes + bytes;
    await until(`${bytes} further bytes`, () => this.bytes >= wanted);
  }

  async ended(): Promise<'clean' | 'aborted'> {
    await until('the end of the stream', () => this.ending !== undefined);
    return this.ending ?? 'clean';
  }

  leave(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    try {
      for await (const value of this.#body) {
        this.#parts.push(value);
        this.bytes += value.length;
      }
      this.ending = 'clean';
    } catch {
      this.ending = 'aborted';
    }
  }
}

export class TestAgent implements AsyncDisposable {
  readonly log: string[];
  readonly #readers: StreamReader[] = [];

  private constructor(
    readonly agent: RunningAgent,
    readonly folder: string,
    log: string[],
  ) {
    this.log = log;
  }

  /** @param command FAKE_TUNE for the folder; default: the source of numbered packets */
  static async start(
    more: Partial<Omit<AgentOptions, 'timing' | 'fakeTune'>> & {
      timing?: Partial<AgentTiming>;
      command?: ((folder: string) => string) | null;
    } = {},
  ): Promise<TestAgent> {
    const folder = mkdtempSync(join(tmpdir(), 'svc-agent-'));
    const log: string[] = [];
    const { command, timing, ...options } = more;
    const agent = await startAgent({
      host: '127.0.0.1',
      port: 0,
      networks: Networks.parse('127.0.0.0/8'),
      tunersFile: join(folder, 'tuners.json'),
      channelsFile: join(folder, 'channels.json'),
      fakeTune: command === null ? undefined : (command ?? sourceCommand)(folder),
      fakeTuners: 'GR:2,BS+CS:1',
      environment: process.env,
      log: createLog({ level: 'debug', now: systemWallClock, write: (line) => log.push(line) }),
      ...options,
      timing: { ...TIMING, ...timing },
    });
    return new TestAgent(agent, folder, log);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.agent.url}${path}`, init);
  }

  put(path: string, value: unknown): Promise<Response> {
    return this.fetch(path, { method: 'PUT', body: JSON.stringify(value) });
  }

  async tuners(): Promise<Tuner[]> {
    return (await (await this.fetch('/agent/tuners')).json()) as Tuner[];
  }

  async tuner(id: string): Promise<Tuner> {
    const found = (await this.tuners()).find((tuner) => tuner.id === id);
    if (found === undefined) throw new Error(`no tuner ${id}`);
    return found;
  }

  /** Sends a request. @param query such as `type=GR&channel=T27` */
  request(query: string, init: RequestInit = {}): Promise<Response> {
    return this.fetch(`/agent/stream?${query}`, init);
  }

  /** Opens a stream. @throws Error with the agent's message on failure */
  async open(query: string): Promise<StreamReader> {
    const abort = new AbortController();
    const response = await this.request(query, { signal: abort.signal });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    const reader = new StreamReader(response, abort);
    this.#readers.push(reader);
    return reader;
  }

  /** `NAME PID` of every tuning command that was started, in order. */
  starts(): { name: string; pid: number }[] {
    let text: string;
    try {
      text = readFileSync(join(this.folder, 'starts'), 'utf8');
    } catch {
      return [];
    }
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.split(' '))
      .map(([, name = '', pid = '']) => ({ name, pid: Number(pid) }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.agent.close();
    for (const reader of this.#readers) reader.leave();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** False also for a zombie process, which has ended but was not reaped. */
export function isRunning(pid: number): boolean {
  try {
    const [, state] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    return state?.startsWith('Z') === false;
  } catch {
    return false;
  }
}

export async function messageOf(response: Response): Promise<string> {
  const body = (await response.json()) as { message: string };
  if (typeof body.message !== 'string') throw new Error(`no message: ${JSON.stringify(body)}`);
  return body.message;
}
