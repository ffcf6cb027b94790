/** Messages between main thread and database worker. */
import type { DatabaseTroubleKind } from './database-error.ts';
import type { DamagedField } from './integrity-check.ts';
import type { WorkerLock } from './write-lock.ts';

export interface DatabaseContract {
  requests: {
    /** Answered when everything committed before is on disk. */
    sync: { ask: null; answer: null };
    /** Reads the complete database once, in a separate worker. */
    inspect: { ask: { path: string }; answer: Inspection };
  };
  orders: DatabaseOrder;
  /** After each check of the log and its disk. */
  events: LogStatus;
}

/** The first message. `diskWait[0]` is 1 while the worker waits for the disk. */
export interface DatabaseOrder {
  kind: 'open';
  path: string;
  lock: WorkerLock;
  diskWait: Int32Array<SharedArrayBuffer>;
}

export interface LogStatus {
  /** Length of the write-ahead log. */
  bytes: number;
  /** Free on its disk. */
  freeBytes: number;
  /** Why the log could not be written into the database; null: it was. */
  error: string | null;
  trouble: DatabaseTroubleKind | null;
}

/** Damage found: single fields, and SQLite's report about pages and indexes. */
export interface Inspection {
  fields: DamagedField[];
  problems: string[];
}
