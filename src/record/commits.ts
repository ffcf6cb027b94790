/**
 * Puts together what has to be on disk: many recordings that begin or end at once would else wait for the disk one
 * after the other, and everybody else with them.
 */

/** Of one transaction; then others have their turn, for as long as a slow disk took. */
const SLICE_MS = 8;
const MAX_REST_MS = 250;

export interface DurableStore {
  /**
   * One transaction that is on disk when it returns. @param next gives one act after the other; what an act throws is
   * undone and told to `failed` @throws the database's error: nothing of it was stored
   */
  together(next: () => (() => void) | undefined, failed: (act: () => void, error: unknown) => void): void;
}

interface Waiting {
  act: () => void;
  done: PromiseWithResolvers<void>;
}

export class Commits {
  #waiting: Waiting[] = [];
  #turn: ReturnType<typeof setTimeout> | undefined;
  #restUntil = 0;

  constructor(readonly store: DurableStore) {}

  /** On disk when it resolves. @throws what the act or the database threw: then nothing of it was stored */
  commit(act: () => void): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ act, done });
    this.#arm();
    return done.promise;
  }

  #arm(): void {
    const rest = Math.max(0, this.#restUntil - performance.now());
    this.#turn ??= setTimeout(() => this.#take(), rest);
  }

  /** Takes what is waiting now, without waiting for its turn. */
  flush(): void {
    while (this.#waiting.length > 0) this.#take();
    clearTimeout(this.#turn);
    this.#turn = undefined;
  }

  #take(): void {
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
      this.store.together(next, (act, error) => failed.set(act, error));
      for (const { act, done } of taken) {
        if (failed.has(act)) done.reject(failed.get(act));
        else done.resolve();
      }
    } catch (error) {
      // It may have failed before it took any: everybody learns of it, and tries again in time.
      for (const { done } of [...taken, ...this.#waiting.splice(0)]) done.reject(error);
    }
    const ended = performance.now();
    this.#restUntil = ended + Math.min(ended - began, MAX_REST_MS);
    if (this.#waiting.length > 0) this.#arm();
  }
}
