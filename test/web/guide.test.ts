import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { wallMs } from '../../lib/host/clock.ts';
import type { GuideProgram, Station } from '../../lib/wire/api.ts';
import { fuzzRounds, fuzzSeed, Random } from '../fuzz/random.ts';
import { until } from '../until.ts';
import { momentOf } from './clock.ts';
import { fakeStations } from './fake-air.ts';
import { newHousehold } from './fake-api.ts';
import { dayOf, guideStatus, guideWindow, manyStations } from './fake-guide.ts';
import { dayMarked, hourAtTop, overlaps } from './guide-page.ts';
import { faultsOf, fillService, focusOn, hasChromium, pressRed, webRig } from './rig.ts';

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STATIONS = manyStations([12, 40, 68]);

/** Waits until the day is marked. */
async function pressDay(page: Page, index: number): Promise<void> {
  await page.locator('.guide-day').nth(index).click();
  await page.waitForFunction(
    (nth) => document.querySelectorAll('.guide-day')[nth]?.ariaSelected === 'true',
    index,
  );
}

const activeId = (page: Page): Promise<number> =>
  page.evaluate(() => Number((document.activeElement as HTMLElement | null)?.dataset.id ?? 0));

/** The focused programme depends on the hour; moves on if it must not be recorded. */
async function passUnrecordable(page: Page): Promise<void> {
  const label = await page.locator(':focus').textContent();
  if (label?.includes('ミュージックサロン')) await page.keyboard.press('ArrowDown');
}

const GUIDE_MOVES = ['key', 'wheel', 'wheel', 'pinch', 'scroll', 'scroll', 'storm'] as const;

/** One random user action in the page. @param a @param b 0..999, distance and position */
function disturbGuide({ move, a, b }: { move: string; a: number; b: number }): void {
  const scroller = document.querySelector('.guide-scroll');
  if (scroller === null) throw new Error('no guide');
  const box = scroller.getBoundingClientRect();
  const at = {
    clientX: box.left + (box.width * a) / 1000,
    clientY: box.top + (box.height * b) / 1000,
    bubbles: true,
    cancelable: true,
  };
  const touches = (apart: number): Touch[] =>
    [-apart, apart].map(
      (by, identifier) =>
        new Touch({ identifier, target: scroller, clientX: at.clientX, clientY: at.clientY + by }),
    );
  const touch = (type: string, apart: number): void => {
    scroller.dispatchEvent(
      new TouchEvent(type, { touches: touches(apart), bubbles: true, cancelable: true }),
    );
  };
  if (move === 'key') {
    document.body.dispatchEvent(new KeyboardEvent('keydown', { ...at, key: a < 500 ? '+' : '-' }));
  } else if (move === 'wheel') {
    scroller.dispatchEvent(new WheelEvent('wheel', { ...at, ctrlKey: true, deltaY: a - 500 }));
  } else if (move === 'pinch') {
    touch('touchstart', 100);
    touch('touchmove', 20 + (b * 200) / 1000);
    scroller.dispatchEvent(new TouchEvent('touchend', { touches: [], bubbles: true }));
  } else scroller.scrollBy({ left: (a - 500) * 2, top: (b - 500) * 4, behavior: 'instant' });
}

