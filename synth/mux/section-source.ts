/** Sends the sections of one PID, each table at its own cycle: ISO/IEC 13818-1 2.4.4. */
import type { Pid } from '../../lib/arib/ids.ts';
import { PACKET_SIZE } from '../media/loop.ts';
import { NULL_PID } from '../scenario/layout.ts';
import type { PacketSource } from './source.ts';

/** Consecutive sections that are sent together and share packets. Made only when they are due. */
export type Burst = () => readonly Uint8Array[];

export interface Carousel {
  /** 90 kHz ticks of one turn. */
  readonly period: number;
  /** The content of one turn, distributed evenly. @param turn counted from the clock's zero */
  bursts(turn: number): readonly Burst[];
}

const HEADER = 4;
const PAYLOAD = PACKET_SIZE - HEADER;
/** table_id and section_length. Common receivers lose a section if a packet contains less of it. */
const SECTION_HEADER = 3;
/**
 * Ticks between packets: 188 bytes in 1.5 ms are the 1 Mbit/s at which a decoder takes system data out of its
 * transport buffer (ISO/IEC 13818-1 2.4.2.3).
 */
const SPACING = 136;

/** Position of one carousel in its current turn. */
class Turning {
  #turn = 0;
  #bursts: readonly Burst[] = [];
  #index = 0;
  due = 0;

  constructor(private readonly carousel: Carousel) {}

  seek(ticks: number): void {
    const { period } = this.carousel;
    this.#turn = Math.floor(ticks / period);
    this.#bursts = this.carousel.bursts(this.#turn);
    const share = (ticks - this.#turn * period) / period;
    this.#index = Math.ceil(share * this.#bursts.length);
    this.#settle();
  }

  /** Moves to the next turn with content, and sets `due`. */
  #settle(): void {
    const { period } = this.carousel;
    if (this.#index >= this.#bursts.length) {
      this.#turn += 1;
      this.#index = 0;
      this.#bursts = this.carousel.bursts(this.#turn);
    }
    const share = this.#bursts.length === 0 ? 0 : this.#index / this.#bursts.length;
    this.due = (this.#turn + share) * period;
  }

  take(): readonly Uint8Array[] {
    const burst = this.#bursts[this.#index];
    this.#index += 1;
    this.#settle();
    return burst?.() ?? [];
  }
}

export class SectionSource implements PacketSource {
  due = 0;
  readonly #turnings: Turning[];
  #counter = 0;
  /** Bytes of the current burst, the starts of its sections, and how far it is sent. */
  #bytes: Uint8Array = new Uint8Array(0);
  #starts: readonly number[] = [];
  #sent = 0;

  constructor(
    private readonly pid: Pid,
    carousels: readonly Carousel[],
  ) {
    this.#turnings = carousels.map((carousel) => new Turning(carousel));
  }

  seek(ticks: number): void {
    for (const turning of this.#turnings) turning.seek(ticks);
    this.#sent = this.#bytes.length;
    this.#wait(ticks);
  }

  get #next(): Turning {
    return this.#turnings.reduce((first, turning) => (turning.due < first.due ? turning : first));
  }

  /** The next burst is sent at `earliest` or when it is due; it is made only then. */
  #wait(earliest: number): void {
    this.due = Math.max(earliest, this.#next.due);
  }

  #load(sections: readonly Uint8Array[]): void {
    const starts: number[] = [];
    let length = 0;
    for (const section of sections) {
      starts.push(length);
      length += section.length;
    }
    this.#bytes = new Uint8Array(length);
    for (const [index, section] of sections.entries()) this.#bytes.set(section, starts[index] as number);
    this.#starts = starts;
    this.#sent = 0;
  }

  emit(out: Uint8Array, at: number): void {
    out.fill(0xff, at, at + PACKET_SIZE);
    out[at] = 0x47;
    if (this.#sent >= this.#bytes.length) this.#load(this.#next.take());
    if (this.#bytes.length === 0) {
      out.set([NULL_PID >> 8, NULL_PID & 0xff, 0x10], at + 1);
      this.#wait(this.due + SPACING);
      return;
    }
    out[at + 1] = this.pid >> 8;
    out[at + 2] = this.pid & 0xff;
    out[at + 3] = 0x10 | this.#counter;
    this.#counter = (this.#counter + 1) & 0x0f;
    // A pointer_field where a section begins takes a byte.
    const last = this.#sent + PAYLOAD - 1 - SECTION_HEADER;
    const begins = this.#starts.find((start) => start >= this.#sent && start <= last);
    let room = PAYLOAD;
    let into = at + HEADER;
    if (begins !== undefined) {
      out[at + 1] = (out[at + 1] as number) | 0x40;
      out[into] = begins - this.#sent;
      into += 1;
      room -= 1;
    }
    // Without a pointer no section may begin in this packet; with one, none whose length would be in the
    // next.
    const waits = this.#starts.find((start) => start >= this.#sent && (begins === undefined || start > last));
    if (waits !== undefined) room = Math.min(room, waits - this.#sent);
    const part = this.#bytes.subarray(this.#sent, this.#sent + room);
    out.set(part, into);
    this.#sent += part.length;
    this.due += SPACING;
    if (this.#sent >= this.#bytes.length) this.#wait(this.due);
  }
}
