/**
 * The database `svc-offline` of this browser, for pages and the service worker. A browser may close, evict or damage it
 * at any time: it is opened again then, and made anew where it cannot be opened. A video in pieces takes twice its size
 * while they are joined.
 */
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Chapters } from '../../lib/wire/playback.ts';
import type { Role } from './download-plan.ts';
import {
  isSavedVideo,
  type OutboxEntry,
  type ResumeEntry,
  type SavedVideo,
  type SaveFailure,
} from './saved-video.ts';

/** Says to all pages of this browser that what is saved has changed. */
const NAME = 'svc-offline';
let channel: BroadcastChannel | undefined;

function opened(): BroadcastChannel {
  channel ??= new BroadcastChannel(NAME);
  return channel;
}

export function tellOthers(): void {
  opened().postMessage('changed');
}

/** @param onChange another page, or the service worker, has changed something */
export function hearOthers(onChange: () => void): void {
  opened().addEventListener('message', onChange);
}

const VERSION = 1;
/** `parts`: pieces of videos that the page downloads, by recording and index. */
const STORES = ['videos', 'outbox', 'resume', 'parts'] as const;
type StoreName = (typeof STORES)[number];

/** A downloaded piece of a video. */
export interface SavedPart {
  readonly etag: string | null;
  readonly blob: Blob;
}

export interface Keyed<T> {
  readonly id: RecordingId;
  readonly entry: T;
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const committed = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException('aborted', 'AbortError'));
  });

/** True for a full device, which no second try changes. */
export function isFull(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'QuotaExceededError';
}

/** The database of a newer version of this UI, which must not be destroyed. */
const isNewer = (error: unknown): boolean => error instanceof DOMException && error.name === 'VersionError';

export class OfflineDatabase {
  #opened: Promise<IDBDatabase> | undefined;
  #onDamage: () => void = () => {};

  /** Called when everything was lost, because the database could not be opened. */
  set onDamage(listener: () => void) {
    this.#onDamage = listener;
  }

  async videos(): Promise<SavedVideo[]> {
    const rows = await this.#do<unknown[]>('videos', 'readonly', ({ videos }) => settled(videos.getAll()));
    return rows.filter(isSavedVideo);
  }

  async video(id: RecordingId): Promise<SavedVideo | undefined> {
    const row = await this.#do<unknown>('videos', 'readonly', ({ videos }) => settled(videos.get(id)));
    return isSavedVideo(row) ? row : undefined;
  }

  /** Adds a row, or replaces the one of the same recording. @throws DOMException QuotaExceededError */
  async putVideo(row: SavedVideo): Promise<void> {
    await this.#do('videos', 'readwrite', ({ videos }) => settled(videos.put(row, row.id)));
  }

