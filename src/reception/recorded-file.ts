/**
 * An append-only file of whole packets. It is always continued at a packet boundary; incomplete packets after an error
 * are cut off. One caller at a time.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Pid } from '../../lib/arib/ids.ts';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import { equalBytes } from '../../lib/arib/ts/sub-table.ts';
import { type WallMs, wallMs } from '../../lib/host/clock.ts';
import { clockEnds, lastClock, type Recount, recount } from './file-recount.ts';

const OWNER_WRITES = 0o644;
/** Code of an error: another file has its name. */
export const REPLACED = 'EREPLACED';

/** `create`: the file must not exist. `append`: continues its content, of which `counted` octets were measured. */
export type FileOpening =
  | { path: string; mode: 'create' }
  | { path: string; mode: 'append'; counted: number };

/** State of a continued file: its contents after `counted`. */
export interface FormerLife extends Recount {
  /** When it was last written. */
  modifiedAt: WallMs;
  /** Octets, whole packets; and counted ones that are missing at its end. */
  size: number;
  lost: number;
}

/** The system's error, with the number of bytes written despite it (whole packets). */
export class WriteFailure extends Error {
  override readonly name = 'WriteFailure';
  constructor(
    readonly written: number,
    override readonly cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause));
  }
}

export class RecordedFile {
  private constructor(
    readonly path: string,
    readonly former: FormerLife | undefined,
    readonly handle: FileHandle,
    private length: number,
    /** Inode number; undefined: this file system does not have stable ones. */
    readonly inode: number | undefined,
  ) {}

  /** Octets, whole packets. */
  get size(): number {
    return this.length;
  }

  /**
   * @param pcrPid PID of the clock references, for counting existing contents
   * @param own octets that the caller wrote to it before: those of other programs after them are cut off
   * @throws the system's error
   */
  static async open(opening: FileOpening, pcrPid: Pid | undefined, own?: number): Promise<RecordedFile> {
    const { path } = opening;
    if (opening.mode === 'create') {
      const made = await mkdir(dirname(path), { recursive: true });
      const handle = await open(path, 'ax+', OWNER_WRITES);
      try {
        // The file name is durable only once its folder, and the parents created for it, are on disk.
        await asFarAsItCan(() => handle.sync());
        await syncFolder(dirname(path));
        for (let at = dirname(path); made !== undefined && at.length >= made.length; at = dirname(at)) {
          await syncFolder(dirname(at));
        }
        return new RecordedFile(path, undefined, handle, 0, await inodeOf(handle, path));
      } catch (error) {
        await handle.close();
        // The caller drops the file name.
        await unlink(path).catch(() => {});
        throw error;
      }
    }
    // Without O_CREAT: a missing file is an error and not created again.
    const handle = await open(path, constants.O_RDWR | constants.O_APPEND);
    try {
      const { size, mtimeMs } = await handle.stat();
      const whole = Math.min(size - (size % PACKET_SIZE), own ?? size);
      if (whole < size) await handle.truncate(whole);
      const modifiedAt = wallMs(mtimeMs);
      const lost = Math.max(0, opening.counted - whole);
      const former = {
        ...(await recount(handle, opening.counted, whole, pcrPid)),
        modifiedAt,
        size: whole,
        lost,
      };
      return new RecordedFile(path, former, handle, whole, await inodeOf(handle, path));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /**
   * @returns undefined if written; else nothing is: another program changed the file's end between `restore` and this,
   * and so many octets are missing now
   * @throws WriteFailure
   */
  async append(bytes: Uint8Array): Promise<number | undefined> {
    let done = 0;
    try {
      while (done < bytes.length) {
        done += (await this.handle.write(bytes, done, bytes.length - done)).bytesWritten;
      }
      const lost = await this.#takeBack(bytes);
      if (lost === undefined) this.length += done;
      return lost;
    } catch (error) {
      const written = await this.#cut();
      throw new WriteFailure(written, error);
    }
  }

  /** A file shortened after the write is left as it is: the next `restore` detects it. */
  async #takeBack(bytes: Uint8Array): Promise<number | undefined> {
    const { size } = await this.handle.stat();
    const start = size - bytes.length;
    if (start === this.length || start < 0) return undefined;
    const found = new Uint8Array(bytes.length);
    const { bytesRead } = await this.handle.read(found, 0, found.length, start);
    if (bytesRead < found.length || !equalBytes(found, bytes)) return undefined;
    const whole = Math.min(start - (start % PACKET_SIZE), this.length);
    await this.handle.truncate(whole);
    const lost = this.length - whole;
    this.length = whole;
    return lost;
  }

  /**
   * Another program may have shortened the file, or appended to it. Foreign octets are cut off: packets are written
   * right after them. @returns octets that are missing now @throws the system's error
   */
  async restore(): Promise<number> {
    const { size } = await this.handle.stat();
    if (size === this.length) return 0;
    const whole = Math.min(size - (size % PACKET_SIZE), this.length);
    if (whole < size) await this.handle.truncate(whole);
    const lost = this.length - whole;
    this.length = whole;
    return lost;
  }

  /** The last clock reference in the file, 27 MHz. @throws the system's error */
  lastClock(pcrPid: Pid | undefined): Promise<number | undefined> {
    return lastClock(this.handle, this.length, pcrPid);
  }

  /** @throws ENOENT if its path leads nowhere, REPLACED if it leads to another file */
  async assertInPlace(): Promise<void> {
    const [there, own] = await Promise.all([stat(this.path), this.handle.stat()]);
    if (this.inode === undefined || there.ino === this.inode || there.size === own.size) return;
    throw Object.assign(new Error(`${this.path} is another file`), { code: REPLACED });
  }

  /** @throws the system's error */
  async sync(): Promise<void> {
    await asFarAsItCan(() => this.handle.datasync());
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  /** Cuts off an incomplete packet after a failed write; returns how much of the write is kept. */
  async #cut(): Promise<number> {
    let written = 0;
    try {
      const { size } = await this.handle.stat();
      const whole = size - (size % PACKET_SIZE);
      // Octets that another program cut off are missing when the file is opened again.
      written = Math.max(0, whole - this.length);
      this.length += written;
      if (whole < size) await this.handle.truncate(whole);
    } catch {
      // The disk is unavailable, or can only be read since the error.
    }
    return written;
  }
}

/** Syncs and closes; errors of a failed disk were reported already. */
export async function closeQuietly(file: RecordedFile | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await file.sync();
  } catch {
    // Already reported as trouble, or unsynced data is checked in the file at the next start.
  }
  try {
    await file.close();
  } catch {
    // As above.
  }
}

