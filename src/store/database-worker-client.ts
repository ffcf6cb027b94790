/**
 * The main thread's side of the database worker: reports whether commits are on disk without blocking on the disk
 * itself. Requests during an open request are batched into the next one.
 */
import type { Database } from 'bun:sqlite';
import { type MonotonicMs, monotonicMs, systemMonotonicClock } from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { WatchdogLimits } from '../../lib/host/watchdog.ts';
import { WorkerLink } from '../../lib/host/worker-link.ts';
import { Failure } from '../model/failure.ts';
import { type DatabaseTroubleKind, TROUBLES, troubleOf } from './database-error.ts';
import type { DatabaseContract, Inspection, LogStatus } from './database-worker-messages.ts';
import type { WorkerLock, WriteLock } from './write-lock.ts';

/** A disk in standby spins up within this. */
const LIMIT_MS = 25_000;
/** The service has 9 s in total to shut down; the rest of the log is read at the next start. */
const CLOSE_LIMIT_MS = 2_500;
const SLOW_MS = 3_000;
/** After the start has read its data. */
const FIRST_INSPECTION_MS = 5 * 60_000;
const INSPECTION_MS = 24 * 3_600_000;
/** One step of an inspection reads a complete table, which takes minutes on a slow disk. */
const INSPECTION_STEP_MS = 15 * 60_000;
/** Four times the length at which the worker truncates it. */
const LONG_LOG_BYTES = 256 * 1024 * 1024;
/** The reserved space (`ReservedSpace`) is released, or about to be. */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;
/** Delay before a lost worker is replaced, unless a request does it sooner. */
const RESTART_MS = 10_000;
const MAX_REPORTED = 1_000;

interface DatabaseWorkerClientOptions {
  /** The main thread's connection, whose commits callers wait for. */
  database: Database;
  /** Its file. */
  path: string;
  writeLock: WriteLock;
  startWorker: () => Worker;
  log: Log;
  /** Time limit of the disk, ms. */
  limitMs?: number;
  /** Delay of the first inspection, ms. */
  inspectMs?: number;
  /** Watchdog limit while it does not wait for the disk. */
  watchdog?: WatchdogLimits;
}

const SLOW =
  'データベースのディスクの応答が遅くなっています。予約などの保存に時間がかかることがありますが、録画は続いています。';

interface Batch {
  /** `total_changes` of the connection at the time of the request. */
  changes: number;
  askedAt: MonotonicMs;
  done: PromiseWithResolvers<void>;
}

function notOnDisk(cause: unknown): Failure {
  const message =
    'データベースのディスクが応答しないため、保存されたことをまだ確認できません。しばらくしてから確認してください。';
  return new Failure('busy', message, { cause });
}

export class DatabaseWorkerClient {
  readonly #link: WorkerLink<DatabaseContract>;
  readonly #inspector: WorkerLink<DatabaseContract>;
  /** Shared with the worker: 1 while it waits for the disk, which pauses the watchdog. */
  #diskWait = new Int32Array(new SharedArrayBuffer(4));
  #lock: WorkerLock | undefined;
  /** Everything up to this value of `total_changes` is on disk. */
  #safe = 0;
  #asked: Batch | undefined;
  #next: Batch | undefined;
  #closed = false;
  #inspection: ReturnType<typeof setTimeout> | undefined;
  #restart: ReturnType<typeof setTimeout> | undefined;
  #trouble: DatabaseTroubleKind | undefined;
  /** Messages that were logged once. */
  readonly #reported = new Set<string>();
  #reportedBytes = LONG_LOG_BYTES;

