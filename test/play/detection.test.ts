/** Commercials of recordings detected by the service in its background worker, and the status over HTTP. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import { ChangesSchema, type Chapters, DetectionSchema, type DetectionStatus } from '../../lib/wire/api.ts';
import { FFMPEG_WITHOUT_AV1 } from '../program.ts';
import { RecordedHome } from '../service/recorded-home.ts';
import { until } from '../until.ts';
import { madeBroadcast } from './made-broadcast.ts';
import { madeStream } from './made-recording.ts';

const FRAME = 1001 / 30_000;
let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start({ FFMPEG_PATH: FFMPEG_WITHOUT_AV1 });
});
afterAll(() => home.close());

async function status(id: number): Promise<DetectionStatus> {
  const response = await home.get(`/api/recordings/${id}/detect`);
  const value = (await response.json()) as DetectionStatus;
  expect([...Value.Errors(DetectionSchema, value)]).toEqual([]);
  return value;
}

async function detected(id: number): Promise<DetectionStatus> {
  expect((await home.send('POST', `/api/recordings/${id}/detect`)).status).toBe(202);
  await until('commercials were detected', async () => ['done', 'failed'].includes((await status(id)).state));
  return status(id);
}

async function chapters(id: number): Promise<Chapters['chapters']> {
  return ((await (await home.get(`/api/recordings/${id}/chapters`)).json()) as Chapters).chapters;
}

test('commercials are found to the frame, and again with corrections by users', async () => {
  const made = await madeBroadcast({ before: 30, behind: 30, spots: 2, hasLogo: true });
  const id = home.put({ content: made.content });
  expect(await detected(id)).toMatchObject({ state: 'done', reliable: true, corrected: false });
  const found = await chapters(id);
  expect(found.map(({ title }) => title)).toEqual(['本編', 'CM', '本編']);
  const cm = found[1];
  expect(Math.abs((cm?.start ?? 0) - made.commercials.from)).toBeLessThan(FRAME);
  expect(Math.abs((cm?.end ?? 0) - made.commercials.to)).toBeLessThan(FRAME);
  expect((await home.item(id))?.cmReliable).toBe(true);

  const response = await home.get(`/api/recordings/${id}/changes`);
  const changes = (await response.json()) as { changes: { at: number; kind: string }[] };
  expect([...Value.Errors(ChangesSchema, changes)]).toEqual([]);
  const near = changes.changes.filter(({ at }) => Math.abs(at - made.commercials.from) < FRAME);
  expect(near.map(({ kind }) => kind)).toEqual(['cut']);

  const before = await status(id);
  const corrected = { chapters: [{ start: made.commercials.from, end: 58, title: 'CM' }] };
  expect((await home.send('PUT', `/api/recordings/${id}/chapters`, corrected)).status).toBe(200);
  // It is analysed again automatically and teaches the detector the station's logo.
  await until('commercials were detected', async () => (await status(id)).state === 'done');
  const after = await status(id);
  expect(after).toMatchObject({ corrected: true, reliable: true });
  expect(after.version).toBeGreaterThan(before.version);
  expect((await chapters(id))[1]?.end).toBe(58);
  const learnt = home.database.query('SELECT recordings FROM learnt_logos').all();
  expect(learnt).toEqual([{ recordings: 2 }]);
});

test('where silence is the only evidence, skipping is off by default', async () => {
  const { content, commercials } = await madeBroadcast({
    before: 12,
    behind: 12,
    spots: 3,
    hasLogo: false,
  });
  const id = home.put({ content });
  expect(await detected(id)).toMatchObject({ state: 'done', reliable: false });
  const cm = (await chapters(id)).find(({ title }) => title === 'CM');
  expect(Math.abs((cm?.start ?? 0) - commercials.from)).toBeLessThan(FRAME);
  expect((await home.item(id))?.cmReliable).toBe(false);
});

test('a recording that cannot be examined gives the reason', async () => {
  const reason = async (content: Uint8Array): Promise<string | null> =>
    (await detected(home.put({ content }))).reason;
  expect(await reason(new Uint8Array(0))).toBe('no_file');
  expect(await reason(new Uint8Array(188 * 50).fill(0x55))).toBe('no_file');
  const sound = await madeStream({ seconds: 25, flashAt: 1, clock: 10, only: 'audio' });
  expect(await reason(sound)).toBe('no_video');
  const short = await madeStream({ seconds: 3, flashAt: 1, clock: 10 });
  expect(await reason(short)).toBe('too_short');
  const silent = await madeStream({ seconds: 25, flashAt: 1, clock: 10, only: 'video' });
  expect(await reason(silent)).toBe(null);
  expect(await reason(silent.slice(0, Math.floor(silent.length * 0.97) - 55))).toBe(null);
  expect((await home.send('POST', '/api/recordings/999999/detect')).status).toBe(404);
  const growing = home.put({ content: short, state: 'recording' });
  expect((await home.send('POST', `/api/recordings/${growing}/detect`)).status).toBe(409);
  const failed = home.put({ content: short, state: 'failed' });
  expect((await home.send('POST', `/api/recordings/${failed}/detect`)).status).toBe(409);
});
