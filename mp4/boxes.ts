/**
 * Boxes of the ISO base media file format, ISO/IEC 14496-12 4.2: walking them, and cutting a byte stream into whole
 * ones. Any bytes are safe to read: what is cut or malformed ends a walk, and a number beyond the end is 0.
 */

/** Largest box accepted: 100 ms of any broadcast is below 1 MB; more means the stream is no fragmented MP4. */
const MAX_BOX_BYTES = 16 * 1024 * 1024;
const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;

export interface Box {
  /** Four characters. */
  readonly type: string;
  /** Of the whole box, in the bytes that were walked. */
  readonly start: number;
  /** Of its content. */
  readonly body: number;
  readonly end: number;
}

/** Big-endian, 32 bit. */
export function u32At(bytes: Uint8Array, at: number): number {
  const low = ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  return (bytes[at] ?? 0) * 0x100_0000 + low;
}

/** Four characters. */
export function typeAt(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

/**
 * Size and type of the box at `at`. Undefined while its header is incomplete; size 0 when it can be no box, and for "to
 * the end of the file", which no stream uses.
 */
function headerAt(
  bytes: Uint8Array,
  at: number,
): { type: string; size: number; headerBytes: number } | undefined {
  if (bytes.length - at < HEADER_BYTES) return undefined;
  const size = u32At(bytes, at);
  const type = typeAt(bytes, at + 4);
  if (size !== 1) return { type, size: size >= HEADER_BYTES ? size : 0, headerBytes: HEADER_BYTES };
  if (bytes.length - at < LARGE_HEADER_BYTES) return undefined;
  const large = u32At(bytes, at + 8) * 2 ** 32 + u32At(bytes, at + 12);
  return { type, size: large >= LARGE_HEADER_BYTES ? large : 0, headerBytes: LARGE_HEADER_BYTES };
}

/** The boxes of `bytes[start, end)`; stops at the first that is cut or malformed. */
export function* boxesIn(bytes: Uint8Array, start = 0, end = bytes.length): Generator<Box> {
  for (let at = start; ; ) {
    const header = headerAt(bytes, at);
    if (header === undefined || header.size === 0 || at + header.size > end) return;
    yield { type: header.type, start: at, body: at + header.headerBytes, end: at + header.size };
    at += header.size;
  }
}

/** The first box of that path, e.g. `mdia minf stbl`, inside `parent`. */
export function findBox(bytes: Uint8Array, parent: Box, ...path: string[]): Box | undefined {
  let current = parent;
  for (const type of path) {
    let found: Box | undefined;
    for (const box of boxesIn(bytes, current.body, current.end)) {
      if (box.type !== type) continue;
      found = box;
      break;
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

  /** @throws Error when the bytes cannot be boxes of a stream. */
  *feed(chunk: Uint8Array): Generator<{ type: string; bytes: Uint8Array<ArrayBuffer> }> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    for (;;) {
      const size = this.#size();
      if (size === undefined || this.#length < size) return;
      const bytes = this.#take(size);
      yield { type: typeAt(bytes, 4), bytes };
    }
  }

  /** Of the box that comes first, once its header is there. */
  #size(): number | undefined {
    const header = headerAt(this.#peek(LARGE_HEADER_BYTES), 0);
    if (header === undefined) return undefined;
    if (header.size === 0 || header.size > MAX_BOX_BYTES) {
      throw new Error(`not a stream of MP4 boxes: ${JSON.stringify(header)}`);
    }
    return header.size;
  }

  /** The first bytes, fewer when there are no more. */
  #peek(count: number): Uint8Array {
    const first = this.#chunks[0];
    if (first !== undefined && (first.length >= count || this.#chunks.length === 1)) return first;
    const out = new Uint8Array(Math.min(count, this.#length));
    let filled = 0;
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(0, out.length - filled);
      out.set(part, filled);
      filled += part.length;
      if (filled === out.length) break;
    }
    return out;
  }

  #take(count: number): Uint8Array<ArrayBuffer> {
    const out = new Uint8Array(count);
    let filled = 0;
    let whole = 0;
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(0, count - filled);
      out.set(part, filled);
      filled += part.length;
      if (part.length < chunk.length) {
        this.#chunks[whole] = chunk.subarray(part.length);
        break;
      }
      whole += 1;
      if (filled === count) break;
    }
    this.#chunks.splice(0, whole);
    this.#length -= count;
    return out;
  }
}
