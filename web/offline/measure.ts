/** What a download will fetch, and how much that is: asked of the service before anything is saved. */
import type { Recording } from '../../lib/wire/api.ts';
import type { Playback } from '../../lib/wire/playback.ts';
import type { Previews } from '../../lib/wire/recordings.ts';
import { ApiFailure, addressOf, exchange, failureOf, json } from '../query/api.ts';
import { type Decodable, totalOf } from './download-plan.ts';
import type { SavedSource, SavedVideo } from './saved-video.ts';
import { FAILURE_TEXTS, TEXTS } from './texts.ts';

// What this device can decode and store, asked of the browser.

const SHAPE = { width: 1920, height: 1080, bitrate: 4_000_000, framerate: 30 };

async function canDecode(codec: string): Promise<boolean> {
  try {
    const { supported } = await navigator.mediaCapabilities.decodingInfo({
      type: 'media-source',
      video: { contentType: `video/mp4; codecs="${codec}"`, ...SHAPE },
    });
    return supported;
  } catch {
    return false;
  }
}

/** Main profile, level 4.0; High profile, level 4.0: what the service encodes. */
export async function decodable(): Promise<Decodable> {
  const [av1, h264] = await Promise.all([canDecode('av01.0.08M.08'), canDecode('avc1.640028')]);
  return { av1, h264 };
}

/** Why nothing can be saved here; undefined: it can. */
export function saveObstacle(): string | undefined {
  if (!isSecureContext) return TEXTS.insecure;
  const needed = 'serviceWorker' in navigator && 'locks' in navigator && 'indexedDB' in window;
  return needed && 'mediaCapabilities' in navigator ? undefined : TEXTS.notSupported;
}

type Measured = Pick<
  SavedVideo,
  'videoBytes' | 'totalBytes' | 'etag' | 'attachments' | 'playback' | 'previews' | 'length'
>;

interface Head {
  readonly bytes: number;
  readonly etag: string | null;
}

/** Undefined: there is none. @throws ApiFailure */
async function head(path: string, unknown = UNKNOWN_BYTES): Promise<Head | undefined> {
  const response = await fetch(addressOf(path), { method: 'HEAD', cache: 'no-store' }).catch(() => {
    throw new ApiFailure('network', TEXTS.waitingForService);
  });
  if (response.status === 404) return undefined;
  if (!response.ok) throw await failureOf(response);
  return { bytes: lengthIn(response, unknown), etag: response.headers.get('etag') };
}

/** Size of an answer that does not say its own. */
const UNKNOWN_BYTES = 256 * 1024;
/** Of the data broadcast, which is made as it is sent: a station's modules, and its messages of some hours. */
const DATA_BYTES = 32 * 1024 * 1024;

function lengthIn({ headers }: Response, unknown: number): number {
  const text = headers.get('content-length');
  const bytes = text === null ? Number.NaN : Number(text);
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : unknown;
}

/** The preview pictures' description; null: there are none. */
async function previewsOf(id: Recording['id']): Promise<Previews | null> {
  try {
    return await exchange(`api/recordings/${id}/previews`, {}, json<Previews>);
  } catch (error) {
    if (error instanceof ApiFailure && error.code === 'not_found') return null;
    throw error;
  }
}

/** @throws ApiFailure; `not_found`: the file is gone */
export async function measure(recording: Recording, source: SavedSource): Promise<Measured> {
  const { id, poster } = recording;
  const [playback, previews, video] = await Promise.all([
    exchange(`api/recordings/${id}/playback`, {}, json<Playback>),
    previewsOf(id),
    head(`api/recordings/${id}/file?source=${source}`),
  ]);
  if (video === undefined) throw new ApiFailure('not_found', FAILURE_TEXTS.gone, 404);
  const data = `api/recordings/${id}/databroadcast`;
  const wanted = [
    `api/recordings/${id}/captions.json`,
    poster,
    `api/recordings/${id}/chapters`,
    data,
    ...(previews?.sheets ?? []),
  ];
  // One that is not there would fail the whole of a background fetch.
  const heads = await Promise.all(wanted.map((path) => head(path, path === data ? DATA_BYTES : undefined)));
  const found = wanted.flatMap((path, index) => {
    const one = heads[index];
    return one === undefined ? [] : [{ path, bytes: one.bytes }];
  });
  return {
    videoBytes: video.bytes,
    totalBytes: totalOf([video.bytes, ...found.map(({ bytes }) => bytes)]),
    etag: video.etag,
    attachments: found.map(({ path }) => path),
    playback,
    previews,
    length: playback.duration,
  };
}
