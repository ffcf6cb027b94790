/**
 * Recordings from the broadcast to encoded files, in a real browser: commercials are detected, the file is
 * made with and without them, and pictures, sound and captions of both at random positions match the
 * broadcast.
 */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Chapters, DetectionStatus, Encodes, Playback } from '../../lib/wire/api.ts';
import { openDatabase } from '../../src/store/database.ts';
import { momentOf } from '../../synth/clock.ts';
import { Random } from '../../synth/random.ts';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { putRecording } from '../service/recording-rows.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, sharedBrowser } from '../web/browser.ts';
import { presented, spy } from './presented.ts';
import { AirLine, RecordedAir, type Stretch } from './recorded-air.ts';
import { compare, FRAME_S, flashAt, joinAt, noErrors, plays, seekTo, worst } from './shown.ts';

/** Seeks on each of the two files; ten with `--long`. */
const SEEKS = process.env.SVC_LONG === '1' ? 10 : 2;
const MOST_SEEKS = 12;
/** Minimum of pictures whose captions are compared. */
const FEWEST_CAPTIONS = 10;
/** Seconds of the programme before and after its commercials. */
const BEFORE = 14;
const BEHIND = 14;

const air = new RecordedAir({ commercials: { everySec: 40, lengthSec: 15, sponsorSec: 0 } }, 2_200_000);
const agent = new StandInAgent();
let service: TestService;
let database: Database;
let page: Page;
let stretch: Stretch;
/** Unwrapped 90 kHz. */
let cm: { from: number; to: number };
let captions: ReturnType<RecordedAir['shown']>;
const faults: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  agent.start();
  cm = air.firstBreak(broadcastMs(Date.UTC(2026, 0, 5, 12, 10)));
  const at = broadcastMs(momentOf(cm.from) - BEFORE * 1000);
  const seconds = BEFORE + (cm.to - cm.from) / 90_000 + BEHIND;
  const environment = { TUNER_AGENT_URL: agent.url, FFMPEG_PATH: Bun.which('ffmpeg') ?? '' };
  const [webDir, made] = await Promise.all([builtWeb(), air.stretch(at, seconds)]);
  stretch = made;
  captions = air.shown(at, seconds + 10);
  service = await startTestService({ environment, webDir });
  database = openDatabase(join(service.folder, 'svc.db'));
  await until(async () => (await (await fetch(`${service.url}/api/services`)).json()).length === 2);
  page = await (await sharedBrowser()).newPage({ viewport: { width: 800, height: 600 } });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.addInitScript(spy);
});

afterAll(async () => {
  await page?.context().close();
  database?.close();
  await service?.close();
  await agent.stop();
});

async function get<T>(path: string): Promise<T> {
  return (await (await fetch(`${service.url}/api/${path}`)).json()) as T;
}

async function post(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await fetch(`${service.url}/api/${path}`, init);
  expect([path, response.ok]).toEqual([path, true]);
}

/** @returns its id, once its commercials were detected at the right positions */
async function recorded(line: AirLine): Promise<number> {
  // The database stores whole milliseconds.
  const startAt = Math.round(momentOf(stretch.from));
  const durationMs = Math.round((stretch.to - stretch.from) / 90);
  const row = { station: HOME_STATION, serviceName: '試験テレビ', name: '灯台守の日記', startAt };
  const content = { content: stretch.bytes, bytes: stretch.bytes.length };
  const folder = join(service.folder, 'recordings');
  const id = putRecording(database, { ...row, ...content, endAt: startAt + durationMs }, folder);
  database.query('UPDATE recordings SET duration_ms = $durationMs WHERE id = $id').run({ id, durationMs });
  await post(`recordings/${id}/detect`, {});
  const status = await until('its commercials were detected', async () => {
    const one = await get<DetectionStatus>(`recordings/${id}/detect`);
    return ['done', 'failed'].includes(one.state) ? one : undefined;
  });
  expect(status).toMatchObject({ state: 'done', reliable: true });
  const { chapters } = await get<Chapters>(`recordings/${id}/chapters`);
  expect(chapters.map(({ title }) => title)).toEqual(['本編', 'CM', '本編']);
  const [from, to] = [line.secondsOf(cm.from), line.secondsOf(cm.to)];
  expect(Math.abs((chapters[1]?.start ?? 0) - from)).toBeLessThan(FRAME_S + 0.001);
  expect(Math.abs((chapters[1]?.end ?? 0) - to)).toBeLessThan(FRAME_S + 0.001);
  return id;
}

