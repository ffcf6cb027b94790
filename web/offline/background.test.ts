import { beforeEach, expect, test } from 'bun:test';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { settleFailure, settleSuccess } from './background.ts';
import type { SavedVideo } from './saved-video.ts';

const PATH = 'http://svc.test/tv/api/recordings/4';
const START = {
  id: 4 as RecordingId,
  ...{ attempt: 'b.2', state: 'downloading', failure: null, video: null, previews: null },
} as SavedVideo;

let row: SavedVideo | undefined;
/** The database has no space for the change. */
let isFull: boolean;
beforeEach(() => {
  [row, isFull] = [START, false];
});

const database = {
  changeVideo: async (_: RecordingId, change: (row: SavedVideo) => SavedVideo | undefined) => {
    const changed = row === undefined ? undefined : change(row);
    if (isFull && changed?.state === 'ready') throw new DOMException('full', 'QuotaExceededError');
    row = changed ?? row;
    return row;
  },
};

const fetched = (id: string, bodies: Record<string, string>) => ({
  id,
  matchAll: async () =>
    Object.entries(bodies).map(([path, body]) => ({
      request: new Request(PATH + path),
      responseReady: Promise.resolve(new Response(body)),
    })),
});
const WHOLE = { '/file?source=alt': 'film', '/captions.json': '{"v":1}', '/chapters': 'not JSON' };

test('what the browser fetched becomes the row; a damaged file beside the video is left out', async () => {
  expect(await settleSuccess(database, fetched('rec-4-alt-b.2', WHOLE))).toBe(true);
  expect(row).toMatchObject({ state: 'ready', captionText: '{"v":1}', chapters: [], poster: null });
  expect(await row?.video?.text()).toBe('film');
});

test('each way to fail is kept as the row, with its reason', async () => {
  const reasons = [
    ['aborted', 'aborted'],
    ['bad-status', 'gone'],
    ['fetch-error', 'network'],
    ['quota-exceeded', 'full'],
    ['download-total-exceeded', 'total'],
    ['of a later standard', 'unknown'],
  ] as const;
  for (const [failureReason, failure] of reasons) {
    row = START;
    expect(await settleFailure(database, { id: 'rec-4-alt-b.2', failureReason })).toBe(true);
    expect(row).toMatchObject({ state: 'failed', failure, video: null });
  }
});

test('no space for what was fetched, or no video among it, is a failure, too', async () => {
  isFull = true;
  expect(await settleSuccess(database, fetched('rec-4-alt-b.2', WHOLE))).toBe(true);
  expect(row).toMatchObject({ state: 'failed', failure: 'full' });
  [row, isFull] = [START, false];
  await settleSuccess(database, fetched('rec-4-alt-b.2', { '/captions.json': '{}' }));
  expect(row).toMatchObject({ state: 'failed', failure: 'unknown' });
});

test('an earlier attempt, another page of the same origin, and a removed row change nothing', async () => {
  const strangers = ['rec-4-alt-b.1', 'rec-4-alt-', 'photos of somebody'];
  for (const id of strangers) {
    expect(await settleSuccess(database, fetched(id, WHOLE))).toBe(false);
    expect(await settleFailure(database, { id, failureReason: 'aborted' })).toBe(false);
  }
  expect(row).toBe(START);
  row = undefined;
  expect(await settleSuccess(database, fetched('rec-4-alt-b.2', WHOLE))).toBe(false);
  // Ready already: a late abort is none.
  row = { ...START, state: 'ready' };
  expect(await settleFailure(database, { id: 'rec-4-alt-b.2', failureReason: 'aborted' })).toBe(false);
  expect(row.state).toBe('ready');
});
