/** Virtual time for code that waits by an injected `sleep`. */
import { type MonotonicMs, monotonicMs } from '../../host/clock.ts';

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

const WAIT_LIMIT_MS = 20_000;

/** Runs other tasks until the condition holds. @throws Error if it does not */
export async function untilTrue(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`did not come true: ${condition}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
