/** The sheet of a programme, as the guide opens it. */
import { describe, expect, test } from 'bun:test';
import { guideWindow, manyStations } from './fake-guide.ts';
import { focusOn, hasChromium, webRig } from './rig.ts';

const HOUR_MS = 3_600_000;
const STATIONS = manyStations([12, 40, 68]);

describe.skipIf(!hasChromium)('the sheet of a programme', () => {
  const rig = webRig({ stations: STATIONS });

  const find = (name: string, live: boolean): number => {
    const now = Date.now();
    const window = guideWindow(
      rig.service.household.guide,
      { from: now, to: now + 24 * HOUR_MS, type: 'GR' },
      now,
    );
    const programs = window.flatMap((station) => station.programs);
    const found = programs.find((program) => program.name.includes(name) && program.startAt <= now === live);
    if (found === undefined) throw new Error(`nothing is called ${name}`);
    return found.id;
  };

  test('shows everything in full, and opens the other airings', async () => {
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

  test('is closed for the screen, too, when the browser closes it on its own', async () => {
    const page = await rig.open('guide');
    await page.locator('.prog').first().click();
    const dialog = page.getByRole('dialog');
    await dialog.locator('.program-title').waitFor();
    await page.evaluate(() => document.querySelector('dialog')?.close());
    await dialog.waitFor({ state: 'detached' });
    await page.waitForFunction(() => location.search === '');
    await page.locator('.prog').first().click();
    await dialog.locator('.program-title').waitFor();
  });

  test('books and cancels, with the state, the reason and the way back', async () => {
    const id = find('第1話', false);
    rig.service.household.bookings.tight.add(id);
    const page = await rig.open(`guide?program=${id}`);
    const dialog = page.getByRole('dialog');
    await focusOn(page, '予約する');
    await page.keyboard.press('Enter');
    await dialog.locator('.toast', { hasText: 'このままでは録画されません' }).waitFor();
    await dialog.locator('.conflict-help', { hasText: 'チューナーが足りない' }).waitFor();
    await focusOn(page, '予約を取り消す');
    await page.keyboard.press('r');
    await dialog.getByRole('button', { name: '再予約する' }).waitFor();
    await dialog.getByText('予約は取り消されています').waitFor();
    await dialog.getByRole('button', { name: '予約の詳細' }).click();
    await page.getByRole('dialog', { name: '予約の詳細' }).waitFor();
    await page.getByRole('button', { name: '番組の詳細' }).click();
    await page.getByRole('dialog', { name: '番組の詳細' }).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  test('毎回録画 makes a rule of the series with one press, and takes it back', async () => {
    const page = await rig.open(`guide?program=${find('第1話', false)}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: '毎回録画' }).click();
    await dialog.locator('.toast', { hasText: '毎回録画します' }).waitFor();
    const { rules } = rig.service.household.rules;
    const rule = rules.find(({ keywordIn }) => keywordIn.join() === 'title');
    // What the toast counts is what the service says of that rule.
    const answer = await fetch(`${rig.service.url}api/rules/preview`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ keyword: rule?.keyword, keywordIn: ['title'], stationIds: rule?.stationIds }),
    });
    const { total } = (await answer.json()) as { total: number };
    expect(total).toBeGreaterThan(0);
    expect(await dialog.locator('.toast').textContent()).toContain(`${total}回`);
    await dialog.locator('.toast').getByRole('button', { name: '元に戻す' }).click();
    await dialog.locator('.toast', { hasText: '削除しました' }).waitFor();
    expect(rules.some(({ keywordIn }) => keywordIn.join() === 'title')).toBe(false);
  });

  test('a copy-never programme is not offered, and the record key says why', async () => {
    const page = await rig.open(`guide?program=${find('ミュージックサロン', false)}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('録画はできません').first().waitFor();
    await focusOn(page, 'リマインダー');
    expect(await dialog.getByRole('button', { name: '予約する' }).count()).toBe(0);
    await page.keyboard.press('r');
    await dialog.locator('.toast', { hasText: 'コピーを禁止' }).waitFor();
  });

  test('a programme on air links to the live picture, and to airings of its series', async () => {
    const now = Date.now();
    const window = guideWindow(rig.service.household.guide, { from: now, to: now + 1, type: 'GR' }, now);
    const program = window[0]?.programs.at(-1);
    const page = await rig.open(`guide?program=${program?.id}`);
    await page.getByRole('link', { name: '視聴' }).waitFor();
    expect(await page.getByRole('link', { name: '視聴' }).getAttribute('href')).toBe(
      `live/${STATIONS[0]?.id}`,
    );
    // One main action, two beside it, and the rest behind one button.
    const actions = page.locator('.program-actions > :is(a, button)');
    expect(await actions.allTextContents()).toEqual(['視聴', '録画する', '毎回録画', 'その他']);
    await page.locator('.program-actions').getByRole('button', { name: 'その他' }).click();
    await page.getByRole('link', { name: '同じ題名を検索' }).click();
    await page.locator('.search-field input').waitFor();
    expect((await page.locator('.search-field input').inputValue()).length).toBeGreaterThan(1);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('dialog').waitFor();
  });

  test('arrow keys scroll long text before the focus moves on', async () => {
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

  test('a removed programme is reported, a failure can be retried', async () => {
    const page = await rig.open('guide?program=327400102499999');
    await page.getByText('この番組は番組表にありません').waitFor();
    const id = find('第1話', false);
    rig.service.household.problems.set(`programs/${id}`, {
      body: { message: 'いまは読めません。', code: 'busy' },
      status: 503,
    });
    await page.goto(`${rig.service.url}guide?program=${id}`);
    await page.getByText('いまは読めません。').waitFor();
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('.program-title').waitFor();
  });
});
