/**
 * Time independent of other load: the CPU time of this thread, and the present speed of the machine measured
 * by a fixed piece of work. Limits in milliseconds hold for a machine of factor 1.
 */
import { dlopen, ptr } from 'bun:ffi';

/** Time of `reference` on the machine for which the limits of the benches were set. */
const REFERENCE_MS = 1;
const STEPS = 400_000;
const table = new Uint32Array(4096);

/** `CLOCK_THREAD_CPUTIME_ID` of `clock_gettime(2)`. */
const THREAD_CLOCK = 3;
const libc = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
/** A `struct timespec`: seconds, nanoseconds. */
const timespec = new BigInt64Array(2);
const timespecAt = ptr(timespec);

/**
 * Processor time of this thread, ms. On many machines `process.threadCpuUsage` counts in kernel ticks of 4 ms
 * and more, which is longer than the work that is measured.
 */
function threadMs(): number {
  if (libc.symbols.clock_gettime(THREAD_CLOCK, timespecAt) !== 0) throw new Error('no clock of this thread');
  return Number(timespec[0]) * 1000 + Number(timespec[1]) / 1e6;
}

/** Looks up, adds and branches, without garbage. */
function reference(): number {
  let sum = 0;
  for (let index = 0; index < STEPS; index++) {
    const at = Math.imul(index ^ sum, 0x9e3779b1) >>> 20;
    const before = table[at] ?? 0;
    table[at] = before + index;
    sum = before & 1 ? sum + before : sum ^ index;
  }
  return sum;
}

/** Rounds until the runtime has compiled it. */
const WARM_UP = 40;
/** Rounds for a factor. */
const LOOKS = 30;

export class MachineClock {
  readonly #references: number[] = [];

  constructor() {
    for (let round = 0; round < WARM_UP; round++) reference();
  }

  /** @returns ms of processor time; the present speed of the machine is measured as well */
  timed<T>(work: () => T): { ms: number; value: T } {
    const begin = threadMs();
    const value = work();
    const end = threadMs();
    this.look();
    return { ms: end - begin, value };
  }

  /** Measures the present speed of the machine. */
  look(): void {
    const begin = threadMs();
    reference();
    this.#references.push(threadMs() - begin);
  }

  /** Processor time of a piece of work that takes `ms` on the reference machine, and the slowdown relative to it. */
  work(ms: number): { processorMs: number; slowness: number } {
    const begin = threadMs();
    for (let round = 0; round * REFERENCE_MS < ms; round++) reference();
    const processorMs = threadMs() - begin;
    return { processorMs, slowness: processorMs / ms };
  }

  /** Slowdown relative to the reference machine since the last call, at least 1; measured now if nothing was timed. */
  factor(): number {
    while (this.#references.length < LOOKS) this.look();
    const taken = this.#references.splice(0).sort((a, b) => a - b);
    return Math.max(1, (taken[taken.length >> 1] ?? 0) / REFERENCE_MS);
  }
}
