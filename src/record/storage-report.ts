/** Size and location of recordings, and free space. */
import type { BroadcastMs } from '../../arib/time.ts';
import type { StorageFacts } from '../../wire/api.ts';
import type { Stretch } from '../model/verdict.ts';
import type { RecordingSumStore } from '../store/recording-sums.ts';
import { type Folder, isFilling, isFull } from './folder-selection.ts';
import type { FolderSpace, FolderSpaces } from './folder-space.ts';
import { shortageOf } from './space-shortage.ts';

interface StorageParts {
  /** In the configured order. */
  folders: () => readonly Folder[];
  sums: Pick<RecordingSumStore, 'sums' | 'byFolder'>;
  spaces: Pick<FolderSpaces, 'of'>;
  /** When recordings run or are planned; epoch ms. */
  uses: () => readonly Stretch[];
  now: () => BroadcastMs;
}

type FolderFacts = StorageFacts['folders'][number];

/** A missing folder that contains recordings is unavailable, however much space its parent has. */
function isAway(space: FolderSpace | undefined, recordingBytes: number): space is undefined {
  return space === undefined || (!space.exists && recordingBytes > 0);
}

function toFacts(
  { path, floorBytes }: Folder,
  space: FolderSpace | undefined,
  recordingBytes: number,
): FolderFacts {
  const facts = { path, floorBytes, recordingBytes };
  if (isAway(space, recordingBytes)) return { ...facts, totalBytes: null, freeBytes: null, state: 'away' };
  const { totalBytes, freeBytes } = space;
  const filling = isFilling({ path, floorBytes }, freeBytes) ? 'floor' : 'ok';
  return { ...facts, totalBytes, freeBytes, state: isFull(freeBytes) ? 'full' : filling };
}

/** Of folders on one file system, the one with the most usable space. @param hasFloor subtracts the floor */
function roomBytes(
  folders: readonly FolderFacts[],
  spaces: readonly (FolderSpace | undefined)[],
  hasFloor = true,
): number {
  const byDevice = new Map<number, number>();
  for (const [index, { freeBytes, floorBytes }] of folders.entries()) {
    const space = spaces[index];
    if (space === undefined || freeBytes === null) continue;
    const room = Math.max(0, freeBytes - (hasFloor ? floorBytes : 0));
    byDevice.set(space.device, Math.max(byDevice.get(space.device) ?? 0, room));
  }
  return [...byDevice.values()].reduce((sum, room) => sum + room, 0);
}

export async function storageFacts({
  folders,
  sums,
  spaces,
  uses,
  now,
}: StorageParts): Promise<StorageFacts> {
  const wished = folders();
  const found = await Promise.all(wished.map(({ path }) => spaces.of(path)));
  const { rate, ...recordings } = sums.sums();
  const bytes = sums.byFolder();
  const facts = wished.map((folder, index) => toFacts(folder, found[index], bytes.get(folder.path) ?? 0));
  const isThere = facts.some(({ state }) => state !== 'away');
  const isKnown = rate !== null && isThere;
  // Recordings may use the space below the floor.
  const left = isThere ? roomBytes(facts, found, false) : undefined;
  return {
    folders: facts,
    recordings,
    roomMs: isKnown ? Math.floor(roomBytes(facts, found) / rate) : null,
    shortage: shortageOf({ roomBytes: left, rate, uses: uses(), now: now() }),
  };
}
