/** Parts of the page that are loaded on demand: late, not at all, or of a build that the service no longer has. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { manyStations } from './fake-guide.ts';
import { EMPTY_PAGE } from './fake-service.ts';
import { faultsOf, hasChromium, webRig } from './rig.ts';

const SCREEN = /\/recordings-screen-[a-z0-9]{8}\.js$/u;
const STYLES = /\/recordings-[a-z0-9]{8}\.css$/u;

describe.skipIf(!hasChromium)('a part of the page', () => {
  const rig = webRig({ stations: manyStations([4, 0, 0]) });

  /** The home screen, where `prepare` comes before the first request. */
  async function home(prepare: (page: Page) => Promise<unknown>): Promise<Page> {
    const page = await rig.open(EMPTY_PAGE);
    await prepare(page);
    await page.goto(rig.service.url);
    await page.locator('a.card').first().waitFor();
    return page;
  }
  const press = (page: Page) => page.locator('.rail-item', { hasText: '録画' }).click();

  test('that is late shows its frame at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const page = await home((one) =>
      one.route(SCREEN, async (route) => {
        await promise;
        await route.continue();
      }),
    );
    const faults = faultsOf(page);
    await press(page);
    await page.locator('h1', { hasText: '録画' }).waitFor();
    await page.getByText('読み込んでいます').waitFor();
    expect(await page.locator('.rail-item[aria-current]').textContent()).toBe('録画');
    resolve();
    await page.locator('.recordings').waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
    expect(faults).toEqual([]);
  });

  for (const [kind, file] of [
    ['script', SCREEN],
    ['style sheet', STYLES],
  ] as const) {
    test(`whose ${kind} cannot be fetched says so, and comes when it is tried again`, async () => {
      const page = await home((one) => one.route(file, (route) => route.abort()));
      await press(page);
      await page.getByText('画面を読み込めませんでした').waitFor();
      await page.unroute(file);
      await page.getByRole('button', { name: '再試行' }).click();
      await page.locator('.recordings').waitFor();
    });
  }

  /** The service's page names another script than the one that runs, except when it is loaded. */
  async function replaced(page: Page): Promise<void> {
    await page.route(SCREEN, (route) => route.fulfill({ status: 404 }));
    await page.route(rig.service.url, async (route) => {
      if (route.request().resourceType() !== 'fetch') return route.continue();
      const response = await route.fetch();
      const html = (await response.text()).replace(/app-[a-z0-9]{8}\.js/u, 'app-00000000.js');
      return route.fulfill({ response, body: html });
    });
  }
  const countLoads = (page: Page): { count: number } => {
    const loads = { count: 0 };
    page.on('load', () => {
      loads.count += 1;
    });
    return loads;
  };

  test('that an update has removed loads the page again, at the screen that was chosen', async () => {
    const page = await home(replaced);
    const loads = countLoads(page);
    // The page that is loaded again is of a build whose files are there.
    page.on('request', (request) => {
      if (request.isNavigationRequest()) void page.unroute(SCREEN);
    });
    await press(page);
    await until(() => loads.count === 1);
    await page.locator('.recordings').waitFor();
    expect(page.url()).toBe(`${rig.service.url}recordings`);
  });

  test('that stays away after that is said to be away, without a second load', async () => {
    const page = await home(replaced);
    const loads = countLoads(page);
    await press(page);
    // A page that is left shows no panel, and the panel may come before its page has loaded the rest.
    await page.getByText('画面を読み込めませんでした').waitFor();
    await until(() => loads.count > 0);
    expect(loads.count).toBe(1);
  });
});
