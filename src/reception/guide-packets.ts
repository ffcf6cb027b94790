/**
 * Copies the packets that a guide is made of out of a tuning, in batches. No table is parsed here: a fault of a
 * parser must not stop a stream.
 */
import { EIT_PID } from '../../arib/si/eit.ts';
import { SDT_PID } from '../../arib/si/sdt.ts';
import { TOT_PID } from '../../arib/si/tot.ts';
import { PacketFramer } from '../../arib/ts/framer.ts';
import { PACKET_SIZE, packetPid } from '../../arib/ts/packet.ts';

/** A guide's tables are under 100 KB a second: a batch is full after half a second at the earliest. */
const BATCH_PACKETS = 256;
/** What is on changes on screens within a second. */
const BATCH_MS = 500;

export class GuidePackets {
  readonly #framer = new PacketFramer();
  #batch = new Uint8Array(BATCH_PACKETS * PACKET_SIZE);
  #length = 0;
  #since = 0;

  /** @param give takes a batch for itself @param now monotonic ms */
  constructor(
    private readonly give: (bytes: Uint8Array<ArrayBuffer>) => void,
    private readonly now: () => number,
  ) {}

  /** Takes the next bytes of the tuning, in any pieces. */
  take(chunk: Uint8Array): void {
    this.#framer.scan(chunk, (bytes, from, to) => this.#pick(bytes, from, to));
    this.check();
  }

  /** Gives what has waited long enough. */
  check(): void {
    if (this.#length > 0 && this.now() - this.#since >= BATCH_MS) this.#flush();
  }

  #pick(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at += PACKET_SIZE) {
      const pid = packetPid(bytes, at);
      if (pid !== EIT_PID && pid !== TOT_PID && pid !== SDT_PID) continue;
      if (this.#length === 0) this.#since = this.now();
      this.#batch.set(bytes.subarray(at, at + PACKET_SIZE), this.#length);
      this.#length += PACKET_SIZE;
      // The broadcast's clock is right only now.
      if (pid === TOT_PID || this.#length === this.#batch.length) this.#flush();
    }
  }

  #flush(): void {
    this.give(this.#batch.slice(0, this.#length));
    this.#length = 0;
  }
}