  /**
   * Changes a row in one transaction. @param change returns the new row, or undefined to leave it
   * @returns the row as it is now
   */
  changeVideo(
    id: RecordingId,
    change: (row: SavedVideo) => SavedVideo | undefined,
  ): Promise<SavedVideo | undefined> {
    return this.#do('videos', 'readwrite', async ({ videos }) => {
      const row: unknown = await settled(videos.get(id));
      if (!isSavedVideo(row)) return undefined;
      const changed = change(row);
      if (changed !== undefined) await settled(videos.put(changed, id));
      return changed ?? row;
    });
  }

  /** Removes a row with its pieces, also a damaged one. */
  async removeVideo(id: RecordingId): Promise<void> {
    await this.#do(['videos', 'parts'], 'readwrite', async ({ videos, parts }) => {
      await settled(videos.delete(id));
      await settled(parts.delete(piecesOf(id)));
    });
  }

  async parts(id: RecordingId): Promise<Map<number, SavedPart>> {
    return await this.#do('parts', 'readonly', async ({ parts }) => {
      const [keys, values] = await Promise.all([
        settled(parts.getAllKeys(piecesOf(id))),
        settled<SavedPart[]>(parts.getAll(piecesOf(id))),
      ]);
      const indexes = keys.map((key) => (Array.isArray(key) ? Number(key[1]) : Number.NaN));
      return new Map(indexes.flatMap((index, at) => (values[at] === undefined ? [] : [[index, values[at]]])));
    });
  }

  /** Without its row a piece would stay for ever. @throws DOMException QuotaExceededError */
  async putPart(id: RecordingId, index: number, part: SavedPart): Promise<void> {
    await this.#do(['videos', 'parts'], 'readwrite', async ({ videos, parts }) => {
      if ((await settled(videos.getKey(id))) !== undefined) await settled(parts.put(part, [id, index]));
    });
  }

  async removeParts(id: RecordingId): Promise<void> {
    await this.#do('parts', 'readwrite', ({ parts }) => settled(parts.delete(piecesOf(id))));
  }

  outbox(): Promise<Keyed<OutboxEntry>[]> {
    return this.#entries<OutboxEntry>('outbox');
  }

  resumes(): Promise<Keyed<ResumeEntry>[]> {
    return this.#entries<ResumeEntry>('resume');
  }

  async resume(id: RecordingId): Promise<ResumeEntry | undefined> {
    return await this.#do<ResumeEntry | undefined>('resume', 'readonly', ({ resume }) =>
      settled(resume.get(id)),
    );
  }

  async putResume(id: RecordingId, entry: ResumeEntry): Promise<void> {
    await this.#do('resume', 'readwrite', ({ resume }) => settled(resume.put(entry, id)));
  }

  /** Only the entry that was sent: a newer one stays for the next time. */
  async removeResume(id: RecordingId, sent: ResumeEntry): Promise<void> {
    await this.#do('resume', 'readwrite', async ({ resume }) => {
      const held = await settled<ResumeEntry | undefined>(resume.get(id));
      if (held?.at === sent.at && held.source === sent.source) await settled(resume.delete(id));
    });
  }

  async removeOutbox(id: RecordingId): Promise<void> {
    await this.#do('outbox', 'readwrite', ({ outbox }) => settled(outbox.delete(id)));
  }

  /** Removes what is saved, and queues its deletion at the service, in one transaction. */
  async queueDeletion(id: RecordingId, entry: OutboxEntry): Promise<void> {
    await this.#do(STORES, 'readwrite', async ({ videos, parts, resume, outbox }) => {
      await settled(videos.delete(id));
      await settled(parts.delete(piecesOf(id)));
      await settled(resume.delete(id));
      await settled(outbox.put(entry, id));
    });
  }

  async #entries<T>(name: 'outbox' | 'resume'): Promise<Keyed<T>[]> {
    return await this.#do(name, 'readonly', async (stores) => {
      const [keys, values] = await Promise.all([
        settled(stores[name].getAllKeys()),
        settled<T[]>(stores[name].getAll()),
      ]);
      return keys.flatMap((key, at) => {
        const entry = values[at];
        const isEntry = typeof key === 'number' && typeof entry === 'object' && entry !== null;
        return isEntry ? [{ id: key as RecordingId, entry }] : [];
      });
    });
  }

  /** Runs one transaction; a connection that the browser has closed is opened again, once. */
  async #do<T>(
    names: StoreName | readonly StoreName[],
    mode: IDBTransactionMode,
    work: (stores: Record<StoreName, IDBObjectStore>) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      const database = await this.#connection();
      try {
        const wanted = typeof names === 'string' ? [names] : [...names];
        const transaction = database.transaction(wanted, mode);
        const stores = Object.fromEntries(wanted.map((name) => [name, transaction.objectStore(name)]));
        const done = committed(transaction);
        // Where the work fails, that error is thrown, not the abort that follows from it.
        done.catch(() => undefined);
        const result = await work(stores as Record<StoreName, IDBObjectStore>);
        await done;
        return result;
      } catch (error) {
        if (attempt > 0 || isFull(error)) throw error;
        database.close();
        this.#opened = undefined;
      }
    }
  }

  #connection(): Promise<IDBDatabase> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #open(): Promise<IDBDatabase> {
    const first = await this.#openOnce().catch((error: unknown) => {
      if (isNewer(error) || isFull(error)) throw error;
      return undefined;
    });
    const database = first ?? (await this.#openOnce().catch(() => undefined));
    if (database !== undefined && isComplete(database)) return database;
    // Neither try found a database that can be used: without it nothing could ever be saved again.
    database?.close();
    await settled(indexedDB.deleteDatabase(NAME));
    const made = await this.#openOnce();
    this.#onDamage();
    return made;
  }

  async #openOnce(): Promise<IDBDatabase> {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      for (const name of STORES) request.result.createObjectStore(name);
    };
    const database = await settled(request);
    const forget = (): void => {
      this.#opened = undefined;
    };
    database.onclose = forget;
    // Another page makes it anew, or a newer UI changes it.
    database.onversionchange = () => {
      database.close();
      forget();
    };
    return database;
  }
}

const isComplete = (database: IDBDatabase): boolean =>
  STORES.every((name) => database.objectStoreNames.contains(name));

function piecesOf(id: RecordingId): IDBKeyRange {
  return IDBKeyRange.bound([id, 0], [id, Number.POSITIVE_INFINITY]);
}

// The end of a download, whichever way it went: what was fetched becomes the row that is played.

export type Fetched = readonly (readonly [Role, Blob])[];

/** A damaged file beside the video is left out: the video counts. */
async function chaptersOf(blob: Blob | undefined): Promise<Chapters['chapters']> {
  try {
    const { chapters } = JSON.parse((await blob?.text()) ?? '{}') as Partial<Chapters>;
    return Array.isArray(chapters) ? chapters : [];
  } catch {
    return [];
  }
}

