/** Recordings are queued over HTTP, encoded by the real ffmpeg, verified, stored and played. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { Value } from '@sinclair/typebox/value';
import {
  type Chapters,
  EncodeLogSchema,
  type Encodes,
  EncodesSchema,
  type Playback,
  PlaybackSchema,
} from '../../lib/wire/api.ts';
import type { CaptionsFile } from '../../lib/wire/caption.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { FFMPEG, madeStream, outputOf, played } from '../play/made-recording.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { until } from '../until.ts';

const SECONDS = 4;
const FLASH = 2;

let home: RecordedHome;
let film: Uint8Array;

beforeAll(async () => {
  film = await madeStream({ seconds: SECONDS, flashAt: FLASH, clock: 95_430 });
  home = await RecordedHome.start({ FFMPEG_PATH: FFMPEG });
});

afterAll(() => home.close());

beforeEach(() => home.clear());

async function queue(): Promise<Encodes> {
  const response = await home.get('/api/encodes');
  const value = (await response.json()) as Encodes;
  expect([...Value.Errors(EncodesSchema, value)]).toEqual([]);
  return value;
}

async function ended(id: number): Promise<Encodes['recent'][number]> {
  return until(`the encode of ${id}`, async () =>
    (await queue()).recent.find(({ recordingId }) => recordingId === id),
  );
}

const put = (content: Uint8Array | null = film): number => {
  const id = home.put({ content: content ?? new Uint8Array(0) });
  // The measured length, not the announced one.
  const durationMs = SECONDS * 1000;
  home.database
    .query('UPDATE recordings SET duration_ms = $durationMs WHERE id = $id')
    .run({ id, durationMs });
  return id;
};

/** File name suffixes of the files of a recording. */
const files = (id: number): string[] =>
  readdirSync(home.folder)
    .filter((name) => name.includes(` r${id}.`))
    .map((name) => name.slice(name.indexOf(` r${id}.`) + ` r${id}.`.length))
    .sort();

describe('a recording that is encoded', () => {
  test('becomes a file of the same length, times and chapters, and its original is removed', async () => {
    const id = put();
    await correctChapters(id, 1, 2);
    const wish = { codecs: 'h264', commercials: 'chapters' };
    expect((await home.send('POST', `/api/recordings/${id}/encode`, wish)).status).toBe(204);
    expect(await ended(id)).toMatchObject({ state: 'done', message: null });
    const item = await home.item(id);
    expect(item?.files.map(({ source, codec }) => `${source} ${codec}`)).toEqual(['alt h264']);
    expect(item).toMatchObject({ chase: null, state: 'available' });
    expect(item?.durationMs).toBeCloseTo(4004, -2);
    expect(files(id)).toEqual(['h264.mkv']);
    const status = (await (await home.get(`/api/recordings/${id}/status`)).json()) as object;
    expect(status).toMatchObject({ encoded: true, state: 'available' });
    const file = await home.get(`/api/recordings/${id}/file?source=alt`);
    expect(file.headers.get('content-type')).toBe('video/x-matroska');
    const made = await file.bytes();
    const shown = await played(made);
    expect(shown.flashes).toHaveLength(1);
    expect(Math.abs((shown.flashes[0] ?? 0) - FLASH)).toBeLessThan(0.034);
    expect(Math.abs((shown.beeps[0] ?? 0) - FLASH)).toBeLessThan(0.034);
    const playback = (await (await home.get(`/api/recordings/${id}/playback`)).json()) as Playback;
    expect([...Value.Errors(PlaybackSchema, playback)]).toEqual([]);
    expect(playback).toMatchObject({ axis: 'encoded', hasVideo: true, gaps: [], joins: [] });
    expect(Math.abs(playback.duration - SECONDS)).toBeLessThan(0.05);
    const offers = playback.offers.map(({ codec, way, source }) => [codec, way, source ?? '']);
    // AV1 is offered where this machine encodes it in real time.
    const converted = offers.some(([codec]) => codec === 'av1') ? ['h264', 'av1'] : ['h264'];
    expect(offers).toEqual([['h264', 'file', 'alt'], ...converted.map((codec) => [codec, 'stream', ''])]);
    for (const codec of converted) {
      const stream = await home.get(`/api/recordings/${id}/stream?codec=${codec}&from=1.2`);
      expect(stream.status).toBe(200);
      const start = Number(stream.headers.get('x-svc-start'));
      expect(start).toBeLessThanOrEqual(1.3);
      const { video, flashes, beeps } = await played(await stream.bytes());
      expect(Math.abs((beeps[0] ?? 0) - FLASH)).toBeLessThan(0.04);
      // ffmpeg presents reordered pictures of fragments two frames late.
      expect(Math.abs((flashes[0] ?? 0) - FLASH)).toBeLessThan(0.1);
      expect(Math.abs((video?.[1] ?? 0) - SECONDS)).toBeLessThan(0.1);
    }
    for (const what of ['stream?codec=mpeg2', 'file?source=ts', 'captions'])
      expect([what, (await home.get(`/api/recordings/${id}/${what}`)).status]).toEqual([what, 404]);
    const sound = await home.get(`/api/recordings/${id}/file?audio=only`);
    expect(sound.headers.get('content-type')).toBe('audio/aac');
    expect((await played(await sound.bytes())).beeps).toHaveLength(1);
    const log = await (await home.get(`/api/recordings/${id}/encode-log`)).json();
    expect([...Value.Errors(EncodeLogSchema, log)]).toEqual([]);
    expect((await queue()).measured).toHaveLength(1);
    expect(await chaptersIn(made)).toEqual(['0-1000 本編', '1000-2000 CM', '2000-4004 本編']);

    // Without its original its chapters can still be corrected: inside the file, in place.
    await correctChapters(id, 1.5, 3);
    const changed = await until('a file of another tag', async () => {
      const headers = { 'if-none-match': file.headers.get('etag') ?? '' };
      const again = await home.get(`/api/recordings/${id}/file?source=alt`, { headers });
      return again.status === 200 ? again.bytes() : undefined;
    });
    expect(await chaptersIn(changed)).toEqual(['0-1500 本編', '1500-3000 CM', '3000-4004 本編']);
    // No other byte has moved.
    expect(changed.length).toBe(made.length);
    expect((await played(changed)).flashes).toEqual(shown.flashes);
    const read = async (): Promise<string[]> =>
      chaptersIn(await (await home.get(`/api/recordings/${id}/file`)).bytes());
    const remove = (): Promise<unknown> =>
      home.send('PUT', `/api/recordings/${id}/chapters`, { chapters: [] });
    await remove();
    await until('no chapters', async () => (await read()).length === 0);
    // A second time, too: each removal is another version.
    await correctChapters(id, 1, 2);
    await until('chapters', async () => (await read()).length === 3);
    await remove();
    await until('no chapters again', async () => (await read()).length === 0);
  });

  test('keeps both files and its original where requested', async () => {
    const id = put();
    const body = { codecs: 'both', keepTs: true };
    expect((await home.send('POST', `/api/recordings/${id}/encode`, body)).status).toBe(204);
    expect(await ended(id)).toMatchObject({ state: 'done' });
    const item = await home.item(id);
    expect(item?.files.map(({ source, codec }) => `${source} ${codec}`)).toEqual([
      'encoded av1',
      'alt h264',
      'ts mpeg2',
    ]);
    expect(files(id)).toEqual(['av1.mkv', 'h264.mkv', 'ts']);
  });
});

