/**
 * Reader `guide`: assembles the sections of the programme guide (EIT, SDT, TOT, BIT), drops repeated and damaged ones,
 * and posts the rest in batches to the guide worker, by a port of its own, so that they do not cross the main thread. It
 * posts bytes, because cloning a parsed table between threads costs more than parsing it. ARIB STD-B10 Part 2, 5.1.
 *
 * While the guide worker has MAX_UNREAD_BYTES not read, packets are dropped; afterwards every section is posted again
 * when it is repeated.
 */
import type { Pid } from '../../lib/arib/ids.ts';
import { EIT_PID, TOT_PID } from '../../lib/arib/si/eit.ts';
import { BIT_PID, SDT_PID } from '../../lib/arib/si/service-tables.ts';
import { readSection, type Section, SectionDemux, SectionMemory } from '../../lib/arib/ts/section.ts';
import type { MonotonicMs, WallMs } from '../../lib/host/clock.ts';
import { defineReader, type ReaderContext, type StreamReader } from './reader-kind.ts';

export const GUIDE_PIDS: readonly Pid[] = [EIT_PID, SDT_PID, TOT_PID, BIT_PID];

/** A full satellite network sends under 100 KB of new sections a second. */
const BATCH_BYTES = 48 * 1024;
/** Changes of the current programme must be shown within a second. */
const BATCH_MS = 500;
/** Size of the PID before each section. */
const PREFIX = 2;

/** New sections of one stream are under 100 KB a second. */
const MAX_UNREAD_BYTES = 4 * 1_048_576;

interface GuideBatch {
  /** Arrival of the last section, by this machine's clock. */
  at: WallMs;
  /** The same by the monotonic clock of the reader's thread. */
  postedAt: MonotonicMs;
  /** To be read by `guideSections`. */
  bytes: Uint8Array<ArrayBuffer>;
}

/** To the guide worker. `end`: the last message. */
export type GuideMessage = { kind: 'sections'; batch: GuideBatch } | { kind: 'end' };

/** From the guide worker. */
export type GuideAnswer =
  /** Octets of a batch that was read. */
  | { kind: 'read'; bytes: number }
  /** Posted sections are posted again when they are repeated. */
  | { kind: 'forget' };

export interface GuideReaderOptions {
  /** Its other end is at the guide worker. */
  port: MessagePort;
}

export const guideReader = defineReader<GuideReaderOptions, never, never>({
  name: 'guide',
  start: ({ port }, context) => new GuideReader(context, port),
  ports: ({ port }) => [port],
});

class GuideReader implements StreamReader<never> {
  readonly #memory = new SectionMemory();
  readonly #demux = new SectionDemux(GUIDE_PIDS, this.#memory);
  #batch: Section[] = [];
  #bytes = 0;
  #since: MonotonicMs | undefined;
  /** Octets that the guide worker has not read. */
  #unread = 0;
  #isFull = false;

  constructor(
    private readonly context: ReaderContext<never>,
    private readonly port: MessagePort,
  ) {
    context.select(GUIDE_PIDS);
    port.onmessage = ({ data }) => this.#answered(data);
  }

  feed(packets: Uint8Array): void {
    this.#isFull ||= this.#unread > MAX_UNREAD_BYTES;
    if (this.#isFull) return;
    for (const section of this.#demux.feed(packets)) {
      this.#since ??= this.context.clock();
      this.#batch.push(section);
      this.#bytes += PREFIX + section.bytes.length;
      // A TOT must not wait: the broadcast time is exact only on arrival.
      if (section.pid === TOT_PID || this.#bytes >= BATCH_BYTES) this.#flush();
    }
  }

  check(): void {
    if (this.#since !== undefined && this.context.clock() - this.#since >= BATCH_MS) this.#flush();
  }

  close(): void {
    this.#flush();
    this.#post({ kind: 'end' });
    this.port.close();
  }

  #answered(answer: GuideAnswer): void {
    if (answer.kind === 'read') {
      this.#unread -= answer.bytes;
      if (!this.#isFull || this.#unread > MAX_UNREAD_BYTES / 2) return;
      this.#isFull = false;
    }
    this.#memory.clear();
  }

  #post(message: GuideMessage, transfer: ArrayBuffer[] = []): void {
    this.port.postMessage(message, transfer);
  }

  #flush(): void {
    if (this.#batch.length === 0) return;
    const bytes = joinSections(this.#batch);
    this.#batch = [];
    this.#bytes = 0;
    this.#since = undefined;
    this.#unread += bytes.length;
    const batch = { at: this.context.wall(), postedAt: this.context.clock(), bytes };
    this.#post({ kind: 'sections', batch }, [bytes.buffer]);
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
