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
/** What waits for a slow disk, before or after it is done. */
const OF_THE_DISK: ReadonlySet<string> = new Set(['write', 'datasync']);

/** Waits for file operations in progress. */
export class FileWork {
  #pending = 0;
  #held: PromiseWithResolvers<void> | undefined;
  #serial = 0;
  /** Open files, and those of killed processes. */
  #used = new Set<FileHandle>();
  readonly #dead = new WeakSet<FileHandle>();

  get isHeld(): boolean {
    return this.#held !== undefined;
  }

  /** The disk becomes so slow that nothing is written, or told as written, until it is fast again. */
  hold(isSlow: boolean): void {
    if (isSlow) this.#held ??= Promise.withResolvers();
    else {
      this.#held?.resolve();
      this.#held = undefined;
    }
  }

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
        if (name !== 'close') {
          if (counting.#dead.has(this)) throw new Error('killed');
          counting.#used.add(this);
        }
        counting.#pending += 1;
        try {
          const isOfDisk = OF_THE_DISK.has(name);
          // Each second one is done at once, and only told late.
          counting.#serial += 1;
          const isLate = counting.#serial % 2 === 0;
          if (isOfDisk && !isLate) await counting.#wait();
          const done = await method.apply(this, words);
          if (isOfDisk && isLate) await counting.#wait();
          return done;
        } finally {
          counting.#pending -= 1;
        }
      };
    }
    return () => void Object.assign(methods, Object.fromEntries(before));
  }

  /** The process was killed: what it was writing fails, and it writes nothing more. */
  drop(): void {
    for (const file of this.#used) this.#dead.add(file);
    this.#used = new Set();
    const held = this.#held;
    if (held === undefined) return;
    this.#held = Promise.withResolvers();
    held.promise.catch(() => {});
    held.reject(new Error('killed'));
  }

  /** An operation on a slow disk is not waited for by `done`. */
  async #wait(): Promise<void> {
    if (this.#held === undefined) return;
    this.#pending -= 1;
    try {
      await this.#held.promise;
    } finally {
      this.#pending += 1;
    }
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
