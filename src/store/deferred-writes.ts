/**
 * Ordered writes that must not be lost, but must not wait for the write lock: rows of recordings. They run at once
 * while the lock is free. While it is held they are kept in memory and stored when it is free again; a write
 * replaces a waiting one with the same key.
 *
 * Memory: a recording has one waiting write per key (its row, times, texts, measurements, end) and one per seam; with
 * `MAX_WAITING` some megabytes.
 */
import type { Database } from 'bun:sqlite';
import { atomically, isLocked, whenWritable } from './transaction.ts';

const RETRY_MS = 100;
const MAX_WAITING = 10_000;

export interface DeferredWritesOptions {
  /** A deferred write failed for another reason than the lock; it is lost. */
  onRefused: (error: unknown) => void;
}

export class DeferredWrites {
  readonly #waiting = new Map<string, () => void>();
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: DeferredWritesOptions,
  ) {}

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** @throws SQLite's error other than SQLITE_BUSY, of a write that runs at once */
  write(key: string, act: () => void): void {
    if (!this.isWaiting) {
      try {
        atomically(this.database, act);
        return;
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    if (this.#waiting.size < MAX_WAITING || this.#waiting.has(key)) this.#waiting.set(key, act);
    else this.options.onRefused(new Error(`${MAX_WAITING} writes wait for the database`));
    this.#arm();
  }

  /** Runs waiting writes. @throws SQLite's error: all of them stay queued */
  flush(): void {
    if (!this.isWaiting) return;
    const refused: unknown[] = [];
    atomically(this.database, () => {
      for (const act of this.#waiting.values()) {
        try {
          this.database.transaction(act)();
        } catch (error) {
          // A full disk rolls the complete transaction back.
          if (!this.database.inTransaction) throw error;
          refused.push(error);
        }
      }
    });
    this.#waiting.clear();
    clearTimeout(this.#retry);
    for (const error of refused) this.options.onRefused(error);
  }

  #arm(): void {
    this.#retry ??= setTimeout(() => void this.#retryWhenFree(), RETRY_MS);
    this.#retry.unref();
  }

  /** Does not block while the lock is held. */
  async #retryWhenFree(): Promise<void> {
    try {
      await whenWritable(this.database, () => this.flush());
    } catch {
      // All of them stay queued.
    }
    this.#retry = undefined;
    if (this.isWaiting) this.#arm();
  }
}
