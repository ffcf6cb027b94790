/**
 * The main thread's side of the database's worker: whether what was committed is on disk, without ever waiting for the
 * disk itself. What is asked for while an answer is awaited is asked for together.
 */
import type { Database } from 'bun:sqlite';
import type { Log } from '../../host/log.ts';
import { Failure } from '../model/failure.ts';
import { TROUBLES, type TroubleKind, troubleOf } from './database-error.ts';
import type { FromDatabaseWorker, ToDatabaseWorker } from './database-worker-messages.ts';

/** A disk wakes up within this. */
const LIMIT_MS = 25_000;
/** The service has 9 s in all; what is in the log alone is read from there at the next start. */
const CLOSE_LIMIT_MS = 2_500;
const SLOW_MS = 3_000;
/** The start has other things to read. */
const FIRST_INSPECTION_MS = 5 * 60_000;
const INSPECTION_MS = 24 * 3_600_000;
/** The worker begins it anew at a fourth of this. */
const LONG_LOG_BYTES = 256 * 1024 * 1024;

export interface DatabaseWorkerClientOptions {
  /** The main thread's connection: what it commits is asked for. */
  database: Database;
  /** Its file. */
  path: string;
  startWorker: () => Worker;
  log: Log;
  /** How long a disk is waited for, ms. */
  limitMs?: number;
  /** When it is looked through first, ms. */
  inspectMs?: number;
}

/** The room that is kept for the database is given up, or about to be (`ReservedSpace`). */
const LEAST_FREE_BYTES = 16 * 1024 * 1024;
const SLOW =
  'データベースのディスクの応答が遅くなっています。予約などの保存に時間がかかることがありますが、録画は続いています。';

interface Batch {
  serial: number;
  /** What the connection had changed when it was asked. */
  changes: number;
  askedAt: number;
  done: PromiseWithResolvers<void>;
}

function notOnDisk(cause: unknown): Failure {
  const message =
    'データベースのディスクが応答しないため、保存されたことをまだ確認できません。しばらくしてから確かめてください。';
  return new Failure('busy', message, { cause });
}

export class DatabaseWorkerClient {
  #worker: Worker | undefined;
  #serial = 0;
  /** On disk: everything up to here. */
  #safe = 0;
  #asked: Batch | undefined;
  #next: Batch | undefined;
  #down: (() => void) | undefined;
  #closed = false;
  #inspection: ReturnType<typeof setTimeout> | undefined;
  #inspector: Worker | undefined;
  #trouble: TroubleKind | undefined;
  /** Told once each. */
  readonly #told = new Set<string>();
  #toldBytes = LONG_LOG_BYTES;

  constructor(readonly options: DatabaseWorkerClientOptions) {}

