/** The messages that the reader `guide` of a stream would post, for tests that start from packets. */
import type { Pid } from '../lib/arib/ids.ts';
import { type Section, SectionDemux, SectionMemory } from '../lib/arib/ts/section.ts';
import { GUIDE_PIDS } from '../src/reception/guide-reader.ts';

export class GuideSections {
  readonly #memory = new SectionMemory();
  readonly #demux = new SectionDemux(GUIDE_PIDS as Pid[], this.#memory);

  feed(packets: Uint8Array): readonly Section[] {
    return this.#demux.feed(packets);
  }

  /** Does the same as the command `repeat`. */
  repeat(): void {
    this.#memory.clear();
  }
}
