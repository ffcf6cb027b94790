/**
 * The continuity_counter of one PID for a reassembler: whether a packet follows the last one, repeats it, or packets
 * were lost. ISO/IEC 13818-1 2.4.3.3. `StreamStatistics` counts the same for a complete stream.
 */
import { continuityCounter, PACKET_SIZE, payloadStart } from './packet.ts';

/** `again`: the next packet has the payload of the last one: a repeated table. */
type Continuity = 'first' | 'next' | 'again' | 'duplicate' | 'gap';

export class ContinuityCheck {
  /** The last packet, to distinguish a duplicate from a loss of 15 packets. */
  readonly #last = new Uint8Array(PACKET_SIZE);
  #counter = -1;
  #duplicated = false;

  reset(): void {
    this.#counter = -1;
  }

  /** Classifies the next packet with payload; those without do not advance the counter and must be skipped. */
  next(bytes: Uint8Array, offset: number): Continuity {
    const counter = continuityCounter(bytes, offset);
    const previous = this.#counter;
    const repeats = this.#repeats(bytes, offset);
    if (repeats && counter === previous && !this.#duplicated) {
      this.#duplicated = true;
      return 'duplicate';
    }
    this.#counter = counter;
    this.#duplicated = false;
    if (!repeats) this.#last.set(bytes.subarray(offset, offset + PACKET_SIZE));
    if (previous < 0) return 'first';
    if (counter !== ((previous + 1) & 0x0f)) return 'gap';
    return repeats ? 'again' : 'next';
  }

  /** Whether the payload repeats that of the last packet. A PCR before it may differ, the counter will. */
  #repeats(bytes: Uint8Array, offset: number): boolean {
    const last = this.#last;
    // The start of a unit, scrambling and the kind of packet must be the same.
    if (bytes[offset + 1] !== last[1] || ((bytes[offset + 3] as number) ^ (last[3] as number)) > 0x0f)
      return false;
    const start = payloadStart(bytes, offset) - offset;
    if (payloadStart(last, 0) !== start) return false;
    for (let at = start; at < PACKET_SIZE; at++) {
      if (last[at] !== bytes[offset + at]) return false;
    }
    return true;
  }
}
