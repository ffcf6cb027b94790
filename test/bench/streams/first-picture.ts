/** How long a viewer in headless Chromium waits for the first picture after pressing play on a recording's card. */
import { chromium } from 'playwright-core';

interface Pressed {
  svcPressed: { at: number; picture: Promise<number> } | undefined;
}

/** Runs in the page, before its scripts: records each press, and the first video frame shown after it. */
function watchPresses(): void {
  const held = window as unknown as Pressed;
  document.addEventListener(
    'click',
    () => {
      const at = performance.now();
      const picture = new Promise<number>((done) => {
        const timer = setInterval(() => {
          const video = document.querySelector('video');
          if (video === null) return;
          clearInterval(timer);
          video.requestVideoFrameCallback((now) => done(now - at));
        }, 2);
      });
      held.svcPressed = { at, picture };
    },
    true,
  );
}

/** @param url of the service @returns the time of each press, ms */
export async function firstPictures(url: string, presses: number): Promise<number[]> {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.addInitScript(watchPresses);
    const times: number[] = [];
    await page.goto(`${url}/recordings`);
    for (let press = 0; press < presses; press += 1) {
      await page.locator('a[href^="watch/"]').first().click();
      times.push(await page.evaluate(() => (window as unknown as Pressed).svcPressed?.picture ?? Number.NaN));
      await page.goBack();
      await page.locator('a[href^="watch/"]').first().waitFor();
    }
    return times;
  } finally {
    await browser.close();
  }
}
