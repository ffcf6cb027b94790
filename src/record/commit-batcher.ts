/**
 * Batches durable commits: many recordings that begin or end at once would otherwise be stored one after the other.
 * Only the caller of a commit waits for the disk. While another program holds the write lock, the queue is kept and
 * retried.
 */
import { settlesWithin } from '../../lib/host/deadline.ts';
import { isLocked } from '../store/transaction.ts';

/** Limit of one batch, so that other work runs in between. A slow disk pauses the batches for as long as it took. */
const SLICE_MS = 8;
const MAX_REST_MS = 250;
/** Retry interval of changes that cannot be stored now. */
const LOCKED_MS = 100;

interface DurableStore {
  /**
   * Runs changes in one transaction.
   * @param next returns one change after the other; a change that throws is rolled back and reported to `failed`
   * @throws the database's error: nothing was stored
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
  /** It has returned: nothing else stores it. */
  isAnswered: boolean;
}

export class CommitBatcher {
  #waiting: Waiting[] = [];
  #turn: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;

  constructor(readonly options: CommitBatcherOptions) {}

  /**
   * Resolves when the change is on disk, or after `patienceMs` if it is stored but not yet on disk.
   * @param patienceMs for callers that must not wait for a disk in standby or for another program's write lock: then
   *   it is stored later
   * @throws the error of the change or of the database: nothing of it was stored; Failure if the disk does not
   *   respond
   */
  async commit(act: () => void, patienceMs?: number): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ act, done, isImpatient: patienceMs !== undefined, isAnswered: false });
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

  /** Stores pending changes at once; changes that another program's write lock prevents are lost. */
  flush(): void {
    while (this.#waiting.length > 0 && this.#take());
    clearTimeout(this.#turn);
    this.#turn = undefined;
  }

  /** @returns false if changes have to be stored later */
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
      // The transaction may have failed before it took any change: all callers get the error and retry.
      const all = [...taken, ...this.#waiting.splice(0)];
      for (const { done } of all) done.reject(error);
      const answered = all.filter(({ isAnswered }) => isAnswered);
      if (answered.length > 0) {
        this.#putBack(answered);
        return false;
      }
    }
    const ended = performance.now();
    this.#restUntil = ended + Math.min(ended - began, MAX_REST_MS);
    if (this.#waiting.length > 0) this.#arm();
    return true;
  }

  #putBack(taken: readonly Waiting[]): void {
    this.#waiting.unshift(...taken);
    for (const one of this.#waiting) {
      if (!one.isImpatient) continue;
      one.isAnswered = true;
      one.done.resolve();
    }
    this.#restUntil = performance.now() + LOCKED_MS;
    this.#arm();
  }
}
