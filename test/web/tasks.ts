/**
 * Twenty-eight tasks of a household, each starting at the home screen. The numbers are the maximum of presses:
 * by pointer, and by the arrows, Enter and digits of a remote control. `docs/testing.md` shows the table.
 */
import type { UserInput } from './user-input.ts';

export interface Task {
  readonly name: string;
  /** Undefined: by keys only. */
  readonly pointer: number | undefined;
  /** Undefined: by pointer only; another task covers the way by keys. */
  readonly keys: number | undefined;
  /** The task by keys is part of every run, not only of the long one. */
  readonly remote?: true;
  readonly run: (input: UserInput) => Promise<void>;
}

const rail = ({ page }: UserInput, name: string) => page.locator('.rail').getByRole('link', { name });
const button = ({ page }: UserInput, name: string | RegExp, exact = true) =>
  page.getByRole('button', typeof name === 'string' ? { name, exact } : { name }).first();
const toast = ({ page }: UserInput, text: string) =>
  page.locator('.toast', { hasText: text }).first().waitFor();

/** A visible programme of the guide that has not begun and is not reserved. */
async function comingProgram({ page }: UserInput) {
  await page.locator('.prog-live').first().waitFor();
  const found = await page.waitForFunction(() => {
    const cells = [...document.querySelectorAll<HTMLElement>('.prog[data-id]')];
    return cells.find((cell) => {
      const { top, bottom, left, right, height } = cell.getBoundingClientRect();
      const isFree = cell.querySelector('.prog-kept') === null && !cell.classList.contains('prog-live');
      return isFree && top > 330 && bottom < innerHeight - 60 && left > 90 && right < 1100 && height > 40;
    })?.dataset.id;
  });
  const id = await found.jsonValue();
  return page.locator(`.prog[data-id="${id}"]`);
}

/** A recording of the list that can be played; a press opens its sheet. */
const card = ({ page }: UserInput, index = 0) => page.locator('.cell-list .rec-link[data-id]').nth(index);
const inSheet = ({ page }: UserInput, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });
const searchField = ({ page }: UserInput) => page.getByRole('searchbox', { name: '番組を検索' });
const found = ({ page }: UserInput) => page.locator('.found');

