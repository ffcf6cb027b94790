/**
 * Timers on a virtual clock: an evening of recording passes in milliseconds. Files are real, so after each
 * step the event loop gets time to run.
 */
import { type FileHandle, open } from 'node:fs/promises';

interface Timer {
  at: number;
  readonly order: number;
  readonly act: () => void;
  /** Period of an interval, ms. */
  readonly every: number | undefined;
}

const real = {
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
};

export class VirtualTime {
  readonly #timers = new Map<number, Timer>();
  #serial = 0;

  /** @param now epoch ms */
  constructor(public now: number) {}

  /** Replaces the timers of the runtime. @returns a function that restores them */
  install(): () => void {
    const add = (act: (...words: unknown[]) => void, ms = 0, every: number | undefined, words: unknown[]) => {
      this.#serial += 1;
      const order = this.#serial;
      this.#timers.set(order, { at: this.now + Math.max(0, ms), order, act: () => act(...words), every });
      return order;
    };
    const clear = (order: unknown): void => void this.#timers.delete(order as number);
    type Act = (...words: unknown[]) => void;
    Object.assign(globalThis, {
      setTimeout: (act: Act, ms?: number, ...words: unknown[]) => add(act, ms, undefined, words),
      setInterval: (act: Act, ms = 0, ...words: unknown[]) => add(act, ms, Math.max(1, ms), words),
      clearTimeout: clear,
      clearInterval: clear,
    });
    return () => void Object.assign(globalThis, real);
  }

  /** Simulates a killed process: drops all its timers. */
  drop(): void {
    this.#timers.clear();
  }

  /** Runs everything that is due until then, each at its time. */
  async advance(to: number): Promise<void> {
    for (;;) {
      const next = [...this.#timers.values()]
        .filter(({ at }) => at <= to)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.now = Math.max(this.now, next.at);
      if (next.every === undefined) this.#timers.delete(next.order);
      // Missed intervals are not caught up.
      else next.at = this.now + next.every;
      next.act();
      await turn();
    }
    this.now = Math.max(this.now, to);
    await turn();
  }

  /** Lets time pass in which the process does not run. */
  pass(to: number): void {
    this.now = Math.max(this.now, to);
  }
}

/** Runs the continuations of resolved promises. */
function turn(): Promise<void> {
  return new Promise((resolve) => void real.setImmediate(resolve));
}

const FILE_METHODS = ['write', 'read', 'stat', 'truncate', 'sync', 'datasync', 'close'] as const;

/** Waits for file operations in progress. */
export class FileWork {
  #pending = 0;

  /** Tracks all open files. @returns a function that stops it */
  async install(): Promise<() => void> {
    const handle = await open('/dev/null', 'r');
    const methods: Record<string, (...words: unknown[]) => Promise<unknown>> = Object.getPrototypeOf(handle);
    await handle.close();
    const before = FILE_METHODS.map((name) => [name, methods[name]] as const);
    for (const [name, method] of before) {
      if (method === undefined) continue;
      const counting = this;
      methods[name] = async function (this: FileHandle, ...words) {
        counting.#pending += 1;
        try {
          return await method.apply(this, words);
        } finally {
          counting.#pending -= 1;
        }
      };
    }
    return () => void Object.assign(methods, Object.fromEntries(before));
  }

  /** Resolves when all file operations are complete. */
  async done(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      await settled('files', () => this.#pending === 0);
      await turn();
      if (this.#pending > 0) quiet = -1;
    }
  }
}

/** Waits in real time until the condition holds. @throws Error after a while */
export async function settled(what: string, isSettled: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isSettled()) {
    if (performance.now() > deadline) throw new Error(`did not settle: ${what}`);
    await turn();
  }
}
