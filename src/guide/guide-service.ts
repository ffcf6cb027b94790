/** Guide collection: composes the guide worker, visits, readers on open streams, and clock offsets. */
import { broadcastTypeOf, type NetworkId, type StationId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import { type BroadcastMs, broadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { WallClock, WallMs } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { ClockOffset, GuideCollect, GuideStatus } from '../../lib/wire/guide.ts';
import type { Airings } from '../model/airing.ts';
import type { ReceivedTime } from '../model/broadcast-clock.ts';
import { leastLate } from '../model/least-late.ts';
import type { StationRecord } from '../model/station.ts';
import type { Hub } from '../notify/hub.ts';
import type { ReceptionPool } from '../reception/reception-pool.ts';
import type { CoverageStore } from '../store/guide-coverage.ts';
import type { ProgramStore } from '../store/program-store.ts';
import type { WriteLock } from '../store/write-lock.ts';
import type { AgentClient } from '../tuner/agent-client.ts';
import { AirWatch } from './air-watch.ts';
import { type CollectLimits, type CollectorStations, GuideCollector } from './guide-collector.ts';
import { GuideFeeds } from './guide-feeds.ts';
import type { NamedEvents } from './guide-messages.ts';
import { GuideVisits } from './guide-visits.ts';
import { GuideWorkerClient } from './guide-worker-client.ts';

/** Samples: a minute and a half of TOT at 5 s, available in a short visit. */
const SAMPLES = 17;
/** Recordings would begin at the wrong time. */
export const CLOCK_WARNING_MS = 1000;
/** The service receives one terrestrial network per channel, and three of satellites. */
const MAX_NETWORKS = 128;
/** Samples from before the clock was set are discarded. */
const OLD_MS = 10 * 60_000;
/** A warning ends below this part of its limit (hysteresis). */
const OVER_PART = 0.5;

interface Sample {
  offsetMs: number;
  at: WallMs;
}

/**
 * Offset of the machine's clock from the broadcast's, by network. Pure. Each TOT is a sample delayed by reception,
 * so the least late of the last ones is used.
 */
export class ClockOffsets {
  readonly #networks = new Map<NetworkId, Sample[]>();
  /** The current episode was reported. */
  #isReported = false;

  /** @param offsetMs broadcast time minus the machine's time */
  add(networkId: NetworkId, offsetMs: number, at: WallMs): void {
    const before = this.#networks.get(networkId) ?? [];
    const samples = before.filter((sample) => Math.abs(at - sample.at) < OLD_MS);
    samples.push({ offsetMs, at });
    this.#networks.delete(networkId);
    this.#networks.set(networkId, samples.slice(-SAMPLES));
    if (this.#networks.size <= MAX_NETWORKS) return;
    const [oldest] = this.#networks.keys();
    if (oldest !== undefined) this.#networks.delete(oldest);
  }

  /** By network; only types that households receive. */
  list(): ClockOffset[] {
    const offsets: ClockOffset[] = [];
    for (const [networkId, samples] of [...this.#networks].sort(([a], [b]) => a - b)) {
      const type = broadcastTypeOf(networkId);
      const last = samples.at(-1);
      if (type === undefined || last === undefined) continue;
      const all = samples.map((sample) => sample.offsetMs);
      const supported = leastLate(all);
      const offsetMs = supported ?? Math.max(...all);
      const warning = supported !== undefined && Math.abs(offsetMs) > CLOCK_WARNING_MS;
      offsets.push({ networkId, type, offsetMs, measuredAt: last.at, warning });
    }
    return offsets;
  }

  /** The network with the largest offset above the limit; once per episode. */
  takeWarning(): ClockOffset | undefined {
    const [worst] = this.list().sort((a, b) => Math.abs(b.offsetMs) - Math.abs(a.offsetMs));
    if (worst === undefined || Math.abs(worst.offsetMs) <= CLOCK_WARNING_MS * OVER_PART)
      this.#isReported = false;
    if (worst === undefined || !worst.warning || this.#isReported) return undefined;
    this.#isReported = true;
    return worst;
  }
}

export interface GuideServiceOptions {
  agent: Pick<AgentClient, 'tuners'>;
  /** Closed by its owner, after this. */
  pool: ReceptionPool;
  stations: CollectorStations;
  programs: ProgramStore;
  coverage: CoverageStore;
  /** The database file: the guide worker writes it with a connection of its own. */
  databasePath: string;
  writeLock: WriteLock;
  limits: CollectLimits;
  /** The setting that enables collection without a request. */
  collectGuide: () => boolean;
  hub: Hub;
  startWorker: () => Worker;
  log: Log;
  now: WallClock;
  onTime: (received: ReceivedTime) => void;
  /** The BIT states the broadcaster of a station. */
  onBroadcaster: (stationId: StationId, broadcaster: ServiceBroadcaster) => void;
  broadcastNow: () => BroadcastMs;
  /** False: no broadcast has confirmed the time since the machine was started. */
  isTimeSure: () => boolean;
}

/** Limit of the delay of a present event while schedules are being stored. */
const STORING_MS = 60_000;
/** Interval between writes of schedules while they are read: of a visit, and of a stream that is open anyway. */
const WRITE_MS = { visit: 30_000, feed: 5 * 60_000 };

export class GuideService {
  readonly #collector: GuideCollector;
  readonly #worker: GuideWorkerClient;
  readonly #feeds: GuideFeeds;
  readonly #clocks = new ClockOffsets();
  readonly #unsubscribe: () => void;
  readonly #air = new AirWatch();

  constructor(private readonly options: GuideServiceOptions) {
    const { hub, stations } = options;
    this.#worker = new GuideWorkerClient({
      ...options,
      path: options.databasePath,
      writeMs: WRITE_MS,
      onChanged: () => hub.changed('programs'),
      onCoverage: () => hub.changed('programs'),
      onNamed: (named) => this.#onNamed(named),
      onLost: () => this.#air.lost(options.broadcastNow()),
      onClock: ({ networkId, offsetMs, at, arrivedAt }) => {
        options.onTime({ networkId, time: broadcastMs(at + offsetMs), at: arrivedAt });
        this.#clocks.add(networkId, offsetMs, at);
        this.#judgeClock();
      },
    });
    this.#worker.stations(stations.list());
    this.#feeds = new GuideFeeds({
      ...options,
      worker: this.#worker,
      settleMs: options.limits.settleMs,
      onChange: () => this.#collector.wake(),
    });
    options.pool.observe(this.#feeds);
    this.#collector = new GuideCollector({
      ...options,
      visits: new GuideVisits({ pool: options.pool, worker: this.#worker }),
      // By the broadcast's clock, once it is known: a machine that was just started may be set to any year.
      purge: (before) => {
        if (!options.isTimeSure()) return;
        this.#worker.purge(broadcastMs(before + options.broadcastNow() - options.now()));
      },
      open: () => this.#feeds.open,
      enabled: options.collectGuide,
    });
    this.#unsubscribe = hub.subscribe((event) => {
      if (event.name === 'settings') this.#collector.wake();
    });
  }

  /** Starts the guide worker; guides are read as tuners and stations become available. */
  start(): void {
    this.#worker.start();
  }

  /** This machine's clock compared with each network's. */
  clockOffsets(): ClockOffset[] {
    return this.#clocks.list();
  }

  /** Present and next programmes of the stations being received. */
  airings(): Airings {
    return this.#air.airings(this.options.broadcastNow());
  }

  status(): GuideStatus {
    return this.#collector.status(this.clockOffsets());
  }

  /** 'Collect now' was requested or renewed. */
  press(): GuideCollect {
    return this.#collector.press();
  }

  release(): GuideCollect {
    return this.#collector.release();
  }

  /** Tuners, stations or the agent's availability changed. */
  wake(): void {
    this.#collector.wake();
  }

  /** The station list was replaced: every channel is read again. */
  recollect(): void {
    this.#collector.recollect();
  }

  stationsChanged(stations: readonly StationRecord[]): void {
    this.#worker.stations(stations);
    this.#collector.wake();
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    this.#collector.close();
    this.#feeds.close();
    await this.#worker.close();
  }

  #onNamed(stations: readonly NamedEvents[]): void {
    const { now, broadcastNow, hub } = this.options;
    let changed = false;
    for (const { since, ...named } of stations) {
      // Limit of the delay until storing; a longer delay means that the clock was set.
      const ago = since === null ? 0 : now() - since;
      const at = plusMs(broadcastNow(), ago >= 0 && ago <= STORING_MS ? -ago : 0);
      if (this.#air.take({ ...named, since: since === null ? null : at }, broadcastNow())) changed = true;
    }
    if (changed) hub.changed('programs');
  }

  #judgeClock(): void {
    const worst = this.#clocks.takeWarning();
    if (worst === undefined) return;
    const { networkId, offsetMs } = worst;
    this.options.log.warn("this machine's clock differs from the broadcast's", { networkId, offsetMs });
  }
}
