/**
 * Watching recordings in a real browser, from the file to the screen: pictures, sound and captions at random
 * positions, across a gap, from one file to the next, and while it is recorded, compared with the broadcast
 * at these moments.
 */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import { openDatabase } from '../../src/store/database.ts';
import { Random } from '../../synth/random.ts';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { putRecording, type RecordingRow } from '../service/recording-rows.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, sharedBrowser } from '../web/browser.ts';
import { presented, spy } from './presented.ts';
import { AirLine, RecordedAir, type Stretch } from './recorded-air.ts';
import { compare, FRAME_S, flashAt, joinAt, noErrors, plays, seekTo, worst } from './shown.ts';

const AT = broadcastMs(Date.UTC(2026, 0, 5, 12, 10));
/**
 * Seconds of the broadcast that are recorded: there is a gap between the first two, and the last is a
 * separate file.
 */
const STRETCHES = [
  [0, 24],
  [47, 24],
  [90, 20],
] as const;
const SEEKS = process.env.SVC_LONG === '1' ? 20 : 5;
/** Length of the chased recording, and how much of it exists at first. */
const SECONDS = 30;
const THERE = 16;
/** How long before their programme the recordings of a test begin. */
const LEAD_MS = 10_000;

const air = new RecordedAir();
const agent = new StandInAgent();
let service: TestService;
let database: Database;
let stretches: Stretch[];
let line: AirLine;
let page: Page;
const faults: string[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  agent.start();
  const environment = { TUNER_AGENT_URL: agent.url, FFMPEG_PATH: Bun.which('ffmpeg') ?? '' };
  const [webDir, ...made] = await Promise.all([
    builtWeb(),
    ...STRETCHES.map(([from, seconds]) => air.stretch(broadcastMs(AT + from * 1000), seconds)),
  ]);
  stretches = made;
  line = new AirLine(stretches, air.shown(AT, 120));
  service = await startTestService({ environment, webDir });
  database = openDatabase(join(service.folder, 'svc.db'));
  await until(async () => (await (await fetch(`${service.url}/api/services`)).json()).length === 2);
  const browser = await sharedBrowser();
  page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.addInitScript(spy);
});

afterAll(async () => {
  await page?.context().close();
  database?.close();
  await service?.close();
  await agent.stop();
});

beforeEach(() => {
  faults.length = 0;
});

/** A recording begins 10 s before its programme. @param content of its first file */
function put(content: Uint8Array, row: Pick<RecordingRow, 'state' | 'startAt' | 'verdict'>): number {
  const named = { station: HOME_STATION, serviceName: '試験テレビ', name: '灯台守の日記', content };
  const endAt = row.startAt + 120_000;
  return putRecording(database, { ...named, ...row, endAt }, join(service.folder, 'recordings'));
}

const octets = (...parts: readonly (Stretch | undefined)[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts.map((part) => part?.bytes ?? new Uint8Array(0))));

/** Two files; the first has a gap. */
function interrupted(): number {
  const [first, second, third] = stretches;
  const gaps = [{ startMs: 24_000 - LEAD_MS, endMs: 47_000 - LEAD_MS, cause: 'stalled' as const }];
  const verdict = { level: 'damaged' as const, drops: 0, gaps, headMs: LEAD_MS, tailMs: 0 };
  const id = put(octets(first, second), { startAt: AT + LEAD_MS, verdict });
  const path = join(service.folder, 'recordings', 'second.ts');
  writeFileSync(path, octets(third));
  database
    .query('INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES ($id, 2, $path, $bytes)')
    .run({ id, path, bytes: third?.bytes.length ?? 0 });
  database
    .query(
      `INSERT INTO recording_seams SELECT recording_id, path, $position, 'resumed', $at
       FROM recording_parts WHERE recording_id = $id AND part = 1`,
    )
    .run({ id, position: first?.bytes.length ?? 0, at: AT + 47_000 });
  return id;
}

