/**
 * The files of one recording as one range of octets, in the order of its parts. Files stay open while in use, so that a
 * recording can be read to its end even if its parts are joined or it is deleted meanwhile.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { within } from '../../lib/host/deadline.ts';
import { Failure } from '../model/failure.ts';

export interface ByteSource {
  /** Number of octets that can currently be read. */
  readonly size: number;
  /** Returns fewer octets only at the end. @throws Failure busy, not_found */
  read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>>;
}

/** A missing network share may not respond at all. */
const OPEN_LIMIT_MS = 3_000;
const READ_LIMIT_MS = 15_000;

const hanging = (): never => {
  throw new Failure('busy', '録画フォルダーが応答しません。');
};
const gone = (cause?: unknown): Failure =>
  new Failure('not_found', 'この録画のファイルはありません。', { cause });

interface Part {
  readonly path: string;
  readonly handle: FileHandle;
  /** Offset of the part, octets. */
  readonly start: number;
  size: number;
}

async function openFile(path: string): Promise<FileHandle> {
  const found = await lstat(path);
  if (!found.isFile()) throw gone();
  return open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** @throws Failure not_found, busy */
async function openPart(path: string, start: number): Promise<Part> {
  const opening = openFile(path);
  const handle = await within(
    OPEN_LIMIT_MS,
    opening.catch((error: unknown) => {
      throw error instanceof Failure ? error : gone(error);
    }),
    () => {
      // A file that opens too late is closed again.
      opening.then((late) => late.close()).catch(() => {});
      return hanging();
    },
  );
  try {
    const { size } = await within(OPEN_LIMIT_MS, handle.stat(), hanging);
    return { path, handle, start, size };
  } catch (error) {
    void handle.close().catch(() => {});
    throw error;
  }
}

export class RecordingBytes implements ByteSource {
  #parts: Part[] = [];
  #reading = 0;
  #idle: (() => void) | undefined;
  #isClosed = false;

  private constructor(private readonly paths: () => readonly string[]) {}

  /**
   * @param paths returns the current file names, in order; called again by `refresh`
   * @throws Failure not_found if one of them is not a regular file, busy if its folder does not respond
   */
  static async open(paths: () => readonly string[]): Promise<RecordingBytes> {
    const bytes = new RecordingBytes(paths);
    try {
      await bytes.#openFrom(0);
    } catch (error) {
      await bytes.close();
      throw error;
    }
    if (bytes.#parts.length === 0) throw gone();
    return bytes;
  }

  get size(): number {
    const last = this.#parts.at(-1);
    return last === undefined ? 0 : last.start + last.size;
  }

  /** Offset of each part, octets. */
  get starts(): readonly { readonly path: string; readonly start: number }[] {
    return this.#parts;
  }

  /** Updates sizes and parts, because a recording in progress grows. @returns whether it has grown */
  async refresh(): Promise<boolean> {
    const before = this.size;
    const last = this.#parts.at(-1);
    if (last === undefined || this.#isClosed) return false;
    last.size = (await within(OPEN_LIMIT_MS, last.handle.stat(), hanging)).size;
    const names = this.paths();
    // Joined parts contain the same octets, and open files stay readable.
    const isSame = this.#parts.every(({ path }, index) => names[index] === path);
    if (isSame && names.length > this.#parts.length) await this.#openFrom(this.#parts.length);
    return this.size > before;
  }

  async read(at: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const wanted = Math.max(0, Math.min(length, this.size - at));
    const block = new Uint8Array(wanted);
    let filled = 0;
    this.#reading += 1;
    try {
      while (filled < wanted) {
        const part = this.#partAt(at + filled);
        if (part === undefined || this.#isClosed) break;
        const offset = at + filled - part.start;
        const count = Math.min(wanted - filled, part.size - offset);
        const reading = part.handle.read(block, filled, count, offset);
        const { bytesRead } = await within(READ_LIMIT_MS, reading, hanging);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
    } finally {
      this.#reading -= 1;
      if (this.#reading === 0) this.#idle?.();
    }
    return filled === wanted ? block : block.slice(0, filled);
  }

  /** Idempotent; waits for pending reads. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#reading > 0) {
      const idle = Promise.withResolvers<void>();
      this.#idle = idle.resolve;
      await within(READ_LIMIT_MS, idle.promise, () => {});
    }
    await Promise.allSettled(this.#parts.map(({ handle }) => handle.close()));
  }

  #partAt(at: number): Part | undefined {
    return this.#parts.findLast(({ start, size }) => start <= at && at < start + size);
  }

  async #openFrom(index: number): Promise<void> {
    for (const path of this.paths().slice(index)) this.#parts.push(await openPart(path, this.size));
  }
}
