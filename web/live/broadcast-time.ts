/**
 * How far the picture is behind the broadcast, from the moments at which the service told the broadcast's time. This
 * device's own clock is not believed: a told time was the newest when it was sent, so that the least late one counts.
 */

/** Told times arrive late by what the network took; one that is this old says nothing more. */
const KEPT_MS = 120_000;

interface Told {
  /** s on the element's timeline. */
  readonly position: number;
  /** Broadcast time of that position, epoch ms. */
  readonly at: number;
  /** When it was heard, ms of any monotonic clock. */
  readonly heard: number;
}

export class BroadcastTime {
  #told: readonly Told[] = [];

  hear(position: number, at: number, heard: number): void {
    // Another programme's clock: what was told before is of another scale.
    const before = this.#told.at(-1);
    const jumped =
      before !== undefined && Math.abs(at - before.at - (position - before.position) * 1000) > 2_000;
    const kept = jumped ? [] : this.#told.filter((one) => heard - one.heard < KEPT_MS);
    this.#told = [...kept, { position, at, heard }];
  }

  clear(): void {
    this.#told = [];
  }

  /** Broadcast time of a position, epoch ms; undefined while none was told. */
  at(position: number): number | undefined {
    const last = this.#told.at(-1);
    return last === undefined ? undefined : last.at + (position - last.position) * 1000;
  }

  /** s that a position is behind what is broadcast now; undefined while no time was told. */
  delay(position: number, now: number): number | undefined {
    if (this.#told.length === 0) return undefined;
    const newest = Math.max(...this.#told.map((one) => one.position + (now - one.heard) / 1000));
    return Math.max(0, newest - position);
  }
}
