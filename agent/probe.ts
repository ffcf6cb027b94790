/**
 * Retries of a device that could not be opened: soon at first, because a device that was plugged in again or released
 * by another program is usable at once, then with growing backoff.
 */
import { type WallMs, wallMs } from '../host/clock.ts';
import type { PhysicalChannel } from './select.ts';

export class Probe {
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt: WallMs | null = null;
  #closed = false;

  /**
   * @param delaysMs delays after consecutive failures; the last one repeats; empty: no retries
   * @param act opens it on the channel that failed last
   */
  constructor(
    private readonly delaysMs: readonly number[],
    private readonly act: (target: PhysicalChannel) => void,
  ) {}

  /** Time of the next retry, in the past while one is running; null: none. */
  get dueAt(): WallMs | null {
    return this.#dueAt;
  }

  /** @param again false: a client that requested the device left before it delivered anything */
  failed(target: PhysicalChannel, again: boolean): void {
    this.cancel();
    const delay = this.delaysMs[Math.min(this.#failures, this.delaysMs.length - 1)];
    if (delay === undefined || this.#closed) return;
    if (again) this.#failures++;
    this.#dueAt = wallMs(Date.now() + delay);
    this.#timer = setTimeout(() => this.act(target), delay);
  }

  /** The device can be used. */
  passed(): void {
    this.cancel();
    this.#failures = 0;
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#dueAt = null;
  }

  close(): void {
    this.#closed = true;
    this.cancel();
  }
}
