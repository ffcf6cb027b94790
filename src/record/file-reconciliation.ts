/**
 * Reconciliation at a start: rows without files, files whose rows mark them for removal. Only files that a row names
 * are touched. Files of deleted recordings: `recording-removal.ts`.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { plusMs } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RecordingRecord } from '../model/recording.ts';
import { judge, recordedMs, type Verdict, type Wanted } from '../model/verdict.ts';
import type { StoredFile } from '../store/recording-part-rows.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { withoutFiles } from './file-contents.ts';
import { type FolderMounts, isEmptyOrAway } from './folder-mounts.ts';
import { FILE_GONE, isFolderAway, removeJoined, sizeOf } from './recording-parts.ts';

interface ReconcileOptions {
  store: RecordingStore;
  mounts?: FolderMounts | undefined;
  log: Log;
  /** For the times of row changes. */
  wallClock: WallClock;
}

interface Compared {
  /** Files listed in rows that no longer exist. */
  forgotten: number;
  /** Forgotten files that exist again. */
  returned: number;
}

interface Reconciled extends Compared {
  /** Leftover files that were removed. */
  removed: number;
}

/**
 * Reconciles rows and files at a start, before any recording is resumed: drops rows without a file, removes
 * unfinished joined files and the parts of finished ones. An unavailable folder (an empty mount point has none of its
 * expected files) is skipped, and files that are missing because another folder is in its place are kept.
 */
export async function reconcile(options: ReconcileOptions): Promise<Reconciled> {
  const { store, log } = options;
  const removed = await removeLeftovers(options);
  const count = { ...(await compare(await countByFolder(store), options)), removed };
  if (count.forgotten + count.returned + count.removed > 0)
    log.warn('rows and files of recordings reconciled', { ...count });
  return count;
}

/**
 * Notices files that a user deleted, renamed or brought back while the service runs. Only a folder whose modification
 * time changed is compared: a `stat` of it is cheap and wakes no disk in standby.
 */
export class FileWatch {
  readonly #seen = new Map<string, number>();
  /** The last check found a folder that had changed. */
  hasChanged = false;

  constructor(readonly options: ReconcileOptions) {}

  async check(): Promise<Compared> {
    const changed = new Map<string, number>();
    for (const [folder, files] of await countByFolder(this.options.store)) {
      const changedAt = await stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      );
      // A folder that comes back has the time that it had: what waited for it must not wait for its next change.
      if (changedAt === undefined) this.#seen.delete(folder);
      if (changedAt === undefined || changedAt === this.#seen.get(folder)) continue;
      this.#seen.set(folder, changedAt);
      changed.set(folder, files);
    }
    this.hasChanged = changed.size > 0;
    return compare(changed, this.options);
  }
}

/**
 * Number of files that rows list in each folder, 0 where all of them are missing. Reads in pages, so that other work
 * runs in between and memory use is small.
 */
async function countByFolder(store: RecordingStore): Promise<Map<string, number>> {
  const folders = new Map<string, number>();
  for (const page of store.filePages()) {
    for (const { path } of page) {
      const folder = dirname(path);
      folders.set(folder, (folders.get(folder) ?? 0) + 1);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const { path } of store.missingFiles()) {
    const folder = dirname(path);
    folders.set(folder, folders.get(folder) ?? 0);
  }
  return folders;
}

/**
 * Lists each folder once: a `stat` of each of 40,000 files takes a second of processor time.
 * @param listed names in each folder @returns files that rows list and that are in none of the lists
 */
async function missingFiles(
  listed: ReadonlyMap<string, ReadonlySet<string>>,
  store: RecordingStore,
): Promise<Map<string, StoredFile[]>> {
  const missing = new Map([...listed.keys()].map((folder): [string, StoredFile[]] => [folder, []]));
  for (const page of store.filePages()) {
    for (const file of page) {
      const folder = dirname(file.path);
      if (listed.get(folder)?.has(basename(file.path)) !== false) continue;
      // A file that is not listed may be new, or its name may be normalised differently by the disk.
      if ((await sizeOf(file.path)) === 'absent') missing.get(folder)?.push(file);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return missing;
}

/** Names of the regular files in a folder; none if it cannot be listed. */
async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return new Set(entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])));
  } catch {
    return new Set();
  }
}

