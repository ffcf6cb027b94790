/**
 * Collects the stations' logos: shares tunings opened for other uses, and opens channels in quiet times, at the
 * lowest priority. Decisions are in `logo-plan.ts`, reading in the survey worker.
 */
import { type NetworkId, type StationId, stationId } from '../../lib/arib/ids.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Tuner } from '../../lib/wire/agent.ts';
import { PRIORITY } from '../../lib/wire/vocabulary.ts';
import type { LogoRecord } from '../model/logo.ts';
import type { StationRecord } from '../model/station.ts';
import type { Hub } from '../notify/hub.ts';
import type { ChannelSurveys } from '../reception/channel-survey.ts';
import type { FoundLogo, LogoCarrier, SurveyOutcome, SurveyResult } from '../reception/survey-types.ts';
import type { LogoStore, ReceivedLogo } from '../store/logo-store.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import { TaskFailures } from '../tuner/task-failures.ts';
import {
  type LogoTarget,
  type LogoTry,
  logoKey,
  logoTargets,
  logoUse,
  needsLogo,
  planLogos,
  type RunningLogo,
} from './logo-plan.ts';

export interface LogoTiming {
  /** Delay after a start: the guide has priority, and its tunings are shared. */
  quietAfterMs: number;
  /** Interval of checks while nothing happens. */
  lookMs: number;
  /** Maximum duration on a tuning of another user. */
  sharedMs: number;
  terrestrialMs: number;
  satelliteMs: number;
}

export const LOGO_TIMING: LogoTiming = {
  quietAfterMs: 2 * 60_000,
  lookMs: 60_000,
  sharedMs: 3 * 60_000,
  terrestrialMs: 6 * 60_000,
  satelliteMs: 20 * 60_000,
};

interface LogoCollectorOptions {
  stations: { list(): readonly StationRecord[]; find(id: StationId): StationRecord | undefined };
  store: LogoStore;
  agent: { readonly url: string; tuners(signal?: AbortSignal): Promise<Tuner[]> };
  surveys: Pick<ChannelSurveys, 'survey'>;
  hub: Hub;
  /** Default: at once. */
  write?: Write;
  log: Log;
  now: WallClock;
  /** Other uses wait for tuners: open nothing. */
  busy: () => boolean;
  timing?: LogoTiming;
}

/** A tuning changes the tuner list several times at once. */
const SETTLE_MS = 200;

/** Ends of an own visit that say nothing about the channel. */
const CUT: ReadonlySet<SurveyOutcome> = new Set([
  'cancelled',
  'no_tuner',
  'unreachable',
  'crashed',
  'broken',
]);
/** Only these ends of a shared reading say something about it: its other user may leave at any moment. */
const SETTLED: ReadonlySet<SurveyOutcome> = new Set(['complete', 'partial']);

interface Running extends RunningLogo {
  stop: AbortController;
  done: Promise<void>;
}

export class LogoCollector {
  readonly #held: Map<StationId, LogoRecord>;
  readonly #tries = new Map<string, LogoTry>();
  readonly #carriers = new Map<NetworkId, LogoCarrier[]>();
  readonly #running = new Set<Running>();
  readonly #ending = new AbortController();
  readonly #trouble: TaskFailures;
  readonly #timing: LogoTiming;
  /** Not stored yet, by station and type. */
  readonly #received = new Map<string, ReceivedLogo>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #due = Number.POSITIVE_INFINITY;
  #quietFrom = Number.POSITIVE_INFINITY;
  #looking = false;

  constructor(private readonly options: LogoCollectorOptions) {
    this.#held = new Map(options.store.all().map((logo) => [logo.stationId, logo]));
    this.#trouble = new TaskFailures(options.log, 'logos not looked for');
    this.#timing = options.timing ?? LOGO_TIMING;
  }

  start(): void {
    this.#quietFrom = performance.now() + this.#timing.quietAfterMs;
    this.#schedule(SETTLE_MS);
  }

  /** Changes with a station's logo; undefined while there is none. */
  tag(id: StationId): string | undefined {
    return this.#held.get(id)?.tag;
  }

  png(id: StationId): Uint8Array<ArrayBuffer> | undefined {
    return this.options.store.png(id);
  }

