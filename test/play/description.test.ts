/** The description of a recording over HTTP before playback. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import { ChaptersSchema, type Playback, PlaybackSchema } from '../../lib/wire/api.ts';
import { RecordedHome, START } from '../service/recorded-home.ts';
import { until } from '../until.ts';
import { madeStream, outputOf } from './made-recording.ts';
import { PICTURE, VirtualRecording, type VirtualRun } from './virtual-recording.ts';

// The service starts slowly on a busy machine.

let home: RecordedHome;

beforeAll(async () => {
  // Without an encoder the offers do not depend on this machine's speed (`offers.test.ts`).
  home = await RecordedHome.start({ FFMPEG_PATH: '/nonexistent/ffmpeg' });
});

afterAll(() => home.close());

beforeEach(() => home.clear());

const SECOND = 90_000;
const get = (id: number, what = 'playback', init: RequestInit = {}) =>
  home.get(`/api/recordings/${id}/${what}`, init);

async function content(...runs: VirtualRun[]): Promise<Uint8Array> {
  const source = new VirtualRecording(runs, 12);
  return source.read(0, source.size);
}

async function playback(id: number): Promise<Playback> {
  const response = await get(id);
  expect(response.status).toBe(200);
  const value = (await response.json()) as Playback;
  expect([...Value.Errors(PlaybackSchema, value)]).toEqual([]);
  return value;
}

test("lists a recording's length, its playback forms and its gaps", async () => {
  const first = { pictures: 600, pts: 1_000_000 };
  // Between the two a minute was not received.
  const second = { pictures: 900, pts: first.pts + 600 * PICTURE + 60 * SECOND };
  const lead = 10_000;
  const gap = { startMs: 600 * (PICTURE / 90) - lead, endMs: 600 * (PICTURE / 90) + 60_000 - lead };
  const gaps = [
    { startMs: Math.round(gap.startMs), endMs: Math.round(gap.endMs), cause: 'stalled' as const },
  ];
  const verdict = { level: 'damaged' as const, drops: 0, gaps, headMs: lead, tailMs: 0 };
  const bytes = await content(first, second);
  const id = home.put({ content: bytes, verdict });
  const path = home.database
    .query<{ path: string }, { id: number }>('SELECT path FROM recording_parts WHERE recording_id = $id')
    .get({ id })?.path;
  const position = 600 * 12 * 188;
  const at = START - lead + Math.round(600 * (PICTURE / 90)) + 60_000;
  home.database
    .query("INSERT INTO recording_seams VALUES ($id, $path, $position, 'resumed', $at)")
    .run({ id, path: path ?? '', position, at });
  const described = await playback(id);
  expect(described).toMatchObject({ axis: 'ts', duration: 50.05, hasVideo: true, broadcastAt: START - lead });
  expect(described.programStart).toBeCloseTo(10, 1);
  expect(described.joins).toEqual([20.02]);
  expect(described.gaps).toHaveLength(1);
  expect(described.gaps[0]).toMatchObject({ missing: 60, cause: 'stalled' });
  expect(described.gaps[0]?.start).toBeCloseTo(20.02, 1);
  expect(described.gaps[0]?.end).toBeCloseTo(20.02, 1);
  expect(described.audios).toEqual([{ id: '0:both', label: '主音声' }]);
  expect(described.offers.map(({ codec, way }) => `${codec} ${way}`)).toEqual(['h264 stream', 'mpeg2 raw']);
  const again = await get(id);
  const etag = again.headers.get('etag') ?? '';
  const unchanged = await home.get(`/api/recordings/${id}/playback`, { headers: { 'if-none-match': etag } });
  expect(unchanged.status).toBe(304);
});

test('the length in lists is that of the description', async () => {
  const id = home.put({ content: await content({ pictures: 907, pts: 77_000 }) });
  const { duration } = await playback(id);
  expect((await home.item(id))?.durationMs).toBe(Math.round(duration * 1000));
  const status = (await (await get(id, 'status')).json()) as { durationMs: number };
  expect(status.durationMs).toBe(Math.round(duration * 1000));
});

test('reports why a recording cannot be played', async () => {
  const message = async (id: number) => {
    const response = await get(id);
    const body = (await response.json()) as { message: string; code: string };
    return [response.status, body.code, body.message];
  };
  const noFile = 'この録画のファイルはありません。';
  expect(await message(home.put({ content: new Uint8Array(0) }))).toEqual([
    404,
    'not_found',
    'この録画のファイルは空です。',
  ]);
  expect(await message(home.put({ content: null }))).toEqual([404, 'not_found', noFile]);
  const unplayable = 'この録画には再生できる映像や音声がありません。';
  expect(await message(home.put({ content: new Uint8Array(100_000) }))).toEqual([
    404,
    'not_found',
    unplayable,
  ]);
  expect(await message(home.put({}))).toEqual([404, 'not_found', unplayable]);
  const running = home.put({ content: await content({ pictures: 60, pts: 0 }), state: 'recording' });
  expect(await message(running)).toEqual([
    404,
    'not_found',
    '録画中の番組です。追いかけ再生をご利用ください。',
  ]);
  expect(await message(999_999)).toEqual([404, 'not_found', '録画が見つかりません。']);
  const vanished = home.put({ content: await content({ pictures: 60, pts: 0 }) });
  rmSync(home.folder, { recursive: true });
  expect(await message(vanished)).toEqual([404, 'not_found', noFile]);
});

test('a recording truncated at any byte has the length of its remaining part', async () => {
  const whole = await content({ pictures: 90, pts: 5_000 });
  for (const length of [188 * 12 * 90 - 1, 188 * 12 * 45 + 77, 188 * 6, 700, 188]) {
    const id = home.put({ content: whole.subarray(0, length) });
    const response = await get(id);
    const body = (await response.json()) as Partial<Playback>;
    if (response.status === 404) expect(length).toBeLessThan(1_000);
    else expect(Math.abs((body.duration ?? 0) - length / 188 / 12 / 29.97)).toBeLessThan(0.1);
  }
});

test('chapters are empty while commercials are not detected', async () => {
  const id = home.put({});
  const response = await get(id, 'chapters');
  const value: unknown = await response.json();
  expect([...Value.Errors(ChaptersSchema, value)]).toEqual([]);
  expect(value).toEqual({ chapters: [] });
  expect((await get(999_999, 'chapters')).status).toBe(404);
});

test('the sound alone is sent as it was broadcast, as ADTS', async () => {
  const content = await madeStream({ seconds: 3, flashAt: 1, clock: 400 });
  const id = home.put({ content: new Uint8Array(content) });
  const head = await home.get(`/api/recordings/${id}/file?audio=only`, { method: 'HEAD' });
  expect([head.status, head.headers.get('content-length')]).toEqual([200, null]);
  // A range of what is not extracted yet waits for it.
  const late = await get(home.put({ content: new Uint8Array(content) }, 1), 'file?audio=only', {
    headers: { range: 'bytes=700-799' },
  });
  expect([late.status, (await late.bytes()).length]).toEqual([206, 100]);
  const response = await get(id, 'file?audio=only&source=ts');
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/aac']);
  const bytes = await response.bytes();
  const original = await outputOf(content, '-i', '-', '-c', 'copy', '-f', 'adts', '-');
  // The last frame is not confirmed by a following one.
  expect(bytes.length).toBeGreaterThan(original.length - 1_000);
  expect(Buffer.compare(bytes, original.subarray(0, bytes.length))).toBe(0);
  // By now it is extracted: ranges, the length and an unchanged answer.
  await until('the length is known', async () => {
    const { headers } = await home.get(`/api/recordings/${id}/file?audio=only`, { method: 'HEAD' });
    return headers.get('content-length') === String(bytes.length) ? true : undefined;
  });
  for (const [range, from, to] of [
    ['bytes=0-', 0, bytes.length],
    ['bytes=1000-1999', 1000, 2000],
    ['bytes=-500', bytes.length - 500, bytes.length],
  ] as const) {
    const part = await home.get(`/api/recordings/${id}/file?audio=only`, { headers: { range } });
    expect([range, part.status, part.headers.get('content-type')]).toEqual([range, 206, 'audio/aac']);
    expect(part.headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${bytes.length}`);
    expect(Buffer.compare(await part.bytes(), bytes.subarray(from, to))).toBe(0);
  }
  const silent = await madeStream({ seconds: 1, flashAt: 0, clock: 10, only: 'video' });
  expect((await get(home.put({ content: new Uint8Array(silent) }), 'file?audio=only')).status).toBe(404);
});
