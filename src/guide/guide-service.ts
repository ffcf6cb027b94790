/** Guide collection: composes the guide worker, visits, readers on open streams, and clock offsets. */
import { type BroadcastMs, broadcastMs, plusMs } from '../../arib/time.ts';
import type { WallClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import type { ClockOffset, GuideCollect, GuideStatus } from '../../wire/guide.ts';
import type { Hub } from '../hub/hub.ts';
import type { Airings } from '../model/airing.ts';
import type { ReceivedTime } from '../model/broadcast-clock.ts';
import type { StationRecord } from '../model/station.ts';
import type { ReceptionPool } from '../reception/reception-pool.ts';
import type { CoverageStore } from '../store/guide-coverage.ts';
import type { ProgramStore } from '../store/program-store.ts';
import type { WriteLock } from '../store/write-lock.ts';
import type { AgentClient } from '../tuner/agent-client.ts';
import { AirWatch } from './air-watch.ts';
import { ClockOffsets } from './clock-offsets.ts';
import { type CollectLimits, type CollectorStations, GuideCollector } from './guide-collector.ts';
import { GuideFeeds } from './guide-feeds.ts';
import type { NamedEvents } from './guide-messages.ts';
import { GuideVisits } from './guide-visits.ts';
import { GuideWorkerClient } from './guide-worker-client.ts';

export interface GuideServiceOptions {
  agent: AgentClient;
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
  /** Epoch ms. */
  now: WallClock;
  /** A Time Offset Table was received. */
  onTime: (received: ReceivedTime) => void;
  /** Epoch ms by the broadcast. */
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
    const { hub, log, now, stations } = options;
    this.#worker = new GuideWorkerClient({
      startWorker: options.startWorker,
      path: options.databasePath,
      writeLock: options.writeLock,
      writeMs: WRITE_MS,
      log,
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
      stations,
      worker: this.#worker,
      settleMs: options.limits.settleMs,
      onChange: () => this.#collector.wake(),
      log,
    });
    options.pool.observe(this.#feeds);
    this.#collector = new GuideCollector({
      stations,
      programs: options.programs,
      coverage: options.coverage,
      agent: options.agent,
      visits: new GuideVisits({ pool: options.pool, worker: this.#worker }),
      // By the broadcast's clock, once it is known: a machine that was just started may be set to any year.
      purge: (before) => {
        if (!options.isTimeSure()) return;
        this.#worker.purge(broadcastMs(before + options.broadcastNow() - options.now()));
      },
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

  /** The station list changed. */
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
