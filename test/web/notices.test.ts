import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { manyStations } from './fake-guide.ts';
import { manyNotices } from './fake-notices.ts';
import { tooWide, violations } from './look.ts';
import { hasChromium, PHONE, webRig } from './rig.ts';

describe.skipIf(!hasChromium)('notices', () => {
  const rig = webRig({ stations: manyStations([6, 0, 0]) });

  const badge = (page: Page) => page.locator('.rail .bell-count');

  test('new ones are counted everywhere, until the list was opened; each leads to its thing', async () => {
    const now = Date.now();
    const page = await rig.open('settings');
    await page.addInitScript(() => {
      const shown: (number | undefined)[] = [];
      Object.assign(navigator, {
        shown,
        setAppBadge: async (count?: number) => void shown.push(count),
        clearAppBadge: async () => void shown.push(0),
      });
    });
    const all = manyNotices(now);
    // Before the first visit of the list a single one stands for all.
    rig.service.household.notices.notices = all.slice(3);
    rig.service.send('notices');
    await badge(page).getByText('1', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'お知らせ' }).first().click();
    await page.getByText('（started）').waitFor({ state: 'attached' });
    await badge(page).waitFor({ state: 'detached' });
    await page.goto(`${rig.service.url}settings`);
    rig.service.household.notices.notices = all;
    rig.service.send('notices');
    await badge(page).getByText('3', { exact: true }).waitFor();
    // So does the icon of the installed app.
    expect(await page.evaluate(() => (navigator as { shown?: number[] }).shown?.at(-1))).toBe(3);
    await page.goto(`${rig.service.url}notices`);
    await page.getByText('新着').first().waitFor();
    expect(await page.getByText('新着').count()).toBe(3);
    expect(await page.locator('.notice').count()).toBe(all.length);
    expect(await page.locator('.notice').first().getAttribute('href')).toBe('recordings?recording=4');
  });

  test('a notice offers its next step, does it with one press, and tells the result', async () => {
    const all = manyNotices(Date.now());
    for (const [at, action, label, path] of [
      [5, 'book_next', '次の放送を予約', null],
      [5, 'watch', '見る', 'watch/4'],
      [13, 'empty_bin', 'ごみ箱を空にする', null],
    ] as const)
      all[at]?.actions.push({ action, label, path });
    rig.service.household.notices.notices = all;
    for (const look of ['light', 'dark'] as const) {
      const phone = { ...PHONE, viewport: { width: 390, height: 800 } };
      const page = await rig.open('notices', look === 'dark' ? { ...phone, colorScheme: 'dark' } : {});
      await page.getByRole('button', { name: '次の放送を予約' }).waitFor();
      if (process.env.NOTICE_PICTURES !== undefined)
        await page.screenshot({ path: `${process.env.NOTICE_PICTURES}/notices-${look}.png` });
      expect([...(await violations(page)), ...(await tooWide(page))]).toEqual([]);
    }
    const page = await rig.open('notices');
    expect(await page.getByRole('link', { name: '見る', exact: true }).getAttribute('href')).toBe('watch/4');
    await page.getByRole('button', { name: '次の放送を予約' }).click();
    await page.getByText('「灯台守の娘」を予約しました').waitFor();
    await page.getByRole('button', { name: '次の放送を予約' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '開く' }).click();
    await page.waitForURL(/\/reservations$/u);
    // The service has forgotten the notice meanwhile.
    rig.service.household.notices.notices = [];
    await page.goBack();
  });

  test('without any the screen says what will be there', async () => {
    const page = await rig.open('notices');
    await page.getByText('お知らせはまだありません').waitFor();
  });

  test('a webhook is added, tried out, changed without showing its secret, and removed', async () => {
    const page = await rig.open('settings');
    const { notices } = rig.service.household;
    await page.getByRole('button', { name: 'メッセージアプリを追加' }).click();
    await page.getByRole('button', { name: 'ntfy' }).click();
    await page.getByLabel('トピックのアドレス').fill('https://ntfy.example/home');
    await page.getByLabel('アクセストークン（必要なとき）').fill('tk_secret');
    await page.getByRole('button', { name: '録画が終わった' }).click();
    await page.getByRole('switch', { name: '夜間は送らない' }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await page.getByRole('button', { name: '「ntfy」を 変更' }).waitFor();
    expect(notices.targets).toMatchObject([
      { format: 'ntfy', url: 'https://ntfy.example/home', quiet: { from: 1320, to: 420 }, digest: true },
    ]);
    expect(notices.targets[0]?.events).toContain('finished');
    expect(rig.service.household.asked.some((one) => one.includes('tk_secret'))).toBe(true);

    notices.result = { ok: false, message: '通知先がエラーを返しました（500）。' };
    await page.getByRole('button', { name: 'ntfy テスト送信' }).click();
    await page.getByText('通知先がエラーを返しました（500）').waitFor();

    await page.getByRole('button', { name: '「ntfy」を 変更' }).click();
    const secret = page.getByLabel(/アクセストークン/u);
    expect(await secret.inputValue()).toBe('');
    await page.getByLabel('名前', { exact: true }).fill('家族のスマホ');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await until(() => notices.targets[0]?.name === '家族のスマホ');
    expect(notices.targets[0]?.hasSecret).toBe(true);

    await page.getByRole('button', { name: '「家族のスマホ」を 削除' }).click();
    await page.getByRole('button', { name: '削除する' }).click();
    await until(() => notices.targets.length === 0);
  });

  test('an address typed for another service is not sent to one that has its own', async () => {
    const page = await rig.open('settings');
    await page.getByRole('button', { name: 'メッセージアプリを追加' }).click();
    await page.getByLabel('Webhook の URL').fill('https://discord.example/secret');
    await page.getByRole('button', { name: 'Telegram' }).click();
    await page.getByLabel('ボットのトークン').fill('12:ab');
    await page.getByLabel('チャットID').fill('-100');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    const { notices } = rig.service.household;
    await until(() => notices.targets.length === 1);
    expect(notices.targets[0]?.url).toBe('https://api.telegram.org');
  });

  test('a refusal names the field and keeps what was typed', async () => {
    const page = await rig.open('settings');
    await page.getByRole('button', { name: 'メッセージアプリを追加' }).click();
    rig.service.household.problems.set('notifications', {
      body: {
        message: 'アドレスは https:// か http:// で始めてください。',
        code: 'bad_request',
        path: 'url',
      },
      status: 400,
    });
    const url = page.getByLabel('Webhook の URL');
    await url.fill('discord.com/x');
    await page.getByRole('button', { name: '保存', exact: true }).click();
    await page.getByRole('alert').getByText('https:// か http://').waitFor();
    expect([await url.inputValue(), await url.getAttribute('aria-invalid')]).toEqual([
      'discord.com/x',
      'true',
    ]);
  });

  test('a browser that is not allowed to notify says so', async () => {
    const page = await rig.open('nowhere');
    await page.addInitScript(() => {
      const denied = { permission: 'default', requestPermission: async () => 'denied' };
      Object.defineProperty(window, 'Notification', { value: denied });
    });
    await page.goto(`${rig.service.url}settings`);
    await page.getByRole('button', { name: 'この端末に通知' }).click();
    await page.getByRole('alert').getByText('通知が禁止されています').waitFor();
  });

  test('on a phone the bell stands on home, and the form fits', async () => {
    const page = await rig.open('', PHONE);
    await page.locator('.home-head .bell').click();
    await page.getByRole('link', { name: '通知先を設定' }).click();
    await page.getByRole('button', { name: 'メッセージアプリを追加' }).click();
    await page.getByLabel('Webhook の URL').waitFor();
    expect(await tooWide(page)).toEqual([]);
  });
});
