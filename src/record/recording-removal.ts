/**
 * Removes the files of deleted recordings: regular files that a row names and whose name has the service's own
 * format. Folders, links and other files are never touched. An unavailable or hanging folder is retried later and
 * does not block the others.
 */
import { lstat, unlink } from 'node:fs/promises';
import { dirname, isAbsolute, normalize } from 'node:path';
import { within } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import { syncFolder } from '../reception/recorded-file.ts';
import type { Leftover, RecycleBin } from '../store/recycle-bin.ts';
import { type Write, writeNow } from '../store/transaction.ts';
import { type FolderMounts, isEmptyOrAway } from './folder-mounts.ts';

interface RemovalOptions {
  recycleBin: Pick<RecycleBin, 'leftovers' | 'forgetFiles'>;
  mounts?: Pick<FolderMounts, 'isAway' | 'isDeleted'> | undefined;
  /** Resolves when everything committed before is on disk; throws when that is not known. Default: at once. */
  stored?: (() => Promise<void>) | undefined;
  /** Default: at once. */
  write?: Write | undefined;
  log: Log;
  /** Upper limit of a caller's wait for a removal, ms. */
  waitMs: number;
}

/** Names stored at once: the number that a killed process has to check again. */
const BATCH = 200;

/** `…/<stem>.ts`, `…/<stem>.part2.ts` and other names with this beginning. */
export function isOwnName({ path, stem }: Pick<Leftover, 'path' | 'stem'>): boolean {
  return (
    stem !== null &&
    stem !== '' &&
    isAbsolute(path) &&
    normalize(path) === path &&
    path.slice(path.lastIndexOf('/') + 1).startsWith(`${stem}.`)
  );
}

export class RecordingRemoval {
  /** Folders with a removal in progress. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #stop = new AbortController();

  constructor(readonly options: RemovalOptions) {}

  /** Removes the files; a removal that takes longer continues in the background. Never rejects. */
  async run(): Promise<void> {
    const { recycleBin, log } = this.options;
    if (this.#stop.signal.aborted) return;
    try {
      for (const [folder, files] of Map.groupBy(recycleBin.leftovers(), ({ path }) => dirname(path))) {
        if (this.#busy.has(folder)) continue;
        const work = this.#empty(folder, files)
          .catch((error: unknown) =>
            log.error('recording files not removed', { folder, error: String(error) }),
          )
          .finally(() => this.#busy.delete(folder));
        this.#busy.set(folder, work);
      }
    } catch (error) {
      log.error('files of deleted recordings cannot be read', { error: String(error) });
    }
    await this.#settled();
  }

  /** Stops after the current file. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await within(this.options.waitMs, Promise.all(this.#busy.values()), () => {});
  }

  async #empty(folder: string, files: readonly Leftover[]): Promise<void> {
    const { recycleBin, mounts, stored, write = writeNow, log } = this.options;
    if ((await mounts?.isAway(folder)) || (await isEmptyOrAway(folder))) return;
    // The deletion must be durable before any file is removed.
    await stored?.();
    for (let from = 0; from < files.length; from += BATCH) {
      const gone: Leftover[] = [];
      let removed = 0;
      for (const file of files.slice(from, from + BATCH)) {
        if (this.#stop.signal.aborted) break;
        const outcome = await remove(file);
        if (outcome === 'kept') continue;
        // Its folder was replaced: it is removed when that one is back.
        if (outcome === 'absent' && (await mounts?.isDeleted(file.path)) === false) continue;
        if (outcome === 'not ours') log.error('not a file of this service: kept', { path: file.path });
        if (outcome === 'removed') removed += 1;
        gone.push(file);
      }
      // Names are dropped only once the removal is durable.
      if (removed > 0) await syncFolder(folder);
      if (this.#stop.signal.aborted) return;
      if (gone.length > 0) await write(() => recycleBin.forgetFiles(gone));
      if (removed > 0) log.info('recording files removed', { folder, files: removed });
    }
  }
}

type Outcome = 'removed' | 'absent' | 'kept' | 'not ours';

async function remove(file: Leftover): Promise<Outcome> {
  if (!isOwnName(file)) return 'not ours';
  try {
    if (!(await lstat(file.path)).isFile()) return 'not ours';
    await unlink(file.path);
    return 'removed';
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    // Read-only, not permitted, or a failing disk: retried later.
    return isAbsent ? 'absent' : 'kept';
  }
}