test('commercials are cut out, and all times are on the scale of the file', async () => {
  const [from, to, length] = [3_003, 6_006, 12];
  const content = await madeStream({ seconds: length, flashAt: 8, clock: 95_440 });
  const audios = [{ componentTag: 16, componentType: 2, main: true, languages: ['jpn', 'eng'], text: '' }];
  const id = home.put({ content, audios });
  home.database
    .query('UPDATE recordings SET duration_ms = 12012, resume_ms = NULL WHERE id = $id')
    .run({ id });
  const commercials = [{ start: from / 1000, end: to / 1000, title: 'CM' }];
  expect((await home.send('PUT', `/api/recordings/${id}/chapters`, { chapters: commercials })).status).toBe(
    200,
  );
  const wish = { codecs: 'h264', commercials: 'cut', quality: 'small' };
  await home.send('POST', `/api/recordings/${id}/encode`, wish);
  expect(await ended(id)).toMatchObject({ state: 'done' });
  const playback = (await (await home.get(`/api/recordings/${id}/playback`)).json()) as Playback;
  expect(Math.abs(playback.duration - (length - (to - from) / 1000))).toBeLessThan(0.05);
  expect(playback.audios.map((one) => one.id)).toEqual(['0:main', '0:sub']);
  const file = await (await home.get(`/api/recordings/${id}/file`)).bytes();
  const shown = await played(file);
  const flash = 8 - (to - from) / 1000;
  expect(Math.abs((shown.flashes[0] ?? 0) - flash)).toBeLessThan(0.034);
  expect(Math.abs((shown.beeps[0] ?? 0) - flash)).toBeLessThan(0.034);
  expect(shown.longestPicture).toBeLessThan(0.05);
  const sounds = new TextDecoder().decode(
    await outputOf(file, ...['-i', '-', '-map', '0:a', '-c', 'copy', '-f', 'ffmetadata', '-']),
  );
  expect(sounds).toContain('title=番組0');
  // A part that was cut has no chapter, captions move, and positions are in the time of the file.
  expect(await (await home.get(`/api/recordings/${id}/chapters`)).json()).toEqual({ chapters: [] });
  expect((await home.send('PUT', `/api/recordings/${id}/chapters`, { chapters: [] })).status).toBe(409);
  const page = { v: 1, plane: [960, 540], duration: null, runs: [] };
  const packed = Bun.gzipSync(JSON.stringify({ v: 1, pages: [{ at: 8, page }] }));
  home.database.query('INSERT INTO recording_captions VALUES ($id, $packed)').run({ id, packed });
  const captions = (await (await home.get(`/api/recordings/${id}/captions.json`)).json()) as CaptionsFile;
  expect(captions.pages.map(({ at }) => at)).toEqual([flash]);
  home.database.query('UPDATE recordings SET resume_ms = 8000 WHERE id = $id').run({ id });
  expect((await home.item(id))?.resumeMs).toBe(flash * 1000);
});

