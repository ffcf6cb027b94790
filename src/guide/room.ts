/** The guide: stations and programmes, kept true by the agent's lists and by visits. Puts this room together. */
import type { Log } from '../../host/log.ts';
import type { Channel } from '../../wire/agent.ts';
import type { ClockOffset, GuideCollect, GuideStatus } from '../../wire/guide.ts';
import type { Hub } from '../hub/hub.ts';
import type { Airings } from '../model/airing.ts';
import type { HeardTime } from '../model/broadcast-clock.ts';
import type { CoverageStore } from '../store/guide-coverage.ts';
import type { LogoStore } from '../store/logo-store.ts';
import type { ProgramStore } from '../store/program-store.ts';
import type { StationStore } from '../store/station-store.ts';
import type { StreamTap } from '../stream/tap.ts';
import { AgentClient } from '../tuner/agent-client.ts';
import { AgentLink, type AgentState } from '../tuner/agent-link.ts';
import { AgentSync } from './agent-sync.ts';
import { AirWatch } from './air-watch.ts';
import { ClockOffsets } from './clock-offsets.ts';
import { type CollectLimits, Collector } from './collector.ts';
import { GuideFeeds } from './feeds.ts';
import { Logos } from './logos.ts';
import type { NamedEvents } from './messages.ts';
import { Scans } from './scan.ts';
import { lacksNothing, withStandardChannels } from './standard-channels.ts';
import { Stations } from './stations.ts';
import { Surveys } from './surveys.ts';
import { GuideVisits } from './visits.ts';

export interface GuideOptions {
  /** Without a trailing slash. */
  agentUrl: string;
  /** How often stations are imported, ms. */
  syncIntervalMs: number;
  /** A station that imports lack for so long is forgotten, ms. */
  forgetAfterMs: number;
  stations: StationStore;
  programs: ProgramStore;
  coverage: CoverageStore;
  /** The database file: the guide worker writes it with a connection of its own. */
  databasePath: string;
  limits: CollectLimits;
  /** The setting: whether the guide is collected by itself. */
  collectGuide: () => boolean;
  logos: LogoStore;
  hub: Hub;
  startWorker: () => Worker;
  startSurveyWorker: () => Worker;
  log: Log;
  /** Epoch ms. */
  now: () => number;
  /** A Time Offset Table came. */
  onTime: (heard: HeardTime) => void;
  /** Epoch ms by the broadcast. */
  broadcastNow: () => number;
}

/** What is on is stored behind schedules that are being stored. */
const STORING_MS = 60_000;
/** How often schedules are written while they are read: from a visit, and from a stream that is open anyway. */
const WRITE_MS = { visit: 30_000, feed: 5 * 60_000 };

export class GuideRoom {
  readonly stations: Stations;
  readonly scans: Scans;
  readonly logos: Logos;
  /** The agent's own tables, as the tuner screen reads and writes them. */
  readonly equipment: Pick<AgentClient, 'tuners' | 'putTuners' | 'channels'>;
  readonly #agent: AgentClient;
  readonly #collector: Collector;
  readonly #visits: GuideVisits;
  readonly #feeds: GuideFeeds;
  readonly #clocks = new ClockOffsets();
  readonly #unsubscribe: () => void;
  /** Whether the log says that the clock is off. */
  #clockWarned = false;
  readonly #air = new AirWatch();
  readonly #surveys: Surveys;
  readonly #sync: AgentSync;
  readonly #link: AgentLink;

