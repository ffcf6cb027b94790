/**
 * Batches durable commits: many recordings that begin or end at once would otherwise be stored one after the other.
 * Only the caller of a commit waits for the disk. While another program holds the write lock, the queue is kept and
 * retried.
 */
import { settlesWithin } from '../../host/deadline.ts';
import { isLocked } from '../store/transaction.ts';

/** Of one transaction; then others have their turn, for as long as a slow disk took. */
const SLICE_MS = 8;
const MAX_REST_MS = 250;
/** Until the next try while another program holds the write lock. */
const LOCKED_MS = 100;

interface DurableStore {
  /**
   * One transaction. @param next gives one act after the other; what an act throws is
   * undone and reported to `failed` @throws the database's error: nothing of it was stored
   */
  together(next: () => (() => void) | undefined, failed: (act: () => void, error: unknown) => void): void;
}

interface CommitBatcherOptions {
  store: DurableStore;
  /** Resolves when everything committed before is on disk; never for longer than its own limit. Default: at once. */
  stored?: (() => Promise<void>) | undefined;
}

interface Waiting {
  act: () => void;
  done: PromiseWithResolvers<void>;
  /** Returns before it is stored while another process holds the write lock. */
  isImpatient: boolean;
}

export class CommitBatcher {
  #waiting: Waiting[] = [];
  #turn: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;

  constructor(readonly options: CommitBatcherOptions) {}

  /**
   * On disk when it resolves, or so long after it was stored.
   * @param patienceMs of what must not wait for a disk that sleeps, nor for a write lock that another program holds:
   *   it is stored later then
   * @throws what the act or the database threw: then nothing of it was stored; Failure of a disk that does not answer
   */
  async commit(act: () => void, patienceMs?: number): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ act, done, isImpatient: patienceMs !== undefined });
    this.#arm();
    await done.promise;
    const onDisk = this.options.stored?.();
    if (onDisk === undefined) return;
    await (patienceMs === undefined ? onDisk : settlesWithin(patienceMs, onDisk));
  }

  #arm(): void {
    const rest = Math.max(0, this.#restUntil - performance.now());
    this.#turn ??= setTimeout(() => this.#take(), rest);
  }

  /** Stores what is waiting now, without waiting for its turn; what the write lock prevents is lost. */
  flush(): void {
    while (this.#waiting.length > 0 && this.#take());
    clearTimeout(this.#turn);
    this.#turn = undefined;
  }

  /** @returns false: another program holds the write lock */
  #take(): boolean {
    clearTimeout(this.#turn);
    this.#turn = undefined;
    const began = performance.now();
    const taken: Waiting[] = [];
    const failed = new Map<() => void, unknown>();
    const next = (): (() => void) | undefined => {
      const late = taken.length > 0 && performance.now() - began > SLICE_MS;
      const one = late ? undefined : this.#waiting.shift();
      if (one !== undefined) taken.push(one);
      return one?.act;
    };
    try {
      this.options.store.together(next, (act, error) => failed.set(act, error));
      for (const { act, done } of taken) {
        if (failed.has(act)) done.reject(failed.get(act));
        else done.resolve();
      }
    } catch (error) {
      if (isLocked(error)) {
        this.#putBack(taken);
        return false;
      }
      // It may have failed before it took any: everybody learns of it, and tries again in time.
      for (const { done } of [...taken, ...this.#waiting.splice(0)]) done.reject(error);
    }
    const ended = performance.now();
    this.#restUntil = ended + Math.min(ended - began, MAX_REST_MS);
    if (this.#waiting.length > 0) this.#arm();
    return true;
  }

  #putBack(taken: readonly Waiting[]): void {
    this.#waiting.unshift(...taken);
    for (const { done, isImpatient } of this.#waiting) if (isImpatient) done.resolve();
    this.#restUntil = performance.now() + LOCKED_MS;
    this.#arm();
  }
}
