/** Samples the time stamps of a recording, with a cache: written data never changes. */
import { type Pts90k, pts90k } from '../../arib/time.ts';
import { ptsDifference } from '../../arib/ts/clock.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { ByteSource } from './recording-bytes.ts';
import { extremes, stampsIn, type WindowStamps } from './stream-stamps.ts';

export interface Sample {
  /** Octets of the recording before its packet. */
  readonly at: number;
  readonly pts: Pts90k;
}

/** Pictures come every 33 ms: 100 KB at 24 Mbit/s. */
const WINDOW_BYTES = 192 * 1024;
/** Limit of data without a stamp: scrambled, damaged, or no stream at all. */
const MAX_SEARCH_BYTES = 4 * 1024 * 1024;
/** With more such places in a stream, only requested places are read. */
const MAX_BARREN = 8;
/** Places that are read before a picture is taken for one that is never sent. */
const PROBES = 32;
const TAIL_BYTES = 512 * 1024;
/** Half a second: stamps of pictures lie behind the clock by the decoder's buffer. Replaced by what is measured. */
const TYPICAL_DELAY = 45_000;
/** Two places a second of an 8 h recording; more are forgotten and read again. */
const MAX_REMEMBERED = 60_000;

export class StampSampler {
  readonly #known = new Map<number, Sample | null>();
  /** Of stamps behind the programme clock, 90 kHz. */
  #delay = TYPICAL_DELAY;
  /** Places that were read. */
  reads = 0;
  /** Places without stamps. */
  #barren = 0;
  #hasPicture = false;
  #hasSound = false;

  constructor(
    /** The same octets, however they are opened. */
    public source: ByteSource,
    /** At the head. */
    private readonly layout: StationLayout,
  ) {}

  /** The layout announces a picture, and only sound came in all that was read so far. */
  get lacksPicture(): boolean {
    return this.layout.video !== null && !this.#hasPicture && this.#hasSound;
  }

  /** Whether the recording has sound alone where a picture is announced. Reads some places more before it says so. */
  async isSoundOnly(size: number): Promise<boolean> {
    for (let probe = 0; probe < PROBES && this.lacksPicture; probe += 1) {
      this.#stampsOf(await this.#read(Math.floor((size / PROBES) * probe), WINDOW_BYTES));
    }
    return this.lacksPicture;
  }

  /** The first stamp from a place on and before another; undefined where there is none near. */
  async at(from: number, before: number): Promise<Sample | undefined> {
    const known = this.#known.get(from);
    if (known !== undefined) return known !== null && known.at < before ? known : undefined;
    const search = this.#barren < MAX_BARREN ? MAX_SEARCH_BYTES : WINDOW_BYTES;
    const limit = Math.min(before, from + search);
    for (let at = from; at < limit; at += WINDOW_BYTES) {
      // A packet more, so that none is lost between two windows.
      const bytes = await this.#read(at, Math.min(WINDOW_BYTES + 2 * 188, limit - at));
      const [first] = this.#stampsOf(bytes);
      if (first === undefined) continue;
      const sample = { at: at + first.at, pts: first.pts };
      this.#remember(from, sample);
      return sample;
    }
    // The end of what grows is no place without stamps.
    if (limit < before) {
      this.#remember(from, null);
      this.#barren += 1;
    }
    return undefined;
  }

  /** The latest stamp before a place, told at its last packet. */
  async last(from: number, to: number): Promise<Sample | undefined> {
    for (let end = to; end > from && end > to - MAX_SEARCH_BYTES; end -= TAIL_BYTES) {
      const start = Math.max(from, end - TAIL_BYTES);
      const stamps = this.#stampsOf(await this.#read(start, end - start));
      const last = stamps.at(-1);
      // Pictures are stamped out of order; what is far from the last one is behind a jump.
      const near = stamps.filter(
        ({ pts }) => last !== undefined && Math.abs(ptsDifference(pts, last.pts)) < 90_000,
      );
      const range = extremes(near);
      if (last !== undefined && range !== undefined) return { at: start + last.at, pts: pts90k(range.max) };
    }
    return undefined;
  }

  #remember(at: number, sample: Sample | null): void {
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(at, sample);
  }

  async #read(at: number, length: number): Promise<Uint8Array> {
    this.reads += 1;
    return this.source.read(at, length);
  }

  /** Of the leading stream; where it is scrambled or absent, by the clock. */
  #stampsOf(bytes: Uint8Array): readonly Sample[] {
    const found = stampsIn(bytes, this.layout);
    this.#hasPicture ||= found.hasPicture;
    this.#hasSound ||= found.hasSound;
    if (found.stamps.length === 0)
      return found.clocks.map(({ at, pts }) => ({ at, pts: pts90k(pts + this.#delay) }));
    this.#measureDelay(found);
    return found.stamps;
  }

  #measureDelay({ stamps, clocks }: WindowStamps): void {
    const [stamp] = stamps;
    const [clock] = clocks;
    if (stamp === undefined || clock === undefined) return;
    const delay = ptsDifference(stamp.pts, clock.pts);
    if (delay >= 0 && delay < 10 * 90_000) this.#delay = delay;
  }
}
