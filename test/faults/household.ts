/**
 * A household for fault tests: a small broadcast, a real agent process and a real service process, which tests book on
 * and inspect by its interface. The loss caused by the fault is measured against what was sent.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BroadcastType } from '../../arib/ids.ts';
import type { SmallChannel } from '../../synth/scenario/small.ts';
import type { GuideProgram, GuideWindow, Recording, ReservationItem, Station } from '../../wire/api.ts';
import { type Program, startProgram } from '../program.ts';
import { type Comparison, clockSpan, compare, probed, TestBroadcast } from '../record/test-broadcast.ts';
import { startTestService } from '../service/harness.ts';
import { comesTrue } from '../until.ts';

const MAIN = join(import.meta.dir, '..', '..', 'src', 'main.ts');
/** With `npm test -- --long`: faults as long as they are in life. */
export const LONG = process.env.SVC_LONG === '1';

/** Of a wait that may be for a programme's end. */
const LIMIT_MS = LONG ? 300_000 : 120_000;
/** All callers that wait for a recording share a response for this long. */
const ANSWER_MS = 400;
/** All of a guide of four programmes comes within a second or two. */
const SCHEDULE_SPEED = 20;
const HOUR_SEC = 3600;
/** The programmes before and after. */
const FILL = 'つなぎの時間';

/** Faults that are injected into a household of their own; all households are there at the same time. */
export interface FaultRoom {
  start(): Promise<void>;
  /** Registers its tests. */
  tests(): void;
  close(): Promise<void>;
}

/** A suite whose tests do not wait for the start of the others. */
export interface EarlyRoom extends Omit<FaultRoom, 'tests'> {
  /** @param started to be awaited by each test */
  tests(started: () => Promise<unknown>): void;
}

/** @throws Error with the description when the condition does not come true in time. */
export function until<T>(
  what: string,
  condition: () => Promise<T | undefined> | T | undefined,
  limitMs = LIMIT_MS,
): Promise<T> {
  return comesTrue(what, condition, limitMs);
}

export interface Show {
  /** Default: terrestrial. */
  type?: BroadcastType;
  channel: string;
  title: string;
  /** Epoch ms, whole seconds. */
  at: number;
  seconds: number;
  /** It comes again so many seconds after its end. */
  againAfter?: number;
  /** As in a scenario file: how it and the programme before it actually run. */
  fields?: Readonly<Record<string, unknown>>;
  fieldsBefore?: Readonly<Record<string, unknown>>;
  /** PIDs that a fault removes and restores: they are not compared. */
  without?: readonly number[];
}

interface Judged {
  recording: Recording;
  verdict: NonNullable<Recording['verdict']>;
  path: string;
  bytes: Uint8Array;
}

/** Result of a recording: the service's report, the file's content, and what is missing of the broadcast. */
export interface Outcome extends Judged {
  loss: Comparison;
  /** Duration of the gaps between its first and its last packet, by the broadcast's clock. */
  lostMs: number;
  /** Pictures that ffprobe reads, from the first to the last packet. */
  pictures: number;
}

