/**
 * Free space of recording folders, and whether any can be written. A folder that hangs (a missing network share) is queried once: callers wait only for
 * a short timeout, and no further query is sent until the first one has been answered.
 */
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { within } from '../../lib/host/deadline.ts';
import { folderProblem } from '../settings/recording-folder-rules.ts';
import type { FolderMounts } from './folder-mounts.ts';
import { type Folder, isFull } from './folder-selection.ts';

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

interface WritableFoldersOptions {
  readonly folders: () => readonly Folder[];
  readonly spaces: Pick<FolderSpaces, 'of'>;
  readonly clock: MonotonicClock;
}

const KEPT_MS = 5_000;

/** Whether recordings can be written anywhere. The answer is kept for a while, because anybody may ask (`/api/health`). */
export class WritableFolders {
  #known: { readonly at: MonotonicMs; readonly any: Promise<boolean> } | undefined;

  constructor(private readonly options: WritableFoldersOptions) {}

  /** Whether at least one folder is there, has space and can be written. Never rejects. */
  any(): Promise<boolean> {
    const now = this.options.clock();
    if (this.#known === undefined || now - this.#known.at > KEPT_MS) {
      this.#known = { at: now, any: this.#any().catch(() => false) };
    }
    return this.#known.any;
  }

  async #any(): Promise<boolean> {
    const { folders, spaces } = this.options;
    const usable = await Promise.all(
      folders().map(async ({ path }) => {
        // A folder that hangs is not accessed further.
        const space = await spaces.of(path);
        return space !== undefined && !isFull(space.freeBytes) && (await folderProblem(path)) === undefined;
      }),
    );
    return usable.includes(true);
  }
}
