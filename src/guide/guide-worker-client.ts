/**
 * Main thread's side of the guide worker: one `GuideReading` per stream. A worker that crashed or does not respond
 * loses its readings and is replaced at the next one.
 */
import type { StationId } from '../../lib/arib/ids.ts';
import type { ServiceBroadcaster } from '../../lib/arib/si/service-tables.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { RemoteClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import { WorkerLink } from '../../lib/host/worker-link.ts';
import type { WorkerLock, WriteLock } from '../store/write-lock.ts';
import type {
  ClockSample,
  GuideContract,
  GuideEvent,
  GuideOrder,
  NamedEvents,
  ReadingOrder,
  VisitedStation,
} from './guide-messages.ts';

interface GuideWorkerOptions {
  startWorker: () => Worker;
  /** The database file that the worker writes. */
  path: string;
  writeLock: WriteLock;
  /** Interval between writes of schedules while a visit or a feed is read, ms. */
  writeMs: { visit: number; feed: number };
  log: Log;
  onChanged: (stations: StationId[]) => void;
  onCoverage: () => void;
  onNamed: (stations: NamedEvents[]) => void;
  /** Readings were lost with their worker. */
  onLost: () => void;
  /** @param sample `arrivedAt` by this thread's clock */
  onClock: (sample: Omit<ClockSample, 'postedAt'>) => void;
  onBroadcaster?: ((stationId: StationId, broadcaster: ServiceBroadcaster) => void) | undefined;
  /** A worker that does not answer for this long is terminated, ms. */
  silenceMs?: number | undefined;
}

export interface ReadingHandlers {
  /** A visit found everything that it waits for. */
  reached?(): void;
  /** The worker was lost, and the reading with it. */
  lost(): void;
}

export interface GuideReading {
  /** A reader of the stream has the other end of this port. */
  connect(port: MessagePort): void;
  /** @param counts whether the reading was complete @returns whether its results are stored. Never rejects. */
  end(counts: boolean): Promise<boolean>;
}

const SHUTDOWN_LIMIT_MS = 4_000;
/** A statement waits 5 s for another writer (`store/database.ts`), and there may be several. */
const SILENCE_MS = 30_000;
/** Writing the results of a reading takes seconds at most. */
const END_LIMIT_MS = 30_000;

export class GuideWorkerClient {
  readonly #link: WorkerLink<GuideContract>;
  readonly #readings = new Map<number, ReadingHandlers>();
  #clock = new RemoteClock();
  #lock: WorkerLock | undefined;
  #serial = 0;
  #stations: VisitedStation[] = [];
  /** Only the first of consecutive failures is logged. */
  #isFailing = false;

  constructor(private readonly options: GuideWorkerOptions) {
    const { startWorker, log, path, writeMs, silenceMs = SILENCE_MS } = options;
    this.#link = new WorkerLink<GuideContract>({
      name: 'guide worker',
      startWorker,
      log,
      setup: (send) => {
        this.#lock = options.writeLock.share();
        send({ kind: 'open', path, lock: this.#lock, writeMs });
        send(this.#stationsOrder());
      },
      onEvent: (event) => this.#take(event),
      onLost: () => {
        if (this.#lock !== undefined) options.writeLock.revoke(this.#lock);
        this.#lost();
      },
      // Recordings depend on its present/following: the watchdog is always active.
      watchWhen: 'always',
      watchdog: { limitMs: silenceMs },
    });
  }

  stations(stations: readonly VisitedStation[]): void {
    this.#stations = stations.map(({ id, networkId, serviceId }) => ({ id, networkId, serviceId }));
    this.#link.sendIfRunning(this.#stationsOrder());
  }

  /** Starts the worker before the first reading; it also updates the search index after an update. */
  start(): void {
    this.#link.send(this.#stationsOrder());
  }

  /** @returns undefined while the worker cannot be started */
  read(order: ReadingOrder, handlers: ReadingHandlers): GuideReading | undefined {
    this.#serial += 1;
    const reading = this.#serial;
    this.#link.send({ kind: 'read', reading, ...order });
    if (!this.#link.isRunning) return undefined;
    this.#readings.set(reading, handlers);
    return {
      connect: (port) => {
        if (this.#readings.has(reading)) this.#link.sendIfRunning({ kind: 'source', reading, port }, [port]);
      },
      end: async (counts) => {
        if (!this.#readings.delete(reading)) return false;
        try {
          await this.#link.request('end', { reading, counts }, { timeoutMs: END_LIMIT_MS });
          return true;
        } catch (error) {
          this.options.log.debug('reading not stored', { error: String(error) });
          return false;
        }
      },
    };
  }

  /** Deletes programmes that ended at or before this time, epoch ms. */
  purge(before: BroadcastMs): void {
    this.#link.send({ kind: 'purge', before });
  }

  /** Writes everything that was read; resolves when the worker has ended. */
  async close(): Promise<void> {
    await this.#link.close(SHUTDOWN_LIMIT_MS);
    this.#readings.clear();
  }

  #stationsOrder(): GuideOrder {
    return { kind: 'stations', stations: this.#stations };
  }

  #take(event: GuideEvent): void {
    const { log, onChanged, onClock, onCoverage, onNamed } = this.options;
    switch (event.kind) {
      case 'reached':
        this.#readings.get(event.reading)?.reached?.();
        break;
      case 'changed':
        this.#isFailing = false;
        onChanged(event.stations);
        break;
      case 'named':
        onNamed(event.stations);
        break;
      case 'coverage':
        onCoverage();
        break;
      case 'clock':
        this.#clock.heard(event.postedAt);
        onClock({ ...event, arrivedAt: this.#clock.local(event.arrivedAt) });
        break;
      case 'broadcaster':
        this.options.onBroadcaster?.(event.stationId, event.broadcaster);
        break;
      case 'purged':
        if (event.programs > 0) log.debug('programmes forgotten', { programs: event.programs });
        break;
      case 'trouble':
        if (!this.#isFailing) log.error('guide not stored', { error: event.error });
        this.#isFailing = true;
        break;
    }
  }

  #lost(): void {
    const lost = [...this.#readings.values()];
    this.#readings.clear();
    this.#clock = new RemoteClock();
    this.options.onLost();
    for (const handlers of lost) handlers.lost();
  }
}
