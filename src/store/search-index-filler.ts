/**
 * Updates the search index some seconds after writes, many programmes at a time in the order of their start, because
 * neighbours in the index share pages. The main thread indexes recordings when it writes them; those that an update
 * adds, or that were moved, are indexed here. Runs in the guide worker, in its short transactions.
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../lib/arib/ids.ts';
import {
  endPending,
  indexPrograms,
  indexRecordings,
  isRecordingPending,
  type PreparedDocument,
  pendingPrograms,
  preparePrograms,
} from './search-index.ts';

interface SearchIndexFillerOptions {
  database: Database;
  /** Maximum delay of the index, ms; 0: none. */
  delayMs: number;
  /** Lets other connections write, and the thread do other work. */
  pause: () => Promise<void>;
  /** Runs exclusively of writes of the guide. */
  inTurn: <T>(act: () => Promise<T>) => Promise<T>;
  /** Runs steps in short transactions. */
  run: (steps: Iterator<void>) => Promise<void>;
}

/** Indexing a row takes 0.1 ms, with a long extended text 0.5 ms. */
const ROWS_A_STEP = 4;
/** Prepared before they are written, 12 ms of the thread: with fewer, more commits write the same pages again. */
const ROWS_PREPARED = 128;
const PENDING_ROWS_A_STEP = 200;
/** Limit of a pass, for which a write of the guide may have to wait some seconds. */
const PROGRAMS_A_PASS = 4_000;
const RECORDINGS_A_PASS = 1_000;

export class SearchIndexFiller {
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: SearchIndexFillerOptions) {}

  /** Resolves when everything is indexed, with a delay at once. @throws SQLite's error, without a delay */
  async fill(): Promise<void> {
    const { delayMs } = this.options;
    if (delayMs === 0) return this.#index();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // The error occurs again with the next write, which reports it.
      void this.#index().catch(() => {});
    }, delayMs);
    this.#timer.unref();
  }

  /** The next writer of this database updates the rest of the index. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /** Writes run between passes. */
  async #index(): Promise<void> {
    while (await this.options.inTurn(() => this.#indexPrograms()));
    while (await this.options.inTurn(() => this.#indexRecordings()));
  }

  /** @returns whether there may be more */
  async #indexPrograms(): Promise<boolean> {
    const pending = pendingPrograms(this.options.database, PROGRAMS_A_PASS);
    if (pending.length === 0) return false;
    for (let at = 0; at < pending.length; at += ROWS_PREPARED) {
      const documents = preparePrograms(this.options.database, pending.slice(at, at + ROWS_PREPARED));
      await this.options.pause();
      await this.options.run(this.#indexing(documents));
      await this.options.pause();
    }
    await this.options.run(this.#endingPending(pending));
    return true;
  }

  /**
   * Recordings have other writers: each is read, indexed and marked as done in one transaction.
   * @returns whether there may be more
   */
  async #indexRecordings(): Promise<boolean> {
    const { database, run } = this.options;
    if (!isRecordingPending(database)) return false;
    let indexed = 0;
    const steps = function* (): Generator<void> {
      for (let rows = 1; rows > 0 && indexed < RECORDINGS_A_PASS; indexed += rows) {
        rows = indexRecordings(database, ROWS_A_STEP);
        yield;
      }
      // Search results are cached until this counter changes.
      database.run("UPDATE counters SET value = value + 1 WHERE name IN ('recordings', 'recording_lists')");
    };
    await run(steps());
    return indexed >= RECORDINGS_A_PASS;
  }

  *#indexing(documents: readonly PreparedDocument[]): Generator<void> {
    for (let at = 0; at < documents.length; at += ROWS_A_STEP) {
      indexPrograms(this.options.database, documents.slice(at, at + ROWS_A_STEP));
      yield;
    }
  }

  /** Programmes do not change in between: writes wait. */
  *#endingPending(pending: readonly ProgramId[]): Generator<void> {
    const sorted = pending.toSorted((a, b) => a - b);
    for (let at = 0; at < sorted.length; at += PENDING_ROWS_A_STEP) {
      endPending(this.options.database, sorted.slice(at, at + PENDING_ROWS_A_STEP));
      yield;
    }
  }
}
