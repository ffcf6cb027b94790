/**
 * `npm run pictures`: screenshots of the product for README and `docs/`, taken from the demo on the synthetic
 * broadcast. Run it after a visible change; the files are small (WebP) and replaced in place.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { Recording } from '../../lib/wire/api.ts';
import { startDemo } from './demo.ts';
import { endRecording, JSON_BODY, json, startRecording, stationToRecord, until } from './recorded.ts';

const ROOT = join(import.meta.dir, '..', '..');
const OUT = join(ROOT, 'docs', 'pictures');
const QUALITY = '78';
const DESK = { viewport: { width: 1280, height: 800 } } as const;
const PHONE = {
  viewport: { width: 390, height: 780 },
  hasTouch: true,
  isMobile: true,
  deviceScaleFactor: 1.5,
};
/** Length of the recording on the screenshots. */
const RECORDED_BYTES = 12_000_000;
const GUIDE_LIMIT_MS = 180_000;
const GUIDE_MS = 5 * 24 * 3_600_000;

interface Guide {
  readonly stations: readonly { readonly filledUntil: number | null }[];
}

interface Listing {
  readonly programs: readonly { readonly title: string }[];
}

/** The most frequent word in programme titles, for a rule that finds something. */
async function commonWord(base: string): Promise<string> {
  const now = Date.now();
  const window = await json<Listing[]>(`${base}api/guide?type=GR&from=${now}&to=${now + GUIDE_MS}`);
  const counts = new Map<string, number>();
  for (const { title } of window.flatMap(({ programs }) => programs)) {
    for (const [word] of title.matchAll(/[\p{Script=Han}\p{Script=Katakana}ー]{3,8}/gu)) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a);
  if (most === undefined) throw new Error('no title in the guide');
  return most[0];
}

/**
 * Fills the demo like a household in use: a full guide, a recording with its verdict, a rule that reserves.
 */
async function fillDemo(base: string): Promise<{ recording: Recording; word: string }> {
  await until('the guide is filled', GUIDE_LIMIT_MS, async () => {
    const { stations } = await json<Guide>(`${base}api/guide/status`);
    const filled = stations.filter(({ filledUntil }) => filledUntil !== null);
    return filled.length > stations.length * 0.8 ? true : undefined;
  });
  const recording = await startRecording(base, (await stationToRecord(base)).id);
  const word = await commonWord(base);
  await json(`${base}api/rules`, {
    headers: JSON_BODY,
    method: 'POST',
    body: JSON.stringify({ keyword: word, name: word }),
  });
  await until('there is enough to watch', GUIDE_LIMIT_MS, async () => {
    const list = await json<Recording[]>(`${base}api/recordings`);
    return list.find(({ id, bytes }) => id === recording.id && bytes > RECORDED_BYTES);
  });
  return { recording: await endRecording(base, recording), word };
}

interface Picture {
  readonly name: string;
  readonly path: string;
  /** Condition before the screenshot is taken. */
  readonly ready: string;
  readonly options: BrowserContextOptions;
  readonly dark?: boolean;
  readonly act?: (page: Page) => Promise<void>;
}

/** Waits until the picture moves and its controls are visible, and stops it. */
async function playing(page: Page): Promise<void> {
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 3, undefined, {
    timeout: 60_000,
  });
  await page.mouse.move(400, 420);
  await page.mouse.move(420, 440);
  await page.evaluate(() => document.querySelector('video')?.pause());
}

function picturesOf(recording: Recording, word: string): Picture[] {
  const both = (name: string, picture: Omit<Picture, 'name' | 'dark'>): Picture[] => [
    { ...picture, name },
    { ...picture, name: `${name}-dark`, dark: true },
  ];
  return [
    ...both('home', { path: '', ready: 'a.card .card-still img >> nth=5', options: DESK }),
    ...both('guide', { path: 'guide', ready: '.prog-live', options: DESK }),
    ...both('live', { path: `live/${recording.serviceId}`, ready: 'video', options: DESK, act: playing }),
    ...both('rule', {
      path: `rules?new&keyword=${encodeURIComponent(word)}`,
      ready: '.preview-row',
      options: DESK,
    }),
    ...both('recording', {
      path: `recordings?recording=${recording.id}`,
      ready: '.program-summary',
      options: DESK,
    }),
    { name: 'watch', path: `watch/${recording.id}`, ready: 'video', options: DESK, act: playing },
    { name: 'week', path: 'reservations?view=week', ready: '.week-part', options: DESK },
    ...both('phone', { path: '', ready: 'a.card .card-still img >> nth=5', options: PHONE }),
    { name: 'phone-guide', path: 'guide', ready: '.prog-live', options: PHONE },
  ];
}

async function take(browser: Browser, base: string, picture: Picture, folder: string): Promise<void> {
  const context = await browser.newContext({
    ...picture.options,
    colorScheme: picture.dark === true ? 'dark' : 'light',
  });
  try {
    const page = await context.newPage();
    await page.goto(base + picture.path);
    // A picture of every station, which only unused tuners take, comes within two minutes.
    await page.locator(picture.ready).first().waitFor({ timeout: 180_000 });
    await picture.act?.(page);
    // Logos and posters appear after the texts.
    await page.waitForFunction(() =>
      [...document.images].every((image) => image.complete || image.loading === 'lazy'),
    );
    const png = join(folder, `${picture.name}.png`);
    await page.screenshot({ path: png, animations: 'disabled' });
    const command = ['-v', 'error', '-y', '-i', png, '-c:v', 'libwebp', '-quality', QUALITY];
    const made = Bun.spawnSync(['ffmpeg', ...command, join(OUT, `${picture.name}.webp`)]);
    if (made.exitCode !== 0) throw new Error(`${picture.name}: ${made.stderr.toString()}`);
    console.log(`docs/pictures/${picture.name}.webp`);
  } finally {
    await context.close();
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pictures-'));
  mkdirSync(OUT, { recursive: true });
  const demo = await startDemo();
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  try {
    const { recording, word } = await fillDemo(demo.url);
    for (const picture of picturesOf(recording, word)) await take(browser, demo.url, picture, folder);
  } finally {
    await browser.close();
    await demo.interrupt();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await main();
