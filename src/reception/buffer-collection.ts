/**
 * Garbage collection of packet buffers in a reception worker. The runtime collects when the heap has doubled, and the
 * heap of this thread is mostly packets. Collecting after a fixed amount of packets instead saves 30 MB with eight
 * stations. The heap has few objects, so one collection takes only 5 ms.
 */
import { fullGC } from 'bun:jsc';

/** 1.5 s of eight full terrestrial stations. Half of this would free 12 MB more for 0.4 % of a core. */
const COLLECT_AFTER_BYTES = 24 * 1024 * 1024;

export class BufferCollection {
  #received = 0;

  constructor(private readonly collect: () => void = fullGC) {}

  /** Counts a buffer that will become garbage. */
  received(octets: number): void {
    this.#received += octets;
    if (this.#received < COLLECT_AFTER_BYTES) return;
    this.#received = 0;
    this.collect();
  }
}
