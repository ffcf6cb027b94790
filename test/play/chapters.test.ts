/** Chapters of a recording over HTTP: detected, corrected, reset. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { wallMs } from '../../lib/host/clock.ts';
import { type Chapters, ChaptersSchema } from '../../lib/wire/api.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { wholeSegments } from '../../src/model/chapters.ts';
import { ChapterStore } from '../../src/store/chapter-store.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { VirtualRecording } from './virtual-recording.ts';

let home: RecordedHome;
beforeAll(async () => {
  home = await RecordedHome.start();
});
afterAll(() => home.close());
beforeEach(() => home.clear());

const NOW = wallMs(1_800_000_000_000);
const path = (id: number) => `/api/recordings/${id}/chapters`;
const send = (id: number, method: string, body?: unknown) => home.send(method, path(id), body);

/** A recording with 100 s of time stamps. */
async function recorded(): Promise<{ id: number; store: ChapterStore }> {
  const source = new VirtualRecording([{ pictures: 2_997, pts: 0 }], 12);
  const id = home.put({ content: await source.read(0, source.size) });
  return { id, store: new ChapterStore(home.database) };
}

function detect(store: ChapterStore, id: number, reliable: boolean, startMs = 30_000): void {
  const segments = wholeSegments([{ startMs, endMs: 60_000 }], 99_999);
  store.putDetected(
    recordingId(id),
    { segments, reliable, confidence: 0.9, changes: [{ atMs: startMs, kind: 'cut' }], durationMs: 99_999 },
    NOW,
  );
}

const cmReliable = async (id: number) => (await home.item(id))?.cmReliable;

test('detected chapters have an ETag that changes with a new detection', async () => {
  const { id, store } = await recorded();
  detect(store, id, true);
  const first = await home.get(path(id));
  const value = (await first.json()) as Chapters;
  expect([...Value.Errors(ChaptersSchema, value)]).toEqual([]);
  expect(value.chapters).toEqual([
    { start: 0, end: 30, title: '本編' },
    { start: 30, end: 60, title: 'CM' },
    { start: 60, end: 99.999, title: '本編' },
  ]);
  expect(await cmReliable(id)).toBe(true);
  const etag = first.headers.get('etag') ?? '';
  const again = () => home.get(path(id), { headers: { 'if-none-match': etag } });
  expect((await again()).status).toBe(304);
  detect(store, id, false, 45_000);
  const changed = await again();
  expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  expect(await cmReliable(id)).toBe(false);
});

test('a correction takes precedence over later detections, until it is reset', async () => {
  const { id, store } = await recorded();
  detect(store, id, false);
  const corrected = await send(id, 'PUT', { chapters: [{ start: 31.5, end: 61.5, title: 'CM' }] });
  expect(corrected.status).toBe(200);
  const starts = async () =>
    ((await (await home.get(path(id))).json()) as Chapters).chapters.map((c) => c.start);
  expect(await starts()).toEqual([0, 31.5, 61.5]);
  expect(await cmReliable(id)).toBe(true);
  detect(store, id, false, 40_000);
  expect(await starts()).toEqual([0, 31.5, 61.5]);
  expect((await send(id, 'DELETE')).status).toBe(200);
  expect(await starts()).toEqual([0, 40, 60]);
  expect(await cmReliable(id)).toBe(false);
  expect((await send(id, 'PUT', { chapters: [] })).status).toBe(200);
  expect(await starts()).toEqual([]);
});

test('invalid boundaries are refused with the path of the field', async () => {
  const { id } = await recorded();
  const refused = async (...chapters: [number, number][]) => {
    const body = { chapters: chapters.map(([start, end]) => ({ start, end, title: 'CM' })) };
    const response = await send(id, 'PUT', body);
    return [response.status, ((await response.json()) as { path?: string }).path];
  };
  expect(await refused([10, 20], [15, 30])).toEqual([400, 'chapters.1']);
  expect(await refused([20, 20])).toEqual([400, 'chapters.0']);
  expect(await refused([90, 200])).toEqual([400, 'chapters.0']);
  expect((await send(id, 'PUT', { chapters: [{ start: -1, end: 5, title: 'CM' }] })).status).toBe(400);
  expect((await send(999_999, 'PUT', { chapters: [] })).status).toBe(404);
  expect((await (await home.get(path(id))).json()) as Chapters).toEqual({ chapters: [] });
});
