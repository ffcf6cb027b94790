/** Writes that must not be lost to a power cut once they are answered. */
import type { Database } from 'bun:sqlite';

/** One transaction that is on disk when it returns: WAL alone may lose the last ones to a power cut. */
export function durably<T>(database: Database, act: () => T): T {
  database.run('PRAGMA synchronous = FULL');
  try {
    return database.transaction(act).immediate();
  } finally {
    database.run('PRAGMA synchronous = NORMAL');
  }
}
