/** Counts the packets of a tuning, and detects whether it is a transport stream. */
import { PacketFramer } from '../arib/ts/framer.ts';
import { StreamStatistics } from '../arib/ts/statistics.ts';
import type { Tuner } from '../wire/agent.ts';

export type StreamCounts = NonNullable<Tuner['stats']>;

export class StreamCounter {
  readonly #framer = new PacketFramer();
  readonly #statistics = new StreamStatistics();

  get counts(): StreamCounts {
    const { packets, transportErrors, continuityErrors, scrambled } = this.#statistics;
    return { packets, syncErrors: this.#framer.syncErrors, transportErrors, continuityErrors, scrambled };
  }

  /** @returns packets completed by this chunk; 0 if it is not a transport stream */
  count(chunk: Uint8Array): number {
    const before = this.#statistics.packets;
    this.#statistics.count(this.#framer.feed(chunk));
    return this.#statistics.packets - before;
  }
}
