/** What is saved on this device, as the screens show it: read from the database, told by other pages and the worker. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { isOfflineUsed as isUsed } from '../device/preferences.ts';
import { showToast } from '../ui/toast.tsx';
import { hearOthers, type Keyed, OfflineDatabase, tellOthers } from './database.ts';
import type { OutboxEntry, ResumeEntry, SavedVideo } from './saved-video.ts';
import { TEXTS } from './texts.ts';

export { isUsed };

export const database = new OfflineDatabase();
database.onDamage = () => showToast(TEXTS.damaged, undefined, 'offline');

interface SavedState {
  /** In the order of the queue. */
  readonly videos: readonly SavedVideo[];
  readonly outbox: readonly Keyed<OutboxEntry>[];
  readonly resumes: readonly Keyed<ResumeEntry>[];
}

const NOTHING_SAVED: SavedState = { videos: [], outbox: [], resumes: [] };
const state = signal<SavedState | undefined>(undefined);
const failure = signal<string | undefined>(undefined);

/** Undefined until it is read. */
export const savedState: ReadonlySignal<SavedState | undefined> = state;
/** Why it cannot be read. */
export const savedFailure: ReadonlySignal<string | undefined> = failure;

let reading: Promise<void> | undefined;
let again = false;

async function readAll(): Promise<void> {
  do {
    again = false;
    try {
      const [videos, outbox, resumes] = await Promise.all([
        database.videos(),
        database.outbox(),
        database.resumes(),
      ]);
      state.value = { videos: videos.sort((a, b) => a.order - b.order), outbox, resumes };
      failure.value = undefined;
    } catch (error) {
      const isNewer = error instanceof DOMException && error.name === 'VersionError';
      failure.value = isNewer ? TEXTS.newer : TEXTS.noPersistence;
      state.value ??= NOTHING_SAVED;
    }
  } while (again);
  reading = undefined;
}

/** Resolves when the state is newer than the call. */
export function readSaved(): Promise<void> {
  if (reading !== undefined) again = true;
  reading ??= readAll();
  return reading;
}

/** After a change made here. */
export async function savedChanged(): Promise<void> {
  tellOthers();
  await readSaved();
}

/** Follows changes by others from now on. */
export function followSaved(): void {
  hearOthers(() => void readSaved());
}
