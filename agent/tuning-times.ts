/** How long a tuner's last tunings took. */

/** A slow one among them counts: what comes late is lost, what comes early costs nothing. */
const KEPT = 5;

export class TuningTimes {
  readonly #times: number[] = [];

  add(ms: number): void {
    this.#times.push(ms);
    if (this.#times.length > KEPT) this.#times.shift();
  }

  /** Whole ms; null: there was none. */
  get longest(): number | null {
    return this.#times.length === 0 ? null : Math.round(Math.max(...this.#times));
  }
}
