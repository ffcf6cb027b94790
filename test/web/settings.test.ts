import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { wallMs } from '../../lib/host/clock.ts';
import { until } from '../until.ts';
import { guideStatus, manyStations } from './fake-guide.ts';
import { tooWide, violations } from './look.ts';
import { faultsOf, focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);

describe.skipIf(!hasChromium)('settings', () => {
  const rig = webRig({ stations: STATIONS });

  const field = (page: Page, key: string) => page.locator(`[data-setting="${key}"]`);
  const shown = (page: Page): Promise<string | null> => page.locator('html').getAttribute('data-theme');

  test('saves at once, says so, and resets a value to its default', async () => {
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    await page.goto(`${rig.service.url}settings`);
    const collect = field(page, 'collectGuide');
    await collect.getByRole('switch').click();
    await collect.getByText('保存しました').waitFor();
    expect(rig.service.household.settings.collectGuide).toBe(false);
    await collect.getByRole('button', { name: '初期値に戻す' }).click();
    await page.waitForFunction(
      () =>
        document
          .querySelector('[data-setting="collectGuide"] [role="switch"]')
          ?.getAttribute('aria-checked') === 'true',
    );
    // The switch changes before the service has answered.
    await until(() => rig.service.household.settings.collectGuide);
    await collect.getByRole('button', { name: '初期値に戻す' }).waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('a folder is chosen by browsing the server, with the keyboard too', async () => {
    const page = await rig.open('settings');
    await page.getByRole('button', { name: '参照' }).click();
    const browser = page.getByRole('region', { name: 'フォルダーを選ぶ' });
    await browser.getByRole('button', { name: 'mnt' }).press('Enter');
    await browser.getByRole('button', { name: 'usb' }).click();
    await browser.getByText('この中にフォルダーはありません。').waitFor();
    await browser.getByRole('button', { name: '1つ上のフォルダーへ' }).click();
    await browser.getByRole('button', { name: 'disk2' }).click();
    await browser.getByText('/mnt/disk2', { exact: true }).waitFor();
    await browser.getByRole('button', { name: 'このフォルダーを使う' }).click();
    await browser.waitFor({ state: 'detached' });
    expect(await page.getByLabel('フォルダーのパス').inputValue()).toBe('/mnt/disk2');
  });

  test('postal code and prefecture for data broadcasts', async () => {
    const page = await rig.open('settings?section=data');
    const settings = () => rig.service.household.settings;
    const postalCode = field(page, 'postalCode').getByRole('textbox', { name: '郵便番号' });
    await postalCode.fill('１５０-00');
    await postalCode.blur();
    await field(page, 'postalCode').getByText('7桁の数字で入力してください。').waitFor();
    expect(settings().postalCode).toBe('');
    // As people write it.
    await postalCode.fill('１５０-0001');
    await until(() => settings().postalCode === '1500001');
    await page.waitForFunction(
      (name) => document.querySelector<HTMLInputElement>(name)?.value === '1500001',
      '[data-setting="postalCode"] input',
    );
    await field(page, 'prefecture').getByRole('combobox').selectOption('東京都');
    await until(() => settings().prefecture === 14);
    if (process.env.DATA_SHOTS !== undefined)
      await page.screenshot({ path: `${process.env.DATA_SHOTS}/settings.png` });
    await field(page, 'postalCode').getByRole('button', { name: '初期値に戻す' }).click();
    await until(() => settings().postalCode === '');
    expect(await violations(page)).toEqual([]);
  });

  test('the retention setting is the default of a new rule', async () => {
    const page = await rig.open('settings');
    await field(page, 'keepNewest').getByRole('radio', { name: '10件' }).click();
    await until(() => rig.service.household.settings.keepNewest === 10);
    await page.goto(`${rig.service.url}rules?new&keyword=灯台`);
    await page.getByRole('button', { name: '詳しい設定' }).click();
    const kept = page.locator('[name="keepNewest"]');
    await kept.waitFor({ state: 'attached' });
    expect(await kept.inputValue()).toBe('10');
  });

  test('a refusal is shown at the field with its reason, and the old value is restored', async () => {
    const page = await rig.open('settings');
    const collect = field(page, 'collectGuide');
    await collect.getByRole('switch').waitFor();
    rig.service.household.problems.set('settings', {
      body: { message: 'データベースに書き込めません。', code: 'internal', path: 'collectGuide' },
      status: 500,
    });
    await collect.getByRole('switch').click();
    const alert = collect.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('データベースに書き込めません。');
    expect(await collect.getByRole('switch').getAttribute('aria-checked')).toBe('true');
  });

  test("the household's appearance settings apply until a device has its own", async () => {
    const page = await rig.open('settings', { colorScheme: 'light' });
    expect(await shown(page)).toBe('light');
    await field(page, 'theme').getByRole('radio', { name: 'ダーク' }).click();
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await field(page, 'device-theme').getByRole('radio', { name: 'ライト' }).click();
    expect(await shown(page)).toBe('light');
    await page.reload();
    await field(page, 'theme').waitFor();
    expect(await shown(page)).toBe('light');
    await field(page, 'device-theme').getByRole('button', { name: '初期値に戻す' }).click();
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    // Another client of the household.
    rig.service.household.settings.theme = 'light';
    rig.service.send('settings');
    await page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  });

  test('a device keeps its own choice when household settings are added', async () => {
    const page = await rig.open('settings');
    await page.evaluate(() => {
      localStorage.setItem('svc.theme', '"dark"');
      localStorage.setItem('svc.codec', '"av1"');
    });
    await page.reload();
    await field(page, 'device-codec').waitFor();
    expect(await shown(page)).toBe('dark');
    const chosen = field(page, 'device-codec').getByRole('radio', { name: 'AV1' });
    expect(await chosen.getAttribute('aria-checked')).toBe('true');
  });

  test('is searched and navigated by keys', async () => {
    const page = await rig.open('settings');
    await field(page, 'theme').waitFor();
    await page.locator('.settings-search input').fill('テーマ');
    await field(page, 'collectGuide').waitFor({ state: 'detached' });
    expect(await page.locator('.field').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.closest('.field') !== null);
    await page.locator('.settings-search input').fill('ないもの');
    await page.getByText('合う設定はありません').waitFor();
    await page.locator('.settings-search input').press('Escape');
    await field(page, 'collectGuide').waitFor();
    await page.getByRole('button', { name: '表示', exact: true }).click();
    await focusOn(page, '自動');
  });

  test('keeps the margins of recordings, and where they are stored', async () => {
    const page = await rig.open('settings');
    await field(page, 'marginBefore').getByRole('radio', { name: '1分' }).click();
    await until(() => rig.service.household.settings.marginBefore === 60_000);
    await field(page, 'retryDamaged').getByRole('radio', { name: 'しない' }).click();
    await until(() => rig.service.household.settings.retryDamaged === 'never');
    await page.getByRole('button', { name: '確認して追加' }).click();
    await page.getByRole('alert').getByText('「フォルダーのパス」を入力してください').waitFor();
    await page.getByLabel('フォルダーのパス').fill('mnt/disk2');
    await page.getByRole('button', { name: '確認して追加' }).click();
    await page.getByRole('alert').getByText('「フォルダーのパス」は / から始めてください').waitFor();
    await page.getByLabel('フォルダーのパス').fill('/mnt/disk2');
    await page.getByLabel('確保する空き容量（GB）').fill('たくさん');
    await page.getByRole('alert').getByText('「確保する空き容量（GB）」は').waitFor();
    await page.getByLabel('確保する空き容量（GB）').fill('５');
    await page.getByRole('button', { name: '確認して追加' }).click();
    await until(() => rig.service.household.settings.recordingFolders.length === 1);
    expect(rig.service.household.settings.recordingFolders).toEqual([
      { path: '/mnt/disk2', floorBytes: 5_000_000_000 },
    ]);
    // A folder that does not exist is created only after a second press.
    await page.getByLabel('フォルダーのパス').fill('/mnt/dsik3');
    await page.getByRole('button', { name: '確認して追加' }).click();
    await page.getByText('「/mnt/dsik3」というフォルダーはまだありません').waitFor();
    expect(rig.service.household.settings.recordingFolders.length).toBe(1);
    await page.getByRole('button', { name: '新しく作って追加' }).waitFor();
    await page.getByLabel('フォルダーのパス').fill('/mnt/disk3');
    await page.getByRole('button', { name: '確認して追加' }).click();
    await page.getByText('「/mnt/disk3」というフォルダーはまだありません').waitFor();
    await page.getByRole('button', { name: '新しく作って追加' }).click();
    await until(() => rig.service.household.settings.recordingFolders.length === 2);
    rig.service.household.problems.set('settings', {
      body: {
        message: 'このフォルダーには書き込めません。',
        code: 'bad_request',
        path: 'recordingFolders.1.path',
      },
      status: 400,
    });
    await page.getByLabel('フォルダーのパス').fill('/proc');
    await page.getByRole('button', { name: '確認して追加' }).click();
    await page.getByRole('alert').getByText('このフォルダーには書き込めません').waitFor();
    expect(await page.getByLabel('フォルダーのパス').inputValue()).toBe('/proc');
    expect(await page.getByLabel('フォルダーのパス').getAttribute('aria-invalid')).toBe('true');
  });

  test('shows the state of the service, and warns of a wrong clock', async () => {
    const status = guideStatus(rig.service.household.guide, Date.now());
    const first = STATIONS[0];
    rig.service.household.guideStatus = {
      ...status,
      clocks: [
        { networkId: 32740, type: 'GR', offsetMs: 2_400, measuredAt: wallMs(Date.now()), warning: true },
      ],
    };
    const page = await rig.open('settings', PHONE);
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('NTP');
    await page.getByText('2.4秒 遅れ').waitFor();
    expect(await page.locator('#section-guide').textContent()).toContain(first?.name ?? '-');
    const system = page.locator('#section-system');
    await system.getByText('ffmpeg 7.1').waitFor();
    const text = (await system.textContent()) ?? '';
    for (const words of ['空き 1.3\u00a0TB', '58,231件', 'libx264、libsvtav1', '3日', '20局']) {
      expect(text).toContain(words);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  test('more about a setting is shown on demand, and variables of the server to its owner only', async () => {
    const page = await rig.open('settings', PHONE);
    const collect = field(page, 'collectGuide');
    const more = collect.getByText('オフにすると、視聴しているチャンネルの分だけになります。');
    expect(await more.isVisible()).toBe(false);
    await collect.getByText('番組表を自動で取得').click();
    await more.waitFor();
    const owner = page.locator('#section-system .field-block', { hasText: 'サーバーの管理者向け' });
    await owner.getByText('TRUSTED_NETWORKS').waitFor();
    await owner.getByText('ポート 40772').waitFor();
    const variables = (text: string): readonly string[] => text.match(/[A-Z]{2,}_[A-Z_]+/gu) ?? [];
    const sections = page.locator('section.block:not(#section-system)');
    expect((await sections.allInnerTexts()).flatMap(variables)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  test('the index of a phone leads to a section', async () => {
    const page = await rig.open('settings', PHONE);
    const heading = page.locator('#section-display h2');
    await heading.waitFor();
    const index = page.getByRole('navigation', { name: '設定の種類' });
    await index.getByRole('button', { name: '表示', exact: true }).click();
    const bottom = async (): Promise<number> => {
      const box = await index.boundingBox();
      return (box?.y ?? 0) + (box?.height ?? 0);
    };
    // The heading stands below the index, which stays in view.
    await until(async () => {
      const top = (await heading.boundingBox())?.y ?? 0;
      return top >= (await bottom()) && top < (await bottom()) + 100;
    });
    expect(await tooWide(page)).toEqual([]);
  });

  test('shows why this browser was admitted, and ends other sessions on the second press', async () => {
    const page = await rig.open('settings', PHONE);
    const block = page.locator('#section-access');
    await block.getByText('許可されたネットワーク（192.168.0.0/16）の端末なので').waitFor();
    await block.getByText('Safari・iPhone').waitFor();
    const others = block.getByRole('button', { name: 'ほかの端末をログアウト' });
    await others.click();
    const sure = block.getByRole('button', { name: 'もう一度押すとログアウトします' });
    await sure.waitFor();
    expect(rig.service.household.access.sessions).toHaveLength(2);
    await sure.click();
    await page.getByText('2台をログアウトしました').waitFor();
    await block.getByText('ログインしている端末はありません').waitFor();
    expect(await block.getByRole('button', { name: 'ほかの端末をログアウト' }).count()).toBe(0);
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  test('a logged-in user can log out here', async () => {
    const { access } = rig.service.household;
    const [mine] = access.sessions;
    if (mine !== undefined) mine.current = true;
    access.you = { by: 'session', address: '203.0.113.24', network: null, name: '港 花子' };
    const page = await rig.open('settings');
    const block = page.locator('#section-access');
    await block.getByText('港 花子 としてログインしています').waitFor();
    const [request] = await Promise.all([
      page.waitForRequest((one) => one.method() === 'POST' && one.url().endsWith('/logout')),
      block.getByRole('button', { name: 'ログアウト', exact: true }).click(),
    ]);
    expect(request.headers()['content-type']).toBe('application/json');
    await page.waitForURL(/\/logout$/);
  });

  test('a device that is no longer authorised gets that message instead of a connection error', async () => {
    const page = await rig.open('settings', PHONE);
    await page.locator('#section-access').getByText('許可されたネットワーク（').waitFor();
    rig.service.state.refusing = true;
    rig.service.dropListeners();
    await page.getByText('許可されたネットワークの外にいます').waitFor();
    // The area behind the banner must not take the press of its button.
    await page.getByRole('button', { name: '開き直す' }).click({ trial: true });
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
    rig.service.state.refusing = false;
    await page.getByText('許可されたネットワークの外にいます').waitFor({ state: 'detached' });
  });

  test('shows the card, the peers that share its keys, and why another agent sends none', async () => {
    const page = await rig.open('settings', PHONE);
    const block = page.locator('#section-system');
    await block.getByText('カードを読み取れます').waitFor();
    await block.getByText('接続中の相手：192.168.1.20').waitFor();
    expect(await block.locator('.card-refused').textContent()).toContain('203.0.113.9');
    const { household } = rig.service;
    household.card = {
      ...{ ...household.card, state: 'error', reader: null, failure: 'no_answer', share: null },
      upstream: { url: 'http://192.168.1.5:25260', state: 'error', reason: 'no_answer' },
    };
    await page.reload();
    await block.getByRole('alert').getByText('応答がありません').waitFor();
    await block.getByText('http://192.168.1.5:25260（カードを共有している相手').waitFor();
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  test('a link for television software is created, shown once and revoked', async () => {
    const page = await rig.open('settings', PHONE);
    const faults = faultsOf(page);
    const block = page.locator('.field-block').filter({ hasText: '視聴ソフト用のリンク' });
    await block.getByLabel('端末の名前').waitFor();
    await block.getByLabel('端末の名前').fill('居間の Kodi');
    await block.getByRole('button', { name: 'リンクを作る' }).click();
    const address = new URL('tv/AAAAAAAAAAAAAAAAAAAAAA', rig.service.url).href;
    await block.getByLabel('アドレス').first().waitFor();
    expect(await block.getByLabel('アドレス').first().inputValue()).toBe(`${address}/playlist.m3u`);
    await block.getByRole('img', { name: '局の一覧のアドレスの QR コード' }).waitFor();
    await block.getByText('ソフトごとの設定のしかた').click();
    await block.getByText(`${address}/h264`).waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await block.getByRole('button', { name: /居間の Kodi.*リンクを取り消す/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: '解除する' }).click();
    await block.getByLabel('アドレス').first().waitFor({ state: 'detached' });
    expect(rig.service.household.clientLinks).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('the broker for Home Assistant is set, shown and left', async () => {
    const page = await rig.open('settings', PHONE);
    const faults = faultsOf(page);
    const block = page.locator('.field-block').filter({ hasText: 'Home Assistant（MQTT）' });
    await block.getByText('使っていません').waitFor();
    await block.getByRole('button', { name: '設定する' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('ブローカーのホスト名').fill('homeassistant.local');
    await sheet.getByLabel('TLS で暗号化する').click();
    expect(await sheet.getByLabel('ポート').inputValue()).toBe('8883');
    rig.service.household.problems.set('mqtt', {
      body: { message: '「port」の値が正しくありません。', code: 'bad_request', path: 'port' },
      status: 400,
    });
    await sheet.getByRole('button', { name: '保存して接続する' }).click();
    await sheet.getByRole('alert').getByText('ポートは 1〜65535 の数字で入力してください').waitFor();
    rig.service.household.problems.delete('mqtt');
    await sheet.getByLabel('ユーザー名').fill('tv');
    await sheet.getByLabel('パスワード').fill('秘密');
    expect(await violations(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await sheet.getByRole('button', { name: '保存して接続する' }).click();
    await block.getByText('homeassistant.local:8883').waitFor();
    await block.getByText(/^接続しています（/).waitFor();
    await block.getByRole('button', { name: '変更' }).click();
    expect(await sheet.getByLabel('パスワード（空なら変更しない）').inputValue()).toBe('');
    await page.keyboard.press('Escape');
    await block.getByRole('button', { name: 'やめる' }).click();
    await block.getByText('使っていません').waitFor();
    expect(rig.service.household.mqtt).toMatchObject({ enabled: false, hasPassword: true });
    expect(faults).toEqual([]);
  });

  test('lists paired televisions and revokes one after a confirmation', async () => {
    const page = await rig.open('settings', PHONE);
    const block = page.locator('#section-devices');
    await block.getByText('5分前').waitFor();
    await block.getByRole('button', { name: /居間のテレビ.*登録を解除/ }).click();
    const dialog = page.getByRole('dialog', { name: '登録を解除' });
    await focusOn(page, 'キャンセル');
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'キャンセル' }).click();
    expect(rig.service.household.deviceTokens).toHaveLength(2);
    await block.getByRole('button', { name: /居間のテレビ.*登録を解除/ }).click();
    await dialog.getByRole('button', { name: '解除する' }).click();
    await block.getByText('居間のテレビ', { exact: true }).waitFor({ state: 'detached' });
    expect(rig.service.household.deviceTokens.map(({ name }) => name)).toEqual(['寝室のテレビ']);
    rig.service.household.deviceTokens = [];
    rig.service.send('tokens');
    await block.getByText('登録されたテレビはありません').waitFor();
    expect(await tooWide(page)).toEqual([]);
  });

  test('shows the licences of its components, by keyboard', async () => {
    const page = await rig.open('settings', PHONE);
    const block = page.locator('.licenses');
    await block.getByText('ライセンスを表示').focus();
    await page.keyboard.press('Enter');
    const entry = block.locator('.license', { hasText: 'assemblyscript' });
    await entry.getByText('Apache-2.0').waitFor();
    await entry.locator('summary').focus();
    await page.keyboard.press('Enter');
    const text = entry.locator('.license-text');
    await text.getByText('Apache License').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.classList.contains('license-text'));
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => (document.activeElement?.scrollTop ?? 0) > 0);
    expect(await page.evaluate(() => document.activeElement?.className)).toContain('license-text');
    expect(await tooWide(page)).toEqual([]);
    expect(await violations(page)).toEqual([]);
  });

  for (const [name, options] of [
    ['phone', PHONE],
    ['desk', {}],
  ] as const) {
    test(`values that arrive late have reserved space from the start (${name})`, async () => {
      const page = await rig.open('nowhere', options);
      let release: () => void = () => undefined;
      const held = new Promise<void>((done) => {
        release = done;
      });
      for (const path of ['settings', 'encodes']) {
        await page.route(`**/api/${path}`, async (route) => {
          await held;
          await route.continue();
        });
      }
      await page.goto(`${rig.service.url}settings`);
      await field(page, 'theme').waitFor();
      await page.locator('#section-system').getByText('ffmpeg 7.1').waitFor();
      const heights = (): Promise<number[]> =>
        page.locator('.field').evaluateAll((all) => all.map((one) => Math.round(one.clientHeight)));
      const before = await heights();
      expect(await page.getByText('まだ目安がありません').count()).toBe(0);
      expect(await page.getByRole('radio', { name: 'ダーク' }).count()).toBe(1);
      release();
      await field(page, 'collectGuide').getByRole('switch').waitFor();
      expect(await heights()).toEqual(before);
    });
  }

  test('without the household’s settings it says why, and the device settings stay available', async () => {
    rig.service.household.problems.set('settings', {
      body: { message: 'いまは読めません。', code: 'busy' },
      status: 503,
    });
    const page = await rig.open('settings');
    await page.getByRole('alert').getByText('いまは読めません。').waitFor();
    await field(page, 'device-theme').waitFor();
    expect(await field(page, 'theme').count()).toBe(0);
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await field(page, 'theme').waitFor();
  });
});
