import { describe, expect, test } from 'bun:test';
import { wallMs } from '../../lib/host/clock.ts';
import type { GuideStatus } from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { guideStatus, manyStations } from './fake-guide.ts';
import { fakeChannels, runningScan } from './fake-household.ts';
import { faultsOf, focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);

describe.skipIf(!hasChromium)('the tuner screen', () => {
  const rig = webRig({ stations: STATIONS });

  test("shows each tuner's use, user, signal and faults", async () => {
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    await page.goto(`${rig.service.url}tuners`);
    const tuners = page.locator('.tuner');
    await tuners.first().waitFor();
    await page.getByText('みなと総合（T27）').first().waitFor();
    const texts = await tuners.allTextContents();
    expect(texts.length).toBe(5);
    expect(texts[0]).toContain('視聴みなと総合（T27）');
    expect(texts[0]).toContain('良好');
    expect(texts[0]).toContain('27.4 dB');
    expect(texts[1]).toContain('番組表の取得みなとEテレビ（T13）');
    expect(texts[1]).toContain('やや弱い');
    expect(texts[0]).toContain('受信の乱れなし');
    expect(texts[1]).toContain('受信の乱れ43');
    expect(await tuners.nth(1).getByText('ドロップ').isVisible()).toBe(false);
    await tuners.nth(1).getByText('受信の乱れ').click();
    await tuners.nth(1).getByText('ドロップ').waitFor();
    // As they are used: each once, the one that is off none.
    expect(await page.locator('.tuner-rank').allTextContents()).toEqual(['1', '2', '3', '4', '–']);
    expect(texts[2]).toContain('待機中');
    expect(texts[3]).toContain('/dev/px4video1 を開けません。');
    expect(texts[3]).toContain('自動で戻ります');
    expect(texts[4]).toContain('無効');
    expect(faults).toEqual([]);
  });

  test('shows changes as soon as they are announced', async () => {
    const page = await rig.open('tuners');
    await page.locator('.tuner').first().waitFor();
    rig.service.household.tuners = rig.service.household.tuners.map((tuner) =>
      tuner.id === 's1'
        ? { ...tuner, state: 'tuned', users: [{ use: 'rec 12', priority: 10, lagBytes: 0 }] }
        : tuner,
    );
    rig.service.send('tuners');
    await page.locator('.tuner').nth(2).getByText('録画', { exact: true }).waitFor();
  });

  test('renames, reorders and disables tuners', async () => {
    const page = await rig.open('tuners');
    await page.getByRole('button', { name: '名前と順番' }).click();
    await page.getByRole('textbox').first().fill('居間の地デジ');
    await page.getByRole('button', { name: '地デジ 2の順番を上げる' }).click();
    await page.getByRole('switch', { name: '居間の地デジを使う' }).click();
    rig.service.household.problems.set('tuners', {
      body: { message: 'チューナーの設定を書き込めません。', code: 'agent_unavailable' },
      status: 503,
    });
    await page.getByRole('button', { name: '保存する' }).click();
    await page.getByRole('alert').getByText('チューナーの設定を書き込めません').first().waitFor();
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '保存する' }).click();
    await page.locator('.toast', { hasText: '保存しました' }).waitFor();
    const tuners = rig.service.household.tuners.map(({ name, disabled, rank }) => [name, disabled, rank]);
    expect(tuners[0]).toEqual(['地デジ 2', false, 0]);
    expect(tuners.find(([name]) => name === '居間の地デジ')).toEqual(['居間の地デジ', true, null]);
    expect(await page.locator('.tuner-name b').first().textContent()).toBe('地デジ 2');
  });

  test('shows how far each guide reaches, short ones marked', async () => {
    const page = await rig.open('tuners', PHONE);
    const covers = page.locator('.cover');
    await covers.first().waitFor();
    expect(await covers.count()).toBe(12);
    expect(await covers.nth(0).textContent()).toContain('8日先まで');
    expect(await covers.nth(4).textContent()).toContain('不足');
    expect(await covers.nth(7).textContent()).toContain('番組表はまだありません');
    await page.getByRole('tab', { name: 'BS' }).click();
    expect(await covers.count()).toBe(4);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  });

  test('collects while the switch is on, shows the progress, and releases it automatically', async () => {
    const page = await rig.open('tuners');
    const toggle = page.getByRole('switch', { name: '今すぐ取得' });
    await toggle.click();
    await until(() => rig.service.household.asked.includes('POST guide/collect'));
    await page.getByText('20局のうち0局を受信').waitFor();
    const status = guideStatus(rig.service.household.guide, Date.now());
    const half = status.stations.map((station, index) =>
      index < 10 ? { ...station, lastReadAt: wallMs(Date.now() + 1_000) } : station,
    );
    // A stream that is read for other stations too is named by its own station.
    const [channel] = rig.service.household.channels;
    if (channel === undefined) throw new Error('no channel');
    rig.service.household.guideStatus = {
      ...status,
      pressed: true,
      stations: half,
      visits: [
        {
          type: channel.type,
          channel: channel.channel,
          stationIds: STATIONS.slice(9, 11).map(({ id }) => id),
          startedAt: wallMs(Date.now()),
        },
      ],
    };
    rig.service.send('programs');
    await page.getByText('20局のうち10局を受信').waitFor();
    await page.getByText(`${channel.stations[0]?.name}を受信しています`).waitFor();
    rig.service.household.guideStatus = {
      ...status,
      stations: half.map((station) => ({ ...station, lastReadAt: wallMs(Date.now() + 1_000) })),
    };
    rig.service.send('programs');
    await page.getByText('すべての局の番組表を取得しました').waitFor();
    await until(() => rig.service.household.asked.includes('DELETE guide/collect'));
    expect(await toggle.getAttribute('aria-checked')).toBe('false');
  });

  test('shows which channels cannot be read, why, and what to do', async () => {
    const status = guideStatus(rig.service.household.guide, Date.now());
    const trouble: Omit<GuideStatus['troubles'][number], 'type' | 'channel' | 'reason'> = {
      stationIds: [],
      kind: 'unreadable',
      failures: 3,
      at: wallMs(Date.now() - 600_000),
    };
    const reason = '信号を捉えられません。';
    rig.service.household.guideStatus = {
      ...status,
      troubles: [
        { ...trouble, type: 'GR', channel: 'T27', reason },
        { ...trouble, type: 'GR', channel: 'T13', reason, failures: 1 },
        { ...trouble, type: 'CS', channel: 'CS02', kind: 'no_such_tuner', reason: null, at: null },
        { ...trouble, type: 'BS', channel: 'BS01_0', kind: 'no_tuner', reason: '空きがありません。' },
      ],
    };
    const page = await rig.open('nowhere', PHONE);
    const faults = faultsOf(page);
    await page.goto(`${rig.service.url}tuners`);
    const rows = page.locator('.troubles > li');
    await rows.first().waitFor();
    const texts = await rows.allTextContents();
    expect(texts).toHaveLength(3);
    expect(texts[0]).toContain('みなと総合（T27）、みなとEテレビ（T13）');
    expect(texts[0]).toContain(`${reason}（3回続けて、最後は10分前）`);
    expect(texts[0]).toContain('アンテナの接続を確認してください');
    expect(texts[1]).toContain('CSの1チャンネルを受信できるチューナーがありません');
    expect(texts[2]).toContain('自動で取得します');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    rig.service.household.guideStatus = status;
    rig.service.send('programs');
    await rows.first().waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
  });

  test('stops collecting when the screen is left', async () => {
    const page = await rig.open('tuners');
    await page.getByRole('switch', { name: '今すぐ取得' }).click();
    await until(() => rig.service.household.asked.includes('POST guide/collect'));
    await page.getByRole('link', { name: 'ホーム' }).click();
    await until(() => rig.service.household.asked.includes('DELETE guide/collect'));
  });

  test('scans the chosen types, by keys, shows what was found so far, and can be stopped', async () => {
    const page = await rig.open('tuners');
    await page.getByRole('checkbox', { name: 'CS' }).waitFor();
    // Down the first column, past the second one beside it.
    await page.keyboard.press('ArrowDown');
    await focusOn(page, '名前と順番');
    await page.keyboard.press('ArrowDown');
    await focusOn(page, 'サーバーにつながっている機器');
    await page.getByRole('checkbox', { name: 'CS' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await focusOn(page, 'スキャンを始める');
    await page.keyboard.press('Enter');
    await until(() => rig.service.household.asked.includes('POST scan {"types":["GR"]}'));
    await page.getByText('50チャンネルのうち0を確認').waitFor();
    rig.service.household.scan = runningScan(Date.now());
    rig.service.send('scan');
    await page.getByText('50チャンネルのうち15を確認、2局').waitFor();
    await page.getByText('T28、T29 を調べています').waitFor();
    expect(await page.locator('.scan-found li').allTextContents()).toEqual([
      'T27みなと総合',
      'T13みなとEテレビ',
    ]);
    await page.getByText('局が見つからなかったチャンネル 1').click();
    await page.getByText('30秒待っても').waitFor();
    await page.getByRole('button', { name: '中止する' }).click();
    await page.getByText('チャンネルは元のままです').waitFor();
  });

  test('the result of a scan is shown, success or failure', async () => {
    const page = await rig.open('tuners');
    await page.locator('.tuner').first().waitFor();
    rig.service.household.scan = { ...runningScan(Date.now()), state: 'finished', found: fakeChannels() };
    rig.service.send('scan');
    await page.getByText('2チャンネル、2局が見つかりました。').waitFor();
    rig.service.household.scan = {
      ...runningScan(Date.now()),
      state: 'failed',
      message: '一局も見つかりませんでした。',
    };
    rig.service.send('scan');
    const alert = page.locator('.scan [role="alert"]');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('一局も見つかりませんでした。');
    expect(await alert.textContent()).toContain('アンテナの接続');
  });

  test('a refusal and an absent agent are explained', async () => {
    const page = await rig.open('tuners');
    rig.service.household.problems.set('scan', {
      body: { message: '空いているチューナーがありません。', code: 'no_tuner' },
      status: 503,
    });
    await page.getByRole('button', { name: 'スキャンを始める' }).click();
    await page.getByText('空いているチューナーがありません。').first().waitFor();
    rig.service.household.problems.set('tuners', {
      body: { message: 'エージェントが応答しません。', code: 'agent_unavailable' },
      status: 503,
    });
    await page.reload();
    await page.getByText('エージェントが応答しません。').waitFor();
    rig.service.household.problems.clear();
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('.tuner').first().waitFor();
  });

  test('a reception test shows the signal of a channel, and faults of the card', async () => {
    rig.service.household.receptionTest = { ...rig.service.household.receptionTest, keyFailure: 'no_card' };
    const page = await rig.open('tuners', PHONE);
    const faults = faultsOf(page);
    await page.getByLabel('テストするチャンネル').selectOption('GR/T13');
    await page.getByRole('button', { name: 'テストする' }).click();
    const result = page.locator('.test-result');
    await result.waitFor();
    expect(rig.service.household.asked).toContain('POST channels/test {"type":"GR","channel":"T13"}');
    expect(await result.textContent()).toContain('みなとEテレビ（T13）を受信できました。');
    expect(await result.textContent()).toContain('CNR 26.1 dB');
    expect(await result.textContent()).toContain('カードが入っていません。');
    expect(await page.locator('.card-refused').textContent()).toContain('許可していないネットワーク');
    expect(faults).toEqual([]);
  });

  test('detected devices are added by one press each, however quickly, and antenna power is switched', async () => {
    const { household } = rig.service;
    const [, , px4] = household.devices;
    if (px4 === undefined) throw new Error('no device');
    household.devices = [...household.devices, { ...px4, device: '/dev/px4video3' }];
    household.delayMs = 200;
    const page = await rig.open('tuners');
    await page.getByText('を開く権限がありません').first().waitFor();
    await page.getByRole('button', { name: '/dev/px4video2 を使う' }).click();
    await page.getByRole('button', { name: '/dev/px4video3 を使う' }).click();
    const added = ['/dev/px4video2', '/dev/px4video3'];
    await until(() => added.every((one) => household.tuners.some(({ device }) => device === one)));
    await page.getByRole('button', { name: '名前と順番' }).click();
    const power = page.getByRole('switch', { name: 'BS・CS 1からアンテナに給電' });
    expect(await power.getAttribute('aria-checked')).toBe('true');
    await power.click();
    await page.getByRole('button', { name: '保存する' }).click();
    await until(() => rig.service.household.tuners.find(({ id }) => id === 's1')?.lnb === false);
  });

  test('the first run shows its steps at once, so that none of them moves', async () => {
    const page = await rig.open('setup');
    const seen = await page.evaluate(
      () =>
        new Promise<number>((done) => {
          let sum = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
          }).observe({ type: 'layout-shift', buffered: true });
          // Past entries are delivered to the observer within two frames.
          const isReady = (): void => {
            if (document.querySelectorAll('.setup-step').length === 4)
              requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(sum))));
            else requestAnimationFrame(isReady);
          };
          isReady();
        }),
    );
    expect(seen).toBeLessThan(0.02);
  });

  test('the first run leads from a tuner to a scan, and shows plugged-in devices automatically', async () => {
    const { household } = rig.service;
    const { tuners, devices } = household;
    Object.assign(household, { tuners: [], devices: [], channels: [] });
    household.card = { ...household.card, state: 'absent', reader: null, failure: 'no_card' };
    const body = { message: 'エージェントが応答しません。', code: 'agent_unavailable' } as const;
    for (const path of ['tuners', 'devices', 'card', 'channels'])
      household.problems.set(path, { body, status: 503 });
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    await page.clock.install();
    const before = household.asked.length;
    await page.goto(`${rig.service.url}setup`);
    await page.getByText(body.message).waitFor();
    // Polling an unreachable agent every few seconds must not send further requests.
    const asked = (what: string) =>
      household.asked.slice(before).filter((line) => line === `GET ${what}`).length;
    await page.clock.runFor(60_000);
    await page.evaluate(() => fetch('api/health'));
    expect(asked('tuners')).toBeLessThan(8);
    expect(asked('card')).toBeLessThan(2);
    household.problems.clear();
    rig.service.send('tuners');
    await page.getByText('チューナーをサーバーにつないでください').waitFor();
    await page.getByText('カードリーダーに B-CAS カードを').waitFor();
    // A response even if nothing changed.
    await page.getByRole('button', { name: 'もう一度確認する' }).first().click();
    await page.getByText('に確認しました').waitFor();
    Object.assign(household, { tuners: tuners.slice(0, 3), devices: devices.slice(0, 2) });
    rig.service.send('tuners');
    await page.getByText('3台使えます').waitFor();
    await page.getByRole('button', { name: 'スキャンを始める' }).click();
    await until(() => household.asked.includes('POST scan {"types":["GR","BS","CS"]}'));
    await page.getByText('受信できる局を探しています').waitFor();
    expect(faults).toEqual([]);
  });
});
