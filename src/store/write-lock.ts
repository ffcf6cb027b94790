/**
 * Which thread of this process writes the database: the writers agree here before they ask for SQLite's write lock.
 *
 * SQLite's lock is polled by those who wait for it, and knows no order. On a starved machine a worker may hold it for
 * seconds, because it gets no processor, and take it again before a waiting thread gets one. Here a worker holds the
 * lock for one short transaction, and begins none while the main thread wants to write; the main thread therefore waits
 * for one transaction at most, and is woken when it is over. Who waits with `free` does not block its event loop.
 *
 * SQLite's lock remains the authority, and the only one for other programs: a thread that was not admitted in time
 * tries all the same.
 */
import { systemMonotonicClock as clock } from '../../lib/host/clock.ts';

/** Memory of the lock, shared by all threads: the worker that holds it (0: none), and the main thread's writers. */
type WriteLockMemory = Int32Array<SharedArrayBuffer>;
const HOLDER = 0;
const WANTED = 1;
const WORDS = 2;

export interface WorkerLock {
  memory: WriteLockMemory;
  /** Unique within the process. */
  holder: number;
}

/** A worker lets the main thread go first for this long, so that the guide is stored at last. */
const PATIENCE_MS = 1000;

/** The main thread's side. */
export class WriteLock {
  readonly #memory: WriteLockMemory = new Int32Array(new SharedArrayBuffer(WORDS * 4));
  #workers = 0;

  /** For a worker that is being started. */
  share(): WorkerLock {
    this.#workers += 1;
    return { memory: this.#memory, holder: this.#workers };
  }

  /** A worker is lost: its transaction was rolled back with its connection. */
  revoke({ holder }: WorkerLock): void {
    leave(this.#memory, holder);
  }

  /** From now on workers begin no transaction. @returns ends this; idempotent */
  want(): () => void {
    const memory = this.#memory;
    Atomics.add(memory, WANTED, 1);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      if (Atomics.sub(memory, WANTED, 1) === 1) Atomics.notify(memory, WANTED);
    };
  }

  /** @returns whether no worker holds the lock, within the limit */
  async free(limitMs: number): Promise<boolean> {
    return isFreed(this.#memory, HOLDER, limitMs);
  }

  /** The same; blocks the thread. */
  freeBlocking(limitMs: number): boolean {
    const memory = this.#memory;
    const until = clock() + limitMs;
    for (;;) {
      const holder = Atomics.load(memory, HOLDER);
      if (holder === 0) return true;
      const rest = until - clock();
      if (rest <= 0) return false;
      Atomics.wait(memory, HOLDER, holder, rest);
    }
  }
}

/**
 * Runs one transaction of a worker when the main thread does not want to write and no other worker holds the lock, or
 * after the limit all the same. @param act must end soon
 */
export async function holding<T>({ memory, holder }: WorkerLock, act: () => T): Promise<T> {
  const until = clock() + PATIENCE_MS;
  for (;;) {
    const rest = until - clock();
    if (tryEnter(memory, holder, rest > 0)) break;
    if (rest <= 0) return act();
    await isFreed(memory, WANTED, rest);
    await isFreed(memory, HOLDER, until - clock());
  }
  try {
    return act();
  } finally {
    leave(memory, holder);
  }
}

/** The same for work that can be done later. @returns undefined if the lock is not free */
export function holdingNow<T>({ memory, holder }: WorkerLock, act: () => T): T | undefined {
  if (!tryEnter(memory, holder, true)) return undefined;
  try {
    return act();
  } finally {
    leave(memory, holder);
  }
}

/** The main thread raises its flag before it looks for a holder: at least one of the two sees the other. */
function tryEnter(memory: WriteLockMemory, holder: number, letsPass: boolean): boolean {
  if (letsPass && Atomics.load(memory, WANTED) > 0) return false;
  if (Atomics.compareExchange(memory, HOLDER, 0, holder) !== 0) return false;
  if (!letsPass || Atomics.load(memory, WANTED) === 0) return true;
  leave(memory, holder);
  return false;
}

/** Has no effect for a worker that does not hold it. */
function leave(memory: WriteLockMemory, holder: number): void {
  if (Atomics.compareExchange(memory, HOLDER, holder, 0) === holder) Atomics.notify(memory, HOLDER);
}

/** Resolves when the word is 0, or after the limit. @returns whether it is 0 */
async function isFreed(memory: WriteLockMemory, word: number, limitMs: number): Promise<boolean> {
  const until = clock() + limitMs;
  for (;;) {
    const value = Atomics.load(memory, word);
    if (value === 0) return true;
    const rest = until - clock();
    if (rest <= 0) return false;
    await Atomics.waitAsync(memory, word, value, rest).value;
  }
}
