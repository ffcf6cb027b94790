/** The data broadcast of a recording: the page of the moment that is watched, from the service and from this device. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { START } from './clock.ts';
import { tooWide, violations } from './look.ts';
import { ofItsMoment, placeOf, type Recorded, recordedScores, scoreAt, seen } from './recorded-pages.ts';
import { faultsOf, hasChromium, PHONE } from './rig.ts';
import { pressTwice } from './user-input.ts';
import { placed, watchHome } from './watch-home.ts';

const SHOTS = process.env.DATA_SHOTS;
const SCORES = { length: 30, every: 2, startAt: START - 10 * 86_400_000 } as const;

async function shot(page: Page, name: string): Promise<void> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png` });
}

const documentShown = (page: Page): Promise<void> =>
  page.locator('.stage[data-page="shown"][data-hole="part"]').waitFor();
const left = (page: Page): Promise<void> => page.locator('.stage:not([data-page])').waitFor();

describe.skipIf(!hasChromium)('the data broadcast of a recording', () => {
  const home = watchHome();

  async function opened(scores: Recorded = SCORES, path = 'watch/1?t=5', options = {}): Promise<Page> {
    home.playback.data = recordedScores(scores);
    const page = await home.open(path, options);
    await placed(page, 5.2);
    await page.keyboard.press('d');
    await documentShown(page);
    return page;
  }

  test('opens with d at the moment that is watched, and is left as that of a station', async () => {
    home.playback.data = recordedScores(SCORES);
    const page = await home.open('watch/1?t=5');
    const faults = faultsOf(page);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await placed(page, 5.2);
    expect(home.playback.dataAsked).toEqual([]);
    await page.mouse.move(200, 200);
    await page.getByRole('button', { name: 'データ放送（D）' }).waitFor();
    await shot(page, 'recording-controls');
    await page.getByRole('button', { name: 'データ放送（D）' }).click();
    await documentShown(page);
    await ofItsMoment(page, SCORES);
    await shot(page, 'recording-wide');
    const [plane, picture] = await Promise.all(
      ['.data-plane', '.stage-picture'].map((name) => page.locator(name).boundingBox()),
    );
    if (plane == null || picture == null) throw new Error('nothing is shown');
    expect(picture.width / plane.width).toBeCloseTo(0.5, 2);
    expect((picture.y - plane.y) / plane.height).toBeCloseTo(110 / 540, 2);
    expect(await page.locator('.osd-bottom').isVisible()).toBe(false);
    expect(await violations(page)).toEqual([]);
    // The page stays while the recording plays on, and follows it.
    const { at } = await seen(page);
    await placed(page, at + 4);
    await ofItsMoment(page, SCORES);
    expect(home.playback.dataAsked).toHaveLength(1);
    await page.keyboard.press('k');
    for (const leave of [() => page.keyboard.press('Escape'), () => pressTwice(page, 'Backspace')]) {
      await leave();
      await left(page);
      await page.keyboard.press('d');
      await documentShown(page);
    }
    await pressTwice(page, 'd');
    await left(page);
    expect(page.url()).toEndWith('watch/1');
    expect(requests.filter((path) => path.includes('/api/bml'))).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('is that of the place after twenty random seeks', async () => {
    const page = await opened();
    const seed = Number(process.env.SEED ?? Date.now() % 1e9);
    console.log(`seed ${seed}`);
    let state = seed >>> 0;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let seek = 0; seek < 20; seek++) {
      const before = await seen(page);
      // A tenth of the whole, or thirty seconds back or on: that is the end, from where there is no way on but to the next
      // recording, which begins by itself.
      const keys = before.at > SCORES.length - 1 ? '0123456789j' : '0123456789jl';
      const key = keys[random(keys.length)] ?? '0';
      await page.keyboard.press(key);
      const target = /\d/.test(key) ? Number(key) * 3 : undefined;
      if (target !== undefined) await placed(page, target, target + 3);
      else
        await page.waitForFunction(
          (at) => Math.abs((document.querySelector('video')?.currentTime ?? 0) - at) > 2,
          before.at,
        );
      await ofItsMoment(page, SCORES);
    }
    await shot(page, 'recording-seek');
    expect(await page.locator('.stage[data-page="shown"]').count()).toBe(1);
  });

  test('stands still in a pause, and goes on after it', async () => {
    const page = await opened();
    await page.keyboard.press('k');
    await page.waitForFunction(() => document.querySelector('video')?.paused);
    const { at } = await ofItsMoment(page, SCORES);
    // As long as two other pages would be shown.
    await page.waitForFunction(
      (until) => performance.now() > until,
      (await page.evaluate(() => performance.now())) + 2 * SCORES.every * 1000,
    );
    expect(await seen(page)).toEqual({ at, place: expect.closeTo(placeOf(scoreAt(SCORES, at)), 3) });
    await page.keyboard.press('k');
    await placed(page, at + 2.2);
    await ofItsMoment(page, SCORES);
  });

  test('shows what was there before a gap until it is over, and the last page at the end', async () => {
    const scores = { ...SCORES, gap: [8, 13] } as const;
    const page = await opened(scores, 'watch/1?t=5.5');
    await placed(page, 9, 12.9);
    await ofItsMoment(page, scores);
    await page.keyboard.press('4');
    await placed(page, 12, 13);
    await ofItsMoment(page, scores);
    await placed(page, 13.5);
    await ofItsMoment(page, scores);
    await page.keyboard.press('9');
    await page.waitForFunction(() => document.querySelector('video')?.ended);
    expect((await seen(page)).place).toBeCloseTo(placeOf(scoreAt(scores, 30)), 3);
    await page.keyboard.press('Home');
    await placed(page, 0, 5);
    await ofItsMoment(page, scores);
  });

  test('of a station whose first document waits for d stays open when the viewer seeks', async () => {
    const scores = { ...SCORES, isStandBy: true };
    const page = await opened(scores);
    for (const key of ['8', '1', '5']) {
      await page.keyboard.press(key);
      await placed(page, Number(key) * 3, Number(key) * 3 + 3);
      await ofItsMoment(page, scores);
    }
  });

  test('has no button where there is none; d says so', async () => {
    const page = await home.open('watch/1?t=5');
    await placed(page, 5.2);
    await page.mouse.move(200, 200);
    await page.locator('.osd-bottom[data-shown]').waitFor();
    expect(await page.getByRole('button', { name: 'データ放送（D）' }).count()).toBe(0);
    await page.keyboard.press('d');
    await page.getByRole('alert').filter({ hasText: 'ここにはデータ放送が録画されていません' }).waitFor();
    await page.keyboard.press('Backspace');
    await left(page);
  });

  test('of a recording in progress has a button once the service tells that there is one', async () => {
    const page = await home.open('chase/900?t=5');
    await placed(page, 5.2);
    await page.mouse.move(200, 200);
    await page.locator('.osd-bottom[data-shown]').waitFor();
    await page.waitForFunction(() => document.querySelector('.control-data') === null);
    home.playback.data = recordedScores(SCORES);
    const other = await home.open('chase/900?t=5');
    await placed(other, 5.2);
    await other.mouse.move(200, 200);
    await other.getByRole('button', { name: 'データ放送（D）' }).click();
    await documentShown(other);
    await ofItsMoment(other, SCORES);
  });

  test('on a phone the picture stands above the page, and the remote control below', async () => {
    home.playback.data = recordedScores(SCORES);
    const viewport = { width: 390, height: 844 };
    const page = await home.open('watch/1?t=5', { ...PHONE, viewport, colorScheme: 'dark' });
    await placed(page, 5.2);
    await shot(page, 'recording-phone-below');
    await page.locator('.below').getByRole('button', { name: 'データ放送' }).tap();
    await documentShown(page);
    await ofItsMoment(page, SCORES);
    await shot(page, 'recording-phone');
    const boxes = await Promise.all(
      ['.data-bar', '.stage-picture', '.data-plane', '.data-remote'].map((name) =>
        page.locator(name).boundingBox(),
      ),
    );
    for (const [index, box] of boxes.slice(1).entries()) {
      const above = boxes[index];
      expect(box?.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0) - 1);
    }
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: 'データ放送を終了' }).tap();
    await left(page);
  });
});
