/**
 * How long a viewer in headless Chromium waits for the data broadcast's page of the place to which a recording is sought,
 * with a station's usual amount of modules. The service is a stand-in: what it reads from disk is not measured.
 *
 *   npm run bench data-seek
 */
import type { Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { builtWeb, sharedBrowser } from '../web/browser.ts';
import { makeStream } from '../web/fake-air.ts';
import { manyStations } from '../web/fake-guide.ts';
import { fakeRecording, newRecordings } from '../web/fake-recordings.ts';
import { FakeService } from '../web/fake-service.ts';
import { placeOf, recordedScores } from '../web/recorded-pages.ts';
import { Figures, quantile } from './guide/figures.ts';

const SEEKS = Number(process.argv[2] ?? 60);
const MAX_P95_MS = 1000;
const OTHER_OCTETS = 4_000_000;
const EVERY_S = 2;
const LENGTH_S = 30;
const PLACES = Array.from({ length: LENGTH_S / EVERY_S + 1 }, (_, score) => placeOf(score));

interface Measured {
  readonly document: number;
  readonly picture: number;
}

type Measuring = typeof globalThis & { svcMeasured: Promise<Measured> };

/** From the key to the page of the place, and to the picture, ms. */
async function seek(page: Page, key: number): Promise<Measured> {
  await page.evaluate(
    ({ target, places, every }) => {
      const { promise, resolve } = Promise.withResolvers<Measured>();
      (globalThis as Measuring).svcMeasured = promise;
      let pressedAt = Number.NaN;
      let picture: number | undefined;
      addEventListener('keydown', ({ timeStamp }) => (pressedAt = timeStamp), { capture: true, once: true });
      const look = (): void => {
        const video = document.querySelector('video');
        const place = Number(
          document.querySelector<HTMLElement>('.stage')?.style.getPropertyValue('--hole-x'),
        );
        const at = video?.currentTime ?? 0;
        const passed = performance.now() - pressedAt;
        const isThere = passed >= 0 && Math.abs(at - target) < every && video?.seeking === false;
        if (isThere) picture ??= passed;
        const isRight = Math.abs(place - (places[Math.floor(at / every)] ?? -1)) < 0.001;
        if (isThere && isRight) resolve({ document: passed, picture: picture ?? passed });
        else requestAnimationFrame(look);
      };
      look();
    },
    { target: key * 3, places: PLACES, every: EVERY_S },
  );
  await page.keyboard.press(String(key));
  return await page.evaluate(() => (globalThis as Measuring).svcMeasured);
}

const [webDir, stream, browser] = await Promise.all([builtWeb(), makeStream(), sharedBrowser()]);
const stations = manyStations([4, 0, 0]);
const [station] = stations;
if (station === undefined) throw new Error('no station');
const service = new FakeService(webDir, stream, stations, '/tv/', 0);
const startAt = broadcastMs(Date.now() - 86_400_000);
const recording = {
  ...fakeRecording(1, station, Date.now()),
  id: recordingId(1),
  startAt,
  durationMs: LENGTH_S * 1000,
};
service.household.recordings = newRecordings([{ ...recording, resumeMs: null, watchedAt: null }], stream);
service.household.recordings.playback.data = recordedScores({
  ...{ length: LENGTH_S, every: EVERY_S, startAt, otherOctets: OTHER_OCTETS },
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(`${service.url}watch/1?t=5`);
await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 5.2);
await page.keyboard.press('d');
await page.locator('.stage[data-page="shown"][data-hole="part"]').waitFor();
const times: number[] = [];
const pictures: number[] = [];
for (let n = 0; n < SEEKS; n++) {
  // Far enough from each other that nothing of it was read ahead.
  const { document, picture } = await seek(page, [1, 6, 2, 8, 4, 9, 0, 5][n % 8] ?? 0);
  times.push(document);
  pictures.push(picture);
  await page.waitForTimeout(400);
}
await page.close();
await service.close();
const figures = new Figures();
console.log(
  `${SEEKS} seeks, ${OTHER_OCTETS / 1e6} MB of modules: median ${quantile(times, 0.5).toFixed(0)} ms, longest ` +
    `${quantile(times, 1).toFixed(0)} ms; to the picture: median ${quantile(pictures, 0.5).toFixed(0)} ms`,
);
figures.limited('seek to page, p95', quantile(times, 0.95), 'ms', MAX_P95_MS);
process.exit(figures.failed ? 1 : 0);