describe.skipIf(!hasChromium)('the guide', () => {
  const rig = webRig({ stations: STATIONS });

  async function openGuide(path = 'guide', options = {}): Promise<Page> {
    fillService(rig, STATIONS);
    const page = await rig.open(path, options);
    await page.locator('.prog').first().waitFor();
    return page;
  }

  /** The programme on air at a station, and those that follow. */
  function programsFrom(station: Station | undefined, at: number): readonly GuideProgram[] {
    const wish = { from: at, to: at + DAY_MS, type: 'GR' };
    const columns = guideWindow(rig.service.household.guide, wish, at);
    return columns.find(({ stationId }) => stationId === station?.id)?.programs ?? [];
  }

  test('a sub-channel without own programmes on the day has no column, unless it was requested', async () => {
    const page = await openGuide();
    const [first, second, third] = STATIONS;
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('too few stations');
    const heads = () => page.locator('.guide-head-words b').allTextContents();
    const names = await heads();
    rig.service.household.sharedStations = [{ stationId: second.id, mainStationId: first.id }];
    rig.service.send('programs');
    await page.waitForFunction(
      (name) => document.querySelectorAll('.guide-head-words b')[1]?.textContent === name,
      names[2] ?? '',
    );
    expect((await heads()).slice(0, 2)).toEqual([names[0] ?? '', names[2] ?? '']);
    expect(await overlaps(page)).toEqual([]);
    await page.goto(`${rig.service.url}guide?at=${Date.now()}&station=${second.id}`);
    await page.locator('.prog').first().waitFor();
    expect(await heads()).toContain(names[1] ?? '');
  });

  test('a sub-channel that differs for one hour has its column only while that hour is in view', async () => {
    const [first, second] = STATIONS;
    const own = Math.floor(Date.now() / HOUR_MS) * HOUR_MS + 12 * HOUR_MS;
    const page = await rig.open('nowhere');
    await page.route('**/api/guide/shared?*', async (route) => {
      const asked = new URL(route.request().url()).searchParams;
      const isSeen = Number(asked.get('from')) < own + HOUR_MS && Number(asked.get('to')) > own;
      await route.fulfill({ json: isSeen ? [] : [{ stationId: second?.id, mainStationId: first?.id }] });
    });
    await page.goto(`${rig.service.url}guide`);
    await page.locator('.prog').first().waitFor();
    const column = page.locator('.guide-head-words b', { hasText: second?.name ?? '?' });
    await column.waitFor({ state: 'detached' });
    const top = await page.locator('.guide-scroll').evaluate((scroller) => scroller.scrollTop);
    await page.goto(`${rig.service.url}guide?at=${own}&station=${first?.id}`);
    await column.waitFor();
    await page.locator('.guide-scroll').evaluate((scroller, to) => scroller.scrollTo({ top: to }), top);
    await column.waitFor({ state: 'detached' });
  });

  test('draws only the visible part of 120 stations and eight days', async () => {
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    fillService(rig, STATIONS);
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
      rig.service.household.guide,
      { from: dayOf(Date.now()) + 8 * DAY_MS - 1, to: dayOf(Date.now()) + 8 * DAY_MS, type: 'CS' },
      Date.now(),
    );
    const latest = window.at(-1)?.programs.at(-1);
    await page.locator(`.prog[data-id="${latest?.id}"]`).waitFor();
    expect(await page.locator('.prog').count()).toBeLessThan(500);
    expect(await page.locator('.guide-head').count()).toBeLessThan(20);
    expect(faults).toEqual([]);
  });

  test('jumps to days, to the evening and back to now', async () => {
    const page = await openGuide('guide', { reducedMotion: 'reduce' });
    // In the minutes before 05:00 nearly the whole view is the next day.
    const day = await dayMarked(page);
    await page.getByRole('button', { name: '19時へ' }).click();
    await page.waitForFunction(
      (hours) => {
        const space = document.querySelector('.guide-cells');
        const scroller = document.querySelector('.guide-scroll');
        if (space === null || scroller === null) return false;
        const hour = Number.parseFloat(getComputedStyle(space).getPropertyValue('--guide-hour'));
        return Math.abs(scroller.scrollTop / hour - hours) < 0.05;
      },
      day * 24 + 14,
    );
    await pressDay(page, 5);
    expect(await hourAtTop(page)).toBeCloseTo(5 * 24 + 14, 0);
    await page.getByRole('button', { name: 'いま' }).click();
    await page.locator('.prog-live').first().waitFor();
    const now = (Date.now() - dayOf(Date.now())) / HOUR_MS;
    expect(now - (await hourAtTop(page))).toBeLessThan(4);
  });

  test('another day is marked at once, without low contrast during a transition', async () => {
    rig.clock.set(momentOf('2026-11-22T04:58:30'));
    fillService(rig, STATIONS);
    const page = await rig.open('nowhere');
    await page.evaluate(() => {
      document.addEventListener('transitionrun', ({ target }) => {
        if (target instanceof Element && target.matches('.guide-day')) document.body.dataset.fades = 'yes';
      });
      document.querySelector<HTMLElement>('a[href$="guide"]')?.click();
    });
    // Nearly the whole view is the day that begins in a minute.
    await page.locator('.guide-day[aria-selected="true"]', { hasText: '22' }).waitFor();
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await page.locator('body').getAttribute('data-fades')).toBeNull();
  });

  test('just before 05:00 the selected day is the day that is shown', async () => {
    rig.clock.set(momentOf('2026-11-22T04:58:30'));
    const page = await openGuide('guide', { reducedMotion: 'reduce' });
    await page.waitForFunction(() => document.querySelectorAll('.guide-day')[2]?.ariaSelected === 'true');
    for (const day of [5, 3, 0]) await pressDay(page, day);
  });

  test('is navigated programme by programme, opened and left by keys', async () => {
    const page = await openGuide();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    const first = await activeId(page);
    expect(first).toBe(programsFrom(STATIONS[0], Date.now())[0]?.id ?? 0);
    await page.keyboard.press('ArrowRight');
    const second = await activeId(page);
    expect(Math.floor(second / 100_000)).toBe(STATIONS[1]?.id ?? 0);
    await page.keyboard.press('ArrowLeft');
    expect(await activeId(page)).toBe(first);
    const [, next] = programsFrom(STATIONS[0], Date.now());
    await page.keyboard.press('ArrowDown');
    expect(await activeId(page)).toBe(next?.id ?? 0);
    await page.keyboard.press('PageDown');
    await page.waitForFunction(
      (id) => Number((document.activeElement as HTMLElement).dataset.id) > id,
      next?.id ?? 0,
    );
    await passUnrecordable(page);
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
    // Back leads to the toolbar, then leaves the screen.
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => document.activeElement?.classList.contains('guide-day'));
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    await page.keyboard.press('ArrowLeft');
    await focusOn(page, '番組表');
  });

  test('the record key books and cancels the focused programme and updates its mark', async () => {
    const page = await openGuide();
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    await page.keyboard.press('ArrowDown');
    await passUnrecordable(page);
    const id = await activeId(page);
    const cell = page.locator(`.prog[data-id="${id}"]`);
    await page.keyboard.press('r');
    await page.locator('.toast', { hasText: '予約しました' }).waitFor();
    await cell.locator('.prog-kept-scheduled').waitFor();
    expect(await cell.textContent()).toContain('録画予約あり');
    expect(await activeId(page)).toBe(id);
    await pressRed(page);
    await cell.locator('.prog-kept').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '元に戻す' }).last().click();
    await cell.locator('.prog-kept-scheduled').waitFor();
  });

  test('zooms by keys, Ctrl with the wheel, and pinch, around the pointer', async () => {
    const page = await openGuide('guide', PHONE);
    const hour = (): Promise<number> =>
      page.evaluate(() =>
        Number.parseFloat(
          getComputedStyle(document.querySelector('.guide-cells') ?? document.body).getPropertyValue(
            '--guide-hour',
          ),
        ),
      );
    const start = await hour();
    await page.keyboard.press('+');
    await page.waitForFunction(
      (before) =>
        Number.parseFloat(
          getComputedStyle(document.querySelector('.guide-cells') ?? document.body).getPropertyValue(
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
    // A busy browser may take two fingers for a scroll; retry like a user would.
    for (let tries = 0; (await hour()) > larger * 0.7 && tries < 5; tries += 1) {
      await touch('touchStart', 100);
      for (const apart of [90, 75, 60, 50]) await touch('touchMove', apart);
      await touch('touchEnd', 0);
      await page.waitForTimeout(100);
    }
    expect(await hour()).toBeLessThan(larger * 0.7);
    // The zoom is stored.
    const kept = await hour();
    await page.reload();
    await page.locator('.prog').first().waitFor();
    expect(await hour()).toBe(kept);
  });

  test('programmes never overlap while zooming, scrolling, pinching and updating', async () => {
    const seed = fuzzSeed();
    const random = new Random(seed);
    for (const options of [{}, PHONE]) {
      const page = await openGuide('guide', options);
      expect(await overlaps(page)).toEqual([]);
      for (let turn = 0; turn < fuzzRounds(8); turn += 1) {
        const moves = Array.from({ length: 3 }, () => random.pick(GUIDE_MOVES));
        for (const move of moves) {
          if (move !== 'storm') {
            await page.evaluate(disturbGuide, { move, a: random.below(1000), b: random.below(1000) });
            continue;
          }
          const delays = STATIONS.slice(0, 12).map(({ id }) => [id, random.below(90) * 60_000] as const);
          rig.service.household.guide = { ...rig.service.household.guide, delays: new Map(delays) };
          for (let count = 0; count < 5; count += 1) rig.service.send('programs');
        }
        expect([seed, turn, moves, await overlaps(page)]).toEqual([seed, turn, moves, []]);
      }
      await rig.closePages();
    }
  });

  test('a change of the guide is shown in place, requested with the ETag', async () => {
    const page = await openGuide();
    const live = page.locator('.prog-live').first();
    const id = Number(await live.getAttribute('data-id'));
    await page.keyboard.press('Home');
    await page.waitForFunction(() => document.activeElement?.classList.contains('prog'));
    const focused = await activeId(page);
    rig.service.send('programs');
    await until(() => rig.service.household.unchanged > 0);
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
    await pressDay(page, 3);
    const before = await hourAtTop(page);
    await page.getByRole('link', { name: 'チューナー' }).click();
    await page.getByRole('heading', { name: 'チューナー' }).waitFor();
    await page.goBack();
    await until(async () => Math.abs((await hourAtTop(page)) - before) < 0.5);
  });

  test('explains that nothing was collected, the progress and what to do', async () => {
    rig.service.state.stations = STATIONS;
    rig.service.household = newHousehold({ stations: STATIONS, days: 0 });
    const page = await rig.open('guide', PHONE);
    await page.getByText('番組表をまだ取得していません').waitFor();
    await page.getByText('12局のうち0局').waitFor();
    await page.keyboard.press('ArrowDown');
    await focusOn(page, '今すぐ取得');
    await page.keyboard.press('Enter');
    await page.getByRole('switch', { name: '今すぐ取得' }).waitFor();
  });

  test('before the first scan it offers the scan', async () => {
    const satellites = STATIONS.filter(({ type }) => type !== 'GR');
    rig.service.state.stations = satellites;
    rig.service.household = newHousehold({ stations: satellites, days: 0 });
    const page = await rig.open('guide', PHONE);
    await page.getByText('チャンネルスキャンがまだです').waitFor();
    expect(await page.getByRole('link', { name: '今すぐ取得' }).count()).toBe(0);
    await page.getByRole('link', { name: 'はじめての設定' }).click();
    await page.locator('.setup-step').first().waitFor();
  });

  test('neither hides the number of an hour nor strikes a title out at the present time', async () => {
    for (const minute of ['00', '04', '09', '13', '58']) {
      rig.clock.set(momentOf(`2026-11-21T20:${minute}:00`));
      fillService(rig, STATIONS);
      const page = await openGuide('guide', minute === '04' ? PHONE : {});
      const covered = await page.evaluate(() => {
        const knob = document.querySelector('.guide-knob')?.getBoundingClientRect();
        if (knob === undefined) return ['no badge'];
        return [...document.querySelectorAll('.guide-hour b')]
          .filter((hour) => {
            const { top, bottom } = hour.getBoundingClientRect();
            return top < knob.bottom - 1 && bottom > knob.top + 1;
          })
          .map((hour) => hour.textContent);
      });
      expect([minute, covered]).toEqual([minute, []]);
      // The text has a ground of its own over the line, which is behind it.
      const bare = await page
        .locator('.prog-live .prog-title')
        .evaluateAll(
          (titles) =>
            titles.filter((title) => getComputedStyle(title).backgroundColor === 'rgba(0, 0, 0, 0)').length,
        );
      expect(bare).toBe(0);
      await rig.closePages();
    }
  });

  test('says over empty columns that they are being received, until all were read', async () => {
    fillService(rig, STATIONS);
    const now = Date.now();
    const status = guideStatus(rig.service.household.guide, now);
    const [first] = STATIONS;
    if (first === undefined) throw new Error('no station');
    const visit = { type: first.type, channel: 'T27', stationIds: [first.id], startedAt: wallMs(now) };
    rig.service.household.guideStatus = {
      ...status,
      stations: status.stations.map((one, index) => ({ ...one, lastReadAt: index < 3 ? null : wallMs(now) })),
      visits: [visit],
    };
    const page = await rig.open('guide', PHONE);
    await page.getByText('番組表を受信中　12局のうち9局').waitFor();
    await page.locator('.prog').first().waitFor();
    rig.service.household.guideStatus = {
      ...status,
      stations: status.stations.map((one) => ({ ...one, lastReadAt: wallMs(now) })),
      visits: [visit],
    };
    rig.service.send('programs');
    await page.getByText('番組表を受信中').waitFor({ state: 'detached' });
  });

  test('a failure shows its reason and a retry', async () => {
    fillService(rig, STATIONS);
    rig.service.household.problems.set('guide', {
      body: { message: 'データベースを読めません。', code: 'internal' },
      status: 500,
    });
    const page = await rig.open('guide');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('データベースを読めません。');
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('.prog').first().waitFor();
    expect(await alert.count()).toBe(0);
  });

  test('without stations it links to the scan', async () => {
    rig.service.state.stations = [];
    const page = await rig.open('guide');
    await page.getByRole('link', { name: 'はじめての設定' }).waitFor();
    rig.service.state.stations = fakeStations(Date.now());
    rig.service.household = newHousehold({ stations: fakeStations(Date.now()), days: 8 });
    rig.service.send('services');
    await page.locator('.prog').first().waitFor();
  });
});
