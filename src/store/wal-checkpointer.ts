/**
 * Manages the write-ahead log (`-wal`) in a worker, where all waiting for the disk happens: syncs commits on request,
 * checkpoints the log into the database, restarts the log before it grows long, and renews the planner's statistics.
 *
 * No other connection ever waits for the disk:
 * - none of them writes the log into the database (`openDatabase`), and commits are not synced (`synchronous =
 *   NORMAL`);
 * - the first commit into a restarted log is synced by the committing connection. So the log restarts only under
 *   control of this class: its own reader (the pin) prevents other connections from restarting it, and the first
 *   commit is made here.
 */
import { Database } from 'bun:sqlite';
import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { codeOf } from './database-error.ts';
import { holdingNow, type WorkerLock } from './write-lock.ts';

/** Number of new pages that triggers a checkpoint, SQLite's default: 4 MB. */
const WRITE_PAGES = 1000;
/** Above this size the log is restarted as soon as no connection reads from it and the disk is fast: 16 MB. */
const LONG_PAGES = 4096;
/** Above this size also with a slow disk, although others may have to wait for it once: 64 MB. */
const TOO_LONG_PAGES = 16_384;
/** A disk is fast if it wrote everything within this. */
const QUICK_MS = 250;
/** Of each index: the write lock is held while they are read. */
const ANALYSED_ROWS = 400;
/** Other connections write in between: their commits are checkpointed too before the log restarts. */
const TRIES = 3;

interface LogLength {
  pages: number;
  /** Those of them that are not in the database yet. */
  unwritten: number;
}

export class WalCheckpointer {
  readonly #database: Database;
  readonly #pins: [Database, Database];
  #isQuick = true;

  /** @param path of an open database */
  constructor(
    private readonly path: string,
    private readonly elapsed: MonotonicClock,
    private readonly lock?: WorkerLock,
  ) {
    this.#database = connect(path);
    this.#pins = [connect(path), connect(path)];
    this.#movePin();
    // Makes the log's name durable: SQLite would do so with its own first sync.
    syncAt(dirname(path));
  }

  /** When it returns, everything committed before is on disk. @throws the system's error */
  sync(): void {
    const began = this.elapsed();
    syncAt(`${this.path}-wal`);
    this.#isQuick = this.elapsed() - began < QUICK_MS;
  }

  length(): LogLength {
    return this.#checkpoint('NOOP');
  }

  /** Does what is due. @returns the current length of the log @throws the database's error */
  look(): LogLength {
    const { pages, unwritten } = this.length();
    // On a slow disk a caller may be waiting for the next sync: returns as soon as possible.
    if ((!this.#isQuick || unwritten < WRITE_PAGES) && pages < LONG_PAGES) return { pages, unwritten };
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const began = this.elapsed();
      const left = this.#write();
      if (left.pages < LONG_PAGES) return left;
      this.#isQuick = this.elapsed() - began < QUICK_MS;
      if (!this.#isQuick && left.pages < TOO_LONG_PAGES) return left;
      if (left.unwritten === 0 || left.pages >= TOO_LONG_PAGES) {
        if (this.#restartAlone()) break;
      }
    }
    return this.length();
  }

  /**
   * Renews the statistics of tables that have none or have grown tenfold, on which SQLite bases its plans.
   * @returns whether it did: not while another thread writes or wants to @throws the database's error
   */
  optimize(): boolean {
    const act = (): true => {
      this.#database.run(`PRAGMA analysis_limit = ${ANALYSED_ROWS}`);
      // All tables, not only those that this connection has read.
      this.#database.run('PRAGMA optimize = 0x10002');
      return true;
    };
    return this.lock === undefined ? act() : holdingNow(this.lock, act) === true;
  }

  /** Checkpoints everything; the log is empty then, unless a connection reads from it. Idempotent. */
  close(): void {
    for (const pin of this.#pins) pin.close();
    try {
      this.#checkpoint('TRUNCATE');
    } finally {
      this.#database.close();
    }
  }

  /** Checkpoints everything that was committed before. */
  #write(): LogLength {
    this.#movePin();
    return this.#checkpoint('PASSIVE');
  }

  /** The log is checkpointed up to the oldest reader's snapshot: the pin moves to the newest, and always exists. */
  #movePin(): void {
    const [held, free] = this.#pins;
    release(free);
    free.run('BEGIN');
    free.query('PRAGMA user_version').get();
    free.query('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    release(held);
    this.#pins.reverse();
  }

  /** Takes SQLite's write lock: not while another thread writes or wants to. */
  #restartAlone(): boolean {
    return this.lock === undefined
      ? this.#restartLog()
      : holdingNow(this.lock, () => this.#restartLog()) === true;
  }

  /** Does not wait: if a connection is reading or writing now, it is retried later. */
  #restartLog(): boolean {
    release(this.#pins[0]);
    try {
      if (this.#checkpoint('TRUNCATE').pages > 0) return false;
      this.#commitFirst();
      return true;
    } finally {
      this.#movePin();
    }
  }

  /** An empty log has no valid pages: its first page need not be on disk before the next. */
  #commitFirst(): void {
    this.#database.run('PRAGMA synchronous = OFF');
    try {
      this.#database.run(`PRAGMA user_version = ${this.#version()}`);
    } catch (error) {
      // Another connection was faster, and has synced it.
      if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error;
    } finally {
      this.#database.run('PRAGMA synchronous = NORMAL');
    }
  }

  #version(): number {
    return this.#database.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0;
  }

  #checkpoint(mode: 'NOOP' | 'PASSIVE' | 'TRUNCATE'): LogLength {
    const row = this.#database
      .query<{ log: number; checkpointed: number }, []>(`PRAGMA wal_checkpoint(${mode})`)
      .get();
    const pages = Math.max(0, row?.log ?? 0);
    return { pages, unwritten: pages - Math.max(0, row?.checkpointed ?? 0) };
  }
}

/** Does not wait for locks: they are held briefly, and the next check follows soon. */
function connect(path: string): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  database.run('PRAGMA busy_timeout = 0');
  database.run('PRAGMA wal_autocheckpoint = 0');
  database.run('PRAGMA synchronous = NORMAL');
  return database;
}

function release(pin: Database): void {
  if (pin.inTransaction) pin.run('COMMIT');
}

/** A file that does not exist has no unsynced data. @throws the system's error */
function syncAt(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