async function correctChapters(id: number, start: number, end: number): Promise<void> {
  const chapters = [{ start, end, title: 'CM' }];
  const corrected = await home.send('PUT', `/api/recordings/${id}/chapters`, { chapters });
  expect([corrected.status, ((await corrected.json()) as Chapters).chapters.length]).toEqual([200, 3]);
}

/** As ffmpeg reads them: `from-to title`, ms. */
async function chaptersIn(file: Uint8Array): Promise<string[]> {
  const words = ['-i', '-', '-map_chapters', '0', '-f', 'ffmetadata', '-'];
  const text = new TextDecoder().decode(await outputOf(file, ...words));
  const found = text.matchAll(/TIMEBASE=1\/(\d+)\nSTART=(\d+)\nEND=(\d+)\ntitle=(.*)/g);
  return [...found].map(([, scale, from, to, title]) => {
    const ms = (value = ''): number => Math.round((Number(value) * 1000) / Number(scale));
    return `${ms(from)}-${ms(to)} ${title}`;
  });
}

describe('the queue', () => {
  test('can be paused, reordered and cancelled, and contains a recording only once', async () => {
    expect((await home.send('PUT', '/api/encodes', { paused: true })).status).toBe(200);
    const sound = await madeStream({ seconds: 1, flashAt: 0, clock: 95_430, only: 'audio' });
    const [first, second] = [home.put({ content: sound }), home.put({ content: sound }, 1)];
    const many = await home.send('POST', '/api/encodes', { ids: [first, second, 999_999] });
    expect(await many.json()).toEqual({ queued: 2 });
    expect((await home.send('POST', `/api/recordings/${first}/encode`, { codecs: 'h264' })).status).toBe(204);
    const ids = async () => (await queue()).queue.map(({ recordingId }) => recordingId);
    expect(await ids()).toEqual([recordingId(first), recordingId(second)]);
    expect((await queue()).queue[0]?.codecs).toBe('h264');
    await home.send('PUT', '/api/encodes', { order: [second] });
    expect(await ids()).toEqual([recordingId(second), recordingId(first)]);
    expect((await home.send('DELETE', `/api/recordings/${second}/encode`)).status).toBe(204);
    expect((await home.send('DELETE', `/api/recordings/${second}/encode`)).status).toBe(204);
    expect((await home.send('DELETE', '/api/recordings/999999/encode')).status).toBe(404);
    expect(await ids()).toEqual([recordingId(first)]);
    expect((await queue()).wait).toBe('paused');
    await home.send('PUT', '/api/encodes', { paused: false });
    // That it is encoded now; what it becomes is tested above.
    expect(await ended(first)).toMatchObject({ state: 'done' });
  });

  test('keeps a recording that is in the bin, until it is deleted', async () => {
    await home.send('PUT', '/api/encodes', { paused: true });
    const id = put();
    await home.send('POST', `/api/recordings/${id}/encode`, {});
    expect((await home.send('POST', `/api/recordings/${id}/bin`, {})).status).toBe(204);
    expect((await queue()).queue).toMatchObject([{ recordingId: id, waitsFor: 'recording' }]);
    expect((await home.send('DELETE', `/api/recordings/${id}`)).status).toBe(204);
    await until('it left the queue', async () => (await queue()).queue.length === 0);
    expect((await queue()).recent[0]).toMatchObject({
      recordingId: id,
      state: 'cancelled',
      message: '録画が削除されたため、変換を中止しました。',
    });
    await home.send('PUT', '/api/encodes', { paused: false });
  });

  test('refuses what cannot be encoded, with the reason', async () => {
    const running = home.put({ state: 'recording', content: film });
    const refused = await home.send('POST', `/api/recordings/${running}/encode`);
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([409, 'conflict']);
    const failed = home.put({ state: 'failed', content: film });
    expect((await home.send('POST', `/api/recordings/${failed}/encode`)).status).toBe(409);
    expect((await queue()).queue).toEqual([]);
    expect((await home.send('POST', '/api/recordings/999999/encode')).status).toBe(404);
    expect((await home.send('POST', '/api/encodes', { ids: [1], before: 5 })).status).toBe(400);
    expect((await home.send('PUT', '/api/encodes', { paused: 'yes' })).status).toBe(400);
    const id = put();
    expect((await home.get(`/api/recordings/${id}/encode-log`)).status).toBe(404);
  });
});

test('a recording that cannot be encoded keeps its original and shows why', async () => {
  const id = home.put({ content: new Uint8Array(188 * 100).fill(0x47) });
  await home.send('POST', `/api/recordings/${id}/encode`, {});
  const reported = await until('the refusal', async () => {
    const { queue: waiting, recent } = await queue();
    return [...waiting, ...recent].find(({ recordingId, message }) => recordingId === id && message !== null);
  });
  expect(reported.message).toContain('再生できる映像や音声がありません');
  expect(files(id)).toEqual(['ts']);
});
