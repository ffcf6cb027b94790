/**
 * A household for fault tests: a small broadcast, a real agent process and a real service process, which
 * tests control and inspect by the HTTP interface. The loss caused by a fault is measured against the sent
 * stream.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BroadcastType } from '../../lib/arib/ids.ts';
import type { GuideProgram, GuideWindow, Recording, ReservationItem, Station } from '../../lib/wire/api.ts';
import type { SmallChannel } from '../../synth/scenario/small.ts';
import { SVC } from '../built-programs.ts';
import { type Program, startProgram, WITHOUT_FFMPEG } from '../program.ts';
import type { RealTime } from '../real-time.ts';
import { type Comparison, clockSpan, compare, probed, TestBroadcast } from '../record/test-broadcast.ts';
import { startTestService } from '../service/harness.ts';
import { until } from '../until.ts';

/** With `npm test -- --long`: faults of realistic length. */
export const LONG = process.env.SVC_LONG === '1';

/** All callers that wait for a recording share a response for this long. */
const ANSWER_MS = 400;
/** As do those that wait for a verdict, which come within seconds of each other. */
const VERDICT_ANSWER_MS = 1_500;
/** The whole guide of four programmes is sent within a second or two. */
const SCHEDULE_SPEED = 20;
const HOUR_SEC = 3600;
/** Recordings open this long before their programmes. */
export const BEFORE_MS = 10_000;
/** Time in which the guide is collected and everything is reserved: of a small household, and of each station. */
const COLLECTED_MS = 7_000;
const STATION_MS = 300;
/** Time in which agent and service start on a quiet machine: a slower one also takes longer to collect a guide. */
const STARTED_MS = 1_500;
/** Title of the programmes before and after. */
const FILL = 'つなぎの時間';

/** Faults that are injected into a household of their own; all households run at the same time. */
export interface FaultSuite {
  start(): Promise<void>;
  /** Registers the tests. */
  tests(): void;
  close(): Promise<void>;
}

/** A suite whose tests do not wait for the start of the others. */
export interface EarlyFaultSuite extends Omit<FaultSuite, 'tests'> {
  /** @param started is awaited by each test */
  tests(started: () => Promise<unknown>, measured: RealTime): void;
}

export interface Show {
  /** Default: terrestrial. */
  type?: BroadcastType;
  channel: string;
  title: string;
  /** Epoch ms, whole seconds. */
  at: number;
  seconds: number;
  /** It is shown again this many seconds after its end. */
  againAfter?: number;
  /** As in a scenario file: how it and the programme before it are actually aired. */
  fields?: Readonly<Record<string, unknown>>;
  fieldsBefore?: Readonly<Record<string, unknown>>;
  /** PIDs that a fault removes and restores; they are not compared. */
  without?: readonly number[];
}

interface Judged {
  recording: Recording;
  verdict: NonNullable<Recording['verdict']>;
  path: string;
  bytes: Uint8Array;
}

/**
 * Result of a recording: the report of the service, the content of the file, and what is missing of the
 * broadcast.
 */
export interface Outcome extends Judged {
  loss: Comparison;
  /** Duration of the gaps between its first and its last packet, by the broadcast clock. */
  lostMs: number;
  /** Pictures that ffprobe reads, from the first to the last packet. */
  pictures: number;
}

export function gapMs({ gaps }: Outcome['verdict']): number {
  return gaps.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** Resolves at the announced end. Verdicts come later, so nothing has to be requested before. */
function over({ at, seconds }: Show): Promise<void> {
  return Bun.sleep(Math.max(0, at + seconds * 1000 - Date.now()));
}

/** Resolves when the stream ends, normally or not. */
export async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
  try {
    for await (const _ of body ?? []);
  } catch {
    // Expected: a client was disconnected or killed.
  }
}

export interface HouseholdOptions {
  shows: readonly Show[];
  tuners: string;
  environment?: Readonly<Record<string, string>>;
  /** The machine's clock as the service sees it; the service then runs in the test's own process. */
  now?: () => number;
  /** Settings of the service that differ from the default. */
  settings?: Readonly<Record<string, unknown>>;
  /** The address under which the service reaches the agent. */
  reach?: (agentUrl: string) => string;
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

/** What a household looks like, as a function of the time at which its first programme begins (epoch ms). */
type HouseholdPlan = (at: number) => HouseholdOptions;

export class Household {
  #service: Program | undefined;
  #data: string;
  readonly #lists = new Map<string, { readonly at: number; readonly list: Promise<Recording[]> }>();
  /** Log of the previous service processes. */
  #before = '';

