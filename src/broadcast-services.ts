/**
 * Everything that depends on the agent's tuner and channel tables: station list, guide, scan and logos, updated on the
 * agent's events; and the proxies of data broadcasts. Part of the composition root.
 */
import type { Log } from '../lib/host/log.ts';
import type { Channel, Tuner } from '../lib/wire/agent.ts';
import { addCollectRoutes, addGuideRoutes, type GuideRouteNeeds } from './guide/guide-routes.ts';
import { GuideService, type GuideServiceOptions } from './guide/guide-service.ts';
import { type BmlNeeds, createBml } from './http/bml/create-bml.ts';
import { OpenSources } from './http/route/open-sources.ts';
import type { AddRoutes } from './http/route/server-interfaces.ts';
import { ChannelSurveys } from './reception/channel-survey.ts';
import { ChannelScan } from './station/channel-scan.ts';
import { LogoCollector } from './station/logo-collector.ts';
import { ReceptionTests } from './station/reception-test.ts';
import { addScanRoutes } from './station/scan-routes.ts';
import { hasStandard, receivableChannels, withStandardChannels } from './station/standard-channels.ts';
import { AgentSync, StationList } from './station/station-list.ts';
import { addLogoRoutes, addStationRoutes } from './station/station-routes.ts';
import type { LogoStore } from './store/logo-store.ts';
import type { BroadcasterStore, StationStore } from './store/station-store.ts';
import type { Write } from './store/transaction.ts';
import type { AgentClient } from './tuner/agent-client.ts';
import { AgentLink, type AgentState } from './tuner/agent-link.ts';
import { addTunerRoutes } from './tuner/tuner-routes.ts';

interface BroadcastOptions extends Omit<GuideServiceOptions, 'agent' | 'stations' | 'onBroadcaster'> {
  agent: AgentClient;
  stations: StationStore;
  logos: LogoStore;
  broadcasters: BroadcasterStore;
  /** Interval between imports of the agent's channels, ms. */
  syncIntervalMs: number;
  /** A station missing from imports for this long is deleted, ms. */
  forgetAfterMs: number;
  write: Write;
  log: Log;
  bml: Omit<BmlNeeds, 'log' | 'hasOnlyRecordings'>;
}

export class BroadcastServices {
  readonly stations: StationList;
  readonly guide: GuideService;
  readonly scans: ChannelScan;
  readonly tests: ReceptionTests;
  readonly logos: LogoCollector;
  /** What clients are watching. */
  readonly sources = new OpenSources();
  readonly #sync: AgentSync;
  readonly #link: AgentLink;

  constructor(private readonly options: BroadcastOptions) {
    const { agent, pool, programs, hub, log, now, forgetAfterMs } = options;
    // Scan and guide take the tuner of a station that is only prepared.
    const tuners = async (signal?: AbortSignal): Promise<Tuner[]> =>
      pool.withYielding(await agent.tuners(signal));
    // The broadcast's clock determines the current programmes.
    this.stations = new StationList({
      ...{ stations: options.stations, programs, hub, log, forgetAfterMs },
      now: options.broadcastNow,
    });
    this.guide = new GuideService({
      ...options,
      agent: { tuners },
      stations: this.stations,
      onBroadcaster: (station, broadcaster) =>
        void options
          .write(() => options.broadcasters.learn(station, broadcaster))
          .catch((error: unknown) => {
            log.warn('broadcaster not stored', { station, error: String(error) });
          }),
    });
    const surveys = new ChannelSurveys(pool);
    this.tests = new ReceptionTests({ agent, surveys });
    this.scans = new ChannelScan({
      agent: {
        tuners,
        channels: (signal) => agent.channels(signal),
        putChannels: (channels, signal) => agent.putChannels(channels, signal),
      },
      surveys,
      hub,
      log: log.component('scan'),
      now,
      onStored: () => {
        this.#sync.sync();
        this.guide.recollect();
      },
    });
    this.logos = new LogoCollector({
      stations: this.stations,
      store: options.logos,
      agent,
      surveys,
      hub,
      write: options.write,
      log: log.component('logos'),
      now,
      busy: () => this.scans.running,
    });
    this.#sync = new AgentSync({
      channels: (signal) => agent.channels(signal),
      import: (channels, signal) => this.#import(channels, signal),
      onChanged: () => this.guide.stationsChanged(this.stations.list()),
      onAnswer: () => this.#link.hurry(),
      complete: (channels, signal) => this.#addStandard(channels, signal),
      intervalMs: options.syncIntervalMs,
      log,
    });
    this.#link = new AgentLink({
      url: agent.url,
      log,
      // Events may have been missed while the connection was down.
      onConnected: () => this.#onAgentEvent('channels'),
      onEvent: (event) => {
        if (event === 'channels') this.guide.recollect();
        this.#onAgentEvent(event);
      },
      // The event makes clients request the state of the agent again.
      onState: () => hub.changed('tuners'),
    });
  }

  get agentState(): AgentState {
    return this.#link.state;
  }

  routes(given: Pick<GuideRouteNeeds, 'guide' | 'search' | 'version'>): AddRoutes {
    const { stations, guide, scans, tests, logos } = this;
    const { agent, programs, broadcastNow, log } = this.options;
    const needs = { ...given, now: broadcastNow };
    const bmlRoutes = createBml({
      ...this.options.bml,
      hasOnlyRecordings: (requester) => this.sources.hasOnlyRecordings(requester),
      log,
    });
    return (app) => {
      addStationRoutes(app, { ...needs, stations, logos });
      addTunerRoutes(app, { equipment: agent });
      addScanRoutes(app, { scans, tests });
      addLogoRoutes(app, { logos });
      addGuideRoutes(app, { ...needs, stations, programs });
      addCollectRoutes(app, { collecting: guide });
      bmlRoutes(app);
    };
  }

  start(): void {
    this.#link.start();
    this.#sync.sync();
    this.guide.start();
    this.logos.start();
  }

  async close(): Promise<void> {
    const { scans, logos } = this;
    this.tests.close();
    await Promise.allSettled([this.#link.close(), this.#sync.close(), scans.close(), logos.close()]);
    await this.guide.close();
  }

  /** @returns whether the stations changed */
  async #import(channels: readonly Channel[], signal: AbortSignal): Promise<boolean> {
    const { agent } = this.options;
    const listed = hasStandard(channels)
      ? receivableChannels(channels, await agent.tuners(signal))
      : channels;
    return !signal.aborted && (await this.options.write(() => this.stations.import(listed)));
  }

  /** Adds standard satellite stations where none were scanned; never during a scan. */
  async #addStandard(channels: readonly Channel[], signal: AbortSignal): Promise<void> {
    const { agent, log } = this.options;
    if (this.scans.running || withStandardChannels(channels) === undefined) return;
    // A scan may have stored its result since the table was read.
    const table = withStandardChannels(await agent.channels(signal));
    if (table === undefined || this.scans.running || signal.aborted) return;
    await agent.putChannels(table, signal);
    log.info('standard satellite channels stored', { channels: table.length });
  }

  #onAgentEvent(event: 'tuners' | 'channels'): void {
    this.options.hub.changed(event);
    if (event === 'channels') this.#sync.sync();
    this.scans.onTuners();
    this.logos.wake();
    this.guide.wake();
  }
}
