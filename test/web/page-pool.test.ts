/** A page that served a test shows nothing of it to the next one. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { START } from './clock.ts';
import { hasChromium, PHONE, webRig } from './rig.ts';

/** No page of another file is opened so. */
const OWN = { userAgent: 'the test of pages' };

describe.skipIf(!hasChromium)('a page that is used again', () => {
  const rig = webRig();
  let first: Page;
  const heard: string[] = [];

  test('keeps everything that a test leaves in it', async () => {
    rig.clock.set(START + 86_400_000);
    first = await rig.open('recordings', OWN);
    first.on('console', (message) => heard.push(message.text()));
    await first.evaluate(() => {
      localStorage.setItem('left', '1');
      sessionStorage.setItem('left', '1');
      history.pushState(null, '', 'guide');
    });
    await first.context().addCookies([{ name: 'left', value: '1', url: rig.service.url }]);
    await first.reload();
    expect(await first.evaluate(() => [localStorage.length > 0, sessionStorage.length > 0])).toEqual([
      true,
      true,
    ]);
  });

  test('is the same page without storage, history, listeners and the clock of the last test', async () => {
    const page = await rig.open('recordings', OWN);
    // Not `toBe`: a failure would print the browser.
    expect(page === first).toBe(true);
    const state = await page.evaluate(() => {
      console.log('said to nobody');
      return {
        left: [localStorage.getItem('left'), sessionStorage.getItem('left'), document.cookie],
        history: history.length,
        now: Date.now(),
      };
    });
    expect(state).toMatchObject({ left: [null, null, ''], history: 2 });
    expect(state.now - START).toBeLessThan(3_600_000);
    expect(heard).toEqual([]);
    await page.addInitScript(() => Object.assign(globalThis, { left: true }));
    await page.route('**/api/health', (route) => route.fulfill({ body: 'left' }));
    await page.setViewportSize({ width: 320, height: 640 });
    await page.emulateMedia({ media: 'print', forcedColors: 'active', contrast: 'more' });
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 2 });
  });

  const QUERIES = [
    ...['print', '(forced-colors: active)', '(prefers-contrast: more)'],
    ...['(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'],
  ];
  const matching = (page: Page): Promise<string[]> =>
    page.evaluate((queries) => queries.filter((query) => matchMedia(query).matches), QUERIES);

  test('is the same page without scripts, routes, size, media and debugger of the last test', async () => {
    const page = await rig.open('recordings', OWN);
    expect(page === first).toBe(true);
    expect(await page.evaluate(() => ['left' in globalThis, innerWidth])).toEqual([false, 1440]);
    expect(await matching(page)).toEqual([]);
    expect(await page.evaluate(async () => (await fetch('api/health')).json())).toHaveProperty('status');
  });

  test('is the same page where a test asks for another size, other colours or less motion', async () => {
    const look = { colorScheme: 'dark', reducedMotion: 'reduce' } as const;
    const page = await rig.open('recordings', { ...OWN, viewport: { width: 800, height: 500 }, ...look });
    expect(page === first).toBe(true);
    expect(await page.evaluate(() => [innerWidth, innerHeight])).toEqual([800, 500]);
    expect(await matching(page)).toEqual(QUERIES.slice(-2));
  });

  test('has the usual size and media again', async () => {
    const page = await rig.open('recordings', OWN);
    expect(page === first).toBe(true);
    expect([await page.evaluate(() => innerWidth), await matching(page)]).toEqual([1440, []]);
    await page.exposeFunction('left', () => true);
  });

  test('is closed after a test that installed something which stays', async () => {
    expect(first.isClosed()).toBe(true);
    const page = await rig.open('recordings', OWN);
    expect(await page.evaluate(() => 'left' in globalThis)).toBe(false);
  });

  test('serves only tests that open it in the same way', async () => {
    const [desk, phone] = [await rig.open('recordings'), await rig.open('recordings', PHONE)];
    expect([desk, phone].map((page) => page.viewportSize()?.width)).toEqual([1440, 360]);
  });
});
