/** Every screen, measured: on the smallest phone, with the largest letters, by day and by night. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { momentOf } from './clock.ts';
import { busyEvening, newBookings } from './fake-bookings.ts';
import { manyStations } from './fake-guide.ts';
import { manyRecordings, newRecordings, runningRecording } from './fake-recordings.ts';
import { addRule } from './fake-rules.ts';
import { tooFaint, tooSmall, tooWide } from './look.ts';
import { furnish, hasChromium, type WebRig, webRig } from './rig.ts';

const STATIONS = manyStations([12, 8, 4]);
const LONG = `土曜スペシャル　全国うまいもの大紀行${'　港町の朝市と名物駅弁を巡る三千キロの旅'.repeat(3)}`;

/** Address and what is there once it can be looked at. */
const SCREENS = [
  ['', '.card'],
  ['guide', '.prog'],
  ['reservations', '.booking'],
  ['reservations?filter=conflict', '.conflict'],
  ['reservations?view=day', '.bar'],
  ['recordings', '.rec-title'],
  ['recordings?show=failed', '.panel, .rec-title'],
  ['recordings?recording=4', '.program-summary'],
  ['recordings?recording=900', '.program-summary'],
  ['rules', '.rule'],
  ['rules?rule=1', '.rule-page'],
  ['rules?new&keyword=%E7%81%AF%E5%8F%B0%E5%AE%88', '.preview-row'],
  ['search?q=%E7%81%AF%E5%8F%B0%E5%AE%88', '.row'],
  ['settings', '.field, .setting, h2'],
  ['tuners', '.tuner'],
] as const;

function furnishAll({ service }: WebRig): void {
  const now = Date.now();
  const [station] = STATIONS;
  if (station === undefined) throw new Error('no station');
  const list = manyRecordings(STATIONS, 60, now).map((one) =>
    one.id === 2 ? { ...one, name: LONG, title: LONG } : one,
  );
  const { house } = service;
  house.recordings = newRecordings([...list, runningRecording(900, station, now)]);
  const evening = busyEvening(STATIONS, now);
  house.bookings = newBookings(
    evening.map((item) => (item.id === 2 ? { ...item, name: LONG, title: LONG } : item)),
  );
  addRule(house.rules, { keyword: '灯台守', name: '灯台守の娘' });
  addRule(house.rules, { keyword: '駅弁', name: LONG, enabled: false });
}

async function eachScreen(
  rig: WebRig,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<string[]>,
): Promise<void> {
  const page = await rig.open('nowhere', options);
  const found: string[] = [];
  for (const [path, ready] of SCREENS) {
    await page.goto(rig.service.url + path);
    await page.locator(ready).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    for (const line of await look(page)) found.push(`${path}: ${line}`);
  }
  expect(found).toEqual([]);
}

const SMALL = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true } as const;

/** What a guide and a timetable show is as tall as it is long. */
const tooSmallHere = (page: Page): Promise<string[]> => tooSmall(page, '.prog, .bar, .shelf');

describe.skipIf(!hasChromium)('letters of the usual size', () => {
  const rig = webRig({ stations: STATIONS });
  beforeEach(() => furnishAll(rig));

  test('on the smallest phone nothing is wider than the screen', () => eachScreen(rig, SMALL, tooWide));

  test('fingers find what is to be pressed', () => eachScreen(rig, SMALL, tooSmallHere));

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`letters stand out from what is under them (${colorScheme})`, () =>
      eachScreen(rig, { colorScheme }, tooFaint));
  }
});

describe.skipIf(!hasChromium)('letters twice as large', () => {
  const rig = webRig({ stations: STATIONS, letters: 32 });
  beforeEach(() => furnishAll(rig));

  test('no screen is wider than the smallest phone', () => eachScreen(rig, SMALL, tooWide));
  test('no screen is wider than a laptop', () => eachScreen(rig, {}, tooWide));
});

/** Where a screen looks its oddest: little left of something, a day or year that begins, nothing before or after. */
const MOMENTS = [
  '2026-11-22T04:58:30',
  '2026-11-22T05:00:00',
  '2026-11-22T07:29:50',
  '2026-11-22T12:04:00',
  '2026-11-22T18:58:40',
  '2026-11-22T23:59:30',
  '2026-11-30T23:29:00',
  '2026-12-31T22:58:20',
  '2027-01-01T00:00:00',
  '2028-02-29T02:30:00',
];

describe.skipIf(!hasChromium || process.env.SVC_LONG !== '1')('round the clock', () => {
  const rig = webRig({ stations: STATIONS });

  for (const moment of MOMENTS) {
    test(`every screen at ${moment}`, async () => {
      rig.clock.set(momentOf(moment));
      furnish(rig, STATIONS);
      furnishAll(rig);
      const onPhone = async (page: Page): Promise<string[]> => [
        ...(await tooWide(page)),
        ...(await tooSmallHere(page)),
        ...(await tooFaint(page)),
      ];
      await eachScreen(rig, SMALL, onPhone);
      await eachScreen(rig, { colorScheme: 'light' }, tooFaint);
      await eachScreen(rig, { colorScheme: 'dark' }, tooFaint);
    }, 120_000);
  }
});
