/**
 * Free space of recording folders. A folder that hangs (a missing network share) is queried once: callers wait only for
 * a short timeout, and no further query is sent until the first one has been answered.
 */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { within } from '../../host/deadline.ts';
import type { FolderMounts } from './folder-mounts.ts';

export interface FolderSpace {
  totalBytes: number;
  freeBytes: number;
  /** Folders on the same device share their free space. */
  device: number;
  /** False: the folder is created when first used. */
  exists: boolean;
}

/** The two calls that may hang. */
export interface FileSystem {
  stat(path: string): Promise<{ dev: number; isDirectory(): boolean }>;
  statfs(path: string): Promise<{ blocks: number; bavail: number; bsize: number }>;
}

const LIMIT_MS = 2_000;
const REAL: FileSystem = { stat, statfs };

/** A missing folder can be created; any other error means that it is unavailable. */
function absent(error: unknown): undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error;
}

export class FolderSpaces {
  readonly #asked = new Map<string, Promise<FolderSpace | undefined>>();

  constructor(
    private readonly files: FileSystem = REAL,
    private readonly limitMs = LIMIT_MS,
    /** The file system below the mount point of a missing disk is not queried. */
    private readonly mounts?: Pick<FolderMounts, 'isAway'>,
  ) {}

  /** Undefined if unknown or not answered before the timeout. */
  async of(path: string): Promise<FolderSpace | undefined> {
    if (await this.mounts?.isAway(path)) return undefined;
    const asked = this.#asked.get(path) ?? this.#ask(path);
    return within(this.limitMs, asked, () => undefined);
  }

  #ask(path: string): Promise<FolderSpace | undefined> {
    const asked = this.#query(path)
      .catch(() => undefined)
      .finally(() => this.#asked.delete(path));
    this.#asked.set(path, asked);
    return asked;
  }

  /** The folder, or its nearest existing parent. */
  async #query(path: string): Promise<FolderSpace | undefined> {
    for (let at = path; ; at = dirname(at)) {
      const found = await this.files.stat(at).catch(absent);
      if (found?.isDirectory() !== true) {
        if (at === dirname(at)) return undefined;
        continue;
      }
      const { blocks, bavail, bsize } = await this.files.statfs(at);
      return {
        totalBytes: blocks * bsize,
        freeBytes: bavail * bsize,
        device: found.dev,
        exists: at === path,
      };
    }
  }
}
