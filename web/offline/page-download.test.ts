import { beforeEach, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { Playback } from '../../lib/wire/playback.ts';
import { wallMs } from '../../lib/wire/times.ts';
import type { SavedPart } from './database.ts';
import { downloadInPage } from './page-download.ts';
import type { SavedVideo } from './saved-video.ts';

const VIDEO = crypto.getRandomValues(new Uint8Array(1_000));
const PART = 128;

const ROW: SavedVideo = {
  id: 4 as RecordingId,
  ...{ video: null, captionText: null, poster: null, chapters: [], databroadcast: null },
  ...{ name: 'A', stationName: 'B', startTime: broadcastMs(0), length: 60 },
  ...{ source: 'encoded', attempt: 'a', state: 'downloading', failure: null, way: 'page', paused: false },
  ...{ order: 1, savedAt: wallMs(0), videoBytes: VIDEO.length, totalBytes: 2_000, etag: '"v1"' },
  attachments: ['api/recordings/4/captions.json', 'api/recordings/4/chapters', 'api/recordings/4/poster'],
  recording: {} as Recording,
  playback: {} as Playback,
  ...{ previews: null, sheets: [], series: null },
};

let row: SavedVideo | undefined;
let parts: Map<number, SavedPart>;
let asked: string[];
let progress: { received: number; isWaiting: boolean }[];
/** Replaces an answer; undefined: the usual one. */
let answer: (
  path: string,
  range: string | null,
  signal: AbortSignal,
) => Response | Promise<Response> | undefined;
let etag: string;
let putPart: (index: number) => void;

beforeEach(() => {
  [row, parts, asked, progress, etag] = [ROW, new Map(), [], [], '"v1"'];
  answer = () => undefined;
  putPart = () => {};
});

const database = {
  parts: async () => new Map(parts),
  putPart: async (_: RecordingId, index: number, part: SavedPart) => {
    putPart(index);
    parts.set(index, part);
  },
  removeParts: async () => parts.clear(),
  changeVideo: async (_: RecordingId, change: (row: SavedVideo) => SavedVideo | undefined) => {
    if (row !== undefined) row = change(row) ?? row;
    return row;
  },
};

function usual(path: string, range: string | null): Response {
  if (path.endsWith('captions.json')) return new Response('{"v":1,"pages":[]}');
  if (path.endsWith('chapters')) return Response.json({ chapters: [{ start: 1, end: 2, title: 'CM' }] });
  if (path.endsWith('poster')) return new Response('', { status: 404 });
  const [, from, to] = /^bytes=(\d+)-(\d+)$/u.exec(range ?? '') ?? [];
  const [start, end] = [Number(from), Number(to)];
  return new Response(VIDEO.slice(start, end + 1), {
    status: 206,
    headers: { etag, 'content-range': `bytes ${start}-${end}/${VIDEO.length}` },
  });
}

function run(signal = new AbortController().signal, wait: () => Promise<void> = async () => {}) {
  const needs = {
    database,
    fetch: async (path: string, init: RequestInit) => {
      const range = new Headers(init.headers).get('range');
      asked.push(`${path} ${range ?? ''}`.trim());
      init.signal?.throwIfAborted();
      return (await answer(path, range, init.signal as AbortSignal)) ?? usual(path, range);
    },
    onProgress: (received: number, isWaiting: boolean) => void progress.push({ received, isWaiting }),
    wait,
    partBytes: PART,
  };
  return downloadInPage(ROW, needs, signal);
}

const fileAsked = () => asked.filter((one) => one.includes('/file'));
const bytesOf = async (blob: Blob | null | undefined) => new Uint8Array((await blob?.arrayBuffer()) ?? []);

test('the file comes in ranges and whole into the row; what is missing beside it is left out', async () => {
  expect(await run()).toBe(true);
  expect(await bytesOf(row?.video)).toEqual(VIDEO);
  expect(row).toMatchObject({
    ...{ state: 'ready', captionText: '{"v":1,"pages":[]}', poster: null },
    chapters: [{ start: 1, end: 2, title: 'CM' }],
  });
  expect([fileAsked().length, parts.size]).toEqual([8, 0]);
  expect(Math.max(...progress.map(({ received }) => received))).toBeGreaterThan(VIDEO.length);
});

test('after a break only the missing ranges are read, unless the file is another one', async () => {
  const stop = new AbortController();
  putPart = (index) => {
    if (index === 4) stop.abort();
  };
  await expect(run(stop.signal)).rejects.toThrow();
  expect(row?.state).toBe('downloading');
  const held = parts.size;
  expect(held).toBeGreaterThanOrEqual(4);
  asked = [];
  expect(await run()).toBe(true);
  expect(fileAsked().length).toBe(8 - held);
  expect(await bytesOf(row?.video)).toEqual(VIDEO);

  row = ROW;
  parts.set(0, { etag: '"v0"', blob: new Blob([new Uint8Array(PART)]) });
  expect(await run()).toBe(true);
  expect(await bytesOf(row?.video)).toEqual(VIDEO);
});

test('a service that is away is waited for, and a range that was cut off is read again', async () => {
  let failures = 0;
  answer = (path, range) => {
    if (!path.includes('/file') || failures >= 4) return undefined;
    failures += 1;
    if (failures === 1) throw new TypeError('fetch failed');
    if (failures === 2) return new Response('', { status: 503 });
    const whole = usual(path, range);
    return new Response('cut', { status: 206, headers: whole.headers });
  };
  expect(await run()).toBe(true);
  expect(await bytesOf(row?.video)).toEqual(VIDEO);
  expect(progress.some(({ isWaiting }) => isWaiting)).toBe(true);
  expect(progress.at(-1)?.isWaiting).toBe(false);
});

test.each([
  ['deleted at the service', 'gone', () => new Response('', { status: 404 })],
  ['no longer let in', 'refused', () => new Response('', { status: 401 })],
  [
    'another file',
    'changed',
    (range: string | null) => {
      const response = usual('file', range);
      response.headers.set('etag', '"v2"');
      return response;
    },
  ],
  ['shorter than it was', 'changed', () => new Response('', { status: 416 })],
  ['not the range', 'changed', () => new Response(VIDEO, { headers: { etag: '"v1"' } })],
  [
    'more than was measured',
    'total',
    (range: string | null) => {
      const { headers } = usual('file', range);
      return new Response(new Uint8Array(PART + 1), { status: 206, headers });
    },
  ],
] as const)('%s: fails at once as %s', async (_, failure, bad) => {
  answer = (path, range) => (path.includes('/file') ? bad(range) : undefined);
  await expect(run()).rejects.toMatchObject({ failure });
  expect(fileAsked().length).toBeLessThanOrEqual(3);
});

test('a full device ends it with the pieces kept', async () => {
  putPart = (index) => {
    if (index === 3) throw new DOMException('full', 'QuotaExceededError');
  };
  await expect(run()).rejects.toMatchObject({ name: 'QuotaExceededError' });
  expect(parts.size).toBeGreaterThan(0);
});

test('a row that was tried again, or removed, is left as it is', async () => {
  row = { ...ROW, attempt: 'b' };
  expect(await run()).toBe(false);
  expect(row.video).toBeNull();
  row = undefined;
  expect(await run()).toBe(false);
});

test('stops while it waits for the service', async () => {
  const stop = new AbortController();
  answer = () => {
    throw new TypeError('fetch failed');
  };
  const wait = async (): Promise<void> => stop.abort();
  await expect(run(stop.signal, wait)).rejects.toThrow();
});
