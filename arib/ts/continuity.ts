/**
 * The continuity_counter of one PID as a reassembler sees it: does this packet follow the last one, repeat it,
 * or is something missing? ISO/IEC 13818-1 2.4.3.3. `StreamStatistics` counts the same for a whole stream.
 */
import { continuityCounter, PACKET_SIZE, payloadStart } from './packet.ts';

export type Continuity = 'first' | 'next' | 'duplicate' | 'gap';

export class ContinuityCheck {
  /** The last packet, to tell a duplicate from a loss of 15 packets. */
  readonly #last = new Uint8Array(PACKET_SIZE);
  #counter = -1;
  #duplicated = false;

  reset(): void {
    this.#counter = -1;
  }

  /** Judges the next packet that carries payload; those without do not advance the counter: leave them out. */
  next(bytes: Uint8Array, offset: number): Continuity {
    const counter = continuityCounter(bytes, offset);
    const previous = this.#counter;
    if (counter === previous && !this.#duplicated && this.#repeats(bytes, offset)) {
      this.#duplicated = true;
      return 'duplicate';
    }
    this.#counter = counter;
    this.#duplicated = false;
    this.#last.set(bytes.subarray(offset, offset + PACKET_SIZE));
    if (previous < 0) return 'first';
    return counter === ((previous + 1) & 0x0f) ? 'next' : 'gap';
  }

  /** A duplicate repeats every octet of the payload; a PCR before it may differ. */
  #repeats(bytes: Uint8Array, offset: number): boolean {
    for (let at = payloadStart(bytes, offset) - offset; at < PACKET_SIZE; at++) {
      if (this.#last[at] !== bytes[offset + at]) return false;
    }
    return true;
  }
}
