/** Back while a player is in full screen: out of full screen first, then out of the player. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { hasChromium } from './rig.ts';
import { placed, watchHome } from './watch-home.ts';

describe.skipIf(!hasChromium)('full screen', () => {
  const home = watchHome();

  const full = (page: Page, wanted: boolean): Promise<unknown> =>
    page.waitForFunction((on) => (document.fullscreenElement !== null) === on, wanted);

  async function playing(card: string, address: string): Promise<Page> {
    const page = await home.open('');
    await page.locator(card).first().click();
    await page.waitForURL(address);
    await placed(page, 0.1, 1e9);
    return page;
  }

  /** The player opened from the home screen, in full screen, its controls hidden. */
  async function opened(card: string, address: string): Promise<Page> {
    const page = await playing(card, address);
    await page.keyboard.press('f');
    await full(page, true);
    return page;
  }

  for (const [name, card, address] of [
    ['live television', 'a.card', '**/live/*'],
    ['a recording', '.watch-card', '**/watch/*'],
  ] as const) {
    test(`the browser's Back leaves the full screen of ${name} first`, async () => {
      const page = await playing(card, address);
      const player = page.url();
      await page.keyboard.press('f');
      // At once, before the event that tells the page of it.
      await page.evaluate(async () => {
        while (document.fullscreenElement === null) await new Promise((resolve) => setTimeout(resolve));
        history.back();
      });
      await full(page, false);
      // The browser has gone back, and forward again; its own address is the first to tell.
      await page.waitForFunction((url) => location.href === url, player);
      await page.locator('.stage').waitFor();
      await page.evaluate(() => history.back());
      await page.locator('a.card').first().waitFor();
    });

    for (const key of ['Escape', 'Backspace', 'GoBack']) {
      test(`the key ${key} leaves the full screen of ${name} first`, async () => {
        const page = await opened(card, address);
        const press = (): Promise<boolean> =>
          page.evaluate((which) => {
            const event = new KeyboardEvent('keydown', { key: which, bubbles: true, cancelable: true });
            return (document.activeElement ?? document.body).dispatchEvent(event);
          }, key);
        expect(await press()).toBe(false);
        await full(page, false);
        await page.locator('.stage').waitFor();
        await press();
        await page.locator('a.card').first().waitFor();
      });
    }
  }

  test('the arrow over the picture leaves full screen first', async () => {
    const page = await opened('.watch-card', '**/watch/*');
    await page.mouse.move(300, 300);
    await page.locator('.osd-back').click();
    await full(page, false);
    await page.locator('.osd-back').click();
    await page.locator('a.card').first().waitFor();
  });
});
