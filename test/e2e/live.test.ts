/**
 * The first whole way of a byte: `npm run demo` from the built executables to a moving, sounding picture in a real
 * browser, for a terrestrial station on localhost and a satellite one on a plain-http host name.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Station } from '../../wire/api.ts';
import { type Demo, startDemo } from './demo.ts';
import { flashToBeep, recordAppends, watch } from './watch.ts';

/** The first start encodes the broadcast's films; later ones take seconds. */
const DEMO_TIMEOUT_MS = 600_000;
const ENOUGH = { flashes: 5, pictures: 60, limitMs: 60_000 };
const HOST = 'minipc.test';

let demo: Demo;
let browser: Browser;
let stations: Station[];

beforeAll(async () => {
  demo = await startDemo();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--host-resolver-rules=MAP ${HOST} 127.0.0.1`,
    ],
  });
  const response = await fetch(`${demo.url}api/services`);
  stations = (await response.json()) as Station[];
}, DEMO_TIMEOUT_MS);

afterAll(async () => {
  await browser?.close();
  await demo?.interrupt();
}, 30_000);

function firstOf(type: Station['type']): Station {
  const station = stations.find((one) => one.type === type);
  if (station === undefined) throw new Error(`no ${type} station`);
  return station;
}

/** Opens the station as a person does, turns the sound on, and waits until it plays. */
async function play(page: Page, base: string, station: Station): Promise<void> {
  await page.addInitScript(recordAppends);
  await page.goto(`${base}live/${station.id}`);
  await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0, undefined, {
    timeout: 30_000,
  });
  const sound = page.getByRole('button', { name: /音を出す/ });
  if (await sound.isVisible()) await sound.click();
  await page.waitForFunction(() => {
    const video = document.querySelector('video');
    return video !== null && !video.muted && !video.paused && video.readyState >= 3;
  });
}

describe('the demo', () => {
  test('lists the stations of the air', () => {
    expect(stations.filter((one) => one.type === 'GR').length).toBeGreaterThanOrEqual(5);
    expect(stations.filter((one) => one.type === 'BS').length).toBeGreaterThanOrEqual(8);
    expect(stations.filter((one) => one.type === 'CS').length).toBeGreaterThanOrEqual(4);
  });

  for (const [type, place] of [
    ['GR', 'localhost'],
    ['BS', HOST],
  ] as const) {
    test(`${type} on http://${place}: moving picture, sound, flash and beep within 40 ms`, async () => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      try {
        await play(page, demo.url.replace('localhost', place), firstOf(type));
        expect(await page.evaluate(() => isSecureContext)).toBe(place === 'localhost');
        const seen = await watch(page, ENOUGH);
        expect(seen.width).toBeGreaterThanOrEqual(720);
        expect(seen.pictures).toBeGreaterThanOrEqual(ENOUGH.pictures);
        expect(seen.loudest).toBeGreaterThan(0.02);
        // Live: it cannot run faster than the broadcast, but for catching up.
        expect(seen.played / seen.elapsed).toBeLessThan(1.15);
        const distances = flashToBeep(seen);
        expect(distances.length).toBeGreaterThanOrEqual(ENOUGH.flashes);
        console.log(
          `${type}: ${seen.width}x${seen.height}, ${seen.pictures} pictures, flash to beep at most ` +
            `${Math.round(Math.max(...distances) * 1000)} ms of ${distances.length}`,
        );
        expect(Math.max(...distances)).toBeLessThan(0.04);
        expect(problems).toEqual([]);
      } finally {
        await page.close();
      }
    }, 150_000);
  }

  test('ends cleanly on Ctrl-C and leaves no program behind', async () => {
    const url = demo.url;
    expect(await demo.interrupt()).toBe(0);
    await expect(fetch(`${url}api/health`)).rejects.toThrow();
  }, 30_000);
});
