import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { fakeStations } from './fake-air.ts';
import { newHouse } from './fake-api.ts';
import { dayOf, guideWindow, manyStations } from './fake-guide.ts';
import { faultsOf, focusOn, furnish, hasChromium, pressRed, webRig } from './rig.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STATIONS = manyStations([12, 40, 68]);

/** Epoch ms at the top edge of what is seen, by the hours drawn at the side. */
async function hourAtTop(page: Page): Promise<number> {
  return await page.evaluate(() => {
    const scroller = document.querySelector('.guide-scroll');
    const space = document.querySelector('.guide-space');
    if (scroller === null || space === null) return -1;
    const hour = Number.parseFloat(getComputedStyle(space).getPropertyValue('--guide-hour'));
    return scroller.scrollTop / hour;
  });
}

const activeId = (page: Page): Promise<number> =>
  page.evaluate(() => Number((document.activeElement as HTMLElement | null)?.dataset.id ?? 0));

describe.skipIf(!hasChromium)('the guide', () => {
  const rig = webRig({ stations: STATIONS });

  async function openGuide(path = 'guide', options = {}): Promise<Page> {
    furnish(rig, STATIONS);
    const page = await rig.open(path, options);
    await page.locator('.prog').first().waitFor();
    return page;
  }

  test('draws what is in view, of 120 stations and eight days, and only that', async () => {
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    furnish(rig, STATIONS);
    await page.goto(`${rig.service.url}guide`);
    await page.locator('.prog-live').first().waitFor();
    expect(await page.locator('.guide-head').first().textContent()).toContain(STATIONS[0]?.name ?? '-');
    await page.getByRole('tab', { name: 'CS', exact: true }).click();
    await page.locator('.guide-head', { hasText: 'CS 220' }).waitFor();
    await page.evaluate(() => {
      const scroller = document.querySelector('.guide-scroll');
      scroller?.scrollTo({ left: scroller.scrollWidth, top: scroller.scrollHeight, behavior: 'instant' });
    });
    const last = STATIONS.at(-1);
    await page.locator('.guide-head', { hasText: last?.name ?? '-' }).waitFor();
    const window = guideWindow(
      rig.service.house.guide,
      { from: dayOf(Date.now()) + 8 * DAY_MS - 1, to: dayOf(Date.now()) + 8 * DAY_MS, type: 'CS' },
      Date.now(),
    );
    const latest = window.at(-1)?.programs.at(-1);
    await page.locator(`.prog[data-id="${latest?.id}"]`).waitFor();
    expect(await page.locator('.prog').count()).toBeLessThan(500);
    expect(await page.locator('.guide-head').count()).toBeLessThan(20);
    expect(faults).toEqual([]);
  });

  test('leads to days, to the evening and back to now', async () => {
    const page = await openGuide('guide', { reducedMotion: 'reduce' });
    await page.getByRole('button', { name: '19時へ' }).click();
    await page.waitForFunction(() => {
      const space = document.querySelector('.guide-space');
      const scroller = document.querySelector('.guide-scroll');
      if (space === null || scroller === null) return false;
      const hour = Number.parseFloat(getComputedStyle(space).getPropertyValue('--guide-hour'));
      return Math.abs(scroller.scrollTop / hour - 14) < 0.05;
    });
    await page.locator('.guide-day').nth(5).click();
    await page.locator('.guide-day[aria-selected="true"]').nth(0).waitFor();
    await page.waitForFunction(
      () => document.querySelectorAll('.guide-day')[5]?.getAttribute('aria-selected') === 'true',
    );
    expect(await hourAtTop(page)).toBeCloseTo(5 * 24 + 14, 0);
    await page.getByRole('button', { name: 'いま' }).click();
    await page.locator('.prog-live').first().waitFor();
    const now = (Date.now() - dayOf(Date.now())) / HOUR_MS;
    expect(now - (await hourAtTop(page))).toBeLessThan(4);
  });

  test('is walked programme by programme, opened and left by keys', async () => {
    const page = await openGuide();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    const first = await activeId(page);
    expect(Math.floor(first / 100_000)).toBe(STATIONS[0]?.id ?? 0);
    await page.keyboard.press('ArrowRight');
    const second = await activeId(page);
    expect(Math.floor(second / 100_000)).toBe(STATIONS[1]?.id ?? 0);
    await page.keyboard.press('ArrowLeft');
    expect(await activeId(page)).toBe(first);
    await page.keyboard.press('ArrowDown');
    expect(await activeId(page)).toBe(first + 1);
    await page.keyboard.press('PageDown');
    await page.waitForFunction(
      (id) => Number((document.activeElement as HTMLElement).dataset.id) > id,
      first + 1,
    );
    const before = await activeId(page);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: '番組の詳細' }).waitFor();
    await focusOn(page, '予約する');
    expect(new URL(page.url()).searchParams.get('program')).toBe(String(before));
    await page.keyboard.press('Escape');
    await page.waitForFunction(
      (id) => (document.activeElement as HTMLElement | null)?.dataset.id === String(id),
      before,
    );
    // Back leads to the tools, then out.
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.classList.contains('guide-day'));
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    await page.keyboard.press('ArrowLeft');
    await focusOn(page, '番組表');
  });

  test('the record key books and cancels the programme of the focus, whose mark follows', async () => {
    const page = await openGuide();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    await page.keyboard.press('ArrowDown');
    // What comes next changes with the hour; this one may not be recorded.
    if ((await page.locator(':focus').getAttribute('aria-label'))?.includes('ミュージックサロン')) {
      await page.keyboard.press('ArrowDown');
    }
    const id = await activeId(page);
    const cell = page.locator(`.prog[data-id="${id}"]`);
    await page.keyboard.press('r');
    await page.locator('.toast', { hasText: '予約しました' }).waitFor();
    await cell.locator('.prog-kept-scheduled').waitFor();
    expect(await cell.getAttribute('aria-label')).toContain('録画予約あり');
    expect(await activeId(page)).toBe(id);
    await pressRed(page);
    await cell.locator('.prog-kept').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '元に戻す' }).last().click();
    await cell.locator('.prog-kept-scheduled').waitFor();
  });

  test('zooms by keys, by the wheel with Ctrl and by two fingers, around what is pointed at', async () => {
    const page = await openGuide('guide', PHONE);
    const hour = (): Promise<number> =>
      page.evaluate(() =>
        Number.parseFloat(
          getComputedStyle(document.querySelector('.guide-space') ?? document.body).getPropertyValue(
            '--guide-hour',
          ),
        ),
      );
    const start = await hour();
    await page.keyboard.press('+');
    await page.waitForFunction(
      (before) =>
        Number.parseFloat(
          getComputedStyle(document.querySelector('.guide-space') ?? document.body).getPropertyValue(
            '--guide-hour',
          ),
        ) > before,
      start,
    );
    const larger = await hour();
    const session = await page.context().newCDPSession(page);
    const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart: number) =>
      session.send('Input.dispatchTouchEvent', {
        type,
        touchPoints:
          type === 'touchEnd'
            ? []
            : [
                { x: 200, y: 500 - apart, id: 0 },
                { x: 200, y: 500 + apart, id: 1 },
              ],
      });
    // A browser short of time takes two fingers for a scroll: people try again, too.
    for (let tries = 0; (await hour()) > larger * 0.7 && tries < 5; tries += 1) {
      await touch('touchStart', 100);
      for (const apart of [90, 75, 60, 50]) await touch('touchMove', apart);
      await touch('touchEnd', 0);
      await page.waitForTimeout(100);
    }
    expect(await hour()).toBeLessThan(larger * 0.7);
    // The zoom is kept.
    const kept = await hour();
    await page.reload();
    await page.locator('.prog').first().waitFor();
    expect(await hour()).toBe(kept);
  });

  test('a change of the guide is taken over where it stands, asked for with the tag', async () => {
    const page = await openGuide();
    const live = page.locator('.prog-live').first();
    const id = Number(await live.getAttribute('data-id'));
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    const focused = await activeId(page);
    rig.service.send('programs');
    for (let tries = 0; rig.service.house.unchanged === 0 && tries < 200; tries += 1) await Bun.sleep(20);
    expect(rig.service.house.unchanged).toBeGreaterThan(0);
    expect(await activeId(page)).toBe(focused);
    expect(await page.locator(`.prog[data-id="${id}"]`).count()).toBe(1);
  });

  test('dims the other genres', async () => {
    const page = await openGuide('guide', PHONE);
    await page
      .getByRole('button', { name: 'ジャンル' })
      .or(page.locator('.guide-tools [aria-haspopup]'))
      .first()
      .click();
    await page.getByRole('radio', { name: '映画' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator('.prog-dim').first().waitFor();
    expect(await page.locator('.prog-dim[data-genre="6"]').count()).toBe(0);
  });

  test('remembers where it was left', async () => {
    const page = await openGuide('guide', { reducedMotion: 'reduce' });
    await page.locator('.guide-day').nth(3).click();
    await page.waitForFunction(
      () => document.querySelectorAll('.guide-day')[3]?.getAttribute('aria-selected') === 'true',
    );
    const before = await hourAtTop(page);
    await page.getByRole('link', { name: 'チューナー' }).click();
    await page.getByRole('heading', { name: 'チューナー' }).waitFor();
    await page.goBack();
    await page.locator('.prog').first().waitFor();
    expect(await hourAtTop(page)).toBeCloseTo(before, 0);
  });

  test('says that nothing was collected, how far it is and what to do', async () => {
    rig.service.state.stations = STATIONS;
    rig.service.house = newHouse({ stations: STATIONS, days: 0 });
    const page = await rig.open('guide', PHONE);
    await page.getByText('番組表はまだ集まっていません').waitFor();
    await page.getByText('12局のうち0局').waitFor();
    await page.keyboard.press('ArrowDown');
    await focusOn(page, '今すぐ集める');
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: '今すぐ集める' }).waitFor();
  });

  test('a failure gives its reason and another try', async () => {
    furnish(rig, STATIONS);
    rig.service.house.problems.set('guide', {
      body: { message: 'データベースを読めません。', code: 'internal' },
      status: 500,
    });
    const page = await rig.open('guide');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('データベースを読めません。');
    rig.service.house.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('.prog').first().waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('without stations it leads to the scan', async () => {
    rig.service.state.stations = [];
    const page = await rig.open('guide');
    await page.getByRole('link', { name: 'チャンネルをスキャンする' }).waitFor();
    rig.service.state.stations = fakeStations(Date.now());
    rig.service.house = newHouse({ stations: fakeStations(Date.now()), days: 8 });
    rig.service.send('services');
    await page.locator('.prog').first().waitFor();
  });
});

