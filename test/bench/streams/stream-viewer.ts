/** A viewer of a station's packets over HTTP. */
import { PacketFramer } from '../../../lib/arib/ts/framer.ts';
import { StreamStatistics } from '../../../lib/arib/ts/statistics.ts';

/** Reads a stream and counts missing packets. */
export class StreamViewer {
  bytes = 0;
  readonly #statistics = new StreamStatistics();
  readonly #framer = new PacketFramer();
  /** Losses before the measurement: a stream begins in the middle. */
  #lostBefore = 0;

  constructor(url: string, signal: AbortSignal) {
    void this.#read(url, signal);
  }

  begin(): void {
    this.bytes = 0;
    this.#lostBefore = this.#statistics.continuityErrors;
  }

  get lost(): number {
    return this.#statistics.continuityErrors - this.#lostBefore;
  }

  async #read(url: string, signal: AbortSignal): Promise<void> {
    try {
      const response = await fetch(url, { signal });
      if (response.status !== 200 || response.body === null) throw new Error(`${url}: ${response.status}`);
      for await (const chunk of response.body) {
        this.bytes += chunk.length;
        this.#framer.scan(chunk, (bytes, from, to) => this.#statistics.count(bytes.subarray(from, to)));
      }
    } catch (error) {
      if (!signal.aborted) console.error(String(error));
    }
  }
}
