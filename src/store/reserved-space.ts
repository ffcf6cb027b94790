/**
 * Disk space reserved for the database: a placeholder file that is deleted when the disk is nearly full. Without it
 * nothing could be stored then, not even the deletion of a recording.
 */
import { closeSync, existsSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export const RESERVED_BYTES = 64 * 1024 * 1024;
/** Released below this free space. */
const LEAST_BYTES = 16 * 1024 * 1024;
/** Created above this free space: useless on a nearly full disk. */
const ROOM_BYTES = 4 * RESERVED_BYTES;

interface Disk {
  /** Octets. */
  free(folder: string): number;
}

const REAL: Disk = {
  free: (folder) => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  },
};

export class ReservedSpace {
  /** @param path of the database */
  constructor(
    readonly path: string,
    private readonly disk: Disk = REAL,
  ) {}

  get file(): string {
    return `${this.path}-room`;
  }

  /** @returns free octets, without the reserved space @throws the system's error */
  look(): number {
    const free = this.disk.free(dirname(this.path));
    if (free < LEAST_BYTES) this.release();
    return free;
  }

  /** @returns whether there was any @throws the system's error */
  release(): boolean {
    const existed = existsSync(this.file);
    rmSync(this.file, { force: true });
    return existed;
  }

  /** @throws the system's error */
  make(): void {
    const had = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
    if (had >= RESERVED_BYTES || this.disk.free(dirname(this.path)) < ROOM_BYTES) return;
    const descriptor = openSync(this.file, 'w', 0o600);
    try {
      // Random, because zeros use no space on a compressing file system.
      const block = crypto.getRandomValues(new Uint8Array(65_536));
      for (let done = 0; done < RESERVED_BYTES; done += block.length) writeSync(descriptor, block);
    } catch (error) {
      rmSync(this.file, { force: true });
      throw error;
    } finally {
      closeSync(descriptor);
    }
  }
}
