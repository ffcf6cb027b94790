/** Between the main thread and the worker that keeps the database's log. */

import type { TroubleKind } from './database-error.ts';
import type { DamagedField } from './integrity-check.ts';

export type ToDatabaseWorker =
  | { kind: 'open'; path: string }
  /** The only message of a worker of its own: looks through everything once. */
  | { kind: 'inspect'; path: string }
  /** What was committed until now is to be on disk. */
  | { kind: 'sync'; serial: number }
  /** The last message: everything into the database. */
  | { kind: 'close' };

export type FromDatabaseWorker =
  /** `error`: null when it is on disk. */
  | { kind: 'synced'; serial: number; error: string | null }
  /** Looked after the log and its disk; `error`: what kept it from that. `freeBytes`: of the disk. */
  | { kind: 'looked'; bytes: number; freeBytes: number; error: string | null; trouble: TroubleKind | null }
  /** Found while looking through the database. */
  | { kind: 'damaged'; fields: DamagedField[]; problems: string[] }
  | { kind: 'down' };
