/** The listed stations, cached in memory and kept in sync with the agent and the database. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type MonotonicClock, type MonotonicMs, systemMonotonicClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import type { AudioOption } from '../../lib/wire/api.ts';
import { audioOptions } from '../model/audio.ts';
import type { KnownStation, StationRecord } from '../model/station.ts';
import type { Hub } from '../notify/hub.ts';
import type { AiringProgram, ProgramStore } from '../store/program-store.ts';
import type { StationStore } from '../store/station-store.ts';
import { TaskFailures } from '../tuner/task-failures.ts';
import { decideImport, type ImportDecision } from './station-changes.ts';

interface StationListOptions {
  stations: StationStore;
  programs: ProgramStore;
  hub: Hub;
  log: Log;
  now: () => BroadcastMs;
  monotonic?: MonotonicClock;
  /** A station that imports lack for this long is forgotten with its guide and its reservations, ms. */
  forgetAfterMs?: number;
}

/** Titles of off-air hours. */
const SUSPENDED = /放送(?:を)?(?:休止|終了)|^休止|停波/u;
const FORGET_AFTER_MS = 30 * 60_000;

export class StationList {
  #known: readonly KnownStation[] = [];
  #listed: readonly StationRecord[] = [];
  #byId = new Map<StationId, StationRecord>();
  #absentSince = new Map<StationId, MonotonicMs>();

  constructor(private readonly options: StationListOptions) {
    this.#reload();
  }

  /** In the order of lists: GR, BS, CS, each by remote-control number. */
  list(): readonly StationRecord[] {
    return this.#listed;
  }

  find(id: StationId): StationRecord | undefined {
    return this.#byId.get(id);
  }

  /** A station that recordings and reservations may refer to, listed or not. */
  findKnown(id: StationId): KnownStation | undefined {
    return this.#known.find((station) => station.id === id);
  }

  /** Current programmes of listed stations. */
  airing(): Map<StationId, AiringProgram> {
    return this.options.programs.airing(this.#byId.keys(), this.options.now());
  }

  /** Audio choices of a station's current programme; at least one. */
  audios(id: StationId): AudioOption[] {
    return audioOptions(this.options.programs.airingOn(id, this.options.now())?.audios ?? []);
  }

  /** The station is off air now, according to the guide. */
  isSuspended(id: StationId): boolean {
    return SUSPENDED.test(this.options.programs.airingOn(id, this.options.now())?.name ?? '');
  }

  /**
   * Applies the agent's channel definitions; `station-changes.ts` decides about absent stations.
   * @returns whether the list changed
   */
  import(channels: readonly Channel[]): boolean {
    const { now, stations, log, hub } = this.options;
    const { monotonic = systemMonotonicClock, forgetAfterMs = FORGET_AFTER_MS } = this.options;
    const decision = decideImport({
      known: this.#known,
      channels,
      absentSince: this.#absentSince,
      now: monotonic(),
      forgetAfterMs,
    });
    if (decision === undefined) return false;
    this.#absentSince = decision.absentSince;
    const { put, hide, retype } = decision;
    const changed = put.length + hide.length + retype.length > 0;
    if (changed) stations.apply(decision, now());
    const forgot = this.#forget(decision);
    if (!changed && !forgot) return false;
    const before = this.#listed.length;
    this.#reload();
    if (!changed) return false;
    log.info('stations imported', { stations: this.#listed.length, before });
    hub.changed('services');
    return true;
  }

  /** @returns whether rows changed */
  #forget({ forget, discard }: ImportDecision): boolean {
    const { stations, log, hub, now } = this.options;
    let programs = 0;
    let reservations = 0;
    for (const id of forget) {
      const gone = stations.forgetStation(id, now());
      programs += gone.programs;
      reservations += gone.reservations;
      this.#absentSince.delete(id);
      log.info('station forgotten', { station: id, ...gone });
    }
    const deleted = stations.deleteUnreferenced(discard);
    if (programs > 0) hub.changed('programs');
    if (reservations > 0) hub.changed('reservations');
    return forget.length + deleted.length > 0;
  }

  #reload(): void {
    this.#known = this.options.stations.known();
    this.#listed = this.#known
      .filter((station) => !station.hidden)
      .map(({ hidden: _hidden, forgotten: _forgotten, ...record }) => record);
    this.#byId = new Map(this.#listed.map((station) => [station.id, station]));
  }
}

interface AgentSyncOptions {
  channels: (signal: AbortSignal) => Promise<Channel[]>;
  /** @returns whether the stations changed */
  import: (channels: readonly Channel[], signal: AbortSignal) => Promise<boolean>;
  onChanged: () => void;
  /** Adds standard channels to the agent's table; the change causes another import. */
  complete: (channels: readonly Channel[], signal: AbortSignal) => Promise<void>;
  /** The agent answered. */
  onAnswer: () => void;
  intervalMs: number;
  log: Log;
}

/** Synchronises the station list with the agent: when it (re)connects, on its events, and at an interval. */
export class AgentSync {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #again = false;
  readonly #ending = new AbortController();

  readonly #trouble: TaskFailures;

  constructor(private readonly options: AgentSyncOptions) {
    this.#trouble = new TaskFailures(options.log, 'stations not imported');
  }

  /** Imports now; once more if requested meanwhile. */
  sync(): void {
    if (this.#ending.signal.aborted) return;
    if (this.#running !== undefined) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#running = this.#once().finally(() => {
      this.#running = undefined;
      if (this.#ending.signal.aborted) return;
      if (this.#again) {
        this.#again = false;
        this.sync();
        return;
      }
      this.#timer = setTimeout(() => this.sync(), this.options.intervalMs);
    });
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#running;
  }

  async #once(): Promise<void> {
    try {
      const channels = await this.options.channels(this.#ending.signal);
      if (this.#ending.signal.aborted) return;
      this.options.onAnswer();
      if (await this.options.import(channels, this.#ending.signal)) this.options.onChanged();
      await this.options.complete(channels, this.#ending.signal);
      this.#trouble.over();
    } catch (error) {
      if (!this.#ending.signal.aborted) this.#trouble.report(error);
    }
  }
}