/** Some network file systems invent inode numbers: then the path and the open file have different ones. */
async function inodeOf(handle: FileHandle, path: string): Promise<number | undefined> {
  const [own, there] = await Promise.all([handle.stat(), stat(path)]);
  return own.ino === there.ino ? own.ino : undefined;
}

/** The first and the last clock reference in the file, 27 MHz; undefined: unknown. */
export async function fileClocks(path: string): ReturnType<typeof clockEnds> {
  try {
    const handle = await open(path, 'r');
    try {
      return await clockEnds(handle, (await handle.stat()).size);
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * State of a file that is not continued; an incomplete packet is cut off. Undefined if it cannot be read, because it is
 * missing or its folder is unavailable.
 * @param bytes octets of it that were measured
 */
export async function lastLife(part: { path: string; bytes: number }): Promise<FormerLife | undefined> {
  try {
    const file = await RecordedFile.open({ path: part.path, mode: 'append', counted: part.bytes }, undefined);
    await file.close();
    return file.former;
  } catch {
    return undefined;
  }
}

/** @throws the system's error */
export async function syncFolder(path: string): Promise<void> {
  await asFarAsItCan(async () => {
    const handle = await open(path, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  });
}

/** Errors of fsync(2) on file systems without it; many network shares cannot sync folders. */
const CANNOT_SYNC: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** Ignores a missing fsync: such a file system is used anyway and writes data at its own time. */
export async function asFarAsItCan(sync: () => Promise<void>): Promise<void> {
  try {
    await sync();
  } catch (error) {
    if (!CANNOT_SYNC.has((error as { code?: unknown }).code)) throw error;
  }
}
