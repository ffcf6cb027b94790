/**
 * The database worker: puts commits on disk, writes the log into the database (`WalCheckpointer`), keeps disk space
 * reserved for the database, and inspects it for damage. All waiting for the database's disk happens here.
 */
import { Database } from 'bun:sqlite';
import type { MonotonicClock } from '../../lib/host/clock.ts';
import { type DatabaseTroubleKind, troubleOf } from './database-error.ts';
import type { DatabaseOrder, Inspection, LogStatus } from './database-worker-messages.ts';
import { IntegrityCheck } from './integrity-check.ts';
import { ReservedSpace } from './reserved-space.ts';
import { WalCheckpointer } from './wal-checkpointer.ts';

const CHECK_LOG_MS = 2_000;
const CHECK_SPACE_MS = 60_000;
/** Statistics for SQLite's plans: after the start has done its work, then daily; retried when others write. */
const OPTIMIZE_MS = { first: 10 * 60_000, next: 24 * 3_600_000, retry: 60_000 };
/** Minimum pause between two steps of an inspection. */
const REST_MS = 20;
/** Page size set by `openDatabase`. */
const PAGE_BYTES = 4096;

interface DatabaseWorkerHostOptions {
  report: (status: LogStatus) => void;
  elapsed: MonotonicClock;
}

export class DatabaseWorkerHost {
  #checkpointer: WalCheckpointer | undefined;
  #logTimer: ReturnType<typeof setInterval> | undefined;
  #optimizeTimer: ReturnType<typeof setTimeout> | undefined;
  #space: ReservedSpace | undefined;
  #spaceTimer: ReturnType<typeof setInterval> | undefined;
  #diskWait: Int32Array<SharedArrayBuffer> | undefined;

  constructor(private readonly options: DatabaseWorkerHostOptions) {}

  open({ path, lock, diskWait }: DatabaseOrder): void {
    this.#diskWait = diskWait;
    this.#waitForDisk(() => {
      this.#checkpointer = new WalCheckpointer(path, this.options.elapsed, lock);
    });
    this.#logTimer = setInterval(() => this.#checkLog(), CHECK_LOG_MS);
    this.#optimizeTimer = setTimeout(() => this.#optimize(), OPTIMIZE_MS.first);
    this.#space = new ReservedSpace(path);
    this.#spaceTimer = setInterval(() => this.#reserveSpace(), CHECK_SPACE_MS);
  }

  /** @throws the system's error */
  sync(): void {
    this.#waitForDisk(() => this.#checkpointer?.sync());
  }

  /** At most half of the time: the other half is left for recordings. */
  async inspect(path: string): Promise<Inspection> {
    try {
      const database = new Database(path, { readonly: true, strict: true });
      try {
        const check = new IntegrityCheck(database);
        for (const step of check.steps()) {
          const began = this.options.elapsed();
          step();
          await Bun.sleep(REST_MS + this.options.elapsed() - began);
        }
        return check.found;
      } finally {
        database.close();
      }
    } catch (error) {
      return { fields: [], problems: [String(error)] };
    }
  }

  /** Checkpoints everything. */
  close(): void {
    clearInterval(this.#logTimer);
    clearTimeout(this.#optimizeTimer);
    clearInterval(this.#spaceTimer);
    const checkpointer = this.#checkpointer;
    this.#checkpointer = undefined;
    outcome(() => this.#waitForDisk(() => checkpointer?.close()));
  }

  #checkLog(): void {
    let bytes = 0;
    let freeBytes = 0;
    const found = outcome(() =>
      this.#waitForDisk(() => {
        freeBytes = this.#space?.look() ?? 0;
        bytes = (this.#checkpointer?.look().pages ?? 0) * PAGE_BYTES;
      }),
    );
    this.options.report({ bytes, freeBytes, ...found });
  }

  #optimize(): void {
    let isDone = false;
    outcome(() =>
      this.#waitForDisk(() => {
        isDone = this.#checkpointer?.optimize() === true;
      }),
    );
    this.#optimizeTimer = setTimeout(() => this.#optimize(), isDone ? OPTIMIZE_MS.next : OPTIMIZE_MS.retry);
  }

  #reserveSpace(): void {
    // If it fails, the next check of the log reports the free space.
    outcome(() => this.#waitForDisk(() => this.#space?.make()));
  }

  /** Tells the watchdog that the worker waits for the disk. */
  #waitForDisk(act: () => void): void {
    if (this.#diskWait !== undefined) Atomics.store(this.#diskWait, 0, 1);
    try {
      act();
    } finally {
      if (this.#diskWait !== undefined) Atomics.store(this.#diskWait, 0, 0);
    }
  }
}

function outcome(act: () => void): { error: string | null; trouble: DatabaseTroubleKind | null } {
  try {
    act();
    return { error: null, trouble: null };
  } catch (error) {
    return { error: String(error), trouble: troubleOf(error) ?? null };
  }
}
