/** Recently received bit rate. */
import type { MonotonicMs } from '../../wire/times.ts';

const WINDOW_MS = 5_000;

export class ReceivedRate {
  #samples: readonly { readonly octets: number; readonly at: MonotonicMs }[] = [];

  /** @param octets total received so far */
  note(octets: number, at: MonotonicMs): void {
    this.#samples = [...this.#samples.filter((one) => at - one.at <= WINDOW_MS), { octets, at }];
  }

  /** Another stream begins. */
  clear(): void {
    this.#samples = [];
  }

  /** Undefined without enough samples. */
  get bitRate(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < WINDOW_MS / 2) return undefined;
    return ((last.octets - first.octets) * 8_000) / (last.at - first.at);
  }
}
