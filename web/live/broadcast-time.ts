/**
 * Estimates how far the picture is behind the broadcast, from samples of the broadcast's time sent by the service. The
 * device's own clock may be wrong: each sample was current when it was sent, so the least delayed one is used.
 */

import { type BroadcastMs, plusMs } from '../../arib/time.ts';
import type { MonotonicMs } from '../../wire/times.ts';

/** Samples arrive late by the network's latency; older ones than this are ignored. */
const KEPT_MS = 120_000;

interface Told {
  /** s on the element's timeline. */
  readonly position: number;
  /** Of that position. */
  readonly at: BroadcastMs;
  /** When it was heard. */
  readonly heard: MonotonicMs;
}

export class BroadcastTime {
  #told: readonly Told[] = [];

  hear(position: number, at: BroadcastMs, heard: MonotonicMs): void {
    // Another programme clock: earlier samples belong to another scale.
    const before = this.#told.at(-1);
    const jumped =
      before !== undefined && Math.abs(at - before.at - (position - before.position) * 1000) > 2_000;
    const kept = jumped ? [] : this.#told.filter((one) => heard - one.heard < KEPT_MS);
    this.#told = [...kept, { position, at, heard }];
  }

  clear(): void {
    this.#told = [];
  }

  /** Of a position; undefined without a sample. */
  at(position: number): BroadcastMs | undefined {
    const last = this.#told.at(-1);
    return last === undefined ? undefined : plusMs(last.at, (position - last.position) * 1000);
  }

  /** Delay of a position behind the current broadcast, s; undefined without a sample. */
  delay(position: number, now: MonotonicMs): number | undefined {
    if (this.#told.length === 0) return undefined;
    const newest = Math.max(...this.#told.map((one) => one.position + (now - one.heard) / 1000));
    return Math.max(0, newest - position);
  }
}
