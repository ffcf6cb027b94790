/** Calls to the service about recordings and storage. */
import type { Recording, RecordingSeries } from '../../lib/wire/api.ts';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Chapters } from '../../lib/wire/playback.ts';
import type { ResumeRequest } from '../../lib/wire/recordings.ts';
import { NEXT_HEADER, TOTAL_HEADER } from '../../lib/wire/vocabulary.ts';
import { addressOf, exchange, json, nothing, type Renewed, renewed } from './api.ts';
import type { Page } from './pages.ts';

interface Slice {
  readonly offset: number;
  readonly limit: number;
  /** The place of `offset`, if it is known: it is found faster. */
  readonly cursor?: string | undefined;
}

async function page<T>(path: string, parameters: URLSearchParams, slice: Slice, signal: AbortSignal) {
  const url = addressOf(path);
  for (const [name, value] of parameters) url.searchParams.set(name, value);
  if (slice.cursor === undefined) url.searchParams.set('offset', String(slice.offset));
  else url.searchParams.set('cursor', slice.cursor);
  url.searchParams.set('limit', String(slice.limit));
  return await exchange<Page<T>>(url, { signal }, async (response) => {
    const rows = await json<T[]>(response);
    const told = Number(response.headers.get(TOTAL_HEADER) ?? Number.NaN);
    const next = response.headers.get(NEXT_HEADER) ?? undefined;
    return { rows, total: Number.isSafeInteger(told) ? told : slice.offset + rows.length, next };
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

export const binRecording = (id: RecordingId): Promise<void> => post(`api/recordings/${id}/bin`);
export const restoreRecording = (id: RecordingId): Promise<void> => post(`api/recordings/${id}/restore`);
export const markWatched = (id: RecordingId, watched: boolean): Promise<void> =>
  post(`api/recordings/${id}/watched`, { watched });
/** @param placeMs as `resumeMs` of the recording tells it */
export const putPlace = (id: RecordingId, placeMs: number): Promise<void> =>
  post(`api/recordings/${id}/resume`, { at: placeMs / 1000 });
export const protectRecording = (id: RecordingId, on: boolean): Promise<void> =>
  post(`api/recordings/${id}/protect`, { protected: on });
/** Removes its files at once; this cannot be undone. */
export const eraseRecording = (id: RecordingId): Promise<void> =>
  exchange(`api/recordings/${id}`, { method: 'DELETE' }, nothing);

/** Sets the commercials; the rest is programme. Resolves to the resulting chapters. */
export const putChapters = (id: RecordingId, chapters: Chapters['chapters']): Promise<Chapters> =>
  exchange(`api/recordings/${id}/chapters`, { method: 'PUT', body: { chapters } }, json<Chapters>);
/** Takes that back: what was detected holds again. */
export const deleteChapters = (id: RecordingId): Promise<Chapters> =>
  exchange(`api/recordings/${id}/chapters`, { method: 'DELETE' }, json<Chapters>);

/** Codecs that a browser plays. */
export type PlayCodec = 'h264' | 'av1';

export interface StreamWish {
  readonly codec: PlayCodec;
  /** s on the playback scale. */
  readonly from: number;
  readonly audio: string | undefined;
}

function streamUrl(path: string, { codec, from, audio }: StreamWish): URL {
  const url = addressOf(path);
  url.searchParams.set('codec', codec);
  url.searchParams.set('from', String(Math.round(from * 1000) / 1000));
  if (audio !== undefined) url.searchParams.set('audio', audio);
  return url;
}
export const recordingStreamUrl = (id: RecordingId, wish: StreamWish): URL =>
  streamUrl(`api/recordings/${id}/stream`, wish);
export const chaseUrl = (id: RecordingId, wish: StreamWish): URL =>
  streamUrl(`api/recordings/${id}/chase`, wish);
/** Beyond every recording: chase begins at the live edge. */
export const LIVE_EDGE = 1e9;

/** @param from s: pages from there on @param etag of the cached answer, or null */
export function renewCaptions(
  id: RecordingId,
  from: number,
  etag: string | null,
  signal: AbortSignal,
): Promise<Renewed<CaptionsFile>> {
  const url = addressOf(`api/recordings/${id}/captions.json`);
  if (from > 0) url.searchParams.set('from', String(from));
  return renewed<CaptionsFile>(url, etag, signal);
}

/** Stores the resume position; survives the unloading of the page. */
export async function rememberPlace(id: RecordingId, place: ResumeRequest): Promise<void> {
  const response = await fetch(addressOf(`api/recordings/${id}/resume`), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(place),
    keepalive: true,
  });
  await response.body?.cancel();
}