  /** Tuners, stations or the agent's availability changed. */
  wake(): void {
    this.#schedule(SETTLE_MS);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    for (const one of this.#running) one.stop.abort();
    await Promise.all([...this.#running].map((one) => one.done));
  }

  /** In `ms`, or earlier if that was already requested. */
  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#ending.signal.aborted || this.#quietFrom === Number.POSITIVE_INFINITY || this.#due <= due)
      return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#due = Number.POSITIVE_INFINITY;
      void this.#check();
    }, ms);
  }

  async #check(): Promise<void> {
    if (!this.#looking) {
      this.#looking = true;
      try {
        await this.#store();
        await this.#lookOnce();
        this.#trouble.over();
      } catch (error) {
        if (!this.#ending.signal.aborted) this.#trouble.report(error);
      } finally {
        this.#looking = false;
      }
    }
    this.#schedule(this.#timing.lookMs);
  }

  async #lookOnce(): Promise<void> {
    const { stations, agent, busy } = this.options;
    const now = this.options.now();
    const known = {
      stations: stations.list(),
      held: this.#held,
      carriers: this.#carriers,
      tries: this.#tries,
    };
    const idle = this.#running.size === 0 && logoTargets({ ...known, now }).length === 0;
    if (idle) return;
    const tuners = await agent.tuners(this.#ending.signal);
    if (this.#ending.signal.aborted) return;
    const plan = planLogos({
      ...known,
      tuners,
      running: [...this.#running],
      busy: busy() || performance.now() < this.#quietFrom,
      now,
    });
    for (const one of this.#running) if (plan.leave.includes(one)) one.stop.abort();
    for (const target of plan.share) this.#begin(target, false);
    if (plan.own !== null) this.#begin(plan.own, true);
  }

  #begin(target: LogoTarget, own: boolean): void {
    const { type, channel } = target;
    const stop = new AbortController();
    const one: Running = { type, channel, own, stop, done: Promise.resolve() };
    this.#running.add(one);
    one.done = this.#read(target, one)
      .catch((error) => this.options.log.error('logos not read', { error: String(error) }))
      .finally(() => {
        this.#running.delete(one);
        this.wake();
      });
  }

  async #read(target: LogoTarget, { own, stop }: Running): Promise<void> {
    const { surveys, log } = this.options;
    const { type, channel, wanted } = target;
    const request = { type, channel, priority: PRIORITY.logo, use: logoUse(target) };
    const { sharedMs, terrestrialMs, satelliteMs } = this.#timing;
    const limitMs = own ? (type === 'GR' ? terrestrialMs : satelliteMs) : sharedMs;
    const stations = wanted.map(({ networkId, serviceId }) => ({ networkId, serviceId }));
    const order = { request, limitMs, task: { kind: 'logos' as const, wanted: stations } };
    const result = await surveys.survey(order, stop.signal, (logos) => this.#take(logos));
    await this.#store();
    if (this.#ending.signal.aborted) return;
    this.#learn(target, result);
    const now = this.options.now();
    const got = wanted.filter((station) => !needsLogo(station, this.#held.get(station.id), now)).length;
    // A shared reading ends with the last other user, and may join the next tuning at once.
    if (own || result.outcome !== 'cancelled') this.#remember(target, own, result, got);
    const { outcome, reason } = result;
    log.debug('logos searched', { channel: logoKey(target), own, outcome, got, reason });
  }

  /** Called from the worker's message: a full or broken database must not end the process. */
  #take(logos: readonly FoundLogo[]): void {
    for (const { networkId, serviceId, ...logo } of logos) {
      const id = stationId(networkId, serviceId);
      if (this.options.stations.find(id) !== undefined)
        this.#received.set(`${id} ${logo.type}`, { stationId: id, ...logo });
    }
    void this.#store();
  }

  /** What cannot be stored is stored by the next check. */
  async #store(): Promise<void> {
    const { store, hub, log, now, write = writeNow } = this.options;
    if (this.#ending.signal.aborted || this.#received.size === 0) return;
    const received = [...this.#received.values()];
    try {
      let changed = false;
      const stored = await write(() => store.put(received, now()));
      for (const [key, logo] of this.#received) if (received.includes(logo)) this.#received.delete(key);
      for (const record of stored) {
        changed ||= this.#held.get(record.stationId)?.tag !== record.tag;
        this.#held.set(record.stationId, record);
      }
      if (changed) hub.changed('services');
    } catch (error) {
      log.error('logos not stored yet', { error: String(error) });
    }
  }

  /** Learns from the channel's NIT where logos are broadcast. */
  #learn({ type, channel }: LogoTarget, { findings }: SurveyResult): void {
    if (type === 'GR' || findings.carriers === undefined) return;
    const asked = this.options.stations.list().find((one) => one.type === type && one.channel === channel);
    if (asked !== undefined) this.#carriers.set(asked.networkId, findings.carriers);
  }

  /** @param got number of stations that need no logo any more */
  #remember(target: LogoTarget, own: boolean, { outcome }: SurveyResult, got: number): void {
    const key = logoKey(target);
    const cut = own ? CUT.has(outcome) : !SETTLED.has(outcome);
    const before = this.#tries.get(key)?.fruitless ?? 0;
    const fruitless = got > 0 ? 0 : cut ? before : before + 1;
    this.#tries.set(key, { at: this.options.now(), fruitless, cut, own });
  }
}
