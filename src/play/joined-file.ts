/**
 * Several files sent as one, concatenated. A range inside one file is sent by the runtime; a range over a file
 * boundary is read here: small ranges at once, so that their length is known, larger ones at the client's speed.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

export interface FilePiece {
  path: string;
  /** Octets. */
  size: number;
}

/** A stream is sent without `Content-Length`; up to this size it is read into memory instead. */
const READ_AT_ONCE = 4 * 1024 * 1024;
const BLOCK_BYTES = 256 * 1024;

interface Slice {
  path: string;
  start: number;
  end: number;
}

function slices(pieces: readonly FilePiece[], start: number, end: number): Slice[] {
  const out: Slice[] = [];
  let at = 0;
  for (const { path, size } of pieces) {
    const from = Math.max(start - at, 0);
    const to = Math.min(end - at, size);
    if (to > from) out.push({ path, start: from, end: to });
    at += size;
  }
  return out;
}

/**
 * Octets `start` to `end`, end exclusive, of all pieces in order.
 * @throws the system's error if the first read fails
 */
export async function joinedBody(
  pieces: readonly FilePiece[],
  start: number,
  end: number,
): Promise<Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const wanted = slices(pieces, start, end);
  const [first] = wanted;
  if (first === undefined) return new Uint8Array(0);
  if (wanted.length === 1) return Bun.file(first.path).slice(first.start, first.end);
  if (end - start > READ_AT_ONCE) return streamed(wanted);
  const bytes = new Uint8Array(end - start);
  let at = 0;
  for await (const block of blocks(wanted)) {
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** Reads with backpressure; an error aborts the response instead of ending it. */
function streamed(wanted: readonly Slice[]): ReadableStream<Uint8Array> {
  const reading = blocks(wanted);
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reading.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await reading.return();
    },
  });
}

async function* blocks(wanted: readonly Slice[]): AsyncGenerator<Uint8Array, void, void> {
  for (const { path, start, end } of wanted) {
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      for (let at = start; at < end; ) {
        const block = await readBlock(handle, at, Math.min(BLOCK_BYTES, end - at));
        if (block.length === 0) throw new Error(`${path} ends before ${end}`);
        yield block;
        at += block.length;
      }
    } finally {
      await handle.close();
    }
  }
}

async function readBlock(handle: FileHandle, at: number, length: number): Promise<Uint8Array> {
  const block = new Uint8Array(length);
  const { bytesRead } = await handle.read(block, 0, length, at);
  return block.subarray(0, bytesRead);
}
