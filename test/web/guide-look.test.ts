import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { dayOf, guideWindow, manyStations } from './fake-guide.ts';
import { dayMarked, hourAtTop, overlaps } from './guide-page.ts';
import { fillService, focusOn, hasChromium, webRig } from './rig.ts';

const DAY_MS = 24 * 3_600_000;
const STATIONS = manyStations([12, 40, 68]);

describe.skipIf(!hasChromium)('the appearance of the guide', () => {
  const rig = webRig({ stations: STATIONS });

  async function openGuide(path = 'guide', options = {}): Promise<Page> {
    fillService(rig, STATIONS);
    const page = await rig.open(path, options);
    await page.locator('.prog').first().waitFor();
    return page;
  }

  /** CSS pixels of an hour and of a column. */
  const sizes = (page: Page): Promise<number[]> =>
    page.evaluate(() => {
      const { style } = document.querySelector<HTMLElement>('.guide-cells') ?? document.body;
      return ['--guide-hour', '--guide-column'].map((name) =>
        Number.parseFloat(style.getPropertyValue(name)),
      );
    });

  /** Waits until both have the expected sizes, within two pixels. */
  const hasSizes = (page: Page, ...wished: number[]): Promise<unknown> =>
    page.waitForFunction((sizes) => {
      const { style } = document.querySelector<HTMLElement>('.guide-cells') ?? document.body;
      const found = ['--guide-hour', '--guide-column'].map((name) =>
        Number.parseFloat(style.getPropertyValue(name)),
      );
      return sizes.every((size, index) => Math.abs(size - (found[index] ?? 0)) < 2);
    }, wished);

  test('shopping is dimmed until it is reserved', async () => {
    const page = await openGuide();
    const dimmed = page.locator('.prog-dim:not(.prog-live):not(.prog-past)').first();
    await dimmed.waitFor();
    const id = Number(await dimmed.getAttribute('data-id'));
    const status = await page.evaluate(async (programId) => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ programId });
      return (await fetch('api/reservations', { method: 'POST', headers, body })).status;
    }, id);
    expect(status).toBe(200);
    rig.service.send('reservations');
    await page.locator(`.prog[data-id="${id}"]:not(.prog-dim)`).waitFor();
    expect(await page.locator('.prog-dim').count()).toBeGreaterThan(0);
  });

  test('rows, columns, text size, shopping and stations can be set, and stay after a reload', async () => {
    const page = await openGuide();
    const [hour = 0, column = 0] = await sizes(page);
    const heads = () => page.locator('.guide-head-words b').allTextContents();
    const [first, second] = await heads();
    await page.locator('.prog-dim').first().waitFor();
    await page.getByRole('button', { name: '番組表の表示' }).click();
    await page.getByRole('button', { name: '列の幅を大きく' }).click();
    await hasSizes(page, hour, column * 1.2);
    await page.getByRole('button', { name: '行の高さを大きく' }).click();
    await hasSizes(page, hour * 1.25);
    await page.getByRole('switch', { name: '通販番組を薄く表示する' }).click();
    await page.locator('.prog-dim').first().waitFor({ state: 'detached' });
    // The chosen colour applies to the genre everywhere.
    await page.getByRole('button', { name: '映画', exact: true }).last().click();
    await page.getByRole('radio', { name: '音楽の標準の色' }).click();
    const colours = await page.evaluate(() =>
      ['6', '4'].map((genre) => {
        const cell = document.querySelector(`.legend-item[data-genre="${genre}"]`);
        return cell === null ? '' : getComputedStyle(cell).getPropertyValue('--genre');
      }),
    );
    expect(colours[0]).toBe(colours[1] ?? '-');
    await page.getByRole('button', { name: 'チャンネルの並びと表示' }).click();
    await page.getByRole('button', { name: `${first}を表示` }).click();
    await page.keyboard.press('Escape');
    await page.waitForFunction(
      (name) => document.querySelector('.guide-head-words b')?.textContent === name,
      second ?? '',
    );
    await page.reload();
    await page.locator('.prog').first().waitFor();
    expect((await heads())[0]).toBe(second ?? '');
    expect(await page.locator('.prog-dim').count()).toBe(0);
    await page.goto(rig.service.url);
    await page.locator('a.card').first().waitFor();
    expect(await page.getByText(first ?? '-', { exact: true }).count()).toBe(0);
  });

  test('text for a television is at least 24 pixels high at 1080p', async () => {
    const page = await openGuide('guide', { viewport: { width: 1920, height: 1080 } });
    await page.getByRole('button', { name: '番組表の表示' }).click();
    await page.getByRole('radio', { name: 'テレビ向け' }).click();
    await page.keyboard.press('Escape');
    await page.locator('.guide-television .prog').first().waitFor();
    const smallest = await page.evaluate(() => {
      const seen = document.querySelectorAll('.prog:not(.prog-tight) *, .guide-head *, .guide-hours *');
      const words = [...seen].filter(
        (part) =>
          [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE) &&
          part.closest('.hidden-text, .logo, .prog-more') === null,
      );
      return Math.min(...words.map((part) => Number.parseFloat(getComputedStyle(part).fontSize)));
    });
    expect(smallest).toBeGreaterThan(23.9);
    expect(await overlaps(page)).toEqual([]);
  });

  test("a remote control reaches a date and an hour, and yesterday's programmes", async () => {
    const page = await openGuide();
    await page.getByRole('button', { name: '日時を選ぶ' }).focus();
    await page.keyboard.press('Enter');
    await focusOn(page, '11月21日');
    await page.keyboard.press('ArrowLeft');
    await focusOn(page, '11月20日');
    await page.keyboard.press('Enter');
    for (const _ of [1, 2, 3, 4, 5]) await page.keyboard.press('ArrowDown');
    const hour = Number.parseInt((await page.locator(':focus').textContent()) ?? '', 10);
    const focusAfter = page.evaluate(
      () =>
        new Promise((resolve) => {
          const observer = new MutationObserver(() => {
            if (document.querySelector('dialog') !== null) return;
            observer.disconnect();
            resolve(document.activeElement?.ariaLabel);
          });
          observer.observe(document.body, { childList: true, subtree: true });
        }),
    );
    await page.keyboard.press('Enter');
    // The focus must be back at once: programmes take over a lost focus and scroll the view.
    expect(await focusAfter).toMatch(/^日時を選ぶ/u);
    // The guide begins at 05:00 of yesterday.
    const rows = (hour - 5 + 24) % 24;
    await until(`${hour}:00 is at the top`, async () => Math.abs((await hourAtTop(page)) - rows) < 0.05);
    // The day is marked in the frame after the scroll.
    await until('yesterday is marked', async () => (await dayMarked(page)) === 0);
    await page.locator('.prog-past').first().waitFor();
  });

  test('a station’s week: from a programme, with all its days, and back', async () => {
    const page = await openGuide();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'この局の1週間' }).click();
    await page.locator('.week-part').first().waitFor();
    const [station, other] = STATIONS;
    const day = dayOf(Date.now());
    const wish = { from: day, to: day + 8 * DAY_MS, type: 'GR' };
    const column = guideWindow(rig.service.household.guide, wish, Date.now()).find(
      ({ stationId }) => stationId === station?.id,
    );
    const ids = new Set(column?.programs.map(({ id }) => id));
    // A programme that runs past 05:00 has a part in both days.
    expect(await page.locator('.week-part').count()).toBeGreaterThanOrEqual(ids.size);
    await page.locator('.week-part').first().focus();
    const first = await page.locator(':focus').textContent();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(
      (before) =>
        document.activeElement?.classList.contains('week-part') === true &&
        document.activeElement.textContent !== before,
      first,
    );
    await page.getByLabel('局', { exact: true }).selectOption(String(other?.id));
    await page.getByRole('region', { name: `${other?.name}の1週間` }).waitFor();
    await page.getByRole('link', { name: '全局の番組表' }).click();
    await page.locator('.prog').first().waitFor();
  });
});
