/**
 * Reconciliation at a start: rows without files, files whose rows mark them for removal. Only files that a row names
 * are touched. Files of deleted recordings: `recording-removal.ts`.
 */

import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { plusMs } from '../../lib/arib/time.ts';
import type { WallClock } from '../../lib/host/clock.ts';
import type { Log } from '../../lib/host/log.ts';
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

interface Reconciled {
  /** Files listed in rows that no longer exist. */
  forgotten: number;
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
  const count: Reconciled = { forgotten: 0, removed: 0 };
  count.removed += await removeLeftovers(options);
  count.forgotten += await compare(await countByFolder(store), options);
  if (count.forgotten + count.removed > 0) log.warn('rows and files of recordings reconciled', { ...count });
  return count;
}

/**
 * Notices files that a user deleted while the service runs. Only a folder whose modification time changed is
 * compared: a `stat` of it is cheap and wakes no disk in standby.
 */
export class DeletedFileWatch {
  readonly #seen = new Map<string, number>();
  /** The last check found a folder that had changed. */
  hasChanged = false;

  constructor(readonly options: ReconcileOptions) {}

  /** @returns number of files that rows list and that no longer exist */
  async check(): Promise<number> {
    const changed = new Map<string, number>();
    for (const [folder, files] of await countByFolder(this.options.store)) {
      const changedAt = await stat(folder).then(
        ({ mtimeMs }) => mtimeMs,
        () => undefined,
      );
      if (changedAt === undefined || changedAt === this.#seen.get(folder)) continue;
      this.#seen.set(folder, changedAt);
      changed.set(folder, files);
    }
    this.hasChanged = changed.size > 0;
    return compare(changed, this.options);
  }
}

/**
 * Number of files that rows list in each folder. Reads in pages, so that other work runs in between and memory use is
 * small.
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

/** @param folders number of files that rows list in each @returns how many of them no longer exist */
async function compare(folders: ReadonlyMap<string, number>, options: ReconcileOptions): Promise<number> {
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
  if (listed.size === 0) return 0;
  let count = 0;
  for (const [folder, missing] of await missingFiles(listed, store)) {
    // Some files exist, so the disk is mounted where they were written.
    if (missing.length < (folders.get(folder) ?? 0)) await mounts?.used(folder);
    for (const file of missing) {
      if ((await mounts?.isDeleted(file.path)) === false) continue;
      forget(file, options);
      count += 1;
    }
  }
  return count;
}

/** Updates the verdict without that file. */
function forget(file: StoredFile, { store, wallClock }: ReconcileOptions): void {
  const { recordingId: id, path } = file;
  store.forgetFile(file, FILE_GONE, wallClock());
  const record = store.find(id);
  const former = store.measured(id);
  if (former === null || record === undefined || record.verdict === null) return;
  if (store.parts(id).length === 0) return;
  const measured = withoutFiles(former, [path]);
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
