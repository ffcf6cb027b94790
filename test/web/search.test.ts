import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { recordingId, reservationId, ruleId } from '../../lib/wire/ids.ts';
import { manyStations } from './fake-guide.ts';
import { faultsOf, fillService, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);

/** Waits until the response for these words is shown and no other is pending. */
async function settled(page: Page, words: string): Promise<void> {
  await page.locator('.found mark', { hasText: words }).first().waitFor();
  await page.locator('.search-results[aria-busy="false"]').waitFor();
}

describe.skipIf(!hasChromium)('search', () => {
  const rig = webRig({ stations: STATIONS });

  const asked = (): string[] => rig.service.household.asked.filter((line) => line === 'GET search');

  async function open(path: string, options = {}): Promise<Page> {
    fillService(rig, STATIONS);
    return await rig.open(path, options);
  }

  test('searches while typing, at most once per character, and keeps the words in the URL', async () => {
    const page = await open('search');
    const faults = faultsOf(page);
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('灯台守', { delay: 20 });
    await settled(page, '灯台守');
    const row = page.locator('.found').first();
    expect(await row.locator('mark').first().textContent()).toBe('灯台守');
    expect(asked().length).toBeLessThanOrEqual(3);
    expect(new URL(page.url()).searchParams.get('q')).toBe('灯台守');
    await page.reload();
    await page.locator('.found').first().waitFor();
    expect(await page.locator('.search-field input').inputValue()).toBe('灯台守');
    expect(faults).toEqual([]);
  });

  test('says why a row matches whose title lacks the word, and how many were found', async () => {
    const page = await open('search?q=天気', PHONE);
    const match = page.locator('.found-match').first();
    await match.waitFor();
    expect(await match.textContent()).toContain('あすの天気を');
    expect(await match.locator('mark').allTextContents()).toEqual(['天気']);
    const section = page.getByRole('region', { name: '番組' });
    expect(await section.locator('header').textContent()).toMatch(/^番組\d+件(以上)?$/u);
    // A title that has the word needs no reason.
    const named = page.locator('.found', { has: page.locator('.found-title', { hasText: '天気予報' }) });
    expect(await named.first().locator('.found-match').count()).toBe(0);
  });

  test('is filtered by genre, day and time, in the URL, and becomes a rule unchanged', async () => {
    const page = await open('search');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('ドラマ', { delay: 20 });
    await page.getByRole('button', { name: 'ジャンル：ドラマ', exact: true }).click();
    await page.locator('.found').first().waitFor();
    await page.getByRole('button', { name: '絞り込み（1）' }).click();
    await page.getByRole('button', { name: '月曜日' }).click();
    await page.getByRole('button', { name: /^夜（/u }).click();
    await page.getByRole('button', { name: '絞り込み（3）' }).waitFor();
    await page.locator('.search-results[aria-busy="false"]').waitFor();
    const asked =
      rig.service.household.asked.filter((line) => line.startsWith('POST rules/preview')).at(-1) ?? '';
    expect(JSON.parse(asked.slice('POST rules/preview '.length))).toMatchObject({
      ...{ keyword: 'ドラマ', genres: [{ lv1: 3 }], weekdays: [1], timeFrom: 1020, timeTo: 1380 },
    });
    await page.reload();
    await page.getByRole('button', { name: '絞り込み（3）' }).waitFor();
    await page.getByRole('link', { name: /録画ルール|見つかったら録画する/u }).click();
    await page.getByRole('heading', { name: '新しいルール' }).waitFor();
    expect(await page.locator('[name="keyword"]').inputValue()).toBe('ドラマ');
    expect(await page.locator('[name="timeFrom"]').inputValue()).toBe('17:00');
    expect(await page.getByRole('button', { name: '月曜日' }).getAttribute('aria-pressed')).toBe('true');
    await page.goBack();
    await page.getByRole('button', { name: 'すべて解除' }).click();
    await page.getByRole('button', { name: '絞り込み', exact: true }).waitFor();
  });

  test('a found programme is booked by its button and cancelled by the record key', async () => {
    const page = await open('search?q=灯台守', PHONE);
    const line = page.locator('.found-line').first();
    await line.getByRole('button', { name: /^予約：/u }).click();
    await line.locator('.badge', { hasText: '予約済み' }).waitFor();
    await page.locator('.toast', { hasText: '予約しました' }).waitFor();
    await line.locator('.found').focus();
    await page.keyboard.press('r');
    await line.getByRole('button', { name: /^予約：/u }).waitFor();
    expect(rig.service.household.bookings.items.map(({ state }) => state)).toEqual(['cancelled']);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
  });

  test('keys navigate from the field to the results, into a programme and back', async () => {
    const page = await open('search');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await page.keyboard.type('ニュース');
    // Rows for shorter input would be replaced by the next response, and the focus lost.
    await settled(page, 'ニュース');
    await page.locator('.found').nth(1).waitFor();
    // Goes through the filters.
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.classList.contains('chip'));
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.classList.contains('found'));
    await page.keyboard.press('ArrowDown');
    const second = await page.evaluate(() =>
      [...document.querySelectorAll('.found')].indexOf(document.activeElement as Element),
    );
    expect(second).toBe(1);
    await page.keyboard.press('Enter');
    await page.locator('.program-title').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.querySelectorAll('.found')[1] === document.activeElement);
    for (const kind of ['found', 'chip']) {
      await page.keyboard.press('ArrowUp');
      await page.waitForFunction((name) => document.activeElement?.classList.contains(name), kind);
    }
    await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    // Inside the text the arrows move the caret; at its ends they move the focus.
    await page.keyboard.press('Home');
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.press('ArrowLeft');
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.activeElement?.closest('nav') != null);
    await page.locator('.search-field input').focus();
    await page.keyboard.press('Escape');
    expect(await page.locator('.search-field input').inputValue()).toBe('');
    await page.locator('.found').first().waitFor({ state: 'detached' });
    // An empty field does not trap the focus.
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => document.activeElement?.closest('nav') != null);
  });

  test('offers what completes the words, between the filters, and never moves the rows', async () => {
    const page = await open('search', PHONE);
    await page.locator('.search-field input').fill('手話');
    const chips = page.locator('.search-chips .chip');
    const offered = chips.filter({ hasText: 'みんなの手話' });
    await offered.waitFor();
    const box = await page.locator('.search-chips').boundingBox();
    await offered.click();
    await page.waitForFunction(
      () => document.querySelector('input')?.value === 'みんなの手話 駅で道をたずねる',
    );
    await page.waitForFunction(() => document.querySelectorAll('.search-chips .chip').length === 1);
    expect(await page.locator('.search-chips').boundingBox()).toEqual(box);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    expect(new URL(page.url()).searchParams.get('q')).toBe('みんなの手話 駅で道をたずねる');
  });

  test('more rows are loaded until there are none, and the four sections are distinguishable', async () => {
    const page = await open('search?q=%E5%AD%97');
    rig.service.household.search = undefined;
    await page.locator('.panel, .found').first().waitFor();
    const row = { name: '[字]灯台', service_name: '青葉テレビ', start_at: broadcastMs(Date.now()) };
    rig.service.household.search = {
      q: '灯台',
      programs: {
        more: true,
        rows: [
          {
            ...row,
            id: 1 as ProgramId,
            end_at: broadcastMs(row.start_at + 1),
            reservation_state: 'scheduled',
          },
        ],
      },
      recordings: {
        more: false,
        rows: [{ ...row, id: recordingId(1), state: 'available', watch: null, verdict: 'damaged' }],
      },
      reservations: {
        more: false,
        rows: [
          {
            ...row,
            id: reservationId(1),
            program_id: 5 as ProgramId,
            end_at: broadcastMs(row.start_at + 1),
            state: 'conflict',
            chase: null,
          },
        ],
      },
      rules: { more: false, rows: [{ id: ruleId(3), name: '灯台の録画', enabled: false }] },
    };
    // Without the extended texts the preview would equal the search result.
    await page.route('**/api/rules/preview', (route) => route.abort());
    await page.locator('.search-field input').fill('灯台');
    await page.getByRole('heading', { name: '録画ルール' }).waitFor();
    expect(await page.locator('.found-section h2').allTextContents()).toEqual([
      '番組',
      '録画',
      '予約',
      '録画ルール',
    ]);
    expect(await page.locator('.badge').allTextContents()).toEqual([
      '予約済み',
      '一部に乱れ',
      '競合',
      '停止中',
    ]);
    await page.getByRole('button', { name: 'もっと見る' }).click();
    await page.getByRole('button', { name: 'もっと見る' }).waitFor({ state: 'detached' });
    expect(await page.locator('.found').count()).toBe(4);
  });

  test('more rows are appended below the existing ones', async () => {
    const page = await open('search?q=%E5%AD%97');
    await page.locator('.found').nth(9).waitFor();
    expect(await page.locator('.found').count()).toBe(10);
    const first = await page.locator('.found').first().textContent();
    await page.getByRole('button', { name: 'もっと見る' }).click();
    await page.locator('.found').nth(29).waitFor();
    expect(await page.locator('.found').count()).toBe(30);
    expect(await page.locator('.found').first().textContent()).toBe(first);
  });

  test('an empty result gives hints; earlier searches are offered again', async () => {
    const page = await open('search', PHONE);
    await page.getByRole('heading', { name: '番組を検索' }).waitFor();
    await page.locator('.search-field input').fill('どこにもない言葉');
    await page.getByText('「どこにもない言葉」は見つかりませんでした').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'キーワードを消す' }).click();
    await page.getByRole('button', { name: 'どこにもない言葉' }).click();
    await page.getByText('「どこにもない言葉」は見つかりませんでした').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.getByRole('button', { name: 'キーワードを消す' }).click();
    await page.getByRole('button', { name: '履歴を消す' }).click();
    await page.getByRole('heading', { name: '番組を検索' }).waitFor();
  });

  test('a failure shows its reason and a retry', async () => {
    const page = await open('search');
    rig.service.household.problems.set('search', {
      body: { message: '検索できませんでした。', code: 'internal' },
      status: 500,
    });
    await page.locator('.search-field input').fill('ニュース');
    await page.getByRole('alert').getByText('検索できませんでした。').waitFor();
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('.found').first().waitFor();
  });
});
