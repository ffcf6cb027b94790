import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Recording, RuleItem } from '../../lib/wire/api.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import { type HouseholdState, newHousehold } from './fake-api.ts';
import { manyStations } from './fake-guide.ts';
import { failedRecording, fakeRecording } from './fake-recordings.ts';
import { addRule, bookedByRules } from './fake-rules.ts';
import { faultsOf, focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);
const WEEK_MS = 7 * 86_400_000;

/** Recordings of a rule, newest first; the fourth and the eleventh are damaged. */
function recorded(ruleId: RuleId, count: number): Recording[] {
  const station = STATIONS[0];
  if (station === undefined) throw new Error('no station');
  return Array.from({ length: count }, (_, index) => ({
    ...fakeRecording(index + 1, station, Date.now()),
    title: `灯台守の娘 第${count - index}話`,
    name: `灯台守の娘 第${count - index}話`,
    startAt: broadcastMs(Date.now() - (index + 1) * WEEK_MS),
    ruleId,
  }));
}

describe.skipIf(!hasChromium)('rules', () => {
  const rig = webRig({ stations: STATIONS });
  let household: HouseholdState;

  async function open(
    path: string,
    fill: (state: HouseholdState) => void = () => undefined,
    options = {},
  ): Promise<Page> {
    household = newHousehold({ stations: STATIONS, days: 8 });
    rig.service.household = household;
    fill(household);
    return await rig.open(path, options);
  }
  const asked = (what: string): string[] => household.asked.filter((line) => line.startsWith(what));
  const rules = (): readonly RuleItem[] => household.rules.rules;
  const field = (page: Page, name: string) => page.locator(`[name="${name}"]`);
  const quiet = (page: Page) => page.locator('.preview[aria-busy="false"]').waitFor();
  const save = (page: Page) => page.getByRole('button', { name: '保存する', exact: true }).click();

  test('a rule is written with its preview beside it, and saved', async () => {
    const page = await open('rules');
    const faults = faultsOf(page);
    await page.getByText('録画ルールはまだありません').waitFor();
    await page.getByRole('link', { name: 'ルールを作る' }).click();
    await page.getByText('録画される番組がここに並びます').waitFor();
    await field(page, 'keyword').pressSequentially('灯台守', { delay: 20 });
    const row = page.locator('.preview-row').first();
    await row.waitFor();
    await quiet(page);
    expect(asked('POST rules/preview').length).toBeLessThanOrEqual(2);
    expect(await row.locator('mark').textContent()).toBe('灯台守');
    expect(await page.locator('.preview-states').textContent()).toMatch(/予約予定 1対象外 \d+/u);
    expect(await page.locator('.preview-row').nth(1).textContent()).toContain(
      '同じ回を先の放送で録画します。',
    );

    await page.getByRole('button', { name: '月曜日' }).click();
    await page.getByRole('button', { name: '夜', exact: true }).click();
    await page.getByRole('button', { name: 'ドラマ', exact: true }).click();
    await page.getByRole('button', { name: '細かく選ぶ' }).click();
    await page.getByRole('button', { name: '国内ドラマ' }).click();
    await page.getByRole('switch', { name: '同じ回は1度だけ録画する' }).click();
    await save(page);
    await page.getByRole('heading', { name: '灯台守', exact: true }).waitFor();
    expect(rules()).toHaveLength(1);
    expect(rules()[0]).toMatchObject({
      keyword: '灯台守',
      name: '灯台守',
      weekdays: [1],
      timeFrom: 1_140,
      timeTo: 1_380,
      genres: [{ lv1: 3, lv2: 0 }],
      dedupe: false,
      marginBefore: null,
    });
    // The editor leaves no history entry: Back leads to the list.
    await page.goBack();
    await page
      .locator('.rule-words', { hasText: '「灯台守」を含む、月 19:00〜23:00、ドラマ／国内ドラマ' })
      .waitFor();
    await focusOn(page, '灯台守');
    expect(faults).toEqual([]);
  });

  test('an error is shown at its field, which gets the focus; the input stays', async () => {
    const page = await open('rules?new&keyword=%E7%81%AF');
    await quiet(page);
    await page.getByRole('button', { name: 'そのほかの条件' }).click();
    await field(page, 'durationMin').fill('ながい');
    await save(page);
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'durationMin');
    const wrong = page.locator('[data-path~="durationMin"] [role="alert"]');
    expect(await wrong.textContent()).toContain('整数で入力してください');
    await field(page, 'durationMin').fill('90');
    await field(page, 'durationMax').fill('30');
    await page.getByRole('button', { name: 'そのほかの条件' }).click();
    // An error returned by the service expands the section with its field.
    await save(page);
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'durationMax');
    await wrong.getByText('「以上」を「以下」より短く').waitFor();
    await field(page, 'durationMax').fill('');
    await page.getByRole('button', { name: '検索方法' }).click();
    await page.getByRole('switch', { name: '正規表現を使う' }).click();
    await field(page, 'keyword').fill('(第[0-9]+話');
    await page.locator('[data-path="keyword"] [role="alert"]').waitFor();
    await page.getByText('直すと、ここも変わります').waitFor();
    expect(await field(page, 'durationMin').inputValue()).toBe('90');
    await field(page, 'keyword').fill('第[0-9]+話');
    await page.locator('[data-path="keyword"] [role="alert"]').waitFor({ state: 'detached' });
    household.problems.set('rules', {
      body: { message: 'データベースに書き込めません。', code: 'internal' },
      status: 500,
    });
    await save(page);
    await page.locator('.rule-bar [role="alert"]', { hasText: 'そのまま残っています' }).waitFor();
    expect(rules()).toHaveLength(0);
    household.problems.clear();
    await save(page);
    await page.getByRole('heading', { name: '第[0-9]+話', exact: true }).waitFor();
    expect(rules()[0]).toMatchObject({
      keyword: '第[0-9]+話',
      regex: true,
      durationMin: 90,
      durationMax: null,
    });
  });

  test('an outdated response is dropped and the last one stays until the next arrives', async () => {
    const page = await open('rules?new&keyword=%E3%83%8A%E3%82%A4%E3%82%BF%E3%83%BC');
    await page.locator('.preview-row mark', { hasText: 'ナイター' }).first().waitFor();
    household.delayMs = 600;
    const before = asked('POST rules/preview').length;
    await field(page, 'keyword').fill('灯台守');
    await page.locator('.preview[aria-busy="true"]').waitFor();
    expect(await page.locator('.preview-row').first().textContent()).toContain('ナイター');
    while (asked('POST rules/preview').length === before) await Bun.sleep(5);
    household.delayMs = 0;
    await field(page, 'keyword').fill('天気予報');
    await page.locator('.preview-row mark', { hasText: '天気予報' }).first().waitFor();
    await quiet(page);
    expect(await page.locator('.preview-row mark', { hasText: '灯台守' }).count()).toBe(0);
  });

  test('editing says what is moved to the bin, and changes nothing else of the rule', async () => {
    const page = await open('rules', (state) => {
      const rule = addRule(state.rules, {
        name: '灯台守の娘',
        keyword: '灯台守',
        stationIds: [STATIONS[0]?.id ?? 0],
        marginAfter: 12_500,
        encode: 'both',
        periodTo: Date.now() + 30 * WEEK_MS,
      });
      state.recordings.list = recorded(rule.id, 8);
    });
    const before = rules()[0];
    await page.getByRole('link', { name: '編集' }).click();
    await page.getByRole('button', { name: '詳しい設定' }).click();
    expect(await field(page, 'marginBefore').getAttribute('placeholder')).toBe('10（設定）');
    expect(await field(page, 'marginAfter').inputValue()).toBe('12.5');
    await field(page, 'keepNewest').fill('5');
    const handling = page.getByRole('combobox', { name: 'CMの扱い' });
    expect(await handling.locator('option').first().textContent()).toContain('設定どおり（');
    await handling.selectOption('cut');
    await page.getByText('録画 3件がごみ箱に入ります').waitFor();
    expect(await page.locator('.preview-retiring li').first().textContent()).toContain('第3話');
    // The guide changes on another screen: the input stays.
    rig.service.send('programs');
    await page.locator('.preview[aria-busy="true"]').waitFor();
    await quiet(page);
    expect(await field(page, 'keepNewest').inputValue()).toBe('5');
    await save(page);
    await page.locator('.rule').waitFor();
    expect(rules()).toEqual([{ ...before, keepNewest: 5, commercials: 'cut' } as RuleItem]);
    await page.locator('.rule-extras', { hasText: /新しい5件だけ残す.*CMはカット/u }).waitFor();
    // The rule changes on another screen while it is edited here: conflicting values are to be chosen.
    await page.getByRole('link', { name: '編集' }).click();
    await field(page, 'keyword').fill('ナイター');
    household.rules.rules = rules().map((rule) => ({ ...rule, keyword: '釣り', priority: 9 }));
    await save(page);
    const sheet = page.getByRole('dialog', { name: 'ほかの画面で変更されています' });
    await sheet.waitFor();
    expect(await sheet.locator('.rule-difference').allTextContents()).toEqual([
      'キーワードほかの画面釣りこの画面ナイター',
    ]);
    expect(rules()[0]?.keyword).toBe('釣り');
    await sheet.getByRole('button', { name: 'ほかの画面の内容を使う' }).click();
    expect(await field(page, 'keyword').inputValue()).toBe('釣り');
    await field(page, 'keyword').fill('ナイター');
    household.rules.rules = rules().map((rule) => ({ ...rule, keyword: '将棋' }));
    await save(page);
    await sheet.getByRole('button', { name: 'この画面の内容で保存' }).click();
    await page.locator('.rule').waitFor();
    // A value that only the other screen changed is kept.
    expect(rules()[0]).toMatchObject({ keyword: 'ナイター', priority: 9, keepNewest: 5 });
    // Then the other screen deletes the rule.
    await page.getByRole('link', { name: '編集' }).click();
    await field(page, 'keyword').fill('ナイター中継');
    household.rules.rules = [];
    await save(page);
    await page.getByRole('button', { name: '新しいルールとして保存' }).click();
    await page.getByRole('heading', { name: '灯台守の娘' }).waitFor();
    expect(rules()[0]).toMatchObject({ id: 2, keyword: 'ナイター中継', keepNewest: 5 });
  });

  test('disables, deletes and restores', async () => {
    const page = await open('rules', (state) => {
      addRule(state.rules, {
        name: '灯台守の娘',
        keyword: '灯台守',
        dedupe: false,
        priority: 3,
        keepDays: 30,
      });
      addRule(state.rules, { name: 'ナイター', keyword: 'ナイター' });
    });
    const card = page.locator('.rule', { hasText: '灯台守の娘' });
    await card.getByText('うち競合').waitFor();
    await card.getByRole('switch').click();
    await card.getByText('止めている間は予約しません。').waitFor();
    await page.getByText('を止めました').waitFor();
    expect(rules()[0]).toMatchObject({ enabled: false, priority: 3, keepDays: 30 });
    // Another screen changes it before it is switched on again: that stays.
    Object.assign(rules()[0] ?? {}, { priority: 4 });
    await page.getByRole('button', { name: '元に戻す' }).click();
    await card.locator('.rule-next .badge').waitFor();
    expect(rules()[0]).toMatchObject({ enabled: true, priority: 4 });
    const before = rules()[0];

    await card.getByRole('button', { name: '削除' }).click();
    const sheet = page.getByRole('dialog');
    expect(await sheet.textContent()).toMatch(/予約 \d+件は取り消されます/u);
    await sheet.getByRole('button', { name: '削除する' }).click();
    await card.waitFor({ state: 'detached' });
    expect(rules()).toHaveLength(1);
    await page.getByRole('button', { name: '元に戻す' }).click();
    await card.waitFor();
    await focusOn(page, '灯台守の娘');
    expect(rules()[1]).toEqual({ ...before, id: 3 } as RuleItem);
  });

  test('is found, reordered and copied; one disabled by the service says why', async () => {
    const page = await open('rules', (state) => {
      addRule(state.rules, { name: 'ろうそくの夜', keyword: 'ナイター' });
      addRule(state.rules, { name: 'あさの映画', genres: [{ lv1: 6 }], timeFrom: 300, timeTo: 660 });
      addRule(
        state.rules,
        { name: 'いつもの話', keyword: '第\\d+話', regex: true },
        {
          enabled: false,
          disabledReason: '正規表現の処理に時間がかかりすぎます。',
        },
      );
      addRule(state.rules, { name: '天気', keyword: '天気', weekdays: [0, 6] });
      const crowded = { left: 50, reason: '残りの 50 件は放送が近づいてから予約します。' };
      addRule(state.rules, { name: '落語', genres: [{ lv1: 9, lv2: 3 }] }, { crowded });
    });
    const names = () => page.locator('.rule-link').allTextContents();
    await page.locator('.rule').nth(4).waitFor();
    expect((await names())[0]).toBe('いつもの話');
    await page
      .locator('.alert', { hasText: '時間がかかりすぎます' })
      .getByText('編集して保存し直すか')
      .waitFor();
    const crowded = page.locator('.alert', { hasText: '残りの 50 件は放送が近づいてから' });
    expect(await crowded.count()).toBe(1);
    await page.getByRole('button', { name: '並び順' }).click();
    await page.getByRole('radio', { name: '名前順' }).click();
    expect((await names()).slice(0, 3)).toEqual(['いつもの話', 'あさの映画', 'ろうそくの夜']);
    await page.locator('.rule-search input').fill('土日');
    await page.waitForFunction(() => document.querySelectorAll('.rule').length === 1);
    await page.getByRole('link', { name: '複製' }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[name="name"]')?.value === '天気 のコピー',
    );
    await quiet(page);
    await save(page);
    await page.getByRole('heading', { name: '天気 のコピー' }).waitFor();
    expect(rules()[5]).toMatchObject({ keyword: '天気', weekdays: [0, 6], name: '天気 のコピー' });
  });

  test('leaving asks about unsaved changes, opening a programme sheet does not', async () => {
    const page = await open('search?q=%E7%81%AF%E5%8F%B0');
    await page.getByRole('link', { name: '録画ルールを作る' }).click();
    await page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('[name="keyword"]')?.value === '灯台',
    );
    await field(page, 'keyword').fill('灯台守');
    await page.locator('.preview-row').first().click();
    await page.locator('.program-actions').getByRole('button', { name: 'その他' }).click();
    const link = page.getByRole('link', { name: 'ルールを作る' });
    const from = new URL((await link.getAttribute('href')) ?? '', page.url()).searchParams;
    expect([...from.keys()]).toEqual(['new', 'keyword', 'stationId']);
    expect(from.get('keyword')).toContain('ドラマ');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await field(page, 'keyword').inputValue()).toBe('灯台守');
    await page.goBack();
    await page.getByText('まだ保存していません').waitFor();
    await page.getByRole('button', { name: '編集を続ける' }).click();
    expect(new URL(page.url()).search).toBe('?new&keyword=%E7%81%AF%E5%8F%B0');
    expect(await field(page, 'keyword').inputValue()).toBe('灯台守');
    await page.getByRole('link', { name: '番組表' }).click();
    await page.getByRole('button', { name: '保存せずに移動' }).click();
    await page.locator('.guide').first().waitFor();
    await page.goBack();
    await field(page, 'keyword').fill('灯台守');
    await page.getByRole('button', { name: 'キャンセル' }).click();
    await page.getByRole('dialog').getByRole('button', { name: '保存する' }).click();
    await page.locator('.found').first().waitFor();
    expect(rules()).toHaveLength(1);
  });

  test('by keys alone, from the list to a saved rule', async () => {
    const page = await open('rules', (state) => addRule(state.rules, { name: '落語', genres: [{ lv1: 9 }] }));
    await page.locator('.rule').waitFor();
    await page.keyboard.press('ArrowDown');
    await focusOn(page, '新しいルール');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'keyword');
    await page.keyboard.type('天気予報');
    await page.keyboard.press('ArrowDown');
    await focusOn(page, '検索のコツ');
    for (const name of ['検索方法', '放送局を選ぶ', 'スポーツ']) {
      await page.keyboard.press('ArrowDown');
      await focusOn(page, name);
    }
    await page.keyboard.press('Enter');
    await page.locator('.chip[aria-pressed="true"]', { hasText: 'スポーツ' }).waitFor();
    await quiet(page);
    // Down the form and on to the bar, past the long list beside it.
    for (const name of ['バラエティ', 'ドキュメンタリー・教養', 'その他']) {
      await page.keyboard.press('ArrowDown');
      await focusOn(page, name);
    }
    await page.getByRole('button', { name: '詳しい設定' }).focus();
    await page.keyboard.press('ArrowDown');
    await focusOn(page, '保存する');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '天気予報' }).waitFor();
    expect(rules()[1]).toMatchObject({ keyword: '天気予報', genres: [{ lv1: 1, lv2: null }] });
  });

  test('a URL fills a new rule, and stations are chosen with their logos, on a phone', async () => {
    const id = STATIONS[0]?.id ?? 0;
    const page = await open(
      `rules?new&keyword=%E7%81%AF%E5%8F%B0%E5%AE%88&stationId=${id}`,
      undefined,
      PHONE,
    );
    await page.locator('.preview-row').first().waitFor();
    await page.getByRole('button', { name: `${STATIONS[0]?.name}を外す` }).waitFor();
    await page.getByRole('button', { name: '放送局を選ぶ' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('tab', { name: 'BS' }).click();
    await sheet.locator('.station-choice').first().click();
    await sheet.getByRole('button', { name: '決定' }).click();
    const bs = STATIONS.find(({ type }) => type === 'BS');
    await page.getByRole('button', { name: `${bs?.name}を外す` }).waitFor();
    for (const name of ['検索方法', 'そのほかの条件', '詳しい設定']) {
      await page.getByRole('button', { name }).click();
    }
    await page.getByRole('button', { name: '検索のコツ' }).click();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await quiet(page);
    await page.locator('.rule-bar-count', { hasText: /\d+件/u }).click();
    await page.waitForFunction(
      () => (document.querySelector('.preview')?.getBoundingClientRect().top ?? 999) < 300,
    );
    await save(page);
    await page.getByRole('heading', { name: '灯台守' }).waitFor();
    expect(rules()[0]?.stationIds).toEqual<unknown>([id, bs?.id ?? 0]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  test('a rule’s page lists its upcoming airings and recordings, and says when it was deleted', async () => {
    const page = await open('rules?rule=1', (state) => {
      const rule = addRule(state.rules, { name: '灯台守の娘', keyword: '灯台守', dedupe: false });
      state.recordings.list = recorded(rule.id, 4);
      const broken = failedRecording(90, STATIONS[1] ?? { id: 1 as StationId, name: '局' }, Date.now());
      state.recordings.list.push({
        ...broken,
        ruleId: rule.id,
        startAt: broadcastMs(Date.now() - 30 * WEEK_MS),
      });
      state.bookings.items = bookedByRules(state.rules, state.guide).map((item, at) =>
        at === 1 ? { ...item, ruleId: null, priority: 2 } : item,
      );
    });
    const coming = page.locator('section', { has: page.getByRole('heading', { name: 'これからの放送' }) });
    await coming.locator('.row').nth(4).waitFor();
    const byHand = page.locator('section', {
      has: page.getByRole('heading', { name: '手動で予約した放送' }),
    });
    await byHand.locator('.row').first().waitFor();
    expect(await byHand.locator('.row').count()).toBe(1);
    expect(await coming.textContent()).toContain('チューナーが足りません。');
    const done = page.locator('section', { has: page.getByRole('heading', { name: '録画したもの' }) });
    await done.locator('.badge').nth(4).waitFor();
    const verdicts = await done.locator('.badge').allTextContents();
    expect(verdicts).toEqual(['完全', '完全', '完全', '一部に乱れ', '失敗']);
    household.rules.rules = [];
    rig.service.send('rules');
    await page.getByText('このルールはありません').waitFor();
    await page.getByRole('link', { name: 'ルールの一覧' }).click();
    await page.getByText('録画ルールはまだありません').waitFor();
  });
});
