/** Samples the time stamps of a recording. Samples are cached, because written data never changes. */
import { type Pts90k, pts90k } from '../../lib/arib/time.ts';
import { ptsDifference } from '../../lib/arib/ts/clock.ts';
import type { StationLayout } from '../reception/station-layout.ts';
import type { ByteSource } from './recording-bytes.ts';
import { extremes, stampsIn, type WindowStamps } from './stream-stamps.ts';

export interface Sample {
  /** Position of the packet in the recording, octets. */
  readonly at: number;
  readonly pts: Pts90k;
}

/** Pictures come every 33 ms, which is 100 KB at 24 Mbit/s. */
const WINDOW_BYTES = 192 * 1024;
/** Limit of data without a time stamp: scrambled, damaged, or not a transport stream. */
const MAX_SEARCH_BYTES = 4 * 1024 * 1024;
/** After this many places without time stamps, only one window is read at each place. */
const MAX_BARREN = 8;
/** Places read before announced video counts as never sent. */
const PROBES = 32;
const TAIL_BYTES = 512 * 1024;
/** Half a second: video time stamps are ahead of the clock by the decoder's buffer. Replaced by a measured value. */
const TYPICAL_DELAY = 45_000;
/** Cache limit: two places a second of an 8 h recording. Beyond it the cache is cleared. */
const MAX_REMEMBERED = 60_000;

export class StampSampler {
  readonly #known = new Map<number, Sample | null>();
  /** Distance of the time stamps from the programme clock, 90 kHz. */
  #delay = TYPICAL_DELAY;
  reads = 0;
  /** Number of places without time stamps. */
  #barren = 0;
  #hasPicture = false;
  #hasSound = false;

  constructor(
    /** May be replaced by another source of the same octets. */
    public source: ByteSource,
    /** Layout at the head. */
    private readonly layout: StationLayout,
  ) {}

  /** The layout announces video, but only audio was found so far. */
  get lacksPicture(): boolean {
    return this.layout.video !== null && !this.#hasPicture && this.#hasSound;
  }

  /** Whether the recording has only audio although video is announced. Reads more places before it returns true. */
  async isSoundOnly(size: number): Promise<boolean> {
    for (let probe = 0; probe < PROBES && this.lacksPicture; probe += 1) {
      this.#stampsOf(await this.#read(Math.floor((size / PROBES) * probe), WINDOW_BYTES));
    }
    return this.lacksPicture;
  }

  /** The first time stamp from one place on and before another; undefined if there is none nearby. */
  async at(from: number, before: number): Promise<Sample | undefined> {
    const known = this.#known.get(from);
    if (known !== undefined) return known !== null && known.at < before ? known : undefined;
    const search = this.#barren < MAX_BARREN ? MAX_SEARCH_BYTES : WINDOW_BYTES;
    const limit = Math.min(before, from + search);
    for (let at = from; at < limit; at += WINDOW_BYTES) {
      // Windows overlap, so that no packet is lost between them.
      const bytes = await this.#read(at, Math.min(WINDOW_BYTES + 2 * 188, limit - at));
      const [first] = this.#stampsOf(bytes);
      if (first === undefined) continue;
      const sample = { at: at + first.at, pts: first.pts };
      this.#remember(from, sample);
      return sample;
    }
    // Not for the end of a growing recording, which has no time stamps yet.
    if (limit < before) {
      this.#remember(from, null);
      this.#barren += 1;
    }
    return undefined;
  }

  /** The latest time stamp before a place, at the position of the last stamped packet. */
  async last(from: number, to: number): Promise<Sample | undefined> {
    for (let end = to; end > from && end > to - MAX_SEARCH_BYTES; end -= TAIL_BYTES) {
      const start = Math.max(from, end - TAIL_BYTES);
      const stamps = this.#stampsOf(await this.#read(start, end - start));
      const last = stamps.at(-1);
      // Time stamps of pictures are out of order; those far from the last one belong to the other side of a jump.
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

  /** Time stamps of the leading stream; if it is scrambled or absent, derived from the clock references. */
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
