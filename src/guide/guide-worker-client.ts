/**
 * The guide worker as promises: one a visit, one a feed. A worker that died, or answers no more, fails its visits,
 * drops its feeds and is started anew.
 */
import type { StationId } from '../../arib/ids.ts';
import { systemMonotonicClock } from '../../host/clock.ts';
import type { Log } from '../../host/log.ts';
import { Watchdog } from '../../host/watchdog.ts';

import type {
  FeedOrder,
  FromGuideWorker,
  NamedEvents,
  ToGuideWorker,
  VisitedStation,
  VisitOrder,
  VisitResult,
} from './guide-messages.ts';

export interface GuideVisitsOptions {
  startWorker: () => Worker;
  /** The database file that the worker writes. */
  path: string;
  /** How often schedules are written while a visit or a feed goes on, ms. */
  writeMs: { visit: number; feed: number };
  log: Log;
  onChanged: (stations: StationId[]) => void;
  onCoverage: () => void;
  onNamed: (stations: NamedEvents[]) => void;
  /** Nothing is read any more. */
  onLost: () => void;
  onClock: (sample: Extract<FromGuideWorker, { kind: 'clock' }>) => void;
  /** A worker that answers no question for so long is given up, ms. */
  silenceMs?: number | undefined;
}

/** A visit that can be given up; what it found is kept. */
export interface RunningVisit {
  readonly result: Promise<VisitResult>;
  cancel(): void;
}

export interface RunningFeed {
  packets(bytes: Uint8Array<ArrayBuffer>): void;
  end(): void;
}

/** Beyond the worker's own limits: it no longer answers. Writing what a visit found takes seconds at most. */
const GRACE_MS = 30_000;
/** A guide's tables of one stream are under 100 KB a second. */
const MAX_UNREAD_BYTES = 4 * 1_048_576;
const SHUTDOWN_LIMIT_MS = 4_000;
/** A statement waits 5 s for another writer (`store/database.ts`), and there may be several. */
const SILENCE_MS = 30_000;

export class GuideWorkerClient {
  #worker: Worker | undefined;
  #serial = 0;
  readonly #open = new Map<number, (result: VisitResult) => void>();
  /** Bytes of each feed that the worker has not read yet. */
  readonly #feeds = new Map<number, number>();
  #stations: VisitedStation[] = [];
  #down: (() => void) | undefined;
  #closed = false;
  /** Logged at the first failure of a row of them. */
  #troubled = false;
  /** What others follow the air by comes from it: it is asked as long as it lives. */
  #watchdog: Watchdog | undefined;

  constructor(private readonly options: GuideVisitsOptions) {}

