/** Transactions, whole or not at all. What must be on disk before anybody is told of it waits for `DatabaseWorkerClient`. */
import type { Database } from 'bun:sqlite';

/** Within another transaction it is a part of that one. */
export function atomically<T>(database: Database, act: () => T): T {
  const transaction = database.transaction(act);
  return database.inTransaction ? transaction() : transaction.immediate();
}
