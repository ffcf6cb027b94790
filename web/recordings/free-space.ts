/** Free space for recordings: gauge and warnings in words. Pure. */
import type { StorageFacts } from '../../lib/wire/api.ts';
import { bytesText } from '../words/bytes.ts';
import { roomText } from '../words/recording.ts';
import { clockText, dateText } from '../words/time.ts';
import { TEXTS } from './texts.ts';

export type StorageFolder = StorageFacts['folders'][number];

/** Shares of a disk, 0..1, in order: recordings, other files, and the reserved space at the end. */
export interface Gauge {
  readonly recordings: number;
  readonly others: number;
  /** Where the reserved space begins. */
  readonly floor: number;
}

/** Undefined where nothing is known of the size. */
export function gaugeOf(folders: readonly StorageFolder[]): Gauge | undefined {
  let total = 0;
  let free = 0;
  let recordings = 0;
  let floor = 0;
  for (const { totalBytes, freeBytes, recordingBytes, floorBytes } of folders) {
    if (totalBytes === null || freeBytes === null) continue;
    total += totalBytes;
    free += freeBytes;
    recordings += recordingBytes;
    floor += floorBytes;
  }
  if (total === 0) return undefined;
  const used = Math.max(0, total - free);
  const own = Math.min(used, recordings);
  return { recordings: own / total, others: (used - own) / total, floor: 1 - Math.min(1, floor / total) };
}

/** What can still be written: free without the floors. */
export function usableBytes(folders: readonly StorageFolder[]): number {
  return folders.reduce(
    (sum, { freeBytes, floorBytes }) => sum + Math.max(0, (freeBytes ?? 0) - floorBytes),
    0,
  );
}

export function freeSpaceText({ folders, roomMs }: StorageFacts): string {
  const free = TEXTS.free(bytesText(usableBytes(folders)));
  return roomMs === null ? free : TEXTS.freeAndRoom(free, roomText(roomMs));
}

export interface FreeSpaceWarning {
  readonly path: string;
  readonly text: string;
  readonly next: string;
  readonly tone: 'warn' | 'bad';
}

export function warningsOf(folders: readonly StorageFolder[]): FreeSpaceWarning[] {
  return folders
    .map((folder) =>
      warningOf(
        folder,
        folders.some((other) => other !== folder && other.state === 'ok'),
      ),
    )
    .filter((warning) => warning !== undefined);
}

/** Too little space for the planned recordings: how much is left, and when it is used up. */
export function shortageWords({ shortage }: StorageFacts): { text: string; next: string } | undefined {
  // A service older than this page does not tell.
  if (shortage == null) return undefined;
  const { leftMs, fullAt } = shortage;
  const when = fullAt === null ? '' : TEXTS.fullAt(`${dateText(fullAt)}${clockText(fullAt)}`);
  return {
    text: TEXTS.roomLeft(roomText(leftMs)),
    next: TEXTS.makeRoom(when),
  };
}

/** The worst storage problem, for a line; undefined while there is space. */
export function freeSpaceAlert(storage: StorageFacts): Pick<FreeSpaceWarning, 'text' | 'tone'> | undefined {
  const warnings = warningsOf(storage.folders);
  const worst = warnings.find(({ tone }) => tone === 'bad') ?? warnings[0];
  if (worst !== undefined) return { text: worst.text.replace(/。$/u, ''), tone: worst.tone };
  const shortage = shortageWords(storage);
  return shortage === undefined ? undefined : { text: shortage.text.replace(/。$/u, ''), tone: 'warn' };
}

/** @param elsewhere another folder can be written to */
function warningOf(
  { path, state, floorBytes }: StorageFolder,
  elsewhere: boolean,
): FreeSpaceWarning | undefined {
  const goesOn = elsewhere ? TEXTS.goesElsewhere : TEXTS.goesNowhere;
  switch (state) {
    case 'ok':
      return undefined;
    case 'away':
      return {
        path,
        tone: 'bad',
        text: TEXTS.folderAway,
        next: TEXTS.folderAwayNext(goesOn),
      };
    case 'full':
      return {
        path,
        tone: elsewhere ? 'warn' : 'bad',
        text: TEXTS.folderFull,
        next: TEXTS.folderFullNext(goesOn),
      };
    case 'floor':
      return {
        path,
        tone: elsewhere ? 'warn' : 'bad',
        text: TEXTS.folderFloor(bytesText(floorBytes)),
        next: TEXTS.folderFullNext(goesOn),
      };
  }
}
