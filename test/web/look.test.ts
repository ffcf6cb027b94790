/** Every screen, measured: on the smallest phone, with the largest letters, by day and by night. */
import { beforeEach, describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { momentOf } from './clock.ts';
import { tooSmall, tooWide, violations } from './look.ts';
import { furnish, hasChromium, type WebRig, webRig } from './rig.ts';
import { furnishAll, SCREENS, STATIONS } from './screens.ts';

/**
 * Opens each screen once, by its address within the page as a press of a link would, and measures it.
 */
async function eachScreen(
  rig: WebRig,
  options: BrowserContextOptions,
  look: (page: Page) => Promise<string[]>,
): Promise<void> {
  const page = await rig.open('nowhere', options);
  const found: string[] = [];
  for (const [path, ready] of SCREENS) {
    // By way of an address without a screen, so that nothing of the last one is taken for the next.
    for (const address of ['nowhere', path]) {
      await page.evaluate(async (to) => {
        history.pushState(null, '', new URL(to, document.baseURI));
        dispatchEvent(new PopStateEvent('popstate'));
        await new Promise(requestAnimationFrame);
      }, address);
    }
    await page.locator(ready).first().waitFor();
    await page.evaluate(() => document.fonts.ready);
    for (const line of await look(page)) found.push(`${path}: ${line}`);
  }
  expect(found).toEqual([]);
}

const SMALL = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true } as const;

/** What a guide, a timetable and a week show is as tall as it is long. */
const tooSmallHere = (page: Page): Promise<string[]> => tooSmall(page, '.prog, .bar, .shelf, .week-part');

/** In both themes: what axe-core finds, faint letters among it. */
async function inaccessible(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    for (const line of await violations(page)) found.push(`${colorScheme}: ${line}`);
  }
  return found;
}

const onPhone = async (page: Page): Promise<string[]> => [
  ...(await tooWide(page)),
  ...(await tooSmallHere(page)),
  ...(await inaccessible(page)),
];

describe.skipIf(!hasChromium)('every screen', () => {
  const rig = webRig({ stations: STATIONS });
  beforeEach(() => furnishAll(rig));

  test(
    'fits the smallest phone, with touch targets and contrast that suffice',
    () => eachScreen(rig, SMALL, onPhone),
    300_000,
  );
  test('has sufficient contrast on a wide screen', () => eachScreen(rig, {}, inaccessible), 300_000);
});

describe.skipIf(!hasChromium)('text at twice the size', () => {
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
      await eachScreen(rig, SMALL, onPhone);
      await eachScreen(rig, {}, inaccessible);
    }, 300_000);
  }
});
