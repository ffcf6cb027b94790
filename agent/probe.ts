/**
 * When a device that could not be opened is opened again without a request: soon at first, because a device that was
 * plugged in again or released by another program is usable at once, then with growing backoff.
 */
import { type WallMs, wallMs } from '../host/clock.ts';
import type { PhysicalChannel } from './select.ts';

export class Probe {
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #dueAt: WallMs | null = null;
  #closed = false;

  /**
   * @param delaysMs after each failure in turn; the last stands for all later ones, none: it is not tried
   * @param act tries it on the channel that failed last
   */
  constructor(
    private readonly delaysMs: readonly number[],
    private readonly act: (target: PhysicalChannel) => void,
  ) {}

  /** Epoch ms by the machine's clock, while it is tried also past; null: nothing is to be tried. */
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
