/** Decisions about a download: which file, what is fetched beside it, how much space it needs. Pure. */
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { SavedSource, SavedVideo } from './saved-video.ts';

const FETCH_NAME = /^rec-(\d{1,15})-(encoded|alt)-([\w.]+)$/u;

interface FetchName {
  readonly id: RecordingId;
  readonly source: SavedSource;
  readonly attempt: string;
}

export function fetchName({ id, source, attempt }: FetchName): string {
  return `rec-${id}-${source}-${attempt}`;
}

/** Undefined for a background fetch of somebody else. */
export function parseFetchName(name: string): FetchName | undefined {
  const [, id, source, attempt] = FETCH_NAME.exec(name) ?? [];
  if (id === undefined || source === undefined || attempt === undefined) return undefined;
  return { id: Number(id) as RecordingId, source: source as SavedSource, attempt };
}

/** Margin of a download's total over what was measured: headers count too. */
const TOTAL_MARGIN = 1.02;
/** Free space that a download needs, as a multiple of its total. */
const SPACE_FACTOR = 1.2;

export function totalOf(sizes: readonly number[]): number {
  return Math.ceil(sizes.reduce((sum, size) => sum + size, 0) * TOTAL_MARGIN);
}

/** @param reserved octets of downloads that are waiting or running */
export function hasSpace(total: number, { quota, usage }: StorageEstimate, reserved: number): boolean {
  // A browser that does not tell stops the download itself.
  if (quota === undefined) return true;
  return quota - (usage ?? 0) - reserved >= total * SPACE_FACTOR;
}

export interface Decodable {
  readonly av1: boolean;
  readonly h264: boolean;
}

type SourceChoice = SavedSource | 'no_file' | 'no_codec';

/**
 * `encoded` where the device decodes it, else `alt`. @returns `no_file`: it was not converted; `no_codec`: this device
 * decodes none of its files
 */
export function chooseSource(files: Recording['files'], can: Decodable): SourceChoice {
  const playable = files.filter(({ source }) => source !== 'ts');
  const decodable = (codec: string): boolean => (codec === 'av1' ? can.av1 : codec === 'h264' && can.h264);
  for (const wanted of ['encoded', 'alt'] as const) {
    const file = playable.find(({ source }) => source === wanted);
    if (file !== undefined && decodable(file.codec)) return wanted;
  }
  return playable.length === 0 ? 'no_file' : 'no_codec';
}

/** Kind of what a background fetch or the page fetches for a recording. */
export type Role =
  | 'video'
  | 'captions'
  | 'poster'
  | 'chapters'
  | 'databroadcast'
  | { readonly sheet: number };

const SHEET = /\/previews\/(\d{1,4})$/u;

/** @param url absolute, or relative to the service; undefined: nothing of a recording */
export function roleOf(url: string): Role | undefined {
  const path = url.replace(/[?#].*$/su, '');
  const sheet = SHEET.exec(path)?.[1];
  if (sheet !== undefined) return { sheet: Number(sheet) };
  switch (path.slice(path.lastIndexOf('/') + 1)) {
    case 'file':
      return 'video';
    case 'captions.json':
      return 'captions';
    case 'poster':
      return 'poster';
    case 'chapters':
      return 'chapters';
    case 'databroadcast':
      return 'databroadcast';
    default:
      return undefined;
  }
}

/** Octets of a range request: a lost connection repeats at most this. */
const MOST_PART_BYTES = 8 * 1024 * 1024;
/** Smaller ranges cost more in requests than they gain in parallel. */
const LEAST_PART_BYTES = 1024 * 1024;
/** Parallel ranges: one alone does not fill a link with a long delay; more only compete. */
export const PARTS_AT_ONCE = 3;

function partBytesOf(bytes: number): number {
  return Math.max(LEAST_PART_BYTES, Math.min(MOST_PART_BYTES, Math.ceil(bytes / PARTS_AT_ONCE)));
}

export interface Part {
  readonly index: number;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The whole file as ranges. */
export function partsOf(bytes: number, partBytes: number = partBytesOf(bytes)): Part[] {
  const count = Math.ceil(bytes / partBytes);
  return Array.from({ length: count }, (_, index) => ({
    index,
    start: index * partBytes,
    end: Math.min(bytes, (index + 1) * partBytes),
  }));
}

/** Whether an answer's `Content-Range` is exactly the range that was requested of a file of this size. */
export function isRange(header: string | null, { start, end }: Part, bytes: number): boolean {
  return header === `bytes ${start}-${end - 1}/${bytes}`;
}

// Which episodes of a series are saved by themselves, and which saved ones have been watched. Pure.

type Episode = Pick<Recording, 'id' | 'startAt' | 'watchedAt' | 'recording' | 'state' | 'binnedAt' | 'files'>;

/** Episodes that are kept ahead. */
const AHEAD = 3;

/** The next unwatched ones in order of time, of those that were converted. */
function nextUnwatched<T extends Episode>(series: readonly T[]): T[] {
  return series
    .filter(({ watchedAt, recording, state }) => watchedAt === null && !recording && state !== 'failed')
    .filter(({ binnedAt, files }) => binnedAt === null && files.some(({ source }) => source !== 'ts'))
    .sort((a, b) => a.startAt - b.startAt || a.id - b.id)
    .slice(0, AHEAD);
}

type Held = Pick<SavedVideo, 'id' | 'state' | 'series'>;

/** @param series as the service lists it @param held everything that is saved, or was tried */
export function planSeries<T extends Episode>(
  key: string,
  series: readonly T[],
  held: readonly Held[],
): { readonly save: T[]; readonly remove: RecordingId[] } {
  const ids = new Set(held.map(({ id }) => id));
  const watched = new Set(series.filter(({ watchedAt }) => watchedAt !== null).map(({ id }) => id));
  const remove = held.filter((row) => row.state === 'ready' && row.series === key && watched.has(row.id));
  return {
    save: nextUnwatched(series).filter(({ id }) => !ids.has(id)),
    remove: remove.map(({ id }) => id),
  };
}