  private constructor(
    readonly air: TestBroadcast,
    private options: HouseholdOptions,
  ) {
    this.#data = join(air.folder, 'data');
    mkdirSync(this.#data);
  }

  /**
   * The time of the first programme is only decided when agent and service run: far enough ahead that everything
   * can be reserved before. @param patience factor of that time
   */
  static async start(plan: HouseholdPlan, patience = 1): Promise<{ household: Household; at: number }> {
    const sketch = plan(Date.now());
    const air = await TestBroadcast.startSilent(sketch.shows.map(channelOf), sketch.tuners);
    const household = new Household(air, sketch);
    try {
      await household.startService();
      await household.send('PUT', 'settings', { marginBefore: 8000, marginAfter: 2000, ...sketch.settings });
      const slowness = Math.max(1, (performance.now() - air.preparedAt) / STARTED_MS);
      const collectedMs = (COLLECTED_MS + sketch.shows.length * STATION_MS) * slowness * patience;
      const at = Math.ceil((Date.now() + BEFORE_MS + collectedMs) / 1000) * 1000;
      household.options = plan(at);
      await air.put(household.options.shows.map(channelOf), {}, SCHEDULE_SPEED);
      return { household, at };
    } catch (error) {
      await household.close();
      throw error;
    }
  }

  get shows(): readonly Show[] {
    return this.options.shows;
  }

  get url(): string {
    return this.#service?.url ?? '';
  }

  /** Prints the warnings of the services if the test fails. */
  async explained(test: () => Promise<void>): Promise<void> {
    try {
      await test();
    } catch (error) {
      const lines = (this.#before + this.log).split('\n').filter((line) => /^(?:WARN|ERROR)/.test(line));
      console.error(lines.join('\n'));
      throw error;
    }
  }

  /** Log of the running service. */
  get log(): string {
    return this.#service?.log() ?? '';
  }

  get pid(): number {
    return this.#service?.pid ?? 0;
  }

  get databasePath(): string {
    return join(this.#data, 'svc.db');
  }

  /** After the first time on the same port and folder again. @param signal kills it while it starts */
  async startService(signal?: AbortSignal): Promise<void> {
    this.#lists.clear();
    const environment = {
      TUNER_AGENT_URL: this.options.reach?.(this.air.agentUrl) ?? this.air.agentUrl,
      EPG_SWEEP_SETTLE: '1000',
      ...WITHOUT_FFMPEG,
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
    this.#service = await startProgram(SVC, all, signal);
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

  /** @throws Error with the response if it is not successful */
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

  /** Waits until the guide contains it. */
  programme(show: Show, at = show.at): Promise<GuideProgram> {
    return until(`${show.title} is in the guide`, async () => {
      const guide = await this.read<GuideWindow>(`guide?from=${at}&to=${at + 1000}`);
      return guide.flatMap(({ programs }) => programs).find((one) => one.title === show.title);
    });
  }

  /** @param shows default: all shows */
  async reserveAll(shows: readonly Show[] = this.options.shows): Promise<Map<Show, number>> {
    const ids = new Map<Show, number>();
    for (const show of shows) {
      const { id } = await this.programme(show);
      await this.send('POST', 'reservations', { programId: id });
      ids.set(show, id);
    }
    return ids;
  }

  /** Waits until they are known. */
  stations(): Promise<Station[]> {
    return until('the stations are known', async () => {
      const list = await this.read<Station[]>('services');
      return list.length === this.options.shows.length ? list : undefined;
    });
  }

  /** Views the original stream of a station, until aborted or the service ends. */
  async watch(stationId: number | undefined, signal: AbortSignal): Promise<{ ended: Promise<void> }> {
    const { body } = await fetch(`${this.url}/api/services/${stationId}/live?codec=raw`, { signal });
    return { ended: drain(body) };
  }

  reservations(): Promise<ReservationItem[]> {
    return this.read('reservations');
  }

  /** The latest list from the service, shared for a short time. */
  #recordings(shown: string, sharedMs = ANSWER_MS): Promise<Recording[]> {
    const held = this.#lists.get(shown);
    const now = performance.now();
    if (held !== undefined && now - held.at < sharedMs) return held.list;
    const list = this.read<Recording[]>(`recordings?${shown}`);
    // The error is thrown to all callers that wait for it.
    list.catch(() => {});
    this.#lists.set(shown, { at: now, list });
    return list;
  }

  /** The recording of a programme, also a failed one. */
  async recording(programId: number, sharedMs?: number): Promise<Recording | undefined> {
    for (const shown of ['', 'show=recording', 'show=failed']) {
      const found = (await this.#recordings(shown, sharedMs)).find((one) => one.programId === programId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Waits until at least this much was written. */
  writes(programId: number, bytes = 100_000): Promise<Recording> {
    return until(`${programId} is written`, async () => {
      const found = await this.recording(programId).catch(() => undefined);
      return (found?.progress?.bytes ?? 0) > bytes ? found : undefined;
    });
  }

  /** Waits until packets arrive. */
  async receives(programId: number): Promise<void> {
    await until(`${programId} is received`, async () => {
      const found = await this.recording(programId).catch(() => undefined);
      return found?.progress?.phase === 'receiving' || undefined;
    });
  }

  /** Waits for the verdict. */
  async judged(show: Show, programId: number): Promise<Judged> {
    await over(show);
    const recording = await until(`${show.title} is judged`, async () => {
      const found = await this.recording(programId, VERDICT_ANSWER_MS).catch(() => undefined);
      return found !== undefined && found.verdict !== null && !found.recording ? found : undefined;
    });
    if (recording.verdict === null) throw new Error('not judged');
    const path = this.pathOf(recording.id);
    return { recording, verdict: recording.verdict, path, bytes: readFileSync(path) };
  }

  /**
   * Waits for the verdict. Found by its title, because the programme's id may have changed and there may be
   * no file.
   */
  async judgedByTitle(show: Show): Promise<Omit<Judged, 'path'>> {
    const { title } = show;
    await over(show);
    const recording = await until(`${title} is judged`, async () => {
      const lists = ['', 'show=failed'].map((shown) => this.#recordings(shown, VERDICT_ANSWER_MS));
      const all = (await Promise.all(lists).catch(() => [])).flat();
      return all.find((one) => one.title === title && one.verdict !== null && !one.recording);
    });
    if (recording.verdict === null) throw new Error('not judged');
    const path = this.findPath(recording.id);
    const bytes = path === undefined ? new Uint8Array(0) : readFileSync(path);
    return { recording, verdict: recording.verdict, bytes };
  }

  /** Waits for the verdict, then compares the file with the sent stream. */
  async outcome(show: Show, programId: number): Promise<Outcome> {
    const { recording, verdict, path, bytes } = await this.judged(show, programId);
    const sent = await this.air.sent(show.channel, show.at - 12_000, statSync(path).mtimeMs);
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
