/**
 * Cuts a byte stream into top-level boxes of the ISO base media file format, and walks the boxes inside one.
 * ISO/IEC 14496-12 4.2.
 */

/** Largest box accepted: 100 ms of any broadcast is below 1 MB; more means the stream is no fMP4. */
const MAX_BOX_BYTES = 16 * 1024 * 1024;
const HEADER_BYTES = 8;

export interface Box {
  /** Four characters. */
  type: string;
  /** Of the whole box in the bytes that were walked. */
  start: number;
  /** Of the box's content. */
  body: number;
  end: number;
}

export function boxType(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The boxes of `bytes[start, end)`; stops at the first that does not fit. */
export function* boxesIn(bytes: Uint8Array, start = 0, end = bytes.length): Generator<Box> {
  const view = viewOf(bytes);
  for (let at = start; at + HEADER_BYTES <= end; ) {
    const size = view.getUint32(at);
    if (size < HEADER_BYTES || at + size > end) return;
    yield { type: boxType(bytes, at + 4), start: at, body: at + HEADER_BYTES, end: at + size };
    at += size;
  }
}

/** The first box of that path, e.g. `mdia minf stbl`, inside `parent`. */
export function findBox(bytes: Uint8Array, parent: Box, ...path: string[]): Box | undefined {
  let current: Box | undefined = parent;
  for (const type of path) {
    let found: Box | undefined;
    for (const box of boxesIn(bytes, current.body, current.end)) {
      if (box.type === type) {
        found = box;
        break;
      }
    }
    if (found === undefined) return undefined;
    current = found;
  }
  return current;
}

/** Collects chunks of any size and gives whole top-level boxes, each in bytes of its own. */
export class BoxCutter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** @throws Error when the bytes cannot be boxes of a live stream. */
  *feed(chunk: Uint8Array): Generator<{ type: string; bytes: Uint8Array<ArrayBuffer> }> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      const head = this.#peek(HEADER_BYTES);
      if (head === undefined) return;
      const size = viewOf(head).getUint32(0);
      if (size < HEADER_BYTES || size > MAX_BOX_BYTES) throw new Error(`box of ${size} octets`);
      if (this.#length < size) return;
      const bytes = this.#take(size);
      yield { type: boxType(bytes, 4), bytes };
    }
  }

  #peek(count: number): Uint8Array | undefined {
    if (this.#length < count) return undefined;
    const first = this.#chunks[0];
    if (first !== undefined && first.length >= count) return first;
    const out = new Uint8Array(count);
    let filled = 0;
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(0, count - filled);
      out.set(part, filled);
      filled += part.length;
      if (filled === count) break;
    }
    return out;
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      const chunk = this.#chunks[0];
      if (chunk === undefined) break;
      const part = chunk.subarray(0, count - filled);
      out.set(part, filled);
      filled += part.length;
      if (part.length === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(part.length);
    }
    this.#length -= count;
    return out;
  }
}