async function removeLeftovers({ store, mounts, log, wallClock }: ReconcileOptions): Promise<number> {
  let count = 0;
  for (const leftover of store.unjoined()) {
    if (await isFolderAway(leftover.path, mounts)) continue;
    await rm(leftover.path, { force: true });
    store.forgetFile(leftover, FILE_GONE, wallClock());
    count += 1;
  }
  for (const { recordingId, path, instead } of store.joined()) {
    if (await isFolderAway(path, mounts)) continue;
    // It may be the only remaining file of the recording.
    const size = instead === null ? 'absent' : await sizeOf(instead);
    if (typeof size !== 'number' || size === 0) {
      log.warn('file kept: its replacement is missing', { recording: recordingId, path });
      continue;
    }
    await removeJoined(recordingId, [path], { store, log });
    count += 1;
  }
  return count;
}

/** @param folders number of files that rows list in each */
async function compare(folders: ReadonlyMap<string, number>, options: ReconcileOptions): Promise<Compared> {
  const { store, mounts, log } = options;
  const listed = new Map<string, ReadonlySet<string>>();
  for (const [folder, files] of folders) {
    const isUnmounted = await mounts?.isAway(folder);
    if (isUnmounted) log.warn('recording folder is not mounted', { folder, files });
    // Checked before the rows are read: all files would count as missing.
    else if (await isEmptyOrAway(folder)) log.warn('recording folder is away', { folder, files });
    else {
      await mounts?.identify(folder);
      listed.set(folder, await listFiles(folder));
    }
  }
  const count = { forgotten: 0, returned: 0 };
  if (listed.size === 0) return count;
  for (const file of store.missingFiles()) {
    if (listed.get(dirname(file.path))?.has(basename(file.path)) !== true) continue;
    store.fileReturned(file, FILE_GONE, options.wallClock());
    judgeAgain(file.recordingId, options);
    count.returned += 1;
  }
  for (const [folder, missing] of await missingFiles(listed, store)) {
    // Some files exist, so the disk is mounted where they were written.
    if (missing.length < (folders.get(folder) ?? 0)) await mounts?.used(folder);
    for (const file of missing) {
      if ((await mounts?.isDeleted(file.path)) === false) continue;
      store.forgetFile(file, FILE_GONE, options.wallClock());
      judgeAgain(file.recordingId, options);
      count.forgotten += 1;
    }
  }
  return count;
}

/** Updates the verdict for the files that are missing now, if it is known which part of the recording each contains. */
function judgeAgain(id: RecordingId, { store, wallClock }: ReconcileOptions): void {
  const former = store.measured(id);
  const record = store.find(id);
  if (former?.files === undefined || record === undefined || record.verdict === null) return;
  if (store.parts(id).length === 0) return;
  const measured = withoutFiles(former, store.missingPaths(id));
  const { verdict } = judge(measured, wantedOf(record, record.verdict));
  store.replaceVerdict(id, { verdict, durationMs: recordedMs(measured) }, wallClock());
}

/** A recording stopped by a user was wanted up to its end: its verdict has no gap after it. */
function wantedOf({ startAt, endAt, wantedFrom }: RecordingRecord, { gaps, tailMs }: Verdict): Wanted {
  const isKnown = gaps.some(({ endMs }) => endMs > endAt - startAt + tailMs);
  const isStopped = tailMs < 0 && !isKnown;
  return {
    startAt,
    endAt,
    ...(wantedFrom === null ? {} : { from: wantedFrom }),
    ...(isStopped ? { until: plusMs(endAt, tailMs) } : {}),
  };
}
