/**
 * Timers on a virtual clock: an evening of recording passes in milliseconds. Files are real, so after each step the
 * event loop is given time.
 */
import { type FileHandle, open } from 'node:fs/promises';

interface Timer {
  at: number;
  readonly order: number;
  readonly act: () => void;
  /** Of an interval, ms. */
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

  /** Puts itself in the place of the runtime's timers. @returns what puts those back */
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

  /** The process is killed: nothing of it happens any more. */
  drop(): void {
    this.#timers.clear();
  }

  /** Everything that is due until then happens at its time. */
  async advance(to: number): Promise<void> {
    for (;;) {
      const next = [...this.#timers.values()]
        .filter(({ at }) => at <= to)
        .sort((a, b) => a.at - b.at || a.order - b.order)[0];
      if (next === undefined) break;
      this.now = Math.max(this.now, next.at);
      if (next.every === undefined) this.#timers.delete(next.order);
      // Late intervals are not made up for.
      else next.at = this.now + next.every;
      next.act();
      await turn();
    }
    this.now = Math.max(this.now, to);
    await turn();
  }

  /** The process does not run until then. */
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

  /** Watches every file that is open. @returns what ends that */
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

  /** Resolves when files have completed all operations. */
  async done(): Promise<void> {
    for (let quiet = 0; quiet < 2; quiet += 1) {
      await settled('files', () => this.#pending === 0);
      await turn();
      if (this.#pending > 0) quiet = -1;
    }
  }
}

/** Until the condition holds in real time. @throws Error after a while */
export async function settled(what: string, isSettled: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!isSettled()) {
    if (performance.now() > deadline) throw new Error(`did not settle: ${what}`);
    await turn();
  }
}
