/**
 * Reproducible random bytes: a test prints its seed, and FUZZ_SEED repeats it. `--long` (SVC_LONG) multiplies
 * the rounds.
 */

/** The seed of this run: FUZZ_SEED, or a different one each day. */
export function fuzzSeed(): number {
  const given = Number(process.env.FUZZ_SEED);
  return Number.isInteger(given) && given > 0 ? given : Math.floor(Date.now() / 86_400_000);
}

const LONG = process.env.SVC_LONG === '1';

/** Number of rounds: as given in the suite, two hundred times as many in a soak test. */
export function fuzzRounds(short: number): number {
  return LONG ? short * 200 : short;
}

/**
 * Time limit of a test, ms: a second or two of processor time, on a machine that may give priority to
 * everything else.
 */
export const FUZZ_TIMEOUT = LONG ? 1_800_000 : 600_000;

/** xorshift32: sufficient for test data. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  }

  /** An integer from 0 to `end` - 1. */
  below(end: number): number {
    let x = this.#state;
    x ^= x << 13;
    x >>>= 0;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % end;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
