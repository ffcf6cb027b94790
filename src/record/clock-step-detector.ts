/** Notices that a clock was set, by one that nobody sets: what was told by it before is then of another time. */

/** Less is the clock's own correction. */
const SET_MS = 2_000;

export class ClockStepDetector {
  #offset: number;

  /**
   * @param clock epoch ms; may be set at any time @param elapsed ms; only goes on
   * @param onSet told before anybody hears the new time
   */
  constructor(
    private readonly clock: () => number,
    private readonly elapsed: () => number,
    private readonly onSet: (byMs: number) => void,
  ) {
    this.#offset = clock() - elapsed();
  }

  readonly now = (): number => {
    const now = this.clock();
    const offset = now - this.elapsed();
    const by = offset - this.#offset;
    this.#offset = offset;
    if (Math.abs(by) > SET_MS) this.onSet(Math.round(by));
    return now;
  };
}