  constructor(readonly options: DatabaseWorkerClientOptions) {
    const { startWorker, path, writeLock, log, watchdog } = options;
    this.#link = new WorkerLink({
      name: 'database worker',
      startWorker,
      log,
      setup: (send) => {
        this.#diskWait = new Int32Array(new SharedArrayBuffer(4));
        this.#lock = writeLock.share();
        send({ kind: 'open', path, lock: this.#lock, diskWait: this.#diskWait });
      },
      onEvent: (status) => this.#onStatus(status),
      // Also without a request, since the log must be checkpointed.
      onLost: () => {
        if (this.#lock !== undefined) writeLock.revoke(this.#lock);
        clearTimeout(this.#restart);
        this.#restart = setTimeout(() => this.#link.start(), RESTART_MS);
      },
      watchdog: { ...watchdog, isExcused: () => Atomics.load(this.#diskWait, 0) === 1 },
      retryMs: 0,
    });
    this.#inspector = new WorkerLink({
      name: 'database inspection',
      startWorker,
      log,
      watchdog: { limitMs: INSPECTION_STEP_MS },
      watchWhen: 'working',
      idleMs: 0,
    });
  }

  start(): void {
    if (this.#closed) return;
    this.#link.start();
    this.#inspection = setTimeout(() => void this.#inspect(), this.options.inspectMs ?? FIRST_INSPECTION_MS);
  }

  /** In a separate worker: it takes seconds, during which the other one must respond. */
  async #inspect(): Promise<void> {
    const { path, log } = this.options;
    this.#inspection = setTimeout(() => void this.#inspect(), INSPECTION_MS);
    try {
      this.#onInspected(await this.#inspector.request('inspect', { path }, { timeoutMs: INSPECTION_MS / 2 }));
    } catch (error) {
      if (!this.#closed) log.error('database not inspected', { error: String(error) });
    }
  }

  /** Resolves when everything committed until now is on disk. @throws Failure busy when that cannot be confirmed */
  async stored(): Promise<void> {
    const changes = this.#changes();
    if (changes === this.#safe) return;
    if (this.#closed) throw notOnDisk('closed');
    const batch = this.#asked?.changes === changes ? this.#asked : this.#batch();
    const { limitMs = LIMIT_MS } = this.options;
    await within(limitMs, batch.done.promise, () => {
      throw notOnDisk(`no answer for ${limitMs} ms`);
    });
  }

  /** Current problem, a Japanese sentence; null: none known. */
  get trouble(): string | null {
    if (this.#trouble !== undefined) return TROUBLES[this.#trouble].message;
    const waitedMs = this.#asked === undefined ? 0 : systemMonotonicClock() - this.#asked.askedAt;
    return waitedMs > SLOW_MS ? SLOW : null;
  }

  /** Reports a database error of another part of the service. */
  note(error: unknown): void {
    if (troubleOf(error) !== 'damaged') return;
    this.#trouble = 'damaged';
    this.#logOnce('database is damaged', String(error), { next: TROUBLES.damaged.next });
  }

  /** @returns whether the database file is complete; otherwise the rest is in the log beside it */
  async close(): Promise<boolean> {
    if (this.#closed) return false;
    this.#closed = true;
    clearTimeout(this.#inspection);
    clearTimeout(this.#restart);
    const [isDown] = await Promise.all([this.#link.close(CLOSE_LIMIT_MS), this.#inspector.close(0)]);
    this.#fail(notOnDisk('closed'));
    return isDown;
  }

  #changes(): number {
    return this.options.database.query<{ n: number }, []>('SELECT total_changes() AS n').get()?.n ?? 0;
  }

  #batch(): Batch {
    if (this.#next === undefined) {
      const done = Promise.withResolvers<void>();
      // All callers may have reached their timeout.
      done.promise.catch(() => {});
      this.#next = { changes: 0, askedAt: monotonicMs(0), done };
    }
    const next = this.#next;
    if (this.#asked === undefined) void this.#ask();
    return next;
  }

  /** One request at a time: after its answer the next batch is sent. */
  async #ask(): Promise<void> {
    for (let batch = this.#take(); batch !== undefined; batch = this.#take()) {
      const { askedAt, done, changes } = batch;
      try {
        await this.#link.request('sync', null);
        this.#safe = changes;
        done.resolve();
      } catch (error) {
        if (!this.#closed) this.#logOnce('database cannot be put on disk', String(error));
        done.reject(notOnDisk(error));
      }
      const ms = Math.round(systemMonotonicClock() - askedAt);
      if (ms > SLOW_MS) this.options.log.warn('disk of the database is slow', { ms });
    }
  }

  /** Waiting callers of the next request; undefined: none. */
  #take(): Batch | undefined {
    const next = this.#next;
    this.#next = undefined;
    this.#asked = next;
    if (next === undefined) return undefined;
    next.changes = this.#changes();
    next.askedAt = systemMonotonicClock();
    return next;
  }

  #onInspected({ fields, problems }: Inspection): void {
    if (problems.length > 0) this.#trouble = 'damaged';
    for (const problem of problems) this.#logOnce('database is damaged', problem);
    for (const field of fields) {
      if (this.#isNew(JSON.stringify(field))) {
        this.options.log.error('damaged database field', { ...field });
      }
    }
  }

  #onStatus({ bytes, freeBytes, error, trouble }: LogStatus): void {
    if (error !== null) {
      const next = trouble === null ? {} : { next: TROUBLES[trouble].next };
      this.#logOnce('log of the database not written', error, next);
    }
    const isFull = error === null && freeBytes < LEAST_FREE_BYTES;
    if (isFull)
      this.#logOnce('disk of the database is full', `${freeBytes} octets free`, {
        next: TROUBLES.full.next,
      });
    if (this.#trouble !== 'damaged') this.#trouble = isFull ? 'full' : (trouble ?? undefined);
    this.#logLength(bytes);
  }

  #logLength(bytes: number): void {
    if (bytes < this.#reportedBytes) return;
    this.#reportedBytes = 2 * bytes;
    this.options.log.warn('log of the database grows: does another program read it?', {
      megabytes: Math.round(bytes / 1e6),
    });
  }

  #logOnce(what: string, error: string, further: Record<string, string> = {}): void {
    if (this.#isNew(`${what}\n${error}`)) this.options.log.error(what, { error, ...further });
  }

  #isNew(line: string): boolean {
    const isNew = !this.#reported.has(line);
    if (this.#reported.size < MAX_REPORTED) this.#reported.add(line);
    return isNew;
  }

  #fail(error: Error): void {
    for (const batch of [this.#asked, this.#next]) batch?.done.reject(error);
    this.#asked = undefined;
    this.#next = undefined;
  }
}
