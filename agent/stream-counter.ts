/** Counts what a tuning delivers, and thereby tells a transport stream from anything else. */
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

  /** @returns the whole packets that this chunk completed; 0 for what is no transport stream. */
  count(chunk: Uint8Array): number {
    const before = this.#statistics.packets;
    this.#statistics.count(this.#framer.feed(chunk));
    return this.#statistics.packets - before;
  }
}
