/** One run of a job, as its kind sees it: when it is paused, and when it must end. */
import { unlessAborted } from '../../../lib/host/deadline.ts';

/** Abort reason of a run. */
export class RunEnded extends Error {
  override readonly name = 'RunEnded';
  /** `cancelled`: it is not wanted any more. `stopped`: the service ends, or the machine is needed. */
  constructor(readonly why: 'cancelled' | 'stopped') {
    super(`the job was ${why}`);
  }
}

export class JobRun {
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(isHeld: boolean) => void>();
  #held: PromiseWithResolvers<void> | undefined;

  /** Aborted when it must end, with `RunEnded`. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The machine is needed for something else: nothing may be read or computed. */
  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** Called with every change, and at once while it is held. @returns a function that removes the listener */
  onHold(listener: (isHeld: boolean) => void): () => void {
    this.#listeners.add(listener);
    if (this.isHeld) listener(true);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when it is not held. @throws the signal's reason */
  async resumed(): Promise<void> {
    this.signal.throwIfAborted();
    while (this.#held !== undefined) await unlessAborted(this.#held.promise, this.signal);
  }

  /** By the runner. @throws the first error of a listener; all have been called */
  hold(isHeld: boolean): void {
    if (isHeld === this.isHeld) return;
    const held = this.#held;
    this.#held = isHeld ? Promise.withResolvers<void>() : undefined;
    held?.resolve();
    const errors: unknown[] = [];
    for (const listener of [...this.#listeners]) {
      try {
        listener(isHeld);
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  /** By the runner. */
  end(why: RunEnded['why']): void {
    if (!this.signal.aborted) this.#abort.abort(new RunEnded(why));
  }
}