  start(): void {
    if (this.#closed) return;
    this.#worker ??= this.#start();
    this.#inspection = setTimeout(() => this.#inspect(), this.options.inspectMs ?? FIRST_INSPECTION_MS);
  }

  /** In a worker of its own: seconds, in which the other one has to answer. */
  #inspect(): void {
    const { startWorker, path, log } = this.options;
    const worker = startWorker();
    this.#inspector = worker;
    worker.addEventListener('message', (event: MessageEvent<FromDatabaseWorker>) => {
      worker.terminate();
      this.#take(event.data);
    });
    worker.addEventListener('error', (event) => {
      log.error('database not looked through', { error: event.message });
    });
    worker.postMessage({ kind: 'inspect', path } satisfies ToDatabaseWorker);
    this.#inspection = setTimeout(() => {
      worker.terminate();
      this.#inspect();
    }, INSPECTION_MS);
  }

  /** Everything committed until now is on disk when it resolves. @throws Failure busy when the disk does not tell so */
  async stored(): Promise<void> {
    const changes = this.#changes();
    if (changes === this.#safe) return;
    if (this.#closed) throw notOnDisk('closed');
    const batch = this.#asked?.changes === changes ? this.#asked : this.#batch();
    const late = Promise.withResolvers<never>();
    const { limitMs = LIMIT_MS } = this.options;
    const timer = setTimeout(() => late.reject(notOnDisk(`no answer for ${limitMs} ms`)), limitMs);
    try {
      await Promise.race([batch.done.promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What is wrong now, for people, Japanese; null: nothing is known to be. */
  get trouble(): string | null {
    if (this.#trouble !== undefined) return TROUBLES[this.#trouble].message;
    const waitedMs = this.#asked === undefined ? 0 : performance.now() - this.#asked.askedAt;
    return waitedMs > SLOW_MS ? SLOW : null;
  }

  /** What the database answered to somebody else: damage is found by who reads it. */
  note(error: unknown): void {
    if (troubleOf(error) !== 'damaged') return;
    this.#trouble = 'damaged';
    this.#tellOnce('database is damaged', String(error), { next: TROUBLES.damaged.next });
  }

  /** @returns whether the database's file holds everything; else it is in the log beside it */
  async close(): Promise<boolean> {
    if (this.#closed) return false;
    this.#closed = true;
    clearTimeout(this.#inspection);
    this.#inspector?.terminate();
    const worker = this.#worker;
    if (worker === undefined) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), CLOSE_LIMIT_MS);
    this.#down = () => resolve(true);
    worker.postMessage({ kind: 'close' } satisfies ToDatabaseWorker);
    const isDown = await promise;
    clearTimeout(timer);
    this.#fail(new Error('closed'));
    return isDown;
  }

  #changes(): number {
    return this.options.database.query<{ n: number }, []>('SELECT total_changes() AS n').get()?.n ?? 0;
  }

  #batch(): Batch {
    if (this.#next === undefined) {
      this.#serial += 1;
      const done = Promise.withResolvers<void>();
      // Whoever waited may have stopped waiting.
      done.promise.catch(() => {});
      this.#next = { serial: this.#serial, changes: 0, askedAt: 0, done };
    }
    const next = this.#next;
    if (this.#asked === undefined) this.#ask();
    return next;
  }

  #ask(): void {
    const next = this.#next;
    if (next === undefined) return;
    this.#next = undefined;
    this.#asked = next;
    next.changes = this.#changes();
    next.askedAt = performance.now();
    this.#worker ??= this.#start();
    this.#worker.postMessage({ kind: 'sync', serial: next.serial } satisfies ToDatabaseWorker);
  }

  #start(): Worker {
    const { startWorker, path, log } = this.options;
    const worker = startWorker();
    worker.addEventListener('message', (event: MessageEvent<FromDatabaseWorker>) => this.#take(event.data));
    worker.addEventListener('error', (event) => {
      if (this.#worker !== worker) return;
      log.error('the worker of the database died', { error: event.message });
      this.#fail(notOnDisk(event.message));
    });
    worker.postMessage({ kind: 'open', path } satisfies ToDatabaseWorker);
    return worker;
  }

  #take(message: FromDatabaseWorker): void {
    switch (message.kind) {
      case 'synced':
        this.#synced(message.serial, message.error);
        break;
      case 'looked':
        this.#looked(message);
        break;
      case 'damaged':
        if (message.problems.length > 0) this.#trouble = 'damaged';
        for (const problem of message.problems) this.#tellOnce('database is damaged', problem);
        for (const field of message.fields) {
          if (this.#isNew(JSON.stringify(field))) {
            this.options.log.error('damaged in the database', { ...field });
          }
        }
        break;
      case 'down':
        this.#down?.();
    }
  }

  #synced(serial: number, error: string | null): void {
    const asked = this.#asked;
    if (asked?.serial !== serial) return;
    this.#asked = undefined;
    const ms = Math.round(performance.now() - asked.askedAt);
    if (ms > SLOW_MS) this.options.log.warn('disk of the database is slow', { ms });
    if (error === null) {
      this.#safe = asked.changes;
      asked.done.resolve();
    } else {
      this.#tellOnce('database cannot be put on disk', error);
      asked.done.reject(notOnDisk(error));
    }
    this.#ask();
  }

  #looked({ bytes, freeBytes, error, trouble }: Extract<FromDatabaseWorker, { kind: 'looked' }>): void {
    if (error !== null) {
      const next = trouble === null ? {} : { next: TROUBLES[trouble].next };
      this.#tellOnce('log of the database not written', error, next);
    }
    const isFull = error === null && freeBytes < LEAST_FREE_BYTES;
    if (isFull)
      this.#tellOnce('disk of the database is full', `${freeBytes} octets free`, {
        next: TROUBLES.full.next,
      });
    if (this.#trouble !== 'damaged') this.#trouble = isFull ? 'full' : (trouble ?? undefined);
    this.#tellLength(bytes);
  }

  #tellLength(bytes: number): void {
    if (bytes < this.#toldBytes) return;
    this.#toldBytes = 2 * bytes;
    this.options.log.warn('log of the database grows: does another program read in it?', {
      megabytes: Math.round(bytes / 1e6),
    });
  }

  #tellOnce(what: string, error: string, further: Record<string, string> = {}): void {
    if (this.#isNew(`${what}\n${error}`)) this.options.log.error(what, { error, ...further });
  }

  #isNew(told: string): boolean {
    const isNew = !this.#told.has(told);
    if (this.#told.size < 1000) this.#told.add(told);
    return isNew;
  }

  #fail(error: Error): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    for (const batch of [this.#asked, this.#next]) batch?.done.reject(error);
    this.#asked = undefined;
    this.#next = undefined;
  }
}