  constructor(private readonly options: GuideOptions) {
    const { programs, hub, log, now } = options;
    const agent = new AgentClient(options.agentUrl);
    this.equipment = agent;
    this.#agent = agent;
    const { forgetAfterMs } = options;
    this.stations = new Stations({ stations: options.stations, programs, hub, log, now, forgetAfterMs });
    this.#visits = new GuideVisits({
      startWorker: options.startWorker,
      path: options.databasePath,
      writeMs: WRITE_MS,
      log,
      onChanged: () => hub.changed('programs'),
      onCoverage: () => hub.changed('programs'),
      onNamed: (stations) => this.#onNamed(stations),
      onLost: () => this.#air.lost(options.broadcastNow()),
      onClock: ({ networkId, offsetMs, at }) => {
        options.onTime({ networkId, time: at + offsetMs, at });
        this.#clocks.add(networkId, offsetMs, at);
        this.#judgeClock();
      },
    });
    this.#visits.stations(this.stations.list());
    this.#feeds = new GuideFeeds({
      stations: this.stations,
      visits: this.#visits,
      settleMs: options.limits.settleMs,
      onChange: () => this.#collector.wake(),
    });
    this.#collector = new Collector({
      stations: this.stations,
      programs,
      coverage: options.coverage,
      agent,
      visits: this.#visits,
      open: () => this.#feeds.open,
      enabled: options.collectGuide,
      limits: options.limits,
      hub,
      log,
      now,
    });
    this.#unsubscribe = hub.subscribe((event) => {
      if (event.name === 'settings') this.#collector.wake();
    });
    this.#surveys = new Surveys({ startWorker: options.startSurveyWorker, log });
    this.scans = new Scans({
      agent,
      surveys: this.#surveys,
      hub,
      log: log.component('scan'),
      now,
      onStored: () => {
        this.#sync.sync();
        this.#collector.recollect();
      },
    });
    this.logos = new Logos({
      stations: this.stations,
      store: options.logos,
      agent,
      surveys: this.#surveys,
      hub,
      log: log.component('logos'),
      now,
      busy: () => this.scans.running,
    });
    this.#sync = new AgentSync({
      channels: (signal) => agent.channels(signal),
      import: (channels) => this.stations.import(channels),
      onChanged: () => {
        this.#visits.stations(this.stations.list());
        this.#collector.wake();
      },
      onAnswer: () => this.#link.hurry(),
      complete: (channels, signal) => this.#addStandard(channels, signal),
      intervalMs: options.syncIntervalMs,
      log,
    });
    this.#link = new AgentLink({
      url: options.agentUrl,
      log,
      // Anything may have changed while nobody listened.
      onConnected: () => this.#onAgentEvent('channels'),
      onEvent: (event) => {
        if (event === 'channels') this.#collector.recollect();
        this.#onAgentEvent(event);
      },
      // The UI asks again how the agent is when tuners changed.
      onState: () => hub.changed('tuners'),
    });
  }

  get agentState(): AgentState {
    return this.#link.state;
  }

  /** Reads the guide along with whatever stream is open. */
  get tap(): StreamTap {
    return this.#feeds;
  }

  /** This machine's clock against each network's. */
  clockOffsets(): ClockOffset[] {
    return this.#clocks.list();
  }

  /** What is on and next where something is being received. */
  airings(): Airings {
    return this.#air.airings(this.options.broadcastNow());
  }

  status(): GuideStatus {
    return this.#collector.status(this.clockOffsets());
  }

  /** 'Collect now' is pressed, or still held. */
  press(): GuideCollect {
    return this.#collector.press();
  }

  release(): GuideCollect {
    return this.#collector.release();
  }

  start(): void {
    this.#link.start();
    this.#sync.sync();
    this.logos.start();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#collector.close();
    const { scans, logos } = this;
    await Promise.allSettled([this.#link.close(), this.#sync.close(), scans.close(), logos.close()]);
    this.#feeds.close();
    await this.#visits.close();
    this.#surveys.close();
  }

  /** Satellite stations for a household that never scanned for them; never while a scan is under way. */
  async #addStandard(channels: readonly Channel[], signal: AbortSignal): Promise<void> {
    if (this.scans.running || lacksNothing(channels)) return;
    const table = withStandardChannels(channels, await this.#agent.tuners(signal));
    if (table === undefined || this.scans.running || signal.aborted) return;
    await this.#agent.putChannels(table, signal);
    this.options.log.info('standard satellite channels stored', { channels: table.length });
  }

  #onAgentEvent(event: 'tuners' | 'channels'): void {
    this.options.hub.changed(event);
    if (event === 'channels') this.#sync.sync();
    this.scans.onTuners();
    this.logos.wake();
    this.#collector.wake();
  }

  #onNamed(stations: readonly NamedEvents[]): void {
    const { now, broadcastNow, hub } = this.options;
    let changed = false;
    for (const { since, ...named } of stations) {
      // Waiting to be stored took a while; where it took longer, the clock was set meanwhile.
      const ago = since === null ? 0 : now() - since;
      const at = broadcastNow() - (ago >= 0 && ago <= STORING_MS ? ago : 0);
      if (this.#air.take({ ...named, since: since === null ? null : at }, broadcastNow())) changed = true;
    }
    if (changed) hub.changed('programs');
  }

  #judgeClock(): void {
    const worst = this.#clocks.worst;
    if (worst !== undefined && !this.#clockWarned) {
      const { networkId, offsetMs } = worst;
      this.options.log.warn("this machine's clock differs from the broadcast's", { networkId, offsetMs });
    }
    this.#clockWarned = worst !== undefined;
  }
}
