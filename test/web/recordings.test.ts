/** The screen of recordings in a real browser, over a service with thousands of them. */
import { describe, expect, test } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording } from '../../lib/wire/api.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import { splitTitle } from '../../web/words/title.ts';
import { until } from '../until.ts';
import { START } from './clock.ts';
import { newBookings, reservation } from './fake-bookings.ts';
import { manyStations } from './fake-guide.ts';
import { failedRecording, manyRecordings, newRecordings, runningRecording } from './fake-recordings.ts';
import { faultsOf, fillService, focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);
const COUNT = 3_000;

const station = STATIONS[0];
if (station === undefined) throw new Error('no stations');

describe.skipIf(!hasChromium)('recordings', () => {
  const rig = webRig();

  const asked = (line: string): number => rig.service.household.asked.filter((one) => one === line).length;
  const held = (id: number): Recording | undefined =>
    rig.service.household.recordings.list.find((one) => one.id === id);

  interface Opening extends BrowserContextOptions {
    readonly list?: Recording[];
    /** Values in the browser's local storage. */
    readonly kept?: Readonly<Record<string, unknown>>;
  }

  async function open(path = 'recordings', { list, kept, ...options }: Opening = {}): Promise<Page> {
    fillService(rig, STATIONS);
    rig.service.household.recordings = newRecordings(list ?? manyRecordings(STATIONS, COUNT, START));
    const page = await rig.open(kept === undefined ? path : 'nowhere', options);
    if (kept !== undefined) {
      await page.evaluate((entries) => {
        for (const [key, value] of entries) localStorage.setItem(`svc.${key}`, JSON.stringify(value));
      }, Object.entries(kept));
      await page.goto(rig.service.url + path);
    }
    return page;
  }

  const cards = (page: Page) => page.locator('.list-cell:has(.rec-title)');
  const titles = (page: Page): Promise<string[]> => page.locator('.rec-title').allTextContents();
  const chosen = (page: Page) => page.locator('.rec[data-chosen]');

  const cellsBounded = async (page: Page): Promise<void> => {
    expect(await page.locator('.list-cell').count()).toBeLessThan(80);
  };

  test('draws only what is visible of thousands, loads pages as they come near, and reaches the last', async () => {
    const page = await open('nowhere');
    const faults = faultsOf(page);
    await page.goto(`${rig.service.url}recordings`);
    await cards(page).first().waitFor();
    await cellsBounded(page);
    expect(asked('GET recordings')).toBeLessThan(8);
    // The month is shown at the top of the view, and where another one begins.
    const month = (words: string) => page.locator('.list-heading span', { hasText: words }).waitFor();
    await month('2026年11月');
    // An earlier month begins about twenty days of five hours each further down.
    for (let step = 0; (await page.locator('.list-mark').count()) === 0 && step < 40; step += 1) {
      await page.mouse.wheel(0, 600);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    expect(await page.locator('.list-mark').first().textContent()).toBe('2026年10月');
    const last = held(COUNT)?.title ?? '-';
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }));
    await page.locator(`.cell-main[data-id="${COUNT}"]`).waitFor();
    expect(await page.locator(`.list-cell:has([data-id="${COUNT}"]) .rec-title`).textContent()).toBe(
      splitTitle(last).title,
    );
    await cellsBounded(page);
    expect(await page.locator('.list-heading').textContent()).not.toBe('2026年11月');
    expect(faults).toEqual([]);
  });

  test('keeps list or grid and the order on this device', async () => {
    const page = await open();
    await cards(page).first().waitFor();
    await page.getByRole('button', { name: '一覧で表示' }).click();
    await page.locator('.rec-as-list').first().waitFor();
    await page.getByRole('button', { name: '新しい順' }).click();
    await page.getByRole('radio', { name: '大きい順' }).click();
    const largest = Math.max(...rig.service.household.recordings.list.map(({ bytes }) => bytes));
    await page.waitForFunction(
      (id) => document.querySelector('.list-cell[data-index="0"] .cell-main')?.getAttribute('data-id') === id,
      String(rig.service.household.recordings.list.find(({ bytes }) => bytes === largest)?.id),
    );
    await page.reload();
    await page.locator('.rec-as-list').first().waitFor();
    await page.getByRole('button', { name: '大きい順' }).waitFor();
  });

  test('is filtered by kind, words and station, in the URL; an empty result leads back', async () => {
    const list = [...manyRecordings(STATIONS, 60, START), failedRecording(900, station, START)];
    const page = await open('recordings', { list });
    await cards(page).first().waitFor();
    await page.getByRole('tab', { name: /^失敗/u }).click();
    await page.locator('.cell-main[data-id="900"]').waitFor();
    expect(await cards(page).count()).toBe(1);
    expect(await page.locator('.rec-foot .badge').textContent()).toBe('失敗');
    await page.getByRole('tab', { name: /^未視聴/u }).click();
    await page.waitForFunction(() => document.querySelectorAll('.rec-seen').length === 0);
    expect(new URL(page.url()).searchParams.get('unwatched')).toBe('1');
    await page.getByRole('tab', { name: /^すべて/u }).click();
    await page.getByPlaceholder('録画を探す').fill('灯台守');
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.rec-title')].every((title) => title.textContent?.includes('灯台守')),
    );
    expect(new URL(page.url()).searchParams.get('q')).toBe('灯台守');
    await page.getByRole('button', { name: '絞り込み' }).click();
    await page.getByRole('radio', { name: STATIONS[1]?.name ?? '-', exact: true }).click();
    await page.getByText('の録画は見つかりませんでした').or(cards(page).first()).first().waitFor();
    await page.getByPlaceholder('録画を探す').fill('どこにもない');
    await page.getByText('「どこにもない」の録画は見つかりませんでした').waitFor();
    await page.getByRole('button', { name: '条件を消す' }).click();
    await cards(page).nth(9).waitFor();
    expect(new URL(page.url()).search).toBe('');
  });

  test('groups series, opens one, and Back returns to the group', async () => {
    const page = await open('recordings', { kept: { 'recordings-grouped': true } });
    const pile = page.locator('.list-cell', { hasText: 'ほうき星の郵便屋さん' }).first();
    await pile.waitFor();
    const count = rig.service.household.recordings.list.filter(({ name }) =>
      name.includes('ほうき星'),
    ).length;
    expect(await pile.locator('.rec-length').textContent()).toBe(`${count}件`);
    await pile.locator('.cell-main').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'アニメ ほうき星の郵便屋さん' }).waitFor();
    await cards(page).nth(3).waitFor();
    expect((await titles(page)).every((title) => title.includes('ほうき星'))).toBe(true);
    await page.goBack();
    await page.locator('.rec-pile').first().waitFor();
    await focusOn(page, 'ほうき星の郵便屋さん');
  });

  test('several are selected by mouse and Shift, moved to the bin, and restored', async () => {
    const page = await open();
    await cards(page).nth(5).waitFor();
    const ids = [1, 2, 3, 4].map((index) => `.list-cell[data-index="${index}"]`);
    await page.locator(ids[0] ?? '').hover();
    await page.locator(`${ids[0]} .rec-check`).click();
    await page.locator(ids[3] ?? '').click({ modifiers: ['Shift'] });
    await page.getByText('4件を選択中').waitFor();
    await page.locator(ids[1] ?? '').click();
    await page.getByText('3件を選択中').waitFor();
    await page.getByRole('button', { name: 'ごみ箱へ' }).click();
    await page.getByText('3件をごみ箱へ移しました').waitFor();
    const binned = rig.service.household.recordings.list.filter(({ binnedAt }) => binnedAt !== null);
    expect(binned).toHaveLength(3);
    for (const { id } of binned)
      await page.locator(`.cell-main[data-id="${id}"]`).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '元に戻す' }).click();
    for (const { id } of binned) await page.locator(`.cell-main[data-id="${id}"]`).waitFor();
    expect(rig.service.household.recordings.list.every(({ binnedAt }) => binnedAt === null)).toBe(true);
  });

  test('on a phone nothing is wider than the screen, and a long press selects', async () => {
    const list = [...manyRecordings(STATIONS, 40, START), runningRecording(900, station, START)];
    const page = await open('recordings', { ...PHONE, list });
    await cards(page).first().waitFor();
    const width = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
    expect(await width()).toBe(360);
    const card = page.locator('.list-cell[data-index="0"]');
    await card.scrollIntoViewIfNeeded();
    const box = await card.boundingBox();
    const point = { x: (box?.x ?? 0) + 30, y: (box?.y ?? 0) + 30 };
    const session = await page.context().newCDPSession(page);
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await chosen(page).first().waitFor();
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await page.getByText('1件を選択中').waitFor();
    await page.locator('.list-cell[data-index="1"] .cell-main').tap();
    await page.getByText('2件を選択中').waitFor();
    expect(await width()).toBe(360);
    await page.getByRole('button', { name: '保護', exact: true }).click();
    await page.getByText('2件を保護しました').waitFor();
    await page.getByRole('tab', { name: '保護中' }).click();
    await page.waitForFunction(() => document.querySelectorAll('.rec-lock').length > 1);
    await page.getByRole('button', { name: '一覧で表示' }).click();
    await page.locator('.rec-as-list').first().waitFor();
    expect(await width()).toBe(360);
    await page.locator('.list-cell .cell-main').first().tap();
    await page.locator('.verdict-box').waitFor();
    expect(await width()).toBe(360);
  });

  test('on a phone the mark of a damaged recording is one line inside its card', async () => {
    const list = manyRecordings(STATIONS, 8, START).map((one) => ({
      ...one,
      name: '長い題名の番組'.repeat(4),
    }));
    const page = await open('recordings', { ...PHONE, list });
    const mark = page.locator('.rec-as-grid .rec-foot .badge[data-tone="warn"]').first();
    await mark.waitFor();
    const [line, below] = await mark.evaluate((element) => {
      const card = element.closest('.rec');
      const { height, bottom } = element.getBoundingClientRect();
      return [height, (card?.getBoundingClientRect().bottom ?? 0) - bottom];
    });
    expect(line).toBeLessThan(24);
    expect(below).toBeGreaterThan(5);
  });

  test('keys alone navigate the grid, open a recording and return, and select', async () => {
    const page = await open();
    await cards(page).nth(8).waitFor();
    const at = (index: number) =>
      page.waitForFunction(
        (wanted) => document.activeElement?.closest('.list-cell')?.getAttribute('data-index') === wanted,
        String(index),
      );
    const columns = await page.evaluate(() => {
      const cells = [...document.querySelectorAll('.list-cell')];
      const top = cells[0]?.getBoundingClientRect().top;
      return cells.filter((cell) => cell.getBoundingClientRect().top === top).length;
    });
    await page.getByRole('tab', { name: /^すべて/u }).focus();
    for (const _ of [1, 2]) await page.keyboard.press('ArrowDown');
    await at(0);
    // Far apart in one row, with cards nearer in the next.
    await page.getByRole('button', { name: '選択', exact: true }).focus();
    await page.keyboard.press('ArrowLeft');
    await focusOn(page, 'まとめる');
    await page.locator('[data-index="0"] .rec-link').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await at(columns + 1);
    const id = await page.evaluate(() => document.activeElement?.getAttribute('data-id') ?? '');
    await page.keyboard.press('Enter');
    await page.locator('.program-title').waitFor();
    expect(new URL(page.url()).searchParams.get('recording')).toBe(id);
    await page.waitForFunction(() => document.activeElement?.matches('.program-actions .button-main'));
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await at(columns + 1);
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowRight');
    await page.getByText('2件を選択中').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.select-bar').waitFor({ state: 'detached' });
    // Much faster than anything can be drawn.
    for (let press = 0; press < 30; press += 1) await page.keyboard.press('ArrowDown');
    await at(columns * 31 + 2);
    await page.keyboard.press('End');
    await at(COUNT - 1);
    await cards(page).last().waitFor();
    await page.keyboard.press('Home');
    await at(0);
    const first = await page.evaluate(() => document.activeElement?.getAttribute('data-id') ?? '');
    rig.service.household.problems.set(`recordings/${first}/bin`, {
      body: { message: '録画中です。', code: 'busy' },
      status: 409,
    });
    await page.keyboard.press('Delete');
    await page.getByText('ごみ箱へ移せませんでした。録画中です').waitFor();
    rig.service.household.problems.clear();
    // What was done by keys can be undone by keys.
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'ごみ箱へ' }).focus();
    await page.keyboard.press('Enter');
    await focusOn(page, '元に戻す');
    await page.keyboard.press('Enter');
    await page.getByText('を元に戻しました').waitFor();
    expect(rig.service.household.recordings.list.every(({ binnedAt }) => binnedAt === null)).toBe(true);
    await page.locator(`.list-cell[data-index="0"] .cell-main[data-id="${first}"]`).focus();
    await page.keyboard.press('ArrowLeft');
    await focusOn(page, '録画');
  });

  test('a recording shows its verdict in words, is marked and protected; Back closes it, a URL opens it', async () => {
    const page = await open('recordings');
    await cards(page).first().waitFor();
    await page.locator('.cell-main[data-id="4"]').click();
    const dialog = page.getByRole('dialog', { name: '録画の詳細' });
    await dialog.locator('.program-summary').waitFor();
    const text = (await dialog.textContent()) ?? '';
    for (const words of [
      '21:00:43から録画しました（最初の43秒がありません）',
      '冒頭の43秒',
      '受信が途切れました',
      '37か所',
      '対処方法',
      '出演者',
      'ファイルの大きさ',
    ]) {
      expect(text).toContain(words);
    }
    expect(await dialog.locator('.verdict-piece-gap').count()).toBeGreaterThan(1);
    await dialog.getByRole('button', { name: 'その他', exact: true }).click();
    await dialog.getByRole('button', { name: '視聴済みにする' }).click();
    await dialog.getByRole('button', { name: '未視聴に戻す' }).waitFor();
    await dialog.getByRole('button', { name: '保護する' }).click();
    await dialog.getByRole('button', { name: '保護を解除' }).waitFor();
    expect(held(4)).toMatchObject({ protected: true });
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    await page.goto(`${rig.service.url}recordings?recording=2500`);
    await page.locator('.program-title').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${rig.service.url}recordings?recording=77777`);
    await page.getByText('この録画は見つかりません').waitFor();
    // Another device moves the opened one to the bin: its texts, which no longer exist, are not requested.
    await page.goto(`${rig.service.url}recordings?recording=5`);
    await dialog.locator('.program-summary').waitFor();
    const before = asked('GET recordings/5/detail');
    Object.assign(held(5) ?? {}, { binnedAt: broadcastMs(START) });
    rig.service.send('recordings');
    await page.getByText('この録画は見つかりません').waitFor();
    expect(asked('GET recordings/5/detail')).toBe(before);
  });

  test('recordings in progress are on top, updated every few seconds, and can be stopped', async () => {
    const running = runningRecording(900, station, START);
    const page = await open('nowhere', { list: [...manyRecordings(STATIONS, 9, START), running] });
    await page.clock.install();
    await page.goto(`${rig.service.url}recordings`);
    const card = page.locator('.running');
    await card.getByText('2.4 GB').waitFor();
    expect(await card.locator('.running-state').count()).toBe(0);
    expect(await page.locator('.cell-list .cell-main[data-id="900"]').count()).toBe(0);
    // It has no picture before its end.
    expect(await card.locator('.poster-picture').count()).toBe(0);
    Object.assign(running, {
      progress: {
        ...running.progress,
        bytes: 2_600_000_000,
        drops: 12,
        phase: 'interrupted',
        cause: 'stalled',
      },
    });
    await page.clock.fastForward(4_000);
    await card.getByText('2.6 GB').waitFor();
    await card.locator('.running-state', { hasText: '放送のデータが届いていません' }).waitFor();
    await card.getByText('乱れ 12か所').waitFor();
    const program = { ...running, id: running.programId ?? 0, station };
    rig.service.household.bookings = newBookings([
      reservation(program, { id: reservationId(31), state: 'recording', recordingId: running.id }),
    ]);
    await card.locator('.cell-main').click();
    await page.getByRole('button', { name: '録画を止める' }).click();
    await page.locator('.button-danger').click();
    await page.getByText('の録画を止めました').waitFor();
    expect(asked('DELETE reservations/31')).toBe(1);
    rig.service.household.recordings.list = manyRecordings(STATIONS, 3, START);
    rig.service.send('recordings');
    await card.waitFor({ state: 'detached' });
    // Nothing can be scrolled: no month is drawn over the list.
    await page.waitForFunction(() => document.querySelectorAll('.rec-title').length === 3);
    await page.locator('.list-heading').waitFor({ state: 'detached' });
    const before = asked('GET recordings');
    await page.clock.runFor(20_000);
    await page.evaluate(() => fetch('api/health'));
    // One more read may have been pending; a poll every three seconds would be six.
    expect(asked('GET recordings') - before).toBeLessThan(3);
  });

  test('the end of a recording is announced on any screen, with a button to watch it', async () => {
    const running = runningRecording(900, station, START);
    const page = await open('search', { list: [running] });
    await until(() => asked('GET recordings') > 0);
    // Request again: the first response, in which it runs, has been received.
    rig.service.send('recordings');
    await until(() => asked('GET recordings') > 1);
    Object.assign(running, { recording: false, state: 'recorded', durationMs: 1_800_000, progress: null });
    rig.service.send('recordings');
    const notice = page.locator('.toast', { hasText: 'の録画が終わりました' });
    await notice.getByRole('button', { name: '再生' }).click();
    await page.waitForURL('**/watch/900');
  });

  test('a change keeps the scroll position, the focus and the selection', async () => {
    const page = await open();
    await cards(page).first().waitFor();
    await page.evaluate(() => scrollTo({ top: 9_000, behavior: 'instant' }));
    await page.waitForFunction(
      () => Number(document.querySelector('.list-cell')?.getAttribute('data-index')) > 20,
    );
    const link = page.locator('.cell-main[data-id]').nth(8);
    await link.waitFor();
    await link.focus();
    await page.keyboard.press('Space');
    const id = Number(await chosen(page).locator('.cell-main').getAttribute('data-id'));
    const top = await page.evaluate(() => scrollY);
    const reads = asked('GET recordings');
    for (const one of rig.service.household.recordings.list) one.watchedAt = broadcastMs(1);
    rig.service.send('recordings');
    await page.locator(`.list-cell:has([data-id="${id}"]) .rec-seen`).waitFor();
    await until(() => asked('GET recordings') > reads);
    expect(await page.evaluate(() => scrollY)).toBe(top);
    expect(Number(await chosen(page).locator('.cell-main').getAttribute('data-id'))).toBe(id);
    expect(await page.evaluate(() => Number(document.activeElement?.getAttribute('data-id')))).toBe(id);
  });

  test('is restored as it was left', async () => {
    const page = await open();
    await cards(page).first().waitFor();
    await page.evaluate(() => scrollTo({ top: 20_000, behavior: 'instant' }));
    await page.waitForFunction(
      () => Number(document.querySelector('.list-cell')?.getAttribute('data-index')) > 20,
    );
    const link = page.locator('.cell-main[data-id]').nth(8);
    await link.waitFor();
    await link.focus();
    const id = await page.evaluate(() => document.activeElement?.getAttribute('data-id') ?? '');
    await page.getByRole('link', { name: '設定' }).click();
    await page.getByRole('heading', { name: '設定', exact: true }).waitFor();
    await page.goBack();
    await page.waitForFunction((wanted) => document.activeElement?.getAttribute('data-id') === wanted, id);
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(15_000);
  });

  test('the bin shows its retention time, restores, and deletes after a confirmation', async () => {
    const list = manyRecordings(STATIONS, 12, START);
    for (const one of list.slice(0, 3)) one.binnedAt = broadcastMs(START - 3 * 3_600_000);
    const page = await open('recordings?show=bin', { list });
    await cards(page).nth(2).waitFor();
    expect(await page.locator('.rec-bin-left').first().textContent()).toMatch(/^あと4[45]時間$/u);
    await page.locator('.cell-main[data-id="1"]').click();
    await page.getByRole('button', { name: '元に戻す', exact: true }).click();
    await page.locator('.cell-main[data-id="1"]').waitFor({ state: 'detached' });
    expect(held(1)?.binnedAt).toBeNull();
    await page.locator('.cell-main[data-id="2"]').click();
    await page.getByRole('button', { name: '今すぐ完全に削除' }).click();
    await focusOn(page, 'キャンセル');
    expect(held(2)).toBeDefined();
    await page.getByRole('button', { name: '完全に削除する' }).click();
    await page.locator('.cell-main[data-id="2"]').waitFor({ state: 'detached' });
    expect(held(2)).toBeUndefined();
  });

  test('storage is shown folder by folder, with errors', async () => {
    const page = await open('nowhere', { list: manyRecordings(STATIONS, 9, START) });
    const { storage } = rig.service.household.recordings;
    if (!('folders' in storage)) throw new Error('no storage');
    for (const folder of storage.folders.slice(1)) Object.assign(folder, { state: 'full', freeBytes: 1_000 });
    await page.goto(`${rig.service.url}recordings`);
    await page.getByRole('alert').getByText('録画先がいっぱいです。').waitFor();
    await page.locator('.room').click();
    await page.getByRole('dialog').getByText('/srv/recordings').waitFor();
    expect(await page.locator('.room-folder .room-bar').count()).toBe(2);
  });

  test('without recordings it says how to get some; a failure shows its reason and a retry', async () => {
    const page = await open('recordings', { list: [] });
    await page.getByText('録画はまだありません').waitFor();
    expect(await page.getByRole('link', { name: '録画ルールを作る' }).getAttribute('href')).toBe('rules');
    rig.service.household.problems.set('recordings', {
      body: { message: 'データベースを読めません。', code: 'internal' },
      status: 500,
    });
    await page.reload();
    await page.getByRole('alert').getByText('データベースを読めません。').waitFor();
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.getByText('録画はまだありません').waitFor();
  });
});

describe.skipIf(!hasChromium)('recordings in text at twice the size', () => {
  const rig = webRig({ letters: 32 });

  /** Rows of the list in view that are not drawn. */
  const missing = (page: Page): Promise<number[]> =>
    page.evaluate(() => {
      const list = document.querySelector('.cell-list')?.getBoundingClientRect();
      const cells = [...document.querySelectorAll('.list-cell')];
      const [first] = cells.map((cell) => cell.getBoundingClientRect());
      if (list === undefined || first === undefined) return [-1];
      const bottom = Math.min(innerHeight, list.bottom);
      const tops = cells.map((cell) => cell.getBoundingClientRect().top);
      const step = Math.min(...tops.filter((top) => top > first.top)) - first.top;
      const rows = Math.max(0, Math.ceil((bottom - list.top) / step));
      return Array.from({ length: rows }, (_, row) => list.top + row * step).filter(
        (at) => !tops.some((top) => Math.abs(top - at) < 2),
      );
    });

  for (const width of [1280, 390])
    test(`${width} px wide: every row in view is drawn once those above the list are gone`, async () => {
      fillService(rig, STATIONS);
      const running = Array.from({ length: 9 }, (_, at) => runningRecording(900 + at, station, START));
      rig.service.household.recordings = newRecordings([...manyRecordings(STATIONS, 60, START), ...running]);
      const page = await rig.open('nowhere', { viewport: { width, height: 2_000 } });
      await page.evaluate(() => localStorage.setItem('svc.recordings-look', '"list"'));
      await page.goto(`${rig.service.url}recordings`);
      await page.locator('.running').first().waitFor();
      await page.locator('.cell-list').waitFor();
      const { list } = rig.service.household.recordings;
      list.splice(0, list.length, ...list.filter((one) => !one.recording));
      rig.service.send('recordings');
      await page.locator('.running').first().waitFor({ state: 'detached' });
      await until('no row is missing', async () => (await missing(page)).length === 0);
    });
});
