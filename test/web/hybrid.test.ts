/** An application of the data broadcast over the live picture: start, keys, picture, the viewer's region, the ways out. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { BrowserContextOptions, Page, Route } from 'playwright-core';
import { splitStationId } from '../../lib/arib/ids.ts';
import { PEER_STATUS_HEADER, PEER_TYPE_HEADER, PEER_URL_HEADER } from '../../lib/wire/data-broadcast.ts';
import { containerResponse } from '../../src/http/hybrid-route.ts';
import { startWeb, type WebServer } from '../../synth/web/server.ts';
import { until } from '../until.ts';
import { builtWeb } from './browser.ts';
import { START } from './clock.ts';
import { dataBroadcast } from './data-pages.ts';
import { fakeStations, makeStream } from './fake-air.ts';
import { tooSmall, tooWide, violations } from './look.ts';
import { hasChromium, PHONE, webRig } from './rig.ts';

const STATION = 3_274_001_024;
/** Left and width of the application's broadcast object, as parts of its plane. */
const PLACE = [560 / 960, 360 / 960];
/** The build for tests has no font of data broadcasts. */
const FONT = join(
  import.meta.dir,
  '../../node_modules/@fontsource/kosugi-maru/files/kosugi-maru-japanese-400-normal.woff2',
);
const SHOTS = process.env.DATA_SHOTS;

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

const left = (page: Page): Promise<void> => page.locator('.stage:not([data-page])').waitFor();

describe.skipIf(!hasChromium)('an application of the data broadcast', () => {
  const rig = webRig({ stream: makeStream });
  let web: WebServer;
  let container = '';
  beforeAll(async () => {
    web = startWeb(0);
    container = await Bun.file(join(await builtWeb(), 'hybrid-frame.js')).text();
  });
  afterAll(() => web.close());
  afterEach(() => {
    Object.assign(rig.service.state, { data: [], stations: fakeStations(START) });
  });

  /** The service's proxies, for the synthetic broadcaster's server. */
  async function answer(route: Route, isThere: boolean): Promise<void> {
    const request = route.request();
    const url = new URL(request.url());
    if (url.pathname.endsWith('/hybrid')) {
      const response = containerResponse(container);
      await route.fulfill({ headers: Object.fromEntries(response.headers), body: await response.text() });
      return;
    }
    const wanted = new URL(url.searchParams.get('url') ?? '');
    if (!isThere) return await route.fulfill({ status: 502, body: '{}' });
    const body = request.postData();
    const answered = await fetch(`http://127.0.0.1:${web.port}${wanted.pathname}`, {
      method: request.method(),
      ...(body === null ? {} : { body }),
    });
    return await route.fulfill({
      headers: {
        'content-type': 'application/octet-stream',
        [PEER_STATUS_HEADER]: String(answered.status),
        [PEER_TYPE_HEADER]: answered.headers.get('content-type') ?? '',
        [PEER_URL_HEADER]: wanted.href,
      },
      body: Buffer.from(await answered.arrayBuffer()),
    });
  }

  /** On a small page by default: most of what a picture costs is its drawing. */
  async function started(options: BrowserContextOptions = {}, isThere = true): Promise<Page> {
    const { networkId, serviceId } = splitStationId(STATION) ?? { networkId: 0, serviceId: 0 };
    rig.service.state.data = dataBroadcast({ networkId, serviceId, eventId: 1 });
    const page = await rig.open(`live/${STATION}`, { viewport: { width: 1024, height: 640 }, ...options });
    await page.route('**/api/font/*', (route) => route.fulfill({ path: FONT, contentType: 'font/woff2' }));
    await page.route('**/api/bml/**', (route) => answer(route, isThere));
    await page.waitForFunction(() => (document.querySelector('video')?.currentTime ?? 0) > 0.2);
    await page.keyboard.press('d');
    await page.locator('.stage[data-page="shown"]').waitFor();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    return page;
  }

  const shown = (page: Page): Promise<void> =>
    page.locator('.stage[data-page="shown"] .data-application[data-shown]').waitFor();

  test('is loaded when it is started, is used by keys, and says whose it is', async () => {
    const page = await started({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
    await shown(page);
    const frame = page.frameLocator('.data-frame');
    await frame.getByText('1回目のご利用です').waitFor();
    // A television or mini PC may have no Japanese font of its own.
    const fonts = frame.locator('body');
    await until(() => fonts.evaluate(() => document.fonts.check("16px '丸ゴシック'", '局')));
    expect(await fonts.evaluate(() => [...document.fonts].map(({ status }) => status))).toContain('loaded');
    // The picture stands where the application has its broadcast object.
    await page.locator('.stage[data-hole="part"]').waitFor();
    await until(async () => {
      const [plane, picture] = await Promise.all(
        ['.data-application', '.stage-picture'].map((name) => page.locator(name).boundingBox()),
      );
      if (plane == null || picture == null) return false;
      const at = [(picture.x - plane.x) / plane.width, picture.width / plane.width];
      return at.every((part, index) => Math.abs(part - (PLACE[index] ?? 0)) < 0.005);
    });
    await page.getByText('まちの投票').waitFor();
    expect(await page.locator('.data-bar').textContent()).toContain('事業者 17');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await frame.getByText('山　1票').waitFor();
    await page.keyboard.press('r');
    await frame.getByText('海　1票').waitFor();
    await shot(page, 'hybrid-wide');
    expect(await violations(page)).toEqual([]);
    // The region is asked for, once.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '渡す', exact: true }).waitFor();
    await shot(page, 'hybrid-region');
    await page.getByRole('button', { name: '渡さない' }).click();
    await frame.getByText('地域の情報はありません').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('svc_hybrid_17_1'))).toBe('{"visits":"1"}');
    // It ends itself.
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await left(page);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('d, Back, Escape and another station end it', async () => {
    const page = await started();
    await shown(page);
    await page.keyboard.press('d');
    await left(page);
    for (const key of ['Escape', 'Backspace']) {
      await page.keyboard.press('d');
      await page.locator('.stage[data-page="shown"] .data-plane[data-shown]').waitFor();
      await page.keyboard.press('ArrowUp');
      await page.keyboard.press('Enter');
      await shown(page);
      await page.keyboard.press(key);
      await left(page);
    }
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('a server that does not answer is explained, and the data broadcast stays', async () => {
    const page = await started({}, false);
    await page.getByText('放送連動アプリのサーバーから応答がありません').waitFor();
    expect(await page.locator('.stage[data-page="shown"]').count()).toBe(1);
    expect(await page.locator('iframe').count()).toBe(0);
  });

  test('ends when bidirectional use is switched off', async () => {
    const page = await started();
    await shown(page);
    rig.service.household.settings.bidirectional = false;
    rig.service.send('settings');
    await page.getByRole('alert').filter({ hasText: '双方向通信' }).waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    rig.service.household.settings.bidirectional = true;
  });

  test('on a phone the remote control on the screen uses it', async () => {
    const page = await started({ ...PHONE, viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await shown(page);
    const frame = page.frameLocator('.data-frame');
    await frame.getByText('1回目のご利用です').waitFor();
    await page.getByRole('button', { name: '下', exact: true }).click();
    await page.getByRole('button', { name: '決定', exact: true }).click();
    await frame.locator('#result', { hasText: /山\s+[1-9]\d*票/ }).waitFor();
    await shot(page, 'hybrid-phone');
    expect([await tooWide(page), await tooSmall(page, '.data-above')]).toEqual([[], []]);
    await page.getByRole('button', { name: '放送連動アプリを終了' }).click();
    await left(page);
  });
});
