/** Virtual time for code that waits by an injected `sleep`. */
import { type MonotonicMs, monotonicMs } from '../../lib/host/clock.ts';

export class ScriptedTime {
  #now = 0;

  readonly clock = (): MonotonicMs => monotonicMs(this.#now);

  /** Time advances immediately; other tasks run like in a real wait. */
  readonly sleep = async (ms: number): Promise<void> => {
    this.#now += ms;
    await new Promise((resolve) => setImmediate(resolve));
  };

  advance(ms: number): void {
    this.#now += ms;
  }
}
