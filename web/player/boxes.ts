/** Reads just enough of ISO base media boxes (ISO/IEC 14496-12) to tell what an initialisation segment carries. */

export interface Mp4Box {
  readonly type: string;
  /** Contents without the box header; a view of the given bytes. */
  readonly body: Uint8Array;
}

const HEADER = 8;
const LARGE_HEADER = 16;

function u32(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] ?? 0) * 0x1000000 +
    (((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))
  );
}

function fourCc(bytes: Uint8Array, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

/**
 * Size and type of the box at `at`. Undefined while its header is incomplete; size 0 when it can be no box, and
 * for "to the end of the file", which no live stream uses.
 */
export function boxAt(
  bytes: Uint8Array,
  at: number,
): { type: string; size: number; header: number } | undefined {
  if (bytes.length - at < HEADER) return undefined;
  const size = u32(bytes, at);
  const type = fourCc(bytes, at + 4);
  if (size !== 1) return { type, size: size >= HEADER ? size : 0, header: HEADER };
  if (bytes.length - at < LARGE_HEADER) return undefined;
  const large = u32(bytes, at + 8) * 0x1_0000_0000 + u32(bytes, at + 12);
  return { type, size: large >= LARGE_HEADER ? large : 0, header: LARGE_HEADER };
}

/** The complete boxes in `bytes`; stops silently at the first that is cut or malformed. */
export function* boxesOf(bytes: Uint8Array): Generator<Mp4Box> {
  let at = 0;
  for (;;) {
    const box = boxAt(bytes, at);
    if (box === undefined || box.size === 0 || at + box.size > bytes.length) return;
    yield { type: box.type, body: bytes.subarray(at + box.header, at + box.size) };
    at += box.size;
  }
}

/** Body of the first child of that type. */
export function childBox(bytes: Uint8Array, type: string): Uint8Array | undefined {
  for (const box of boxesOf(bytes)) if (box.type === type) return box.body;
  return undefined;
}

/** Collects the first bytes of a stream until `ftyp` and `moov` are complete. */
export class InitSegmentCollector {
  #held: Uint8Array = new Uint8Array(0);

  /** An initialisation segment of one video and one audio track has about 1.5 KB; 1 MB is certainly none. */
  static readonly LIMIT = 1 << 20;

  /**
   * Everything received so far once it begins with a whole initialisation segment, else undefined.
   * @throws Error when the bytes can be no fragmented MP4.
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    const joined = new Uint8Array(this.#held.length + chunk.length);
    joined.set(this.#held);
    joined.set(chunk, this.#held.length);
    this.#held = joined;
    for (let at = 0; ; ) {
      const box = boxAt(joined, at);
      if (box?.size === 0 || joined.length > InitSegmentCollector.LIMIT)
        throw new Error('not a fragmented MP4');
      if (box === undefined || at + box.size > joined.length) return undefined;
      at += box.size;
      if (box.type === 'moov') return joined;
    }
  }
}
