/**
 * Atomic write transactions with a bounded wait for the write lock.
 *
 * The service's own writers hold the lock for milliseconds (`program-writer.ts`, `commit-batcher.ts`); another
 * program may hold it for minutes. The main thread must not block on that: its connection waits briefly, and after a
 * failed wait hardly at all until a transaction succeeds again. Writes that must not be lost are deferred
 * (`deferred-writes.ts`); others fail with `SQLITE_BUSY`, which clients receive as 503.
 */
import type { Database } from 'bun:sqlite';

/** Longer than any transaction of the service itself, also on a busy machine. */
const WAIT_MS = 250;
/** Enough for one transaction of the guide worker. */
const WAIT_WHILE_HELD_MS = 20;

interface LockWait {
  /** The wait of the last transaction failed. */
  isHeld: boolean;
}

const limited = new WeakMap<Database, LockWait>();

/** From now on transactions of this connection wait only briefly for the write lock. */
export function limitLockWait(database: Database): void {
  limited.set(database, { isHeld: false });
  setWait(database, WAIT_MS);
}

/** Whether an error means that another connection holds the write lock. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}

/**
 * Within another transaction it is part of that one.
 * @throws the error of `act`, then nothing of it is stored; SQLite's error, SQLITE_BUSY without the write lock
 */
export function atomically<T>(database: Database, act: () => T): T {
  const transaction = database.transaction(act);
  if (database.inTransaction) return transaction();
  const wait = limited.get(database);
  try {
    const result = transaction.immediate();
    if (wait?.isHeld) noteLock(database, wait, false);
    return result;
  } catch (error) {
    if (wait !== undefined && !wait.isHeld && isLocked(error)) noteLock(database, wait, true);
    throw error;
  }
}

function noteLock(database: Database, wait: LockWait, isHeld: boolean): void {
  wait.isHeld = isHeld;
  setWait(database, isHeld ? WAIT_WHILE_HELD_MS : WAIT_MS);
}

function setWait(database: Database, ms: number): void {
  database.run(`PRAGMA busy_timeout = ${ms}`);
}
