/**
 * Write transactions, whole or not at all, with a bounded wait for the write lock.
 *
 * The service's own writers hold the lock for milliseconds (`program-writer.ts`, `commit-batcher.ts`); another program
 * may hold it for minutes. The main thread must not block on that: its connection waits briefly, and once a wait was in
 * vain, hardly at all until a transaction succeeds again. What must be stored all the same is deferred
 * (`deferred-writes.ts`) or refused with `SQLITE_BUSY`, which a client is told as 503.
 */
import type { Database } from 'bun:sqlite';

/** Longer than any transaction of the service itself, with other work on the machine. */
const WAIT_MS = 250;
/** Enough for one transaction of the guide worker. */
const WAIT_WHILE_HELD_MS = 20;

interface LockWait {
  /** The last transaction waited in vain. */
  isHeld: boolean;
}

const limited = new WeakMap<Database, LockWait>();

/** Transactions of this connection wait only briefly for the write lock from now on. */
export function limitLockWait(database: Database): void {
  limited.set(database, { isHeld: false });
  setWait(database, WAIT_MS);
}

/** Whether an error says that another connection holds the write lock. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));
}

/**
 * Within another transaction it is a part of that one.
 * @throws what `act` throws, then nothing of it is stored; SQLite's error, SQLITE_BUSY without the write lock
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
