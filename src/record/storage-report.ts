/** `/api/storage`: size and location of recordings, and free space. */
import type { Elysia } from 'elysia';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type StorageFacts, StorageSchema } from '../../lib/wire/api.ts';
import { REFUSALS } from '../http/route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import type { BroadcastSpan } from '../model/verdict.ts';
import type { RecordingSumStore } from '../store/recording-sums.ts';
import { type Folder, isFilling, isFull } from './folder-selection.ts';
import type { FolderSpace, FolderSpaces } from './folder-space.ts';
import { fullAtOf, type SpaceNeeds, shortageOf } from './space-shortage.ts';

interface StorageParts {
  /** In the configured order. */
  folders: () => readonly Folder[];
  sums: Pick<RecordingSumStore, 'sums' | 'byFolder'>;
  spaces: Pick<FolderSpaces, 'of'>;
  /** When recordings run or are planned; epoch ms. */
  uses: () => readonly BroadcastSpan[];
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

interface Measured extends Omit<StorageFacts, 'shortage'> {
  readonly space: SpaceNeeds;
}

async function measured({ folders, sums, spaces, uses, now }: StorageParts): Promise<Measured> {
  const configured = folders();
  const found = await Promise.all(configured.map(({ path }) => spaces.of(path)));
  const { rate, ...recordings } = sums.sums();
  const bytes = sums.byFolder();
  const facts = configured.map((folder, index) => toFacts(folder, found[index], bytes.get(folder.path) ?? 0));
  const isThere = facts.some(({ state }) => state !== 'away');
  const isKnown = rate !== null && isThere;
  // Recordings may use the space below the floor.
  const left = isThere ? roomBytes(facts, found, false) : undefined;
  return {
    folders: facts,
    recordings,
    roomMs: isKnown ? Math.floor(roomBytes(facts, found) / rate) : null,
    space: { roomBytes: left, rate, uses: uses(), now: now() },
  };
}

export async function storageFacts(parts: StorageParts): Promise<StorageFacts> {
  const { space, ...facts } = await measured(parts);
  return { ...facts, shortage: shortageOf(space) };
}

/** When recordings will have used up the space of the folders; null: not within a day, or unknown. */
export async function storageFullAt(parts: StorageParts): Promise<BroadcastMs | null> {
  return fullAtOf((await measured(parts)).space);
}

interface StorageRouteNeeds {
  storage(): Promise<StorageFacts>;
}

/** `/api/storage`: free space for recordings. */
export function addStorageRoutes(app: Elysia, parts: StorageRouteNeeds): void {
  app.get('/api/storage', async ({ request }) => polledJson(request, polledAnswer(await parts.storage())), {
    detail: {
      summary: 'Storage for recordings: folders, their content, free space',
      description:
        '`away`: the folder does not respond within 2 s, or does not exist although it contains recordings. `floor`: ' +
        'only the space to be left free is free. `full`: nothing can be written. `recordings.bytes` does not include ' +
        'the bin; `recordingBytes` of a folder does.',
      tags: ['recordings'],
      responses: { ...REFUSALS, ...polledResponses('the room for recordings', StorageSchema) },
    },
  });
}
