/** Which folder a recording is written to. */
import { lstat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { within } from '../../lib/host/deadline.ts';

export interface Folder {
  path: string;
  /** Free space that recordings must leave. */
  floorBytes: number;
}

/** All folders without duplicates, the configured one first. That one only has a floor if the settings list it too. */
export function configuredFolders(first: string, further: readonly Folder[]): Folder[] {
  const own = resolve(first);
  const folders = new Map<string, Folder>([[own, { path: own, floorBytes: 0 }]]);
  // Files are identified by path, so it is normalised.
  for (const { path, floorBytes } of further) folders.set(resolve(path), { path: resolve(path), floorBytes });
  return [...folders.values()];
}

/** A disk with less free space is full: one second of the fastest station. */
const LEAST_BYTES = 3 * 1024 * 1024;
/** A missing network share may block forever. */
const LIMIT_MS = 2_000;

/**
 * The first folder with room above its floor. If none has: the one with the most free space, down to the last
 * megabytes, because a programme is worth more than a floor. Undefined if all are full or unavailable.
 *
 * @param free octets of each folder; undefined if unavailable
 */
export function chooseFolder(
  folders: readonly Folder[],
  free: readonly (number | undefined)[],
): Folder | undefined {
  const known = folders.flatMap((folder, index) => {
    const bytes = free[index];
    return bytes === undefined || bytes < LEAST_BYTES ? [] : [{ folder, bytes }];
  });
  const above = known.find(({ folder, bytes }) => bytes - folder.floorBytes >= LEAST_BYTES);
  return (above ?? known.sort((a, b) => b.bytes - a.bytes)[0])?.folder;
}

/** Whether a recording should leave the folder for another, because it reached its floor. */
export function isFilling(folder: Folder, free: number | undefined): boolean {
  return free !== undefined && free - folder.floorBytes < LEAST_BYTES;
}

/** Nothing more can be written. */
export function isFull(free: number): boolean {
  return free < LEAST_BYTES;
}

/** Free octets on the disk of a folder; undefined if not known before the timeout. */
export async function freeBytes(path: string): Promise<number | undefined> {
  return within(LIMIT_MS, nearestFree(path), () => undefined);
}

async function nearestFree(path: string): Promise<number | undefined> {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { bavail, bsize } = await statfs(at);
      return bavail * bsize;
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ENOENT' || at === dirname(at)) return undefined;
    }
  }
}

/** Whether the file certainly does not exist. */
export async function isGone(path: string): Promise<boolean> {
  const found = lstat(path).then(
    () => false,
    (error: unknown) => (error as { code?: unknown }).code === 'ENOENT',
  );
  return within(LIMIT_MS, found, () => false);
}
