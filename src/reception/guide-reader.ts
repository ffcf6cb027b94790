/**
 * Reader `guide`: assembles the sections of the programme guide (EIT, SDT, TOT), drops repeated and damaged ones, and
 * posts the rest in batches for the guide worker. It posts bytes, because cloning a parsed table between threads costs
 * more than parsing it. ARIB STD-B10 Part 2, 5.1.
 */
import type { Pid } from '../../arib/ids.ts';
import { EIT_PID } from '../../arib/si/eit.ts';
import { SDT_PID } from '../../arib/si/sdt.ts';
import { TOT_PID } from '../../arib/si/tot.ts';
import { readSection, type Section, SectionDemux } from '../../arib/ts/section.ts';
import { SectionMemory } from '../../arib/ts/section-memory.ts';
import type { MonotonicMs, WallMs } from '../../host/clock.ts';
import { defineReader, type Reader, type ReaderContext } from './reader-kind.ts';

export const GUIDE_PIDS: readonly number[] = [EIT_PID, SDT_PID, TOT_PID];

/** A full satellite network sends under 100 KB of new sections a second. */
const BATCH_BYTES = 48 * 1024;
/** Changes of the current programme must be shown within a second. */
const BATCH_MS = 500;
/** Size of the PID before each section. */
const PREFIX = 2;

export interface GuideBatch {
  /** Arrival of the last section, by this machine's clock. */
  at: WallMs;
  /** To be read by `guideSections`. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** Clears the record of posted sections: repetitions are posted again. */
export interface GuideReaderCommand {
  kind: 'repeat';
}

export const guideReader = defineReader<null, GuideReaderCommand, GuideBatch>({
  name: 'guide',
  start: (_options, context) => new GuideReader(context),
  transfer: ({ bytes }) => [bytes.buffer],
});

class GuideReader implements Reader<GuideReaderCommand> {
  readonly #memory = new SectionMemory();
  readonly #demux = new SectionDemux(GUIDE_PIDS as Pid[], this.#memory);
  #batch: Section[] = [];
  #bytes = 0;
  #since: MonotonicMs | undefined;

  constructor(private readonly context: ReaderContext<GuideBatch>) {
    context.select(GUIDE_PIDS);
  }

  feed(packets: Uint8Array): void {
    for (const section of this.#demux.feed(packets)) {
      this.#since ??= this.context.clock();
      this.#batch.push(section);
      this.#bytes += PREFIX + section.bytes.length;
      // A TOT must not wait: the broadcast time is exact only on arrival.
      if (section.pid === TOT_PID || this.#bytes >= BATCH_BYTES) this.#flush();
    }
  }

  command(): void {
    this.#memory.clear();
  }

  check(): void {
    if (this.#since !== undefined && this.context.clock() - this.#since >= BATCH_MS) this.#flush();
  }

  close(): void {
    this.#flush();
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    const bytes = joinSections(this.#batch);
    this.#batch = [];
    this.#bytes = 0;
    this.#since = undefined;
    this.context.post({ at: this.context.wall(), bytes });
  }
}

/** The bytes of a batch. */
export function joinSections(sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(sections.reduce((sum, { bytes }) => sum + PREFIX + bytes.length, 0));
  let at = 0;
  for (const { pid = 0, bytes } of sections) {
    out[at] = pid >> 8;
    out[at + 1] = pid & 0xff;
    out.set(bytes, at + PREFIX);
    at += PREFIX + bytes.length;
  }
  return out;
}

/** The sections of a batch, in their order. */
export function* guideSections(bytes: Uint8Array): Generator<Section> {
  let at = 0;
  while (at + PREFIX + 3 <= bytes.length) {
    const pid = (((bytes[at] as number) << 8) | (bytes[at + 1] as number)) as Pid;
    const from = at + PREFIX;
    const length = 3 + ((((bytes[from + 1] as number) & 0x0f) << 8) | (bytes[from + 2] as number));
    const section = readSection(bytes.subarray(from, from + length), pid);
    if (section !== undefined) yield section;
    at = from + length;
  }
}
