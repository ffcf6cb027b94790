/**
 * Positions where streams of recordings ended because the codec or layout changes there: the next request continues
 * after the change.
 */
import { type Media90k, TICKS_PER_SECOND } from '../../arib/time.ts';

interface LayoutChange {
  /** Media time of the last picture (or audio frame) before it. */
  readonly media: Media90k;
  /** Octets of the recording, at most one block before it. */
  readonly at: number;
}

/** A client requests the end of its data, which may be some pictures before the change. */
const BEFORE = TICKS_PER_SECOND;
const MAX_RECORDINGS = 64;
/** Limit per recording; a broadcast has a few at a change of programme. */
const MAX_CHANGES = 64;

export class LayoutChanges {
  readonly #known = new Map<number, LayoutChange[]>();

  note(recording: number, change: LayoutChange): void {
    const known = this.#known.get(recording) ?? [];
    this.#known.delete(recording);
    this.#known.set(recording, known);
    if (known.every(({ media }) => media !== change.media)) known.push(change);
    if (known.length > MAX_CHANGES) known.shift();
    const oldest = this.#known.keys().next();
    if (this.#known.size > MAX_RECORDINGS && oldest.done !== true) this.#known.delete(oldest.value);
  }

  /** The last change that is just after a time, or at most `behind` ticks before it. */
  near(recording: number, media: number, behind: number): LayoutChange | undefined {
    const near = (this.#known.get(recording) ?? []).filter(
      (change) => media >= change.media - BEFORE && media <= change.media + behind,
    );
    return near.sort((a, b) => a.media - b.media).at(-1);
  }
}
