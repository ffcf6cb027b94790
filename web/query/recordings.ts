/** Calls to the service about recordings and the room for them. */
import type { Recording, RecordingSeries } from '../../wire/api.ts';
import { addressOf, exchange, json, nothing } from './api.ts';
import { TOTAL_HEADER } from './headers.ts';
import type { Page } from './pages.ts';

interface Slice {
  readonly offset: number;
  readonly limit: number;
}

async function page<T>(path: string, parameters: URLSearchParams, slice: Slice, signal: AbortSignal) {
  const url = addressOf(path);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  url.searchParams.set('offset', String(slice.offset));
  url.searchParams.set('limit', String(slice.limit));
  return await exchange<Page<T>>(url, { signal }, async (response) => {
    const rows = await json<T[]>(response);
    const told = Number(response.headers.get(TOTAL_HEADER) ?? Number.NaN);
    return { rows, total: Number.isSafeInteger(told) ? told : slice.offset + rows.length };
  });
}

/** @param parameters what is listed, `parametersOf` */
export const getRecordingPage = (
  parameters: URLSearchParams,
  slice: Slice,
  signal: AbortSignal,
): Promise<Page<Recording>> => page('api/recordings', parameters, slice, signal);
/** That with the newest recording first. What belongs to no series is not among them. */
export const getSeriesPage = (slice: Slice, signal: AbortSignal): Promise<Page<RecordingSeries>> =>
  page('api/recordings/series', new URLSearchParams(), slice, signal);

const post = (path: string, body?: unknown): Promise<void> =>
  exchange(path, { method: 'POST', ...(body === undefined ? {} : { body }) }, nothing);

export const binRecording = (id: number): Promise<void> => post(`api/recordings/${id}/bin`);
export const restoreRecording = (id: number): Promise<void> => post(`api/recordings/${id}/restore`);
export const markWatched = (id: number, watched: boolean): Promise<void> =>
  post(`api/recordings/${id}/watched`, { watched });
/** @param placeMs as `resumeMs` of the recording tells it */
export const putPlace = (id: number, placeMs: number): Promise<void> =>
  post(`api/recordings/${id}/resume`, { at: placeMs / 1000 });
export const protectRecording = (id: number, on: boolean): Promise<void> =>
  post(`api/recordings/${id}/protect`, { protected: on });
/** Removes its files at once; nothing brings them back. */
export const eraseRecording = (id: number): Promise<void> =>
  exchange(`api/recordings/${id}`, { method: 'DELETE' }, nothing);