export function gapMs({ gaps }: Outcome['verdict']): number {
  return gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** Resolves when it ends, well or not. */
export async function readOut(body: ReadableStream<Uint8Array> | null): Promise<void> {
  try {
    for await (const _ of body ?? []);
  } catch {
    // A disconnected or killed client ends it like this.
  }
}

export interface HouseholdOptions {
  shows: readonly Show[];
  tuners: string;
  environment?: Readonly<Record<string, string>>;
  /** The machine's clock as the service sees it: it then runs in the test's own process. */
  now?: () => number;
  /** The service's settings that differ. */
  settings?: Readonly<Record<string, unknown>>;
}

function channelOf({ channel, title, at, seconds, againAfter, ...show }: Show): SmallChannel {
  const shown = (from: number, durationSec: number, name = FILL, fields = {}) => ({
    startAt: new Date(from).toISOString(),
    durationSec,
    title: name,
    ...fields,
  });
  const end = at + seconds * 1000;
  const programmes = [
    shown(at - HOUR_SEC * 1000, HOUR_SEC, FILL, show.fieldsBefore),
    shown(at, seconds, title, show.fields),
  ];
  if (againAfter === undefined) programmes.push(shown(end, HOUR_SEC));
  else {
    const again = end + againAfter * 1000;
    programmes.push(shown(end, againAfter), shown(again, seconds, title));
    programmes.push(shown(again + seconds * 1000, HOUR_SEC));
  }
  return { type: show.type ?? 'GR', channel, stations: [{ programmes }] };
}

export class Household {
  #service: Program | undefined;
  #data: string;
  readonly #lists = new Map<string, { readonly at: number; readonly list: Promise<Recording[]> }>();
  /** What former services have logged. */
  #before = '';

  private constructor(
    readonly air: TestBroadcast,
    readonly options: HouseholdOptions,
  ) {
    this.#data = join(air.folder, 'data');
    mkdirSync(this.#data);
  }

  static async start(options: HouseholdOptions): Promise<Household> {
    const air = await TestBroadcast.start(options.shows.map(channelOf), options.tuners, {}, SCHEDULE_SPEED);
    const household = new Household(air, options);
    await household.startService();
    await household.send('PUT', 'settings', { marginBefore: 8000, marginAfter: 2000, ...options.settings });
    return household;
  }

  get url(): string {
    return this.#service?.url ?? '';
  }

  /** Prints the services' warnings where a test fails. */
  async explained(test: () => Promise<void>): Promise<void> {
    try {
      await test();
    } catch (error) {
      const lines = (this.#before + this.log).split('\n').filter((line) => /^(?:WARN|ERROR)/.test(line));
      console.error(lines.join('\n'));
      throw error;
    }
  }

  /** What the service that runs has logged. */
  get log(): string {
    return this.#service?.log() ?? '';
  }

  get pid(): number {
    return this.#service?.pid ?? 0;
  }

  get databasePath(): string {
    return join(this.#data, 'svc.db');
  }

  /** Again on the same port and folder, after the first time. @param signal kills it while it starts */
  async startService(signal?: AbortSignal): Promise<void> {
    this.#lists.clear();
    const environment = {
      TUNER_AGENT_URL: this.air.agentUrl,
      EPG_SWEEP_SETTLE: '1000',
      ...this.options.environment,
    };
    const { now } = this.options;
    if (now !== undefined) {
      await this.#serveHere(environment, now);
      return;
    }
    const all = {
      HOST: '127.0.0.1',
      PORT: String(this.#service?.port ?? 0),
      DATA_DIR: this.#data,
      TRUSTED_NETWORKS: '127.0.0.0/8',
      ...environment,
    };
    this.#service = await startProgram([process.execPath, MAIN], all, signal);
  }

  async #serveHere(environment: Record<string, string>, now: () => number): Promise<void> {
    const { url, service, folder, lines, close } = await startTestService({ environment, now });
    this.#data = folder;
    this.#service = {
      ...{ pid: process.pid, port: service.port, url, log: () => lines.join(''), exitCode: () => null },
      ...{ kill: close, end: close },
    };
  }

  async killService(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    await this.#service?.kill(signal);
    this.#before += this.#service?.log() ?? '';
  }

  get exitCode(): number | null {
    return this.#service?.exitCode() ?? null;
  }

  /** @throws Error with the response when it is not successful */
  async send<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.url}/api/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  read<T>(path: string): Promise<T> {
    return this.send('GET', path);
  }

  /** As the guide has it, once it has it. */
  programme(show: Show, at = show.at): Promise<GuideProgram> {
    return until(`${show.title} is in the guide`, async () => {
      const guide = await this.read<GuideWindow>(`guide?from=${at}&to=${at + 1000}`);
      return guide.flatMap(({ programs }) => programs).find((one) => one.title === show.title);
    });
  }

  /** @param shows default: everything that is shown */
  async reserveAll(shows: readonly Show[] = this.options.shows): Promise<Map<Show, number>> {
    const ids = new Map<Show, number>();
    for (const show of shows) {
      const { id } = await this.programme(show);
      await this.send('POST', 'reservations', { programId: id });
      ids.set(show, id);
    }
    return ids;
  }

  /** Once they are known. */
  stations(): Promise<Station[]> {
    return until('the stations are known', async () => {
      const list = await this.read<Station[]>('services');
      return list.length === this.options.shows.length ? list : undefined;
    });
  }

  /** A viewer of the original stream of a station, until the signal or the end of the service. */
  async watch(stationId: number | undefined, signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { body } = await fetch(`${this.url}/api/services/${stationId}/live?codec=raw`, { signal });
    return { ended: readOut(body) };
  }

  reservations(): Promise<ReservationItem[]> {
    return this.read('reservations');
  }

  /** As the service reported it last. */
  #recordings(shown: string): Promise<Recording[]> {
    const held = this.#lists.get(shown);
    const now = performance.now();
    if (held !== undefined && now - held.at < ANSWER_MS) return held.list;
    const list = this.read<Recording[]>(`recordings?${shown}`);
    // Sent to everyone who waits for it.
    list.catch(() => {});
    this.#lists.set(shown, { at: now, list });
    return list;
  }

  /** Whatever the outcome, also when it failed. */
  async recording(programId: number): Promise<Recording | undefined> {
    for (const shown of ['', 'show=recording', 'show=failed']) {
      const found = (await this.#recordings(shown)).find((one) => one.programId === programId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Once so much of it was written. */
  writes(programId: number, bytes = 100_000): Promise<Recording> {
    return until(`${programId} is written`, async () => {
      const found = await this.recording(programId).catch(() => undefined);
      return (found?.progress?.bytes ?? 0) > bytes ? found : undefined;
    });
  }

  /** Once packets come. */
  async receives(programId: number): Promise<void> {
    await until(`${programId} is received`, async () => {
      const found = await this.recording(programId).catch(() => undefined);
      return found?.progress?.phase === 'receiving' || undefined;
    });
  }

  /** Once it was judged. */
  async judged(show: Show, programId: number): Promise<Judged> {
    const recording = await until(`${show.title} is judged`, async () => {
      const found = await this.recording(programId).catch(() => undefined);
      return found !== undefined && found.verdict !== null && !found.recording ? found : undefined;
    });
    if (recording.verdict === null) throw new Error('not judged');
    const path = this.pathOf(recording.id);
    return { recording, verdict: recording.verdict, path, bytes: readFileSync(path) };
  }

  /** Waits for the verdict. Found by its title: the programme's number may have changed, and there may be no file. */
  async judgedByTitle({ title }: Show): Promise<Omit<Judged, 'path'>> {
    const recording = await until(`${title} is judged`, async () => {
      const lists = ['', 'show=failed'].map((shown) => this.#recordings(shown));
      const all = (await Promise.all(lists).catch(() => [])).flat();
      return all.find((one) => one.title === title && one.verdict !== null && !one.recording);
    });
    if (recording.verdict === null) throw new Error('not judged');
    const path = this.findPath(recording.id);
    const bytes = path === undefined ? new Uint8Array(0) : readFileSync(path);
    return { recording, verdict: recording.verdict, bytes };
  }

  /** After its verdict, compared with the sent stream. */
  async outcome(show: Show, programId: number): Promise<Outcome> {
    const { recording, verdict, path, bytes } = await this.judged(show, programId);
    const sent = await this.air.sent(show.channel, show.at - 12_000, Date.now());
    const loss = compare(bytes, sent, show.without);
    return {
      recording,
      verdict,
      path,
      bytes,
      loss,
      lostMs: clockSpan(bytes).lostMs,
      pictures: await probed(path),
    };
  }

  /** Path of its original stream. @throws Error if there is none */
  pathOf(recordingId: number): string {
    const path = this.findPath(recordingId);
    if (path === undefined) throw new Error(`no file of recording ${recordingId}`);
    return path;
  }

  findPath(recordingId: number): string | undefined {
    const database = new Database(this.databasePath, { readonly: true });
    const row = database
      .query<{ path: string }, [number]>('SELECT path FROM recording_files WHERE recording_id = ?')
      .get(recordingId);
    database.close();
    return row?.path;
  }

  async close(): Promise<void> {
    await this.#service?.end();
    await this.air.close();
  }
}
