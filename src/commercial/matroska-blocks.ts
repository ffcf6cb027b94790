/**
 * Reads the blocks of a Matroska stream that ffmpeg writes to a pipe: uncompressed pictures and samples with their
 * timestamps. Pure. Supports clusters and blocks without lacing only; all other elements are skipped. RFC 9559, RFC
 * 8794.
 */

export interface MatroskaBlock {
  /** Track number from 1, in the order of the outputs. */
  readonly track: number;
  /** ms: ffmpeg writes the default TimestampScale. */
  readonly timeMs: number;
  readonly data: Uint8Array;
}

const CLUSTER = 0x1f43b675;
const SEGMENT = 0x18538067;
const TIMESTAMP = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
/** Master elements, which are read child by child; their size is not bounded. */
const OPENED: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, BLOCK_GROUP]);
/** Bound of an element that is buffered as a whole; the largest block is one small picture, or a second of sound. */
const MAX_ELEMENT = 4 * 1024 * 1024;

interface Number8 {
  readonly value: number;
  readonly length: number;
}

/** A variable-size integer; undefined while it is incomplete. Unknown sizes read as -1. RFC 8794, 4. */
function variable(bytes: Uint8Array, at: number, keepsMarker: boolean): Number8 | undefined {
  const first = bytes[at];
  if (first === undefined) return undefined;
  const length = Math.clz32(first) - 23;
  if (length > 8) throw new Error('no Matroska stream');
  if (at + length > bytes.length) return undefined;
  let value = keepsMarker ? first : first & (0xff >> length);
  let isUnknown = (first & (0xff >> length)) === 0xff >> length;
  for (let index = 1; index < length; index += 1) {
    const next = bytes[at + index] as number;
    value = value * 256 + next;
    isUnknown &&= next === 0xff;
  }
  return { value: isUnknown && !keepsMarker ? -1 : value, length };
}

export class MatroskaReader {
  #held: Uint8Array = new Uint8Array(0);
  #skip = 0;
  #cluster = 0;

  /** @throws Error for a malformed stream */
  feed(chunk: Uint8Array): MatroskaBlock[] {
    let bytes = chunk;
    if (this.#held.length > 0) {
      bytes = new Uint8Array(this.#held.length + chunk.length);
      bytes.set(this.#held);
      bytes.set(chunk, this.#held.length);
    }
    const blocks: MatroskaBlock[] = [];
    let at = 0;
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      at += skipped;
      this.#skip -= skipped;
      const id = variable(bytes, at, true);
      const size = id === undefined ? undefined : variable(bytes, at + id.length, false);
      if (id === undefined || size === undefined) break;
      const body = at + id.length + size.length;
      if (OPENED.has(id.value)) {
        at = body;
        continue;
      }
      if (size.value < 0) throw new Error('a Matroska element without a size');
      if (id.value !== TIMESTAMP && id.value !== SIMPLE_BLOCK && id.value !== BLOCK) {
        this.#skip = size.value;
        at = body;
        continue;
      }
      if (size.value > MAX_ELEMENT) throw new Error('a Matroska block is too large');
      if (body + size.value > bytes.length) break;
      const element = bytes.subarray(body, body + size.value);
      if (id.value === TIMESTAMP) this.#cluster = element.reduce((sum, octet) => sum * 256 + octet, 0);
      else blocks.push(this.#block(element));
      at = body + size.value;
    }
    this.#held = bytes.slice(at);
    return blocks;
  }

  #block(element: Uint8Array): MatroskaBlock {
    const track = variable(element, 0, false);
    if (track === undefined || element.length < track.length + 3)
      throw new Error('a Matroska block is too short');
    const relative =
      (((element[track.length] as number) << 24) >> 16) | (element[track.length + 1] as number);
    return {
      track: track.value,
      timeMs: this.#cluster + relative,
      data: element.subarray(track.length + 3),
    };
  }
}
