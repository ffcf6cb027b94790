/**
 * Shifts one viewer's fragments so that the first starts at time 0, whenever the viewer joined. The bytes are shared
 * with other viewers: only the header (`moof`, about 1 KB) is copied, and nothing for a viewer from the start.
 */
import { boxesIn } from './boxes.ts';
import { originOf, readFragment, rebase } from './fragment.ts';
import { readTracks, type Track } from './tracks.ts';

export class FragmentRebaser {
  readonly #tracks: readonly Track[];
  /** 90 kHz ticks that are subtracted; set by the first fragment. */
  #origin: number | undefined;

  /** @param init the initialisation segment of the fragments */
  constructor(init: Uint8Array) {
    this.#tracks = readTracks(init);
  }

  /** A fragment (`moof` and `mdat`) as consecutive pieces. Bytes that are not a fragment are unchanged. */
  fragment(bytes: Uint8Array): Uint8Array[] {
    if (this.#origin === 0) return [bytes];
    const [moof] = boxesIn(bytes);
    const parts = readFragment(bytes, this.#tracks);
    if (moof === undefined || parts.length === 0) return [bytes];
    this.#origin ??= originOf(parts);
    if (this.#origin === 0) return [bytes];
    const header = bytes.slice(moof.start, moof.end);
    rebase(header, parts, this.#origin);
    return [header, bytes.subarray(moof.end)];
  }
}