/** The preview pictures, only if all sheets are there. */
function sheetsOf(row: SavedVideo, fetched: Fetched): Pick<SavedVideo, 'previews' | 'sheets'> {
  const sheets = (row.previews?.sheets ?? []).flatMap((_, index) => {
    const found = fetched.find(([role]) => typeof role === 'object' && role.sheet === index);
    return found === undefined ? [] : [found[1]];
  });
  const isComplete = row.previews !== null && sheets.length === row.previews.sheets.length;
  return isComplete ? { previews: row.previews, sheets } : { previews: null, sheets: [] };
}

/** @returns false: the row is gone or has another attempt by now @throws DOMException QuotaExceededError */
export async function completeVideo(
  database: Pick<OfflineDatabase, 'changeVideo'>,
  { id, attempt }: { readonly id: RecordingId; readonly attempt: string },
  fetched: Fetched,
): Promise<boolean> {
  const of = (wanted: Role): Blob | undefined => fetched.find(([role]) => role === wanted)?.[1];
  const video = of('video');
  if (video === undefined) return await failVideo(database, { id, attempt }, 'unknown');
  const captionText = (await of('captions')?.text()) ?? null;
  const chapters = await chaptersOf(of('chapters'));
  const row = await database.changeVideo(id, (held) =>
    held.attempt === attempt && held.state !== 'ready'
      ? {
          ...held,
          ...{ video, captionText, chapters, poster: of('poster') ?? null },
          databroadcast: of('databroadcast') ?? null,
          ...sheetsOf(held, fetched),
          ...{ state: 'ready', failure: null },
        }
      : undefined,
  );
  return row?.attempt === attempt && row.state === 'ready';
}

/** Failures stay as rows, from which the person tries again. @returns whether it is this attempt that failed */
export async function failVideo(
  database: Pick<OfflineDatabase, 'changeVideo'>,
  { id, attempt }: { readonly id: RecordingId; readonly attempt: string },
  failure: SaveFailure,
): Promise<boolean> {
  const row = await database.changeVideo(id, (held) =>
    held.attempt === attempt && held.state === 'downloading'
      ? { ...held, state: 'failed', failure }
      : undefined,
  );
  return row?.attempt === attempt && row.state === 'failed';
}

export const failureOfError = (error: unknown): SaveFailure => (isFull(error) ? 'full' : 'unknown');

// What was done without the service, sent to it once it can be reached: deletions, and how far was watched.

/** What could not be done; it stays for the next time. */
export interface NotSent {
  readonly id: RecordingId;
  readonly name: string;
  /** Sentence of the service, or undefined where it could not be reached. */
  readonly reason: string | undefined;
}

interface SendNeeds {
  readonly database: Pick<OfflineDatabase, 'outbox' | 'resumes' | 'removeOutbox' | 'removeResume'>;
  /** Status of the answer and its sentence. @throws where the service cannot be reached */
  readonly send: (
    method: 'DELETE' | 'POST',
    path: string,
    body?: unknown,
  ) => Promise<{ readonly status: number; readonly message: string }>;
}

interface Sent {
  readonly deleted: number;
  readonly failed: readonly NotSent[];
}

/** Done, or nothing that a later attempt would change: the recording is gone. */
const isDone = (status: number): boolean => (status >= 200 && status < 300) || status === 404;
/** A place that the service calls wrong is wrong next time, too. */
const isUseless = (status: number): boolean => status === 400 || status === 422;

/** Sends each entry once. Positions first: a deletion makes them pointless, not wrong. */
export async function sendOutbox({ database, send }: SendNeeds): Promise<Sent> {
  const [resumes, deletions] = await Promise.all([database.resumes(), database.outbox()]);
  const going = new Set(deletions.map(({ id }) => id));
  const failed: NotSent[] = [];
  for (const { id, entry } of resumes) {
    const status = going.has(id) ? 404 : await place(id, entry);
    if (status === undefined) return { deleted: 0, failed: unreached(deletions) };
    if (isDone(status) || isUseless(status)) await database.removeResume(id, entry);
  }
  let deleted = 0;
  for (const [index, { id, entry }] of deletions.entries()) {
    const answer = await send('DELETE', `api/recordings/${id}`).catch(() => undefined);
    // Without the service the rest would fail, too.
    if (answer === undefined) return { deleted, failed: [...failed, ...unreached(deletions.slice(index))] };
    if (!isDone(answer.status)) {
      failed.push({ id, name: entry.name, reason: answer.message });
      continue;
    }
    await database.removeOutbox(id);
    deleted += 1;
  }
  return { deleted, failed };

  async function place(id: RecordingId, entry: ResumeEntry): Promise<number | undefined> {
    const answer = await send('POST', `api/recordings/${id}/resume`, entry).catch(() => undefined);
    return answer?.status;
  }
}

function unreached(deletions: readonly Keyed<OutboxEntry>[]): NotSent[] {
  return deletions.map(({ id, entry }) => ({ id, name: entry.name, reason: undefined }));
}