export const BIG_HOUSEHOLD: readonly Task[] = [
  {
    name: '録り逃しの理由を見て、次の放送を予約する',
    ...{ pointer: 2, keys: 12 },
    run: async (input) => {
      const { page } = input;
      await input.choose(page.locator('.status-chip', { hasText: '録り逃し' }));
      await page.getByText('チューナー').first().waitFor();
      await input.choose(page.getByRole('dialog').locator('.conflict-offers .button').first());
      await input.page
        .locator('.toast', { hasText: /予約しました|このままでは/u })
        .first()
        .waitFor();
    },
  },
  {
    name: '放送中の番組を見る',
    ...{ pointer: 1, keys: 8 },
    remote: true,
    run: async (input) => {
      await input.choose(input.page.locator('.stations .card').nth(1));
      await input.page.waitForURL(/live\/\d+/u);
    },
  },
  {
    name: '放送中の番組を録画する',
    ...{ pointer: 1, keys: undefined },
    run: async (input) => {
      const { page } = input;
      const shown = page.locator('.stations > li', { has: page.getByRole('button', { name: /^録画する/u }) });
      await input.choose(shown.first().getByRole('button', { name: /^録画する/u }));
      await page.locator('.toast', { hasText: '録画' }).first().waitFor();
    },
  },
  {
    name: 'リモコンの数字で選局する',
    ...{ pointer: undefined, keys: 1 },
    remote: true,
    run: async (input) => {
      await input.page.locator('.stations .card').first().waitFor();
      await input.key('3');
      await input.page.waitForURL(/live\/\d+/u);
    },
  },
  {
    name: 'BSの番組を見る',
    ...{ pointer: 2, keys: 12 },
    run: async (input) => {
      await input.choose(input.page.getByRole('tab', { name: 'BS' }));
      await input.choose(input.page.locator('#stations[aria-labelledby="band-BS"] .card').first());
      await input.page.waitForURL(/live\/\d+/u);
    },
  },
  {
    name: '番組表で夜7時を見る',
    ...{ pointer: 2, keys: undefined },
    run: async (input) => {
      await input.choose(rail(input, '番組表'));
      await input.choose(button(input, '19時へ'));
      await input.page.locator('.guide-hour:has-text("19")').first().waitFor();
    },
  },
  {
    name: '番組表から予約する',
    ...{ pointer: 3, keys: 25 },
    remote: true,
    run: async (input) => {
      await input.choose(rail(input, '番組表'));
      await input.choose(await comingProgram(input));
      await input.choose(inSheet(input, '予約する'));
      // On a full evening there may be no free tuner, which is shown at once.
      await input.page
        .locator('.toast', { hasText: /予約しました|このままでは/u })
        .first()
        .waitFor();
    },
  },
  {
    name: '次の予約を取り消し、元に戻す',
    ...{ pointer: 3, keys: 12 },
    run: async (input) => {
      await input.choose(input.page.locator('.next:not(.next-recording)').first());
      await input.choose(
        input.page
          .getByRole('dialog')
          .getByRole('button', { name: /取り消す/u })
          .first(),
      );
      await input.choose(button(input, '元に戻す'));
      await toast(input, '戻しました');
    },
  },
  {
    name: '題名で探して予約する',
    ...{ pointer: 3, keys: 14 },
    run: async (input) => {
      await input.choose(rail(input, '検索'));
      await input.write(searchField(input), '囲炉裏');
      await input.choose(input.page.getByRole('button', { name: /^予約：山里の台所/u }).first());
      await input.page
        .locator('.toast', { hasText: /予約しました|録画/u })
        .first()
        .waitFor();
    },
  },
  {
    name: '出演者で探す',
    ...{ pointer: 3, keys: 12 },
    run: async (input) => {
      await input.choose(rail(input, '検索'));
      await input.write(searchField(input), '青葉まこと');
      await input.choose(found(input).first());
      await input.page.locator('.program-extended', { hasText: '青葉まこと' }).waitFor();
    },
  },
  {
    name: 'ジャンルで絞った検索を録画ルールにする',
    ...{ pointer: 3, keys: undefined },
    run: async (input) => {
      await input.choose(rail(input, '検索'));
      await input.choose(button(input, 'アニメ・特撮'));
      await found(input).first().waitFor();
      await input.choose(button(input, 'この条件で毎回録画'));
      await toast(input, '毎回録画します');
    },
  },
  {
    name: '番組からルールを作る',
    ...{ pointer: 3, keys: undefined },
    run: async (input) => {
      await input.choose(rail(input, '番組表'));
      await input.choose(await comingProgram(input));
      await input.choose(inSheet(input, '毎回録画'));
      await toast(input, '毎回録画します');
    },
  },
  {
    name: '競合を見て、別の放送に替える',
    ...{ pointer: 3, keys: 25 },
    run: async (input) => {
      const { page } = input;
      await input.choose(page.locator('.status-chip', { hasText: '競合' }));
      const row = page.locator('.conflict').first();
      await row.waitFor();
      if ((await row.locator('.conflict-offers').count()) === 0)
        await input.choose(row.locator('.conflict-ways'));
      await input.choose(row.locator('.conflict-offers .button').first());
      await toast(input, '元に戻す');
    },
  },
  {
    name: '新着の録画を再生する',
    ...{ pointer: 1, keys: 14 },
    run: async (input) => {
      await input.choose(input.page.locator('.watch-card', { hasText: '新着' }).first());
      await input.page.waitForURL(/watch\/\d+/u);
    },
  },
  {
    name: '途中まで見た録画の続きを見る',
    ...{ pointer: 1, keys: 5 },
    remote: true,
    run: async (input) => {
      await input.choose(input.page.locator('.watch-card', { hasText: '残り' }).first());
      await input.page.waitForURL(/watch\/\d+/u);
    },
  },
  {
    name: '録画を題名で探して開く',
    ...{ pointer: 4, keys: 20 },
    run: async (input) => {
      await input.choose(rail(input, '録画'));
      await card(input).waitFor();
      await input.write(input.page.getByRole('searchbox', { name: '録画を探す' }), '時計塔');
      await input.page.waitForURL(/q=/u);
      await input.page.locator('.rec-title', { hasText: '時計塔' }).first().waitFor();
      await input.choose(card(input));
      await input.page.getByRole('dialog').locator('.program-title', { hasText: '時計塔' }).waitFor();
    },
  },
  {
    name: 'シリーズの録画を一覧する',
    ...{ pointer: 3, keys: undefined },
    run: async (input) => {
      await input.choose(rail(input, '録画'));
      await input.choose(button(input, /まとめる/u));
      await input.choose(input.page.locator('.rec-link[data-series]').first());
      await input.page.locator('.rec-series-count').waitFor();
    },
  },
  {
    name: '録画が完全か、どこが欠けたかを見る',
    ...{ pointer: 2, keys: 16 },
    remote: true,
    run: async (input) => {
      const { page } = input;
      await input.choose(rail(input, '録画'));
      await input.choose(page.locator('.rec', { hasText: '一部に乱れ' }).first().locator('.rec-link'));
      await page.getByRole('dialog').locator('.verdict-box').first().waitFor();
    },
  },
  {
    name: '録画が乱れた理由を見る',
    ...{ pointer: 1, keys: undefined },
    run: async (input) => {
      const { page } = input;
      await input.choose(page.getByRole('link', { name: /^一部に乱れの理由/u }).first());
      await page.getByRole('dialog').locator('.verdict-box h4', { hasText: '欠けています' }).waitFor();
    },
  },
  {
    name: '3件をごみ箱へ移し、元に戻す',
    ...{ pointer: 7, keys: undefined },
    run: async (input) => {
      await input.choose(rail(input, '録画'));
      await card(input, 3).waitFor();
      await input.choose(button(input, '選択'));
      for (const index of [1, 2, 3]) await input.choose(card(input, index));
      await input.choose(button(input, 'ごみ箱へ'));
      await input.choose(button(input, '元に戻す'));
      await toast(input, '元に戻しました');
    },
  },
  {
    name: 'ごみ箱の録画を元に戻す',
    ...{ pointer: 2, keys: undefined },
    run: async (input) => {
      const { page } = input;
      await input.choose(page.getByRole('link', { name: /^ごみ箱/u }));
      await input.choose(page.getByRole('button', { name: /を元に戻す$/u }).first());
      await toast(input, '元に戻しました');
    },
  },
  {
    name: '録画を保護する',
    ...{ pointer: 3, keys: 16 },
    run: async (input) => {
      await input.choose(rail(input, '録画'));
      await input.choose(card(input));
      await input.choose(inSheet(input, '保護する'));
      await inSheet(input, '保護を解除').waitFor();
    },
  },
  {
    name: '録画ルールを止める',
    ...{ pointer: 3, keys: 22 },
    run: async (input) => {
      const { page } = input;
      await input.choose(rail(input, '予約'));
      await input.choose(page.getByRole('link', { name: 'ルール', exact: true }));
      await input.choose(page.locator('.rule [role="switch"][aria-checked="true"]').first());
      await toast(input, '元に戻す');
    },
  },
];

