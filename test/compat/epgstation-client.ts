/**
 * What EPGStation 2.7 does with a Mirakurun, by raw HTTP: the order of its requests, its event parser, which programmes it
 * keeps, and how it records and tries again. Pauses in which nothing happens are shorter.
 */
import { type IncomingMessage, request } from 'node:http';
import { until } from '../until.ts';

interface Service {
  id: number;
  networkId: number;
  serviceId: number;
  channel?: { type: string; channel: string };
}

interface Program {
  id: number;
  eventId: number;
  serviceId: number;
  networkId: number;
  startAt: number;
  duration: number;
  name?: string;
  genres?: { lv1: number }[];
  audios?: unknown[];
  relatedItems?: { type?: string; serviceId: number; eventId: number }[];
}

export interface Recording {
  bytes: Buffer;
  /** `failed`: the preparation failed four times. */
  end: 'running' | 'clean' | 'broken' | 'failed';
  /** Requests for the stream. */
  tries: number;
  /** Time from the head of the response to its first data, ms. */
  waited: number;
}

const HEAD = Buffer.from('[\n');
const DELIMITER = Buffer.from('\n,\n');
const PREPARATION_MS = 15_000;
const RETRY_MS = 5_000;
const DATA_LIMIT_MS = 5_000;
const RETRIES = 3;

export class Epgstation {
  readonly programs = new Map<number, Program>();
  /** How often everything was read. */
  reads = 0;
  tuners: { types: string[] }[] = [];
  /** Event streams that were opened, and why the last one ended. */
  streams = 0;
  problem: string | undefined;
  readonly updates: Program[] = [];
  #stations = new Map<string, Service>();
  #isClosed = false;
  readonly #open = new Set<IncomingMessage>();

  constructor(private readonly port: number) {}

  /** Until the server answers, as the start of EPGStation; then reads everything and follows changes. */
  async start(): Promise<void> {
    await until('the server answers', () =>
      this.#json('/api/status')
        .then(() => true)
        .catch(() => false),
    );
    this.tuners = await this.#json('/api/tuners');
    await this.#readAll();
    void this.#follow();
    await until('the event stream is open', () => this.streams > 0);
  }

  close(): void {
    this.#isClosed = true;
    for (const message of this.#open) message.destroy();
  }

  program(name: string): Promise<Program> {
    return until(`${name} is known`, () => [...this.programs.values()].find((one) => one.name === name));
  }

  /** From 15 s before the programme on. */
  record({ id, startAt }: Program): Recording {
    const recording: Recording = { bytes: Buffer.alloc(0), end: 'running', tries: 0, waited: 0 };
    const prepare = async (retry: number): Promise<void> => {
      recording.tries += 1;
      try {
        await this.#save(`/api/programs/${id}/stream?decode=1`, recording);
      } catch {
        if (retry === RETRIES) recording.end = 'failed';
        else setTimeout(() => void prepare(retry + 1), RETRY_MS);
      }
    };
    setTimeout(() => void prepare(0), Math.max(0, startAt - Date.now() - PREPARATION_MS));
    return recording;
  }

  /** Resolves with the first data. */
  async #save(path: string, recording: Recording): Promise<void> {
    const response = await this.#get(path, { 'x-mirakurun-priority': '2' });
    const begun = performance.now();
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        response.destroy();
        reject(new Error('no data'));
      }, DATA_LIMIT_MS);
      response.once('data', () => {
        clearTimeout(late);
        recording.waited = performance.now() - begun;
        resolve();
      });
      response.on('data', (chunk: Buffer) => {
        recording.bytes = Buffer.concat([recording.bytes, chunk]);
      });
      response.once('end', () => {
        recording.end = 'clean';
      });
      response.once('error', (error) => {
        recording.end = 'broken';
        clearTimeout(late);
        reject(error);
      });
    });
  }

  #get(path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
    const options = {
      host: '127.0.0.1',
      port: this.port,
      path,
      headers: { 'user-agent': 'EPGStation', ...headers },
    };
    return new Promise((resolve, reject) => {
      const asked = request(options, (response) => {
        this.#open.add(response);
        response.once('close', () => this.#open.delete(response));
        if (response.statusCode === 200) resolve(response);
        else {
          response.resume();
          reject(new Error(`${path}: ${response.statusCode}`));
        }
      });
      asked.once('error', reject);
      asked.end();
    });
  }

  /** The client of its package looks up each operation first. */
  async #json<T>(path: string): Promise<T> {
    const read = async (at: string): Promise<string> => {
      let text = '';
      for await (const chunk of (await this.#get(at)).setEncoding('utf8')) text += chunk;
      return text;
    };
    const docs = JSON.parse(await read('/api/docs')) as {
      basePath: string;
      paths: Record<string, { parameters: unknown[]; get?: { parameters?: unknown[] } }>;
    };
    const operation = docs.paths[path.slice(docs.basePath.length)];
    if (operation?.get === undefined || [...operation.parameters].length !== 0)
      throw new Error(`${path} is not described`);
    return JSON.parse(await read(path)) as T;
  }

  async #readAll(): Promise<void> {
    const services = await this.#json<Service[]>('/api/services');
    this.#stations = new Map();
    for (const service of services) {
      // One without a channel ends the whole import.
      if (service.channel === undefined) return;
      this.#stations.set(`${service.networkId}/${service.serviceId}`, service);
    }
    const programs = await this.#json<Program[]>('/api/programs');
    this.programs.clear();
    for (const program of programs) this.#keep(program);
    this.reads += 1;
  }

  #keep(program: Program): void {
    if (program.name === undefined || !isMain(program)) return;
    if (!this.#stations.has(`${program.networkId}/${program.serviceId}`)) return;
    // It reads the first element of each list without a check.
    if (program.genres?.length === 0 || program.audios?.length === 0) throw new Error('an empty list');
    this.programs.set(program.id, program);
  }

  /** Again after the end of each stream, and everything is read again then. */
  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      try {
        const stream = await this.#get('/api/events/stream');
        this.streams += 1;
        await this.#listen(stream);
      } catch (error) {
        this.problem = String(error);
      }
      if (this.#isClosed) return;
      await Bun.sleep(200);
      await this.#readAll().catch(() => {});
    }
  }

  #listen(stream: IncomingMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      let pending = Buffer.alloc(0);
      stream.once('error', reject);
      stream.once('close', resolve);
      stream.on('data', (chunk: Buffer) => {
        if (chunk.equals(HEAD)) return;
        pending = Buffer.concat([pending, chunk]);
        if (!pending.subarray(-DELIMITER.length).equals(DELIMITER)) return;
        const text = pending.toString();
        pending = Buffer.alloc(0);
        try {
          this.#take(JSON.parse(`[${text.slice(0, -DELIMITER.length)}]`));
        } catch (error) {
          stream.destroy();
          reject(error);
        }
      });
    });
  }

  #take(events: readonly { resource: string; type: string; data: Program & { from?: number } }[]): void {
    for (const { resource, type, data } of events) {
      if (resource !== 'program') continue;
      if (type === 'remove') this.programs.delete(data.from ?? data.id);
      else {
        this.#keep(data);
        this.updates.push(data);
      }
    }
  }
}

function isMain({ relatedItems, serviceId, eventId }: Program): boolean {
  if (relatedItems === undefined) return true;
  return relatedItems.some(
    (item) =>
      item.type === undefined ||
      item.type === 'movement' ||
      (item.type !== 'relay' && item.eventId === eventId && item.serviceId === serviceId),
  );
}
