/** Limits how many recordings are converted at the same time (setting `conversions`). Live viewing does not count. */
import { Failure } from '../model/failure.ts';

export class ConversionSlots {
  #used = 0;

  constructor(private readonly limit: () => number) {}

  get used(): number {
    return this.#used;
  }

  /** @returns a function that releases the slot, once @throws Failure busy */
  take(): () => void {
    if (this.#used >= this.limit()) throw new Failure('busy', 'サーバが混んでいます');
    this.#used += 1;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#used -= 1;
    };
  }
}
