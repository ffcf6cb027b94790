/** Collects the first bytes of a stream until its initialisation segment (`ftyp` and `moov`) is complete. */
import { boxesIn } from './boxes.ts';

/** An initialisation segment of one video and one audio track has about 1.5 KB. */
const MAX_BYTES = 1 << 20;
const HEADER_BYTES = 8;

export class InitSegmentCollector {
  #held: Uint8Array = new Uint8Array(0);

  /**
   * All bytes received so far if they begin with a complete initialisation segment, else undefined.
   * @throws Error if the bytes cannot be fragmented MP4
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const joined = new Uint8Array(this.#held.length + chunk.length);
    joined.set(this.#held);
    joined.set(chunk, this.#held.length);
    this.#held = joined;
    for (const box of boxesIn(joined)) if (box.type === 'moov') return joined;
    if (joined.length > MAX_BYTES || startsWrong(joined)) throw new Error('not a fragmented MP4');
    return undefined;
  }
}

/** A first box of impossible size: its type would not be four letters either. */
function startsWrong(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  return bytes.subarray(4, HEADER_BYTES).some((octet) => octet < 0x20 || octet > 0x7e);
}
