/**
 * The last seconds of a station's stream, from an entry point on, so that an encoder or viewer that joins a
 * tuned station can decode immediately.
 */
import { joinBytes } from '../../lib/arib/join-bytes.ts';
import type { MonotonicMs } from '../../lib/host/clock.ts';
import { type EntryPoint, pidFirst } from './entry-points.ts';

/** An encoder needs about half a second to detect all streams; more would only add delay. */
const WINDOW_MS = 2_000;
/** Two seconds at 24 Mbit/s, the most that one transport stream of a transponder carries. */
const MAX_BYTES = 6 * 1024 * 1024;

interface Kept {
  at: number;
  bytes: Uint8Array<ArrayBuffer>;
}

export class StreamBurst {
  #chunks: Kept[] = [];
  #points: (EntryPoint & { time: MonotonicMs })[] = [];
  /** Memory that the chunks keep alive: whole buffers, even if a chunk is only a part of one. */
  #held = 0;

  /** Adds a chunk that begins at octet `at` of the stream; it is not copied. */
  add(at: number, bytes: Uint8Array<ArrayBuffer>, points: readonly EntryPoint[], now: MonotonicMs): void {
    // Chunks of the same buffer are consecutive.
    if (this.#chunks.at(-1)?.bytes.buffer !== bytes.buffer) this.#held += bytes.buffer.byteLength;
    this.#chunks.push({ at, bytes });
    const oldest = this.#chunks[0]?.at ?? at;
    for (const point of points) {
      // The picture may have begun before `clear`.
      if (point.picture < oldest || this.#points.at(-1)?.at === point.at) continue;
      this.#points.push({ ...point, time: now });
    }
    while ((this.#points[1]?.time ?? now) < now - WINDOW_MS) this.#points.shift();
    this.#evict();
  }

  /** Discards everything received so far. */
  clear(): void {
    this.#chunks = [];
    this.#points = [];
    this.#held = 0;
  }

  /** From the oldest (`early`) or newest (`late`) entry point to the end; undefined if there is none yet. */
  from(which: 'early' | 'late'): Uint8Array<ArrayBuffer>[] | undefined {
    const point = which === 'early' ? this.#points[0] : this.#points.at(-1);
    return point === undefined ? undefined : this.since(point.at);
  }

  /**
   * Start of an encoder's input: the tables, then the whole intra picture of the oldest entry point,
   * then everything since. ffmpeg stops searching for the picture's header if audio comes first.
   */
  forEncoder(): Uint8Array[] | undefined {
    const point = this.#points[0];
    if (point === undefined) return undefined;
    if (point.video === null) return this.since(point.at);
    const picture = joinBytes(this.since(point.picture)).subarray(0, point.pictureEnd - point.picture);
    return [point.tables, pidFirst(picture, point.video), ...this.since(point.pictureEnd)];
  }

  /** From an octet of the stream on, or from the oldest one in memory. */
  since(at: number): Uint8Array<ArrayBuffer>[] {
    return this.#chunks
      .filter((chunk) => chunk.at + chunk.bytes.length > at)
      .map((chunk) => (chunk.at < at ? chunk.bytes.subarray(at - chunk.at) : chunk.bytes));
  }

  #evict(): void {
    for (;;) {
      const first = this.#chunks[0];
      if (first === undefined) return;
      const end = first.at + first.bytes.length;
      const needed = this.#points[0];
      const tooMuch = this.#held > MAX_BYTES;
      if (!tooMuch && (needed === undefined || needed.at < end)) return;
      this.#chunks.shift();
      const { buffer } = first.bytes;
      if (this.#chunks[0]?.bytes.buffer !== buffer) this.#held -= buffer.byteLength;
      this.#points = this.#points.filter((point) => point.at >= end);
    }
  }
}
