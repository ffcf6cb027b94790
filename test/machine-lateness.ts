/**
 * How late the machine is while a test measures real time. A worker beside the test does a small piece of work again and
 * again: what it costs gives the speed of the machine, how long it takes gives the share of a processor that is left for
 * a test, and its pauses show how late timers are. Limits of a test hold for a quiet machine of the reference speed and
 * are widened by this; on a machine that is too late for the test to say anything it is skipped.
 *
 * Only for tests whose point is real time. All others wait for conditions (`until.ts`).
 */
import { quantile } from './bench/guide/figures.ts';

export interface LatenessSample {
  /** Processor time of the work, relative to the machine of the limits. */
  readonly slowness: number;
  /** Share of a processor that the work got, 0 to 1. */
  readonly share: number;
  /** A pause was this much longer than requested. */
  readonly lateMs: number;
}

/** Factor above which limits say nothing any more. */
export const MOST_FACTOR = 12;
/** As is a delay of this length: half of the time without data after which an agent ends a stream. */
export const MOST_LATE_MS = 2_500;
/** Most samples that are kept: half an hour. */
const MOST_SAMPLES = 2_000;
/** Most samples of a test are of quieter moments than this one. */
const SHARE_OF_SAMPLES = 0.9;

/** @returns the factor by which work takes longer, at least 1, and the longest delay of a timer */
export function latenessOf(samples: readonly LatenessSample[]): { factor: number; lateMs: number } {
  if (samples.length === 0) return { factor: 1, lateMs: 0 };
  const factors = samples.map(({ slowness, share }) => slowness / Math.max(share, 0.001));
  return {
    factor: Math.max(1, quantile(factors, SHARE_OF_SAMPLES)),
    lateMs: Math.max(0, ...samples.map(({ lateMs }) => lateMs)),
  };
}

export class MachineLateness implements Disposable {
  readonly #worker: Worker;
  readonly #samples: LatenessSample[] = [];

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<LatenessSample>) => {
      this.#samples.push(data);
      if (this.#samples.length > MOST_SAMPLES) this.#samples.shift();
    });
  }

  /** Resolves with the first measurement. */
  static async start(): Promise<MachineLateness> {
    const worker = new Worker(new URL('./machine-lateness.worker.ts', import.meta.url));
    const lateness = new MachineLateness(worker);
    await new Promise<void>((resolve, reject) => {
      worker.addEventListener('message', () => resolve(), { once: true });
      worker.addEventListener('error', (event) => reject(new Error(event.message)), { once: true });
    });
    return lateness;
  }

  /** At least 1. */
  get factor(): number {
    return latenessOf(this.#samples).factor;
  }

  /** The longest delay of a timer so far. */
  get lateMs(): number {
    return latenessOf(this.#samples).lateMs;
  }

  /** The limit on this machine, for one that holds on a quiet machine of the reference speed. */
  widened(limitMs: number): number {
    const { factor, lateMs } = latenessOf(this.#samples);
    return limitMs * factor + lateMs;
  }

  /** Whether the test must be skipped; says so. */
  isTooSlow({ factor, lateMs } = latenessOf(this.#samples)): boolean {
    if (factor <= MOST_FACTOR && lateMs <= MOST_LATE_MS) return false;
    console.log(`skipped: machine too slow (×${factor.toFixed(1)}, timers ${Math.round(lateMs)} ms late)`);
    return true;
  }

  [Symbol.dispose](): void {
    this.#worker.terminate();
  }
}
