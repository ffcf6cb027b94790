/**
 * Background fetch (WICG): downloads by the browser, which go on without a page. Pages start and follow them; the
 * service worker hears how they end.
 */
import { completeVideo, type Fetched, failureOfError, failVideo, type OfflineDatabase } from './database.ts';
import { fetchName, parseFetchName, roleOf } from './download-plan.ts';
import type { SavedVideo, SaveFailure } from './saved-video.ts';

/** Not in the types of TypeScript. */
interface BackgroundFetchManager {
  fetch(
    id: string,
    requests: readonly string[],
    options: { title: string; downloadTotal: number; icons: readonly object[] },
  ): Promise<BackgroundFetch>;
  get(id: string): Promise<BackgroundFetch | undefined>;
  getIds(): Promise<string[]>;
}
export interface BackgroundFetch {
  readonly id: string;
  readonly downloaded: number;
  readonly result: '' | 'success' | 'failure';
  readonly failureReason: string;
  abort(): Promise<boolean>;
  matchAll(): Promise<readonly { readonly request: Request; readonly responseReady: Promise<Response> }[]>;
}

/** Undefined where the browser has none. */
export function managerOf(registration: ServiceWorkerRegistration): BackgroundFetchManager | undefined {
  return (registration as { backgroundFetch?: BackgroundFetchManager }).backgroundFetch;
}

/** @throws where the browser refuses, e.g. because the person forbade it */
export async function startInBackground(
  manager: BackgroundFetchManager,
  row: SavedVideo,
  title: string,
): Promise<void> {
  const video = `api/recordings/${row.id}/file?source=${row.source}`;
  const requests = [video, ...row.attachments].map((path) => new URL(path, document.baseURI).href);
  const icons = [{ src: 'icon-192.png', sizes: '192x192', type: 'image/png' }];
  await manager.fetch(fetchName(row), requests, { title, downloadTotal: row.totalBytes, icons });
}

/** Stops what earlier attempts for a recording left behind. */
export async function abortInBackground(
  manager: BackgroundFetchManager,
  id: SavedVideo['id'],
): Promise<void> {
  for (const name of await manager.getIds()) {
    if (parseFetchName(name)?.id === id) await (await manager.get(name))?.abort();
  }
}

const FAILURES: Readonly<Record<string, SaveFailure>> = {
  aborted: 'aborted',
  'bad-status': 'gone',
  'fetch-error': 'network',
  'quota-exceeded': 'full',
  'download-total-exceeded': 'total',
};

export function failureOfFetch(reason: string): SaveFailure {
  return FAILURES[reason] ?? 'unknown';
}

/** What a browser fetched becomes the row. @returns whether anything has changed */
export async function settleSuccess(
  database: Pick<OfflineDatabase, 'changeVideo'>,
  fetched: Pick<BackgroundFetch, 'id' | 'matchAll'>,
): Promise<boolean> {
  const name = parseFetchName(fetched.id);
  if (name === undefined) return false;
  try {
    const records = await fetched.matchAll();
    const found: [Fetched[number][0], Blob][] = [];
    for (const { request, responseReady } of records) {
      const role = roleOf(request.url);
      if (role !== undefined) found.push([role, await (await responseReady).blob()]);
    }
    return await completeVideo(database, name, found);
  } catch (error) {
    return await failVideo(database, name, failureOfError(error));
  }
}

export async function settleFailure(
  database: Pick<OfflineDatabase, 'changeVideo'>,
  { id, failureReason }: Pick<BackgroundFetch, 'id' | 'failureReason'>,
): Promise<boolean> {
  const name = parseFetchName(id);
  return name !== undefined && (await failVideo(database, name, failureOfFetch(failureReason)));
}