  stations(stations: readonly VisitedStation[]): void {
    this.#stations = stations.map(({ id, networkId, serviceId }) => ({ id, networkId, serviceId }));
    if (this.#worker !== undefined) this.#worker.postMessage(this.#stationsMessage());
  }

  /** The result never rejects; what the visit learned is stored before it comes. */
  visit(order: VisitOrder): RunningVisit {
    this.#serial += 1;
    const visit = this.#serial;
    const result = new Promise<VisitResult>((resolve) => {
      const overdue = setTimeout(
        () => this.#restart('guide worker does not answer'),
        order.openMs + order.capMs + GRACE_MS,
      );
      this.#open.set(visit, (found) => {
        clearTimeout(overdue);
        this.#open.delete(visit);
        resolve(found);
      });
      this.#post({ kind: 'visit', visit, ...order });
    });
    return {
      result,
      cancel: () => this.#worker?.postMessage({ kind: 'cancel', visit } satisfies ToGuideWorker),
    };
  }

  /** Reads a stream that somebody else keeps open. */
  feed(order: FeedOrder): RunningFeed {
    this.#serial += 1;
    const feed = this.#serial;
    let ended = false;
    const begin = (): void => {
      this.#post({ kind: 'feed', feed, ...order });
      this.#feeds.set(feed, 0);
    };
    begin();
    return {
      packets: (bytes) => {
        if (ended) return;
        // A new worker knows of nothing.
        if (!this.#feeds.has(feed)) begin();
        const unread = this.#feeds.get(feed) ?? 0;
        // The worker is far behind: tables are repeated, so nothing is lost for long.
        if (unread > MAX_UNREAD_BYTES) return;
        this.#feeds.set(feed, unread + bytes.length);
        this.#post({ kind: 'packets', feed, bytes }, [bytes.buffer]);
      },
      end: () => {
        ended = true;
        if (this.#feeds.delete(feed)) this.#post({ kind: 'feedEnd', feed });
      },
    };
  }

  /** Forgets programmes that ended at or before, epoch ms. */
  purge(before: number): void {
    this.#post({ kind: 'purge', before });
  }

  /** Writes what was read; resolves when the worker is gone. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const worker = this.#worker;
    this.#watchdog?.rest();
    if (worker !== undefined) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const limit = setTimeout(resolve, SHUTDOWN_LIMIT_MS);
      this.#down = resolve;
      worker.postMessage({ kind: 'shutdown' } satisfies ToGuideWorker);
      await promise;
      clearTimeout(limit);
      worker.terminate();
    }
    this.#worker = undefined;
    this.#failAll('closed');
  }

  #stationsMessage(): ToGuideWorker {
    return { kind: 'stations', stations: this.#stations };
  }

  #post(message: ToGuideWorker, transfer: ArrayBuffer[] = []): void {
    if (this.#closed) return;
    this.#worker ??= this.#start();
    this.#worker.postMessage(message, transfer);
  }

  #start(): Worker {
    const { startWorker, path, writeMs, silenceMs = SILENCE_MS } = this.options;
    const worker = startWorker();
    this.#watchdog = new Watchdog({
      ask: () => worker.postMessage({ kind: 'ask' } satisfies ToGuideWorker),
      onSilent: (silentMs) => this.#restart(`guide worker gives no answer for ${silentMs} ms`),
      clock: systemMonotonicClock,
      limitMs: silenceMs,
    });
    this.#watchdog.watch();
    worker.addEventListener('message', (event: MessageEvent<FromGuideWorker>) => this.#receive(event.data));
    worker.addEventListener('error', (event) => {
      if (this.#worker === worker) this.#restart(`guide worker died: ${event.message}`);
    });
    worker.postMessage({ kind: 'open', path, writeMs } satisfies ToGuideWorker);
    worker.postMessage(this.#stationsMessage());
    return worker;
  }

  #receive(message: FromGuideWorker): void {
    const { log, onChanged, onClock, onCoverage, onNamed } = this.options;
    switch (message.kind) {
      case 'done':
        this.#open.get(message.visit)?.({ outcome: message.outcome, reason: message.reason });
        break;
      case 'changed':
        this.#troubled = false;
        onChanged(message.stations);
        break;
      case 'named':
        onNamed(message.stations);
        break;
      case 'coverage':
        onCoverage();
        break;
      case 'fed': {
        const unread = this.#feeds.get(message.feed);
        if (unread !== undefined) this.#feeds.set(message.feed, unread - message.bytes);
        break;
      }
      case 'clock':
        onClock(message);
        break;
      case 'purged':
        if (message.programs > 0) log.debug('programmes forgotten', { programs: message.programs });
        break;
      case 'alive':
        this.#watchdog?.answered();
        break;
      case 'trouble':
        if (!this.#troubled) log.error('guide not stored', { error: message.error });
        this.#troubled = true;
        break;
      case 'down':
        this.#down?.();
        break;
    }
  }

  #restart(reason: string): void {
    this.options.log.error(reason);
    this.#watchdog?.rest();
    this.#worker?.terminate();
    this.#worker = undefined;
    this.options.onLost();
    this.#down?.();
    this.#failAll(reason);
  }

  #failAll(reason: string): void {
    this.#feeds.clear();
    for (const finish of [...this.#open.values()]) finish({ outcome: 'failed', reason });
  }
}
