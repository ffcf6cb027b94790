/**
 * The files of an ended recording: checks which exist, joins them if a folder has room, removes those no longer
 * needed. Only files that a row names are touched.
 */
import { constants } from 'node:fs';
import { access, copyFile, open, rm, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PACKET_SIZE } from '../../lib/arib/ts/packet.ts';
import type { Log } from '../../lib/host/log.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RecordingPart } from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { syncFolder } from '../reception/recorded-file.ts';
import type { RecordingStore } from '../store/recording-store.ts';
import { type FileDifference, fileDifferences } from './file-contents.ts';
import { type FolderMounts, isEmptyOrAway } from './folder-mounts.ts';
import { chooseFolder, type Folder } from './folder-selection.ts';
import { joinedName, partName } from './recording-file-name.ts';

const BLOCK_BYTES = 1024 * 1024;
export const FILE_GONE: RecordingReason = { code: 'file_gone' };

interface FoundParts {
  /** With their sizes; for files in an unavailable folder the last known ones. */
  kept: RecordingPart[];
  /** Files that no longer exist. */
  gone: RecordingPart[];
  /** Files that have fewer or more octets than were measured. Empty and replaced ones are not kept. */
  differences: FileDifference[];
  /** All kept files are readable now. */
  isWhole: boolean;
}

/** Files in an unavailable folder are not lost; empty files are removed. */
export async function findParts(
  parts: readonly RecordingPart[],
  mounts: Pick<FolderMounts, 'isDeleted'> | undefined,
): Promise<FoundParts> {
  const found: FoundParts = { kept: [], gone: [], differences: [], isWhole: true };
  const read: { part: RecordingPart; size: number }[] = [];
  for (const part of parts) {
    const { path } = part;
    const bytes = await sizeOf(path);
    const isDeleted = async () => (await mounts?.isDeleted(path)) ?? !(await isEmptyOrAway(dirname(path)));
    if (bytes === 'absent' && (await isDeleted())) found.gone.push(part);
    else if (typeof bytes === 'string') {
      found.kept.push({ path, bytes: part.bytes });
      found.isWhole = false;
    } else {
      const size = (await isAnother(part, bytes)) ? 0 : await cutToPackets(part, bytes);
      if (bytes === 0) await rm(path, { force: true });
      if (size > 0) found.kept.push({ path, bytes: size });
      read.push({ part, size });
    }
  }
  found.differences = await fileDifferences(read);
  return found;
}

/** Another program may have cut it anywhere. @returns octets, whole packets */
async function cutToPackets({ path, bytes }: RecordingPart, size: number): Promise<number> {
  const whole = size - (size % PACKET_SIZE);
  if (size === bytes || whole === size) return size;
  return truncate(path, whole).then(
    () => whole,
    () => size,
  );
}

/** Whether it is not the file that was written. One that has just its octets is a copy. */
async function isAnother({ path, bytes, inode }: RecordingPart, now: number): Promise<boolean> {
  if (inode === undefined || now === bytes) return false;
  return stat(path).then(
    ({ ino }) => ino !== inode,
    () => false,
  );
}

/** `unknown`: its disk does not respond. */
export async function sizeOf(path: string): Promise<number | 'absent' | 'unknown'> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unknown';
  }
}

/** The folder of a file cannot be read. */
export async function isFolderAway(
  path: string,
  mounts: Pick<FolderMounts, 'isAway'> | undefined,
): Promise<boolean> {
  if (await mounts?.isAway(dirname(path))) return true;
  return access(dirname(path)).then(
    () => false,
    () => true,
  );
}

interface JoinOptions {
  store: Pick<RecordingStore, 'find' | 'joining' | 'notJoined'>;
  folders: () => readonly Folder[];
  free: (path: string) => Promise<number | undefined>;
  /** Stores the change; on disk when it resolves. @throws when it is aborted */
  persist: (act: () => void) => Promise<void>;
  log: Log;
}

/** Joins all parts into one file, in a folder that has room for it; undefined if none has, or if it failed. */
export async function joinParts(
  id: RecordingId,
  parts: readonly RecordingPart[],
  { store, folders, free, persist, log }: JoinOptions,
): Promise<RecordingPart | undefined> {
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const configured = folders();
  const room = await Promise.all(configured.map(({ path }) => free(path)));
  const left = room.map((one) => (one === undefined || one < bytes ? undefined : one - bytes));
  const folder = chooseFolder(configured, left);
  const [first, ...others] = parts;
  const stem = store.find(id)?.stem;
  if (folder === undefined || first === undefined || stem === undefined || stem === null) return undefined;
  // The name that an uninterrupted recording has, unless a part or another file has it.
  const plain = join(folder.path, partName(stem, 1));
  const path = (await sizeOf(plain)) === 'absent' ? plain : join(folder.path, joinedName(stem));
  // Checked before the row names it: a named file may be removed by the next start.
  if ((await sizeOf(path)) !== 'absent') return undefined;
  await persist(() => store.joining(id, path));
  try {
    await copyFile(first.path, path, constants.COPYFILE_EXCL);
  } catch (error) {
    log.error('parts not joined', { recording: id, path, error: String(error) });
    if ((error as { code?: unknown }).code !== 'EEXIST') await rm(path, { force: true });
    store.notJoined(id);
    return undefined;
  }
  try {
    for (const part of others) await appendFile(path, part.path);
    await syncFolder(folder.path);
    const size = await sizeOf(path);
    if (size !== bytes) throw new Error(`${size} octets instead of ${bytes}`);
    return { path, bytes };
  } catch (error) {
    log.error('parts not joined', { recording: id, path, error: String(error) });
    await rm(path, { force: true });
    store.notJoined(id);
    return undefined;
  }
}

async function appendFile(to: string, from: string): Promise<void> {
  const target = await open(to, 'a');
  try {
    const source = await open(from, 'r');
    try {
      const block = new Uint8Array(BLOCK_BYTES);
      for (;;) {
        const { bytesRead } = await source.read(block, 0, block.length);
        if (bytesRead === 0) break;
        await target.writeFile(block.subarray(0, bytesRead));
      }
    } finally {
      await source.close();
    }
    await target.sync();
  } finally {
    await target.close();
  }
}

/**
 * Removes unneeded files, and then their stored names: a power cut in between leaves a name without a file, not a
 * file without a name. Failed removals are retried at the next start.
 */
export async function removeJoined(
  recordingId: RecordingId,
  paths: readonly string[],
  { store, log }: { store: Pick<RecordingStore, 'forgetJoined'>; log: Log },
): Promise<void> {
  for (const [folder, inFolder] of Map.groupBy(paths, (path) => dirname(path))) {
    try {
      for (const path of inFolder) await rm(path, { force: true });
      await syncFolder(folder);
      store.forgetJoined(recordingId, inFolder);
    } catch (error) {
      log.error('parts of a recording not removed', {
        recording: recordingId,
        folder,
        error: String(error),
      });
    }
  }
}
