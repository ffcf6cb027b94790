/** Further connections to the service's database, once `database.ts` has opened it: workers need no migrations. */
import { Database } from 'bun:sqlite';

/**
 * Wait for the write lock while a database is opened and migrated; also for connections outside of the threads that
 * must not block.
 */
const BUSY_TIMEOUT_MS = 5000;

/** The log is checkpointed by `WalCheckpointer`; from 256 MB on by every connection. */
const LAST_RESORT_PAGES = 65_536;

export function waitForLock(database: Database): void {
  database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
}

/** Settings that SQLite does not keep in the file. */
export function prepareWriter(database: Database): void {
  // With WAL a power cut may lose the last commits but never the file.
  database.run('PRAGMA synchronous = NORMAL');
  database.run(`PRAGMA wal_autocheckpoint = ${LAST_RESORT_PAGES}`);
  database.run('PRAGMA foreign_keys = ON');
}

/**
 * A separate connection for long reads: a connection with an open read cannot write once another one has written
 * (SQLITE_BUSY_SNAPSHOT).
 */
export function openReader(path: string): Database {
  const database = new Database(path, { readonly: true, strict: true });
  waitForLock(database);
  return database;
}

/** @throws SQLite's error, also when the file is missing */
export function openWriter(path: string): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  try {
    waitForLock(database);
    prepareWriter(database);
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}
