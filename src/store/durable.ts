/** Transactions that are on disk when they return: WAL alone may lose the last ones to a power cut. */
import type { Database } from 'bun:sqlite';

/** Within another transaction it is a part of that one, and on disk with it. */
export function durably<T>(database: Database, act: () => T): T {
  if (database.inTransaction) return database.transaction(act)();
  database.run('PRAGMA synchronous = FULL');
  try {
    return database.transaction(act).immediate();
  } finally {
    database.run('PRAGMA synchronous = NORMAL');
  }
}
