import { afterEach, describe, expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { airClockText } from '../../web/words/time.ts';
import { START } from './clock.ts';
import { fakeStations } from './fake-air.ts';
import { busyEvening, newBookings } from './fake-bookings.ts';
import { guideWindow } from './fake-guide.ts';
import { damaged, fakeRecording, newRecordings } from './fake-recordings.ts';
import { tooWide } from './look.ts';
import { faultsOf, focusOn, hasChromium, PHONE, webRig } from './rig.ts';

/** A picture of one pixel, as GIF: only its box counts. */
const PIXEL = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (letter) =>
  letter.charCodeAt(0),
);

describe.skipIf(!hasChromium)('the home screen', () => {
  const rig = webRig();
  afterEach(() => {
    rig.service.state.stills = [];
    rig.service.state.stations = fakeStations(START);
    rig.service.state.listDelayMs = 0;
  });

  test('shows each station with what is on, under a strict content security policy', async () => {
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    await page.goto(rig.service.url);
    const first = page.locator('a.card').first();
    await first.waitFor();
    expect(await page.locator('a.card').count()).toBe(8);
    expect(await first.locator('.card-title').textContent()).toBe('ニュースきょう一日');
    expect(await first.locator('.mark').first().getAttribute('title')).toBe('二か国語');
    expect(await first.locator('.card-left').textContent()).toMatch(/^あと1[78]分$/u);
    expect(await page.locator('a.card').nth(4).textContent()).toContain('番組情報なし');
    await page.getByRole('tab', { name: 'BS' }).click();
    expect(await page.locator('a.card').count()).toBe(3);
    expect(faults).toEqual([]);
  });

  test('after midnight it is still the broadcast day that the guide calls today', async () => {
    // 24:30 of Saturday, in broadcast time.
    rig.clock.set(broadcastMs(Date.parse('2026-11-22T00:30:00+09:00')));
    const page = await rig.open('');
    await page.locator('.home-when', { hasText: '11月21日(土)24:30' }).waitFor();
  });

  test('can be navigated by arrow keys alone, from the cards to the tabs and the settings', async () => {
    const page = await rig.open('');
    await page.locator('a.card').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await focusOn(page, 'みなと総合');
    await page.keyboard.press('ArrowRight');
    await focusOn(page, 'みなとEテレビ');
    await page.keyboard.press('ArrowDown');
    await focusOn(page, 'ミライTV');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await focusOn(page, '地デジ');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await focusOn(page, 'BSみなと');
    await page.keyboard.press('ArrowLeft');
    await focusOn(page, 'ホーム');
    for (const name of ['番組表', '予約', '録画', '検索', 'チューナー', 'お知らせ', '設定']) {
      await page.keyboard.press('ArrowDown');
      await focusOn(page, name);
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '設定', exact: true }).waitFor();
    await page.keyboard.press('Backspace');
    await page.locator('a.card').first().waitFor();
  });

  test('recordings in progress and the next ones are on the home screen, and open', async () => {
    const stations = fakeStations(Date.now());
    const [first] = stations;
    if (first?.now == null) throw new Error('nothing on');
    const page = await rig.open('', PHONE);
    await page.locator('a.card').first().waitFor();
    expect(await page.locator('.next-up').count()).toBe(0);
    rig.service.household.bookings = newBookings(busyEvening(stations, Date.now()));
    rig.service.state.stations = [{ ...first, now: { ...first.now, reserved: true, recording: true } }];
    rig.service.send('reservations');
    await page.locator('.next-recording', { hasText: 'ニュースきょう一日' }).waitFor();
    await page.locator('a.card', { hasText: '録画中' }).waitFor();
    expect(await page.locator('.next').count()).toBe(4);
    expect(await page.getByRole('link', { name: '競合 2件' }).getAttribute('href')).toContain('conflict');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
    const line = page.getByRole('navigation', { name: '録画の状況' });
    await line.getByText(/^空き \d/u).waitFor();
    await line.getByRole('link', { name: /^予約 \d+件$/u }).waitFor();
    const card = await page.locator('a.card').first().boundingBox();
    expect((card?.y ?? 999) + (card?.height ?? 999)).toBeLessThan(PHONE.viewport.height);
    await page.locator('.next-recording').click();
    await page.getByRole('dialog', { name: '予約の詳細' }).getByText('録画を停止').waitFor();
    await page.keyboard.press('Escape');
    await line.getByRole('button', { name: /^録り逃し：名店通販スペシャル/u }).click();
    await page.getByRole('dialog', { name: '予約の詳細' }).getByText('名店通販スペシャル').first().waitFor();
    await page.keyboard.press('Escape');
    const { items } = rig.service.household.bookings;
    for (const item of items) if (item.state === 'finished') item.verdict = 'damaged';
    const broken = { ...fakeRecording(64, first, Date.now()), verdict: damaged() };
    rig.service.household.recordings = newRecordings([broken]);
    rig.service.send('reservations');
    await line.getByRole('link', { name: '録画の問題 2件' }).click();
    await page.locator('.booking[data-reservation="14"]').waitFor();
    // The list must be read again: two of them are damaged only now.
    await page.locator('.booking').nth(1).waitFor();
    expect(await page.locator('.booking').count()).toBe(2);
    // What is wrong stands in the row: a chip for several leads to it in one press, too.
    await page.locator('.booking', { hasText: '欠けています' }).waitFor();
    rig.service.household.bookings = newBookings();
    rig.service.household.recordings = newRecordings();
  });

  test('shows pictures of what is on, an old one with its age, in boxes that do not move', async () => {
    const [first, second] = fakeStations(START);
    if (first === undefined || second === undefined) throw new Error('no stations');
    const page = await rig.open('');
    const box = page.locator('.card-still').first();
    await box.locator('.logo').waitFor();
    const before = await box.boundingBox();
    expect((before?.width ?? 0) / (before?.height ?? 1)).toBeCloseTo(16 / 9, 1);
    rig.service.state.stillPicture = PIXEL;
    rig.service.state.stills = [
      { stationId: first.id, at: broadcastMs(Date.now()), picture: `api/services/${first.id}/still?v=1` },
      { stationId: second.id, at: broadcastMs(Date.now() - 5 * 60_000), picture: 'api/services/2/still?v=2' },
    ];
    await page.reload();
    await box.locator('img[src$="still?v=1"]').waitFor();
    await page.locator('a.card').nth(1).getByText('5分前の画面').waitFor();
    expect(await page.locator('.card-age').count()).toBe(1);
    expect(await box.boundingBox()).toEqual(before);
  });

  test('the picture of a recording that is pressed grows into the player, with less motion it does not', async () => {
    const [station] = fakeStations(START);
    if (station === undefined) throw new Error('no station');
    const recordings = newRecordings([{ ...fakeRecording(1, station, START), watchedAt: null }]);
    recordings.playback.picture = PIXEL;
    rig.service.household.recordings = recordings;
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const page = await rig.open('', { reducedMotion });
      await page.locator('.watch-card .poster-picture').first().waitFor();
      await page.evaluate(() => {
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes)
            for (const node of addedNodes)
              if (node instanceof HTMLImageElement) document.documentElement.dataset.grew = node.className;
        }).observe(document.body, { childList: true });
      });
      await page.locator('.watch-card').first().click();
      await page.locator('.watch .stage').waitFor();
      const grew = await page.evaluate(() => document.documentElement.dataset.grew);
      expect(grew).toBe(reducedMotion === 'reduce' ? undefined : 'growing');
    }
    rig.service.household.recordings = newRecordings();
  });

  test('a card tells what follows while the pointer or the focus rests on it', async () => {
    const page = await rig.open('');
    const cards = page.locator('a.card');
    await cards.first().waitFor();
    const [station] = fakeStations(Date.now());
    const end = station?.now?.endAt ?? 0;
    const day = { from: end, to: end + 12 * 3_600_000, type: null };
    const programs = guideWindow(rig.service.household.guide, day, end).find(({ stationId }) => {
      return stationId === station?.id;
    })?.programs;
    const next = programs?.find(({ startAt }) => startAt >= end);
    const word = page.locator('.card-next');
    await cards.first().hover();
    await word.waitFor();
    const [label, clock, title] = await word.locator(':scope > *').allTextContents();
    expect([label, clock]).toEqual(['次', airClockText(broadcastMs(next?.startAt ?? 0))]);
    expect(next?.name).toContain(title ?? '?');
    // It stands inside the picture, and moves nothing.
    expect(await tooWide(page)).toEqual([]);
    await page.mouse.move(1, 1);
    await word.waitFor({ state: 'detached' });
    await page.keyboard.press('ArrowDown');
    await word.waitFor();
    expect(await cards.first().locator('.card-next').count()).toBe(1);
  });

  test('what is on is recorded from its card, by a press on the button and by the record key', async () => {
    rig.service.household.bookings = newBookings();
    const page = await rig.open('');
    await page.locator('a.card').first().waitFor();
    await page.getByRole('button', { name: '録画する：ニュースきょう一日' }).click();
    await page.locator('.toast', { hasText: '「ニュースきょう一日」' }).waitFor();
    await page.locator('a.card').nth(2).focus();
    await page.keyboard.press('r');
    await page.locator('.toast', { hasText: '灯台守の娘' }).waitFor();
    expect(rig.service.household.bookings.items).toHaveLength(2);
    // A second press opens what the first one made.
    await page.locator('.next').nth(1).waitFor();
    await page.locator('a.card').nth(2).focus();
    await page.keyboard.press('r');
    await page.getByRole('dialog', { name: '予約の詳細' }).getByText('灯台守の娘').first().waitFor();
    rig.service.household.bookings = newBookings();
  });

  test('before the first scan there is one card, which leads to the set-up', async () => {
    rig.service.state.stations = fakeStations(START)
      .filter(({ type }) => type !== 'GR')
      .map((station) => ({ ...station, now: null }));
    const page = await rig.open('');
    await page.getByRole('heading', { name: 'チャンネルスキャンをしましょう' }).waitFor();
    expect(await page.locator('a.card, .status-line, .home-row').count()).toBe(0);
    await page.locator('main').getByRole('link', { name: 'はじめての設定' }).click();
    await page.waitForURL('**/tv/setup');
  });

  test('a missing card is told in one line', async () => {
    const { card } = rig.service.household;
    rig.service.household.card = { ...card, state: 'absent', failure: 'no_card' };
    const page = await rig.open('');
    const line = page.getByRole('navigation', { name: '録画の状況' });
    await line.getByRole('link', { name: /カード/u }).waitFor();
    rig.service.household.card = card;
  });

  test('a number key opens the station of that remote control button', async () => {
    const page = await rig.open('');
    await page.locator('a.card').first().waitFor();
    await page.keyboard.press('7');
    await page.waitForURL('**/tv/live/3274501064');
    await page.waitForFunction(() => document.title === 'ミライTV – テレビ');
  });

  test('keeps the chosen theme, and applies it before the first paint', async () => {
    const page = await rig.open('', { colorScheme: 'light' });
    const shown = (): Promise<string | null> => page.locator('html').getAttribute('data-theme');
    expect(await shown()).toBe('light');
    await page.getByRole('link', { name: '設定' }).click();
    const device = page.getByRole('radiogroup', { name: 'この端末のテーマ' });
    await device.getByRole('radio', { name: 'ダーク' }).click();
    expect(await shown()).toBe('dark');
    await page.route('**/app-*.js', (route) => route.abort());
    await page.reload();
    expect(await shown()).toBe('dark');
  });

  test('explains what to do while there are no stations, and fills automatically', async () => {
    rig.service.state.stations = [];
    const page = await rig.open('');
    await page.getByRole('heading', { name: 'まだ局がありません' }).waitFor();
    rig.service.state.stations = fakeStations(Date.now());
    rig.service.send('services');
    await page.locator('a.card').first().waitFor();
  });

  test('a failure gives its reason and a way to try again', async () => {
    rig.service.state.stations = { message: 'エージェントが応答しません。', code: 'agent_unavailable' };
    const page = await rig.open('');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('エージェントが応答しません。');
    expect(await alert.textContent()).toContain('svc-agent');
    rig.service.state.stations = fakeStations(Date.now());
    await page.getByRole('button', { name: '再試行' }).click();
    await page.locator('a.card').first().waitFor();
  });

  test('reads the list again after the event stream was lost', async () => {
    const page = await rig.open('');
    await page.locator('a.card').first().waitFor();
    const reads = rig.service.listReads;
    rig.service.dropListeners();
    await page.waitForFunction(
      () => performance.getEntriesByName(`${document.baseURI}api/services`).length > 1,
    );
    expect(rig.service.listReads).toBe(reads + 1);
  });

  test('a service that hangs is reported within 15 s, and the message disappears automatically', async () => {
    const page = await rig.open('nowhere');
    await page.clock.install();
    await page.goto(rig.service.url);
    await page.locator('a.card').first().waitFor();
    const hang = Promise.withResolvers<void>();
    rig.service.state.hanging = hang.promise;
    const banner = page.getByText('接続が切れました。再接続しています…').locator('visible=true');
    for (let second = 0; second < 15 && !(await banner.isVisible()); second += 1) {
      await page.clock.runFor(1_000);
    }
    await banner.waitFor();
    rig.service.state.hanging = undefined;
    hang.resolve();
    await page.clock.runFor(10_000);
    await banner.waitFor({ state: 'detached' });
  });

  test('fits a narrow phone without scrolling sideways, on every screen', async () => {
    const page = await rig.open('nowhere', PHONE);
    for (const path of ['', 'live/3274001024', 'unknown/screen']) {
      await page.goto(rig.service.url + path);
      await page.locator('.card, .panel, video').first().waitFor();
      expect([path, await page.evaluate(() => document.documentElement.scrollWidth)]).toEqual([path, 360]);
    }
  });

  test('an unknown address leads back home', async () => {
    const page = await rig.open('unknown/画面');
    await page.getByRole('heading', { name: 'ページが見つかりません' }).waitFor();
    await page.getByText('unknown/画面').waitFor();
    await page.getByRole('link', { name: '放送中の番組を見る' }).click();
    await page.locator('a.card').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/tv/');
  });
});