export const FIRST_RUN: readonly Task[] = [
  {
    name: 'チャンネルスキャンを始め、番組表が届くのを見る',
    ...{ pointer: 2, keys: 8 },
    run: async (input) => {
      const { page } = input;
      await input.choose(page.getByRole('link', { name: 'はじめての設定' }));
      await input.choose(button(input, 'スキャンを始める'));
      await page.locator('[aria-labelledby="setup-scan"][data-state="done"]').waitFor();
      await page.locator('[aria-labelledby="setup-guide"]', { hasText: /届き|届いた|完了/u }).waitFor();
    },
  },
  {
    name: '見つかった局を見る',
    ...{ pointer: 1, keys: 6 },
    run: async (input) => {
      await input.choose(input.page.locator('.stations .card').first());
      await input.page.waitForURL(/live\/\d+/u);
    },
  },
  {
    name: 'どのチューナーが何に使われているかを見る',
    ...{ pointer: 1, keys: undefined },
    run: async (input) => {
      await input.choose(rail(input, 'チューナー'));
      await input.page.locator('.tuner').first().waitFor();
    },
  },
  {
    name: '放送中の番組を録画し、止める',
    ...{ pointer: 5, keys: undefined },
    run: async (input) => {
      const { page } = input;
      await input.choose(rail(input, '番組表'));
      await input.choose(page.locator('.prog-live').first());
      await input.choose(inSheet(input, '録画する'));
      await input.choose(page.getByRole('dialog').getByRole('button', { name: /停止/u }).first());
      await input.choose(page.getByRole('dialog').getByRole('button', { name: /停止/u }).last());
      await toast(input, '停止しました');
    },
  },
  {
    name: '録画マージンを変え、画面を暗くする',
    ...{ pointer: 3, keys: undefined },
    run: async (input) => {
      const { page } = input;
      await input.choose(rail(input, '設定'));
      await input.choose(page.locator('[data-setting="marginAfter"]').getByRole('radio', { name: '1分' }));
      await input.choose(
        page.locator('[data-setting="device-theme"]').getByRole('radio', { name: 'ダーク' }),
      );
      await page.locator('html[data-theme="dark"]').waitFor();
    },
  },
];