describe.skipIf(!hasChromium)('the sheet of a programme', () => {
  const rig = webRig({ stations: STATIONS });

  const find = (name: string, live: boolean): number => {
    const now = Date.now();
    const window = guideWindow(
      rig.service.house.guide,
      { from: now, to: now + 6 * HOUR_MS, type: 'GR' },
      now,
    );
    const programs = window.flatMap((station) => station.programs);
    const found = programs.find((program) => program.name.includes(name) && program.startAt <= now === live);
    return found?.id ?? 0;
  };

  test('tells everything, spelled out, and opens the other airings', async () => {
    const page = await rig.open(`guide?program=${find('第1話', false)}`);
    const dialog = page.getByRole('dialog');
    await dialog.locator('.program-title').waitFor();
    const text = (await dialog.textContent()) ?? '';
    for (const words of [
      'ドラマ「灯台守の娘」第1話 嵐の夜に帰ってきた人',
      '新番組',
      '字幕',
      'ドラマ／国内ドラマ',
      'ハイビジョン（1080i）',
      'ステレオ・日本語',
      '第1回／全10回',
      '出演者',
      '1時間',
    ]) {
      expect(text).toContain(words);
    }
    expect(await dialog.getByRole('link', { name: '視聴' }).count()).toBe(0);
    const before = page.url();
    await dialog.locator('.program-section .row').first().click();
    await page.waitForFunction((url) => location.href !== url, before);
    await dialog.locator('.program-title').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  test('books and cancels, with the state, the reason and the way back', async () => {
    const id = find('第1話', false);
    rig.service.house.bookings.tight.add(id);
    const page = await rig.open(`guide?program=${id}`);
    const dialog = page.getByRole('dialog');
    await focusOn(page, '予約する');
    await page.keyboard.press('Enter');
    await dialog.locator('.toast', { hasText: 'このままでは録画されません' }).waitFor();
    await dialog.locator('.conflict-help', { hasText: 'チューナーが足りない' }).waitFor();
    await focusOn(page, '予約を取り消す');
    await page.keyboard.press('r');
    await dialog.getByRole('button', { name: '予約を戻す' }).waitFor();
    await dialog.getByText('予約は取り消されています').waitFor();
    await dialog.getByRole('button', { name: '予約の詳細' }).click();
    await page.getByRole('dialog', { name: '予約の詳細' }).waitFor();
    await page.getByRole('button', { name: '番組の詳細' }).click();
    await page.getByRole('dialog', { name: '番組の詳細' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('what may not be copied is not offered, and the key says why', async () => {
    const page = await rig.open(`guide?program=${find('ミュージックサロン', false)}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('録画はできません').first().waitFor();
    await focusOn(page, 'ルールを作る');
    expect(await dialog.getByRole('button', { name: '予約する' }).count()).toBe(0);
    await page.keyboard.press('r');
    await dialog.locator('.toast', { hasText: 'コピーを禁止' }).waitFor();
  });

  test('what is on leads to the picture, and to the same title by its series', async () => {
    const now = Date.now();
    const window = guideWindow(rig.service.house.guide, { from: now, to: now + 1, type: 'GR' }, now);
    const program = window[0]?.programs.at(-1);
    const page = await rig.open(`guide?program=${program?.id}`);
    await page.getByRole('link', { name: '視聴' }).waitFor();
    expect(await page.getByRole('link', { name: '視聴' }).getAttribute('href')).toBe(
      `live/${STATIONS[0]?.id}`,
    );
    await page.getByRole('link', { name: '同じ題名を検索' }).click();
    await page.locator('.search-field input').waitFor();
    expect((await page.locator('.search-field input').inputValue()).length).toBeGreaterThan(1);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('dialog').waitFor();
  });

  test('what does not fit is read by the arrow of a remote control before the focus moves on', async () => {
    const page = await rig.open(`guide?program=${find('第1話', false)}`, {
      viewport: { width: 960, height: 540 },
    });
    await focusOn(page, '予約する');
    const scrolled = () => page.evaluate(() => document.querySelector('.sheet-content')?.scrollTop ?? 0);
    await page.keyboard.press('ArrowDown');
    expect(await scrolled()).toBeGreaterThan(100);
    await focusOn(page, '予約する');
    for (let press = 0; press < 12; press += 1) await page.keyboard.press('ArrowDown');
    const atEnd = await page.evaluate(() => {
      const content = document.querySelector('.sheet-content');
      return content === null ? -1 : content.scrollHeight - content.clientHeight - content.scrollTop;
    });
    expect(atEnd).toBeLessThan(40);
    expect(await page.evaluate(() => document.activeElement?.classList.contains('row'))).toBe(true);
  });

  test('a programme that is gone says so, a failure can be tried again', async () => {
    const page = await rig.open('guide?program=327400102499999');
    await page.getByText('この番組は番組表にありません').waitFor();
    const id = find('第1話', false);
    rig.service.house.problems.set(`programs/${id}`, {
      body: { message: 'いまは読めません。', code: 'busy' },
      status: 503,
    });
    await page.goto(`${rig.service.url}guide?program=${id}`);
    await page.getByText('いまは読めません。').waitFor();
    rig.service.house.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('.program-title').waitFor();
  });
});
