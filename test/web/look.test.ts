/** Measures every screen: on the smallest phone, with the largest text, in light and dark theme. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { momentOf } from './clock.ts';
import { tooSmall, tooWide, violations } from './look.ts';
import { fillService, hasChromium, type WebRig, webRig } from './rig.ts';
import { fillEverything, SCREENS, STATIONS, showScreen } from './screens.ts';

/** Opens each screen once and measures it. */
async function eachScreen(
  rig: WebRig,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<string[]>,
): Promise<void> {
  const page = await rig.open('nowhere', options);
  const found: string[] = [];
  for (const [path, ready] of SCREENS) {
    await showScreen(page, path, ready);
    await page.evaluate(() => document.fonts.ready);
    for (const line of await look(page)) found.push(`${path}: ${line}`);
  }
  expect(found).toEqual([]);
}

const SMALL = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true } as const;

/** Elements whose size represents a duration may be small. */
const tooSmallHere = (page: Page): Promise<string[]> => tooSmall(page, '.prog, .bar, .cell-list, .week-part');

/** Violations found by axe-core. The dark theme differs in colours alone: only contrast is checked again. */
async function inaccessible(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await violations(page, ['color-contrast']);
  return [...light.map((line) => `light: ${line}`), ...dark.map((line) => `dark: ${line}`)];
}

const onPhone = async (page: Page): Promise<string[]> => [
  ...(await tooWide(page)),
  ...(await tooSmallHere(page)),
  ...(await inaccessible(page)),
];

describe.skipIf(!hasChromium)('every screen', () => {
  const rig = webRig({ stations: STATIONS });
  beforeEach(() => fillEverything(rig));

  test('fits the smallest phone, with sufficient touch targets and contrast', () =>
    eachScreen(rig, SMALL, onPhone));
  test('has sufficient contrast on a wide screen', () => eachScreen(rig, {}, inaccessible));
});

describe.skipIf(!hasChromium)('text at twice the size', () => {
  const rig = webRig({ stations: STATIONS, letters: 32 });
  beforeEach(() => fillEverything(rig));

  test('no screen is wider than the smallest phone', () => eachScreen(rig, SMALL, tooWide));
  test('no screen is wider than a laptop', () => eachScreen(rig, {}, tooWide));
});

/** Moments at which a screen is most unusual: at the end of something, at the begin of a day or year. */
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

describe.skipIf(!hasChromium || process.env.SVC_LONG !== '1')('at special times of day and year', () => {
  const rig = webRig({ stations: STATIONS });

  for (const moment of MOMENTS) {
    test(`every screen at ${moment}`, async () => {
      rig.clock.set(momentOf(moment));
      fillService(rig, STATIONS);
      fillEverything(rig);
      await eachScreen(rig, SMALL, onPhone);
      await eachScreen(rig, {}, inaccessible);
    });
  }
});