async function encoded(id: number, wish: object): Promise<Playback> {
  // Encoding waits while there is a viewer.
  await page.goto('about:blank');
  await post(`recordings/${id}/encode`, { quality: 'small', ...wish });
  const item = await until('its encode', async () => {
    const { queue, recent } = await get<Encodes>('encodes');
    // A failed job is retried later.
    if (queue.some(({ message }) => message !== null))
      expect(await get(`recordings/${id}/encode-log`)).toBeNull();
    return recent.find(({ recordingId }) => recordingId === id);
  });
  expect(item).toMatchObject({ state: 'done', message: null });
  const playback = await get<Playback>(`recordings/${id}/playback`);
  expect(playback.axis).toBe('encoded');
  return playback;
}

/** A position in the file inside the programme, with a margin to observe a flash. */
function placeOf(random: Random, line: AirLine): number {
  const from = line.secondsOf(cm.from);
  const to = Number.isNaN(line.secondsOf(cm.to)) ? from : line.secondsOf(cm.to);
  const margin = 3;
  const [before, behind] = [from - margin, line.seconds - to - margin];
  const at = random.next() * (before + behind);
  return at < before ? at : to + at - before;
}

async function seeks(line: AirLine, random: Random) {
  const errors = noErrors();
  // Some positions show no caption, or one that is skipped because it changes.
  const isEnough = (): boolean => errors.captions > FEWEST_CAPTIONS;
  for (let seek = 0; seek < SEEKS || (!isEnough() && seek < MOST_SEEKS); seek += 1) {
    compare(line, await flashAt(page, placeOf(random, line), line.seconds), errors);
  }
  return errors;
}

function expectRight(name: string, errors: ReturnType<typeof noErrors>): void {
  console.log(
    `${name}: flashes at most ${worst(errors.pictures)} ms from the broadcaster's, beeps ${worst(errors.sounds)} ms ` +
      `from them, captions equal in ${errors.captions} pictures`,
  );
  expect(Math.max(...errors.pictures)).toBeLessThan(2 * FRAME_S);
  expect(Math.max(...errors.sounds)).toBeLessThan(0.06);
  expect(errors.captions).toBeGreaterThan(FEWEST_CAPTIONS);
  expect(faults).toEqual([]);
}

const clock = (): Promise<number> =>
  page.evaluate(() => document.querySelector('video')?.currentTime ?? Number.NaN);

const seed = Math.floor(Math.random() * 1e9);

test.skipIf(!hasChromium)('an encoded file shows what was broadcast, and skips its commercials', async () => {
  console.log(`seeks of seed ${seed}`);
  const line = new AirLine([stretch], captions);
  const id = await recorded(line);
  const playback = await encoded(id, { codecs: 'both', commercials: 'chapters', keepTs: false });
  expect(Math.abs(playback.duration - line.seconds)).toBeLessThan(0.1);
  expect(playback.offers.map(({ codec, way }) => `${codec} ${way}`)).toEqual(
    expect.arrayContaining(['av1 file', 'h264 file', 'av1 stream', 'h264 stream']),
  );
  await page.goto(`${service.url}/watch/${id}`);
  await plays(page);
  const errors = await seeks(line, new Random(seed));
  // The commercials are skipped automatically, and shown when the viewer seeks back to them.
  const [from, to] = [line.secondsOf(cm.from), line.secondsOf(cm.to)];
  await seekTo(page, (from - 2) / line.seconds, line.seconds);
  await page.getByText('CMをスキップしました').waitFor();
  expect(await clock()).toBeGreaterThan(to - 0.2);
  compare(line, await presented(page, 1), errors);
  const notice = page.locator('.toast', { hasText: 'CMをスキップしました' });
  await notice.getByRole('button', { name: '戻る' }).click();
  await page.waitForFunction((end) => (document.querySelector('video')?.currentTime ?? end) < end - 5, to);
  expect(await clock()).toBeGreaterThan(from - 0.2);
  expectRight('encoded, whole', errors);
});

test.skipIf(!hasChromium)('a file without its commercials shows the programme alone', async () => {
  const whole = new AirLine([stretch], captions);
  const parts = [
    { ...stretch, to: cm.from },
    { ...stretch, from: cm.to },
  ];
  const line = new AirLine(parts, captions);
  const id = await recorded(whole);
  const playback = await encoded(id, { codecs: 'h264', commercials: 'cut', keepTs: false });
  expect(Math.abs(playback.duration - line.seconds)).toBeLessThan(0.1);
  expect((await get<Chapters>(`recordings/${id}/chapters`)).chapters).toEqual([]);
  await page.goto(`${service.url}/watch/${id}`);
  await plays(page);
  const errors = await seeks(line, new Random(seed + 1));
  const [cut = 0] = line.joins;
  const seen = await joinAt(page, cut, line.seconds);
  expect(seen.ranges).toBe(1);
  compare(line, seen, errors);
  expectRight('encoded, without commercials', errors);
});
