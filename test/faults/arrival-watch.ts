/**
 * Measures how late packets arrive on this machine during a test: a channel that is not recorded, read from the same
 * agent by this process. The accuracy of a recording's times cannot be better than that.
 */
import { settlesWithin } from '../../lib/host/deadline.ts';
import type { TestBroadcast } from '../record/test-broadcast.ts';
import { lastClock } from './packet-reader.ts';

const AGAIN_MS = 250;
const END_LIMIT_MS = 5_000;

export class ArrivalWatch {
  /** By epoch second: the smallest delay of the packets received in it, ms. */
  readonly #delays = new Map<number, number>();
  readonly #leaving = new AbortController();
  readonly #running: Promise<void>;

  constructor(
    readonly air: TestBroadcast,
    readonly channel: string,
  ) {
    this.#running = this.#run();
  }

  /** The largest delay of a second. @param from epoch ms */
  latestMs(from: number, to: number): number {
    const within = [...this.#delays].filter(([second]) => second * 1000 >= from && second * 1000 < to);
    return Math.max(0, ...within.map(([, delayMs]) => delayMs));
  }

  async close(): Promise<void> {
    this.#leaving.abort();
    await settlesWithin(END_LIMIT_MS, this.#running);
  }

  async #run(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      try {
        const path = `/agent/stream?type=GR&channel=${this.channel}&priority=1&use=watch`;
        const { body } = await fetch(`${this.air.agentUrl}${path}`, { signal });
        for await (const bytes of body ?? []) this.#take(bytes);
      } catch {
        // The agent is temporarily down, or this watch stops.
      }
      if (!signal.aborted) await Bun.sleep(AGAIN_MS);
    }
  }

  #take(bytes: Uint8Array): void {
    const now = Date.now();
    const clock = lastClock(bytes, now);
    if (clock === undefined) return;
    const second = Math.floor(now / 1000);
    this.#delays.set(second, Math.min(this.#delays.get(second) ?? Number.POSITIVE_INFINITY, now - clock));
  }
}
