/** Durations of a tuner's last tunings. */

/** Number of tunings, of which the slowest counts: a late start loses data, an early one costs nothing. */
const KEPT = 5;

export class TuningTimes {
  readonly #times: number[] = [];

  add(ms: number): void {
    this.#times.push(ms);
    if (this.#times.length > KEPT) this.#times.shift();
  }

  /** Full ms; null: no tuning yet. */
  get longest(): number | null {
    return this.#times.length === 0 ? null : Math.round(Math.max(...this.#times));
  }
}
