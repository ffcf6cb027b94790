/**
 * Boxes of the ISO base media file format, ISO/IEC 14496-12 4.2: iterating over them, and splitting a byte stream
 * into complete ones. Any bytes are safe to read: iteration stops at a truncated or malformed box, and a number
 * beyond the end is 0.
 */

/** Largest box accepted: 100 ms of any broadcast is below 1 MB; more means that the stream is not fragmented MP4. */
const MAX_BOX_BYTES = 16 * 1024 * 1024;
const LARGE_HEADER_BYTES = 16;

export interface Box {
  /** Four characters. */
  readonly type: string;
  /** Of the complete box, in the given bytes. */
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
 * Size and type of the box at `at`. Undefined while its header is incomplete; size 0 if it cannot be a box, and for
 * "to the end of the file", which no stream uses.
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

/** The boxes of `bytes[start, end)`; stops at the first truncated or malformed one. */
export function* boxesIn(bytes: Uint8Array, start = 0, end = bytes.length): Generator<Box> {
  for (let at = start; ; ) {
    const header = headerAt(bytes, at);
    if (header === undefined || header.size === 0 || at + header.size > end) return;
    yield { type: header.type, start: at, body: at + header.headerBytes, end: at + header.size };
    at += header.size;
  }
}

/** The first box of the path, e.g. `mdia minf stbl`, inside `parent`. */
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

/** Collects chunks of any size and returns complete top-level boxes, each in its own bytes. */
export class BoxCutter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** @throws Error if the bytes cannot be boxes of a stream */
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

  /** Size of the first box, once its header is complete. */
  #size(): number | undefined {
    const header = headerAt(this.#peek(LARGE_HEADER_BYTES), 0);
    if (header === undefined) return undefined;
    if (header.size === 0 || header.size > MAX_BOX_BYTES) {
      throw new Error(`not a stream of MP4 boxes: ${JSON.stringify(header)}`);
    }
    return header.size;
  }

  /** The first bytes, or fewer if there are no more. */
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
    let used = 0;
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(0, count - filled);
      out.set(part, filled);
      filled += part.length;
      if (part.length < chunk.length) {
        this.#chunks[used] = chunk.subarray(part.length);
        break;
      }
      used += 1;
      if (filled === count) break;
    }
    this.#chunks.splice(0, used);
    this.#length -= count;
    return out;
  }
}

/** An initialisation segment of one video and one audio track has about 1.5 KB. */
const MAX_BYTES = 1 << 20;
const HEADER_BYTES = 8;

/** Collects the first bytes of a stream until its initialisation segment (`ftyp` and `moov`) is complete. */
export class InitSegmentCollector {
  #held: Uint8Array = new Uint8Array(0);

  /**
   * All bytes received so far if they begin with a complete initialisation segment, else undefined.
   * @throws Error if the bytes cannot be fragmented MP4
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const joined = new Uint8Array(this.#held.length + chunk.length);
    joined.set(this.#held);
    joined.set(chunk, this.#held.length);
    this.#held = joined;
    for (const box of boxesIn(joined)) if (box.type === 'moov') return joined;
    if (joined.length > MAX_BYTES || startsWrong(joined)) throw new Error('not a fragmented MP4');
    return undefined;
  }
}

/** A first box of impossible size: its type would not be four letters either. */
function startsWrong(bytes: Uint8Array): boolean {
  if (bytes.length < HEADER_BYTES) return false;
  return bytes.subarray(4, HEADER_BYTES).some((octet) => octet < 0x20 || octet > 0x7e);
}
