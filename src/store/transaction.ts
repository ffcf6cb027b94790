/**
 * Atomic write transactions of the main thread, with bounded waits for the write lock.
 *
 * Workers of the service hold it for milliseconds, and let the main thread go first (`write-lock.ts`); on a starved
 * machine they may get no processor for longer. Another program may hold it for minutes. The main thread must not block
 * on either, because live streams pass through it:
 * - `atomically` blocks for WAIT_MS at most, and after a failed wait hardly at all until a transaction succeeds again.
 *   Then it fails with SQLITE_BUSY. Rows of recordings are deferred (`DeferredWrites`).
 * - `whenWritable` waits without blocking, and repeats the write: for everything that must happen.
 * - `admitted` waits without blocking before a request of a client, whose writes cannot be repeated.
 */
import type { Database } from 'bun:sqlite';
import { systemMonotonicClock } from '../../lib/host/clock.ts';
import type { WriteLock } from './write-lock.ts';

/** Longer than any transaction of the service itself while it gets some processor time. */
const WAIT_MS = 250;
/** Enough for one transaction of the guide worker. */
const WAIT_WHILE_HELD_MS = 20;
/** Longest wait of a client's request for a worker of the service, and for another program. */
const CLIENT_MS = { worker: 10_000, program: 1_500 };
/** A request keeps workers from writing for this long: it may wait for other things. */
const TURN_MS = 1_000;
/** Longest wait of a write that must happen; its owner then tries again at its next interval. */
const MUST_HAPPEN_MS = 60_000;
/** Polling interval of a lock that another program holds, which cannot wake anybody. */
const POLL_MS = 50;

interface LockWait {
  lock: WriteLock | undefined;
  /** The wait of the last transaction failed. */
  isHeld: boolean;
  /** The service ends: nothing waits any more. */
  isClosing: boolean;
}

const limited = new WeakMap<Database, LockWait>();

/**
 * From now on transactions of this connection wait only briefly for the write lock. @param lock undefined: no worker
 * of this process writes
 */
export function limitLockWait(database: Database, lock?: WriteLock): void {
  limited.set(database, { lock, isHeld: false, isClosing: false });
  setWait(database, WAIT_MS);
}

/** Writes that wait for the lock, and later ones, are tried once more and then fail. */
export function stopWaiting(database: Database): void {
  const wait = limited.get(database);
  if (wait !== undefined) wait.isClosing = true;
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
  const leave = wait?.lock?.want();
  try {
    if (wait?.lock?.freeBlocking(wait.isHeld ? WAIT_WHILE_HELD_MS : WAIT_MS) === false)
      noteLock(database, wait, true);
    const result = transaction.immediate();
    if (wait !== undefined) noteLock(database, wait, false);
    return result;
  } catch (error) {
    if (wait !== undefined && isLocked(error)) noteLock(database, wait, true);
    throw error;
  } finally {
    leave?.();
  }
}

/** Runs a write that must happen; rejects with its error. See `whenWritable`. */
export type Write = <T>(act: () => T) => Promise<T>;

/** For databases without another writer. */
export const writeNow: Write = async (act) => act();

/**
 * Runs a write as soon as the lock is free, again if another program was faster.
 * @param act may run several times, and stores nothing when it throws SQLITE_BUSY
 * @throws the error of `act`; SQLITE_BUSY after the limit
 */
export async function whenWritable<T>(
  database: Database,
  act: () => T,
  limitMs = MUST_HAPPEN_MS,
): Promise<T> {
  const until = systemMonotonicClock() + limitMs;
  for (;;) {
    const rest = until - systemMonotonicClock();
    const leave = await turnOf(database, { worker: rest, program: rest });
    try {
      return act();
    } catch (error) {
      const isOver = rest <= 0 || limited.get(database)?.isClosing !== false;
      if (!isLocked(error) || isOver) throw error;
    } finally {
      leave();
    }
    await Bun.sleep(POLL_MS);
  }
}

/** Answers a client's request when the lock is free, or after a few seconds all the same. */
export async function admitted<T>(database: Database, answer: () => T | Promise<T>): Promise<T> {
  const leave = await turnOf(database, CLIENT_MS);
  const timer = setTimeout(leave, TURN_MS);
  try {
    return await answer();
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** Waits for the lock without blocking; until `leave` is called, no worker of the service takes it. */
async function turnOf(database: Database, limits: { worker: number; program: number }): Promise<() => void> {
  const wait = limited.get(database);
  if (wait === undefined) return () => {};
  const leave = wait.lock?.want() ?? (() => {});
  const began = systemMonotonicClock();
  const mayWait = (limitMs: number): boolean => !wait.isClosing && systemMonotonicClock() - began < limitMs;
  while ((await wait.lock?.free(POLL_MS)) === false && mayWait(limits.worker));
  while (isTaken(database, wait) && mayWait(limits.program)) await Bun.sleep(POLL_MS);
  return leave;
}

/** Whether another program holds the write lock now. Does not wait. */
function isTaken(database: Database, wait: LockWait): boolean {
  setWait(database, 0);
  try {
    database.run('BEGIN IMMEDIATE');
    database.run('ROLLBACK');
    wait.isHeld = false;
    return false;
  } catch (error) {
    wait.isHeld = isLocked(error);
    return wait.isHeld;
  } finally {
    setWait(database, wait.isHeld ? WAIT_WHILE_HELD_MS : WAIT_MS);
  }
}

function noteLock(database: Database, wait: LockWait, isHeld: boolean): void {
  if (wait.isHeld === isHeld) return;
  wait.isHeld = isHeld;
  setWait(database, isHeld ? WAIT_WHILE_HELD_MS : WAIT_MS);
}

function setWait(database: Database, ms: number): void {
  database.run(`PRAGMA busy_timeout = ${ms}`);
}
