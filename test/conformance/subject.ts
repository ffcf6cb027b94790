/** The agent under test, used over HTTP only. */
import type { AnyTunerDefinition, Channel, Tuner, TunerDefinition } from '../../lib/wire/agent.ts';
import { HANG_LIMIT_MS, until } from '../until.ts';
import { StampReader } from './stamped.ts';

/** A violated statement of a rule. */
class Broken extends Error {
  override readonly name = 'Broken';
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Broken(what);
}

export function same(actual: unknown, expected: unknown, what: string): void {
  if (!Bun.deepEquals(actual, expected)) {
    throw new Broken(`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
  }
}

interface StreamRequest {
  readonly use?: string;
  readonly priority?: number;
  readonly after?: readonly string[];
}

export class Stream {
  readonly stamps = new StampReader();
  bytes = 0;
  /** How it ended; undefined while it is open. */
  ending: 'clean' | 'aborted' | undefined;
  readonly #abort: AbortController;

  constructor(
    readonly response: Response,
    abort: AbortController,
  ) {
    this.#abort = abort;
    void this.#run();
  }

  get tuner(): string {
    return this.response.headers.get('x-svc-tuner') ?? '';
  }

  /** The process that sends it. */
  get process(): number {
    return [...this.stamps.processes].at(-1) ?? 0;
  }

  async flows(bytes = 20_000): Promise<void> {
    const wanted = this.bytes + bytes;
    await until(`${bytes} further bytes`, () => this.bytes >= wanted || this.ending !== undefined);
    holds(this.bytes >= wanted, `the stream ended (${this.ending}) after ${this.bytes} bytes`);
  }

  /** Checks that it continues without a lost packet. */
  async undisturbed(): Promise<void> {
    await this.flows();
    same(this.ending, undefined, 'the end of the stream');
    same([this.stamps.gaps, this.stamps.processes.size], [0, 1], 'gaps and tunings seen in the stream');
  }

  async ends(how: 'clean' | 'aborted'): Promise<void> {
    await until('the end of the stream', () => this.ending !== undefined);
    same(this.ending, how, 'the end of the stream');
  }

  leave(): void {
    this.#abort.abort();
  }

  async #run(): Promise<void> {
    try {
      for await (const chunk of this.response.body ?? []) {
        this.bytes += chunk.length;
        this.stamps.feed(chunk);
      }
      this.ending = 'clean';
    } catch {
      this.ending = 'aborted';
    }
  }
}

/** A tuner of the fake driver. */
export function tuner(id: string, ...types: TunerDefinition['types']): TunerDefinition {
  return { id, name: id, driver: 'fake', device: '', types };
}

export function definitionOf({ id, name, driver, device, types, disabled, lnb }: Tuner): AnyTunerDefinition {
  return { id, name, driver, device, types, disabled, lnb };
}

export class Subject {
  #streams: Stream[] = [];

  constructor(readonly url: string) {}

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, { signal: AbortSignal.timeout(HANG_LIMIT_MS), ...init });
  }

  put(path: string, value: unknown): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return this.fetch(path, { method: 'PUT', headers, body: JSON.stringify(value) });
  }

  async tuners(): Promise<Tuner[]> {
    return (await (await this.fetch('/agent/tuners')).json()) as Tuner[];
  }

  async tuner(id: string): Promise<Tuner> {
    const found = (await this.tuners()).find((one) => one.id === id);
    if (found === undefined) throw new Broken(`no tuner ${id}`);
    return found;
  }

  async channels(): Promise<Channel[]> {
    return (await (await this.fetch('/agent/channels')).json()) as Channel[];
  }

  /** Replaces the tuners, so that nothing is tuned any more. */
  async define(...definitions: TunerDefinition[]): Promise<void> {
    for (const list of [[], definitions]) {
      const answer = await this.put('/agent/tuners', list);
      same(answer.status, 200, `PUT /agent/tuners (${await answer.text()})`);
    }
  }

  /** `channel` as `GR/T27`. */
  async ask(channel: string, request: StreamRequest = {}, init: RequestInit = {}): Promise<Response> {
    const [type = '', name = ''] = channel.split('/');
    const query = new URLSearchParams({ type, channel: name });
    if (request.use !== undefined) query.set('use', request.use);
    if (request.priority !== undefined) query.set('priority', String(request.priority));
    for (const use of request.after ?? []) query.append('after', use);
    return await fetch(`${this.url}/agent/stream?${query}`, init);
  }

  /** Opens a stream and waits for its first packet. */
  async open(channel: string, request: StreamRequest = {}): Promise<Stream> {
    const abort = new AbortController();
    const answer = await this.ask(channel, request, { signal: abort.signal });
    if (answer.status !== 200)
      throw new Broken(`${channel} is answered ${answer.status} ${await answer.text()}`);
    const stream = new Stream(answer, abort);
    this.#streams.push(stream);
    await until('the first packet', () => stream.stamps.packets > 0 || stream.ending !== undefined);
    return stream;
  }

  /** @returns the displayable reason */
  async refused(channel: string, request: StreamRequest, status: number): Promise<string> {
    const answer = await this.ask(channel, request);
    same(answer.status, status, `the answer to ${channel}`);
    return await messageOf(answer);
  }

  async lingers(id: string): Promise<void> {
    await until(`${id} lingers`, async () => (await this.tuner(id)).state === 'lingering');
  }

  async uses(id: string): Promise<string[]> {
    return (await this.tuner(id)).users.map((user) => user.use);
  }

  /** Runs between rules. */
  leaveAll(): void {
    for (const stream of this.#streams) stream.leave();
    this.#streams = [];
  }
}

export async function messageOf(answer: Response): Promise<string> {
  const body = (await answer.json()) as { message?: unknown };
  if (typeof body.message !== 'string') throw new Broken(`no message in ${JSON.stringify(body)}`);
  return body.message;
}