test.skipIf(!hasChromium)('random seeks, a gap and a join show the pictures broadcast there', async () => {
  const id = interrupted();
  await page.goto(`${service.url}/watch/${id}`);
  await plays(page);
  const errors = noErrors();
  const seed = Math.floor(Math.random() * 1e9);
  console.log(`seeks of seed ${seed}`);
  const random = new Random(seed);
  for (let seek = 0; seek < SEEKS; seek += 1)
    compare(line, await flashAt(page, random.next() * 0.94 * line.seconds, line.seconds), errors);
  const [gap = 0, join = 0] = line.joins;
  expect(await page.locator('.seek-gap').count()).toBeGreaterThanOrEqual(1);
  for (const place of [gap, join]) {
    const seen = await joinAt(page, place, line.seconds);
    expect(seen.ranges).toBe(1);
    compare(line, seen, errors);
  }
  // The same position again in AV1 and Opus, where this machine encodes it in real time.
  const request = page.waitForRequest((asked) => asked.url().includes('codec=av1')).catch(() => undefined);
  await page.getByRole('button', { name: '字幕・画質・操作の設定' }).click();
  await page.getByRole('button', { name: /^画質/u }).click();
  await page.getByRole('radio', { name: /^H\.264/u }).waitFor();
  const av1 = page.getByRole('radio', { name: /^AV1/u });
  if ((await av1.count()) > 0) {
    await av1.click();
    expect(await request).toBeDefined();
    await plays(page);
    await seekTo(page, 0.2, line.seconds);
    compare(line, await presented(page, 2), errors);
  }
  console.log(
    `recording: flashes at most ${worst(errors.pictures)} ms from the broadcaster's, beeps ${worst(errors.sounds)} ms ` +
      `from them, captions equal in ${errors.captions} pictures`,
  );
  expect(Math.max(...errors.pictures)).toBeLessThan(2 * FRAME_S);
  expect(Math.max(...errors.sounds)).toBeLessThan(0.06);
  expect(errors.captions).toBeGreaterThan(30);
  expect(faults).toEqual([]);
});

test.skipIf(!hasChromium)(
  'chase shows the broadcast pictures at the start, at the edge and to the end',
  async () => {
    const whole = await air.stretch(AT, SECONDS);
    line = new AirLine([whole], air.shown(AT, 60));
    const perSecond = whole.bytes.length / SECONDS;
    const bytesUntil = (seconds: number): number => Math.floor((seconds * perSecond) / 188) * 188;
    let written = bytesUntil(THERE);
    const id = put(whole.bytes.slice(0, written), { state: 'recording', startAt: Date.now() });
    const path =
      database
        .query<{ path: string }, { id: number }>('SELECT path FROM recording_parts WHERE recording_id = $id')
        .get({ id })?.path ?? '';
    const began = performance.now();
    // Like a recorder: writes the data received since, twice a second.
    const writer = setInterval(() => {
      const to = Math.min(whole.bytes.length, bytesUntil(THERE + (performance.now() - began) / 1000));
      if (to > written) appendFileSync(path, whole.bytes.subarray(written, to));
      written = Math.max(written, to);
    }, 500);
    try {
      const errors = noErrors();
      await page.goto(`${service.url}/chase/${id}`);
      await plays(page);
      compare(line, await presented(page, 2), errors);
      await page.keyboard.press('End');
      await page.waitForFunction(() => {
        const video = document.querySelector('video');
        return video !== null && !video.seeking && video.readyState >= 3 && video.currentTime > 8;
      });
      const edge = await presented(page, 4);
      compare(line, edge, errors);
      const behind = THERE + (performance.now() - began) / 1000 - (edge.flashes.at(-1) ?? 0);
      expect(edge.ranges).toBeGreaterThanOrEqual(1);
      console.log(
        `chase: flashes at most ${worst(errors.pictures)} ms from the broadcaster's, beeps ${worst(errors.sounds)} ms ` +
          `from them, captions equal in ${errors.captions} pictures, ${behind.toFixed(1)} s behind the writer`,
      );
      expect(Math.max(...errors.pictures)).toBeLessThan(2 * FRAME_S);
      expect(Math.max(...errors.sounds)).toBeLessThan(0.06);
      expect(errors.captions).toBeGreaterThan(30);
      await until('everything is written', async () =>
        written >= whole.bytes.length - 188 ? true : undefined,
      );
      database.run("UPDATE recordings SET state = 'recorded', duration_ms = 30000 WHERE id = ?", [id]);
      // A mark sends an event about the recording to every page.
      await fetch(`${service.url}/api/recordings/${id}/resume`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ at: 5, length: 30, source: 'ts' }),
      });
      await page.locator('.watch-offer', { hasText: '録画が終わりました' }).waitFor();
      for (let press = 0; press < 4; press += 1) await page.keyboard.press('>');
      compare(line, await presented(page, 40, 10_000), errors);
      const end = await page.evaluate(() => {
        const video = document.querySelector('video');
        return video === null ? undefined : { ended: video.ended, at: video.currentTime };
      });
      expect(end?.ended).toBe(true);
      expect(Math.abs((end?.at ?? 0) - line.seconds)).toBeLessThan(0.2);
      expect(faults).toEqual([]);
    } finally {
      clearInterval(writer);
    }
  },
);
