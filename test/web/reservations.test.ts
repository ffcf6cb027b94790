import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import { until } from '../until.ts';
import { newHousehold } from './fake-api.ts';
import { busyEvening, newBookings } from './fake-bookings.ts';
import { dayOf, guideWindow, manyStations } from './fake-guide.ts';
import { faultsOf, focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 8, 4]);
const DAY_MS = 86_400_000;

describe.skipIf(!hasChromium)('reservations', () => {
  const rig = webRig({ stations: STATIONS });

  /** Noon of a broadcast day, so that the whole evening lies within the day. */
  function fill(items: readonly ReservationItem[] = busyEvening(STATIONS, Date.now())): void {
    rig.service.household = newHousehold({ stations: STATIONS, days: 8 });
    rig.service.household.bookings = newBookings(items);
  }

  const stateOf = (id: number): string | undefined =>
    rig.service.household.bookings.items.find((item) => item.id === id)?.state;

  const row = (page: Page, id: number) => page.locator(`.booking[data-reservation="${id}"]`);
  const activeBar = (page: Page): Promise<number> =>
    page.evaluate(() => Number((document.activeElement as HTMLElement | null)?.dataset.reservation ?? 0));
  const widthOf = (page: Page): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);

  test('lists by day with state, reason and origin; missed ones are counted and explained', async () => {
    fill();
    const page = await rig.open('nowhere');
    const faults = faultsOf(page);
    await page.goto(`${rig.service.url}reservations`);
    await row(page, 1).waitFor();
    expect(await row(page, 1).textContent()).toContain('録画中');
    expect(await row(page, 2).textContent()).toContain('予約済み');
    expect(await row(page, 9).textContent()).toContain('コピー禁止');
    expect(await row(page, 7).textContent()).toContain('終わりを遅らせました');
    expect(await page.locator('.booking-sum').textContent()).toBe('予約 8・録画中 1');
    expect(await row(page, 15).count()).toBe(0);
    await page.getByRole('button', { name: '確認する' }).click();
    await row(page, 15).waitFor();
    expect(await row(page, 15).textContent()).toContain('録画を始められませんでした');
    expect(await page.locator('.alert').textContent()).toContain('録り逃し 1件');
    expect(new URL(page.url()).searchParams.get('filter')).toBe('trouble');
    await row(page, 14).waitFor({ state: 'detached' });
    await row(page, 1).waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: '自動' }).click();
    await row(page, 1).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('filter')).toBe('rule');
    expect(faults).toEqual([]);
  });

  test('a cancelled one is restored from the notice, from the list and by key', async () => {
    fill();
    const page = await rig.open('reservations');
    await row(page, 6).getByRole('button', { name: '取り消す' }).click();
    await until(() => stateOf(6) === 'cancelled');
    await page.getByRole('button', { name: '元に戻す' }).click();
    await row(page, 6).locator('.badge', { hasText: '予約済み' }).waitFor();
    expect(stateOf(6)).toBe('scheduled');
    const isFree = () => row(page, 6).locator('.booking-action[aria-disabled="false"]').waitFor();
    await isFree();
    await row(page, 6).locator('.booking-main').focus();
    await page.keyboard.press('r');
    await until(() => stateOf(6) === 'cancelled');
    await isFree();
    await row(page, 6).getByRole('button', { name: '再予約' }).click();
    await until(() => stateOf(6) === 'scheduled');
  });

  test('a notice replaces an earlier one about the same reservation, and no other', async () => {
    fill();
    const page = await rig.open('reservations');
    const press = (id: number, name: string) => row(page, id).getByRole('button', { name }).click();
    await press(6, '取り消す');
    await row(page, 6).getByRole('button', { name: '再予約' }).waitFor();
    await press(8, '取り消す');
    await row(page, 8).getByRole('button', { name: '再予約' }).waitFor();
    await press(6, '再予約');
    await page.locator('.toast', { hasText: '予約を戻しました' }).waitFor();
    const toasts = await page.locator('.toast').allTextContents();
    expect(toasts).toHaveLength(2);
    // The remaining undo belongs to the other one.
    await page.getByRole('button', { name: '元に戻す' }).click();
    await until(() => stateOf(8) === 'scheduled');
    expect(stateOf(6)).toBe('scheduled');
  });

  test('a notice covers no control of the list', async () => {
    fill();
    const page = await rig.open('reservations', PHONE);
    await row(page, 2)
      .getByRole('button', { name: /^取り消す/u })
      .click();
    await page.locator('.toast').waitFor();
    const covered = await page.evaluate(() => {
      const notice = document.querySelector('.toasts')?.getBoundingClientRect();
      const isCovered = ({ top, bottom }: DOMRect): boolean =>
        notice !== undefined && bottom > notice.top && top < notice.bottom;
      const controls = [...document.querySelectorAll<HTMLElement>('.booking .button, .conflict .button')];
      return controls.filter((one) => isCovered(one.getBoundingClientRect())).map((one) => one.textContent);
    });
    expect(covered).toEqual([]);
  });

  test('a conflict names its blockers and is resolved by one press, and undone', async () => {
    fill();
    const page = await rig.open('reservations');
    const conflict = page.locator('.conflict[data-reservation="4"]');
    await conflict.waitFor();
    const text = (await conflict.textContent()) ?? '';
    for (const words of ['ブルーマリンズ', '灯台守の娘', '優先度 3', 'チューナーが足りない']) {
      expect(text).toContain(words);
    }
    // The guide of the fake service does not contain the alternative: the refusal is shown, nothing is lost.
    await conflict.locator('.conflict-offers .button').first().click();
    await page.locator('.toast', { hasText: '別の放送を予約できませんでした' }).waitFor();
    expect(stateOf(4)).toBe('conflict');
    await conflict.locator('.blocker').nth(1).getByRole('button').last().click();
    await until(() => stateOf(3) === 'cancelled');
    await page.locator('.toast', { hasText: 'まだほかの録画と重なっています' }).waitFor();
    await page.getByRole('button', { name: '元に戻す' }).click();
    await until(() => stateOf(3) === 'scheduled');
  });

  test('reservations that share a tuner are cancelled together, and restored together', async () => {
    const shared = { channel: 'T27' } as const;
    const items = busyEvening(STATIONS, Date.now());
    fill(items.map((item) => (item.id === 2 || item.id === 3 ? { ...item, ...shared } : item)));
    const page = await rig.open('reservations?filter=conflict', PHONE);
    const blockers = page.locator('.conflict[data-reservation="4"] .blocker');
    await blockers.first().waitFor();
    expect(await blockers.count()).toBe(1);
    await blockers.getByRole('button', { name: /^.+など2件をやめて.+を録画$/u }).click();
    await page.locator('.toast', { hasText: '2件の予約を取り消しました' }).waitFor();
    expect([stateOf(2), stateOf(3)]).toEqual(['cancelled', 'cancelled']);
    await page.getByRole('button', { name: '元に戻す' }).click();
    await until(() => stateOf(2) === 'scheduled' && stateOf(3) === 'scheduled');
    expect(await widthOf(page)).toBe(360);
  });

  test('a running recording in conflict is stopped after a warning of the loss', async () => {
    const items = busyEvening(STATIONS, Date.now());
    const winner = items.find(({ id }) => id === 4);
    const runs = {
      state: 'recording',
      startAt: broadcastMs(Date.now() - 20 * 60_000),
      endAt: broadcastMs(Date.now() + 40 * 60_000),
    } as const;
    fill(
      items.map((item) =>
        item.id === 2
          ? { ...item, ...runs }
          : item.id === 4
            ? { ...item, blockers: [reservationId(2)] }
            : item,
      ),
    );
    const page = await rig.open('reservations?filter=conflict', PHONE);
    const conflict = page.locator('.conflict[data-reservation="4"]');
    const stop = conflict.getByRole('button', { name: /^.+の録画をやめて.+を録画$/u });
    await stop.click();
    await focusOn(page, '録画を続ける');
    const question = (await conflict.locator('.alert').textContent()) ?? '';
    for (const words of ['残り40分は録画されません', 'ここまでの録画は残ります'])
      expect(question).toContain(words);
    await page.keyboard.press('Enter');
    await focusOn(page, 'の録画をやめて');
    expect(stateOf(2)).toBe('recording');
    await page.keyboard.press('Enter');
    await focusOn(page, '録画を続ける');
    expect(await widthOf(page)).toBe(360);
    await conflict.getByRole('button', { name: /^停止して.+を録画$/u }).click();
    await until(() => stateOf(2) === 'finished');
    await page.locator('.toast', { hasText: 'の録画を停止しました' }).waitFor();
    expect(await page.locator('.toast-action').count()).toBe(0);
    expect(winner?.state).toBe('conflict');
  });

  test('many conflicts are rows by day, whose resolutions expand one by one', async () => {
    const items = busyEvening(STATIONS, Date.now());
    const [model] = items.filter(({ id }) => id === 4);
    const more = [0, 1, 2, 3].map(
      (n): ReservationItem => ({
        ...(model as ReservationItem),
        id: reservationId(100 + n),
        programId: (100 + n) as ProgramId,
        startAt: broadcastMs((model?.startAt ?? 0) + (n % 2) * DAY_MS),
        endAt: broadcastMs((model?.endAt ?? 0) + (n % 2) * DAY_MS),
      }),
    );
    fill([...items, ...more]);
    const page = await rig.open('reservations?filter=conflict');
    await page.locator('.conflict').nth(5).waitFor();
    expect(await page.locator('.conflicts .booking-day').count()).toBe(2);
    expect(await page.locator('.conflict-help').count()).toBe(0);
    const one = page.locator('.conflict[data-reservation="4"]');
    expect((await one.boundingBox())?.height).toBeLessThan(130);
    await one.getByRole('button', { name: '録画する方法' }).click();
    await one.locator('.blocker').first().waitFor();
    expect(await page.locator('.conflict-help').count()).toBe(1);
    await page.keyboard.press('Escape');
    await one.locator('.blocker').first().waitFor({ state: 'detached' });
    expect(page.url()).toContain('reservations?filter=conflict');
  });

  test('dozens of conflicts leave the other reservations visible, and expand by one press', async () => {
    const items = busyEvening(STATIONS, Date.now());
    const model = items.find(({ id }) => id === 4) as ReservationItem;
    const more = Array.from({ length: 40 }, (_, n) => ({
      ...model,
      id: reservationId(100 + n),
      programId: (100 + n) as ProgramId,
      startAt: broadcastMs(model.startAt + (n % 4) * DAY_MS),
      endAt: broadcastMs(model.endAt + (n % 4) * DAY_MS),
    }));
    fill([...items, ...more]);
    const conflicts = items.filter(({ state }) => state === 'conflict').length + more.length;
    const page = await rig.open('reservations');
    const rest = page.getByRole('button', { name: `ほかの競合 ${conflicts - 3}件を表示` });
    await rest.waitFor();
    expect(await page.locator('.conflict').count()).toBe(3);
    const today = page.locator('.conflicts .booking-day-name').nth(1);
    expect(await today.textContent()).toContain('11件');
    const plain = await page.locator('.booking[data-state="recording"]').boundingBox();
    expect(plain?.y).toBeLessThan(900);
    await rest.click();
    await page.locator('.conflict').nth(3).waitFor();
    await page.getByRole('button', { name: 'ほかの競合を隠す' }).click();
    await page.locator('.conflict').nth(3).waitFor({ state: 'detached' });
    // Without other reservations they need not be collapsed.
    await page.getByRole('radio', { name: /競合のみ/ }).click();
    await page.locator('.conflict').nth(3).waitFor();
    expect(await page.getByRole('button', { name: /ほかの競合/ }).count()).toBe(0);
  });

  test('missed, failed and damaged ones are listed together, with what occupied the tuner and the next airing', async () => {
    const now = Date.now();
    const program = dayOf(now) + DAY_MS;
    const window = guideWindow(
      { stations: STATIONS, days: 8 },
      { from: program, to: program + DAY_MS, type: 'GR' },
      now,
    );
    const again = window[1]?.programs.find(({ copyNever }) => !copyNever);
    const offers = [
      {
        programId: again?.id ?? (0 as ProgramId),
        serviceName: STATIONS[1]?.name ?? '',
        title: again?.title ?? '',
        startAt: again?.startAt ?? broadcastMs(0),
        endAt: again?.endAt ?? broadcastMs(0),
      },
    ];
    const had = '「ナイトゲーム」の録画にチューナーを使っていたため録画できませんでした。';
    fill(
      busyEvening(STATIONS, now).map((item) => {
        if (item.id === 15) return { ...item, reason: had, offers };
        return item.id === 14 ? { ...item, verdict: 'damaged' as const, offers: [] } : item;
      }),
    );
    const page = await rig.open('reservations', PHONE);
    await page.getByText('録り逃し 1件、一部に乱れ 1件').waitFor();
    await page.getByRole('button', { name: '確認する' }).click();
    await row(page, 14).waitFor();
    expect(await row(page, 15).textContent()).toContain(had);
    expect(await row(page, 15).textContent()).toContain('次の放送：');
    expect(await widthOf(page)).toBe(360);
    expect(await row(page, 14).getByRole('button').count()).toBe(1);
    await row(page, 15).getByRole('button', { name: '次を予約' }).click();
    await until(() =>
      rig.service.household.bookings.items.some(
        ({ programId, state }) => programId === again?.id && state === 'scheduled',
      ),
    );
    await row(page, 14).locator('.booking-main').click();
    await page.getByText('番組表にまだありません').waitFor();
  });

  test('of hundreds the first are shown at once, and the rest on scrolling or by keys', async () => {
    const [model] = busyEvening(STATIONS, Date.now()).filter(({ id }) => id === 2);
    const items = Array.from(
      { length: 400 },
      (_, n): ReservationItem => ({
        ...(model as ReservationItem),
        id: reservationId(n + 1),
        programId: (n + 1) as ProgramId,
        startAt: broadcastMs(Date.now() + (n + 1) * 1_800_000),
        endAt: broadcastMs(Date.now() + (n + 2) * 1_800_000),
      }),
    );
    fill(items);
    const page = await rig.open('reservations');
    await row(page, 1).waitFor();
    const count = () => page.locator('.booking').count();
    expect(await count()).toBeLessThan(120);
    const heightOf = () => page.evaluate(() => document.documentElement.scrollHeight);
    const before = await heightOf();
    await row(page, 1).locator('.booking-main').focus();
    const focused = () =>
      page.evaluate(() =>
        Number(document.activeElement?.closest<HTMLElement>('.booking')?.dataset.reservation),
      );
    // A key that is pressed before the next rows exist has no effect.
    await until('the keys lead to the fiftieth', async () => {
      for (let press = 0; press < 10; press += 1) await page.keyboard.press('ArrowDown');
      return (await focused()) > 50;
    });
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await row(page, 400).waitFor();
    // The placeholder of the rows had about their height.
    expect(Math.abs((await heightOf()) / before - 1)).toBeLessThan(0.25);
  });

  test('another airing instead: the conflicting one is removed only when the other is certain, and can be restored', async () => {
    const now = Date.now();
    const from = dayOf(now) + DAY_MS;
    const tomorrow = guideWindow(
      { stations: STATIONS, days: 8 },
      { from, to: from + DAY_MS, type: 'GR' },
      now,
    );
    const programs = tomorrow[3]?.programs.filter(({ copyNever }) => !copyNever) ?? [];
    const offers = programs.slice(5, 7).map(({ id, title, startAt, endAt }) => ({
      programId: id,
      serviceName: STATIONS[3]?.name ?? '',
      title,
      startAt,
      endAt,
    }));
    fill(busyEvening(STATIONS, now).map((item) => (item.id === 4 ? { ...item, offers } : item)));
    const [first, second] = offers.map(({ programId }) => programId);
    rig.service.household.bookings.tight.add(first ?? 0);
    const page = await rig.open('reservations?reservation=4');
    const dialog = page.getByRole('dialog', { name: '予約の詳細' });
    await focusOn(page, 'の放送を予約');
    await page.keyboard.press('Enter');
    await dialog.locator('.toast', { hasText: 'このままでは録画されません' }).waitFor();
    expect(stateOf(4)).toBe('conflict');
    await focusOn(page, 'の放送を予約');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await dialog.locator('.toast', { hasText: '代わりに予約しました' }).waitFor();
    expect(stateOf(4)).toBe('cancelled');
    const booked = rig.service.household.bookings.items.find(({ programId }) => programId === second);
    expect(booked?.state).toBe('scheduled');
    await dialog.getByRole('button', { name: '元に戻す' }).click();
    await until(() => booked !== undefined && stateOf(booked.id) === 'cancelled');
  });

  test('the sheet shows everything, stops a recording only after a confirmation, and links on', async () => {
    fill();
    const page = await rig.open('reservations', PHONE);
    await row(page, 1).locator('.booking-main').click();
    const dialog = page.getByRole('dialog', { name: '予約の詳細' });
    await dialog.getByText('ニュースきょう一日').waitFor();
    expect(new URL(page.url()).searchParams.get('reservation')).toBe('1');
    const text = (await dialog.textContent()) ?? '';
    for (const words of ['録画中', '優先度', '録画の終わり', 'チャンネル']) expect(text).toContain(words);
    expect(await dialog.getByRole('link', { name: '録画を開く' }).getAttribute('href')).toBe(
      'recordings?recording=71',
    );
    await dialog.getByRole('button', { name: '録画を停止' }).click();
    await focusOn(page, '録画を続ける');
    await page.keyboard.press('Enter');
    await focusOn(page, '録画を停止');
    expect(stateOf(1)).toBe('recording');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: '停止する' }).click();
    await until(() => stateOf(1) === 'finished');
    // Dragged down by a finger: a short drag snaps back, a long one closes.
    const session = await page.context().newCDPSession(page);
    const pull = async (by: number): Promise<void> => {
      const head = await dialog.locator('.sheet-head h2').boundingBox();
      const [x, y] = [(head?.x ?? 0) + 10, (head?.y ?? 0) + 10];
      const touch = (type: 'touchStart' | 'touchMove', at: number) =>
        session.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y: at }] });
      await touch('touchStart', y);
      for (let step = 1; step <= 5; step += 1) await touch('touchMove', y + (by * step) / 5);
      await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    await pull(60);
    expect(await dialog.locator('.sheet-body').evaluate((body) => body.style.cssText)).toBe('');
    expect(await dialog.count()).toBe(1);
    await pull(300);
    await dialog.waitFor({ state: 'detached' });
    expect(await widthOf(page)).toBe(360);
    await page.goto(`${rig.service.url}reservations?reservation=999`);
    await page.getByText('この予約はもうありません').waitFor();
  });

  test('the timetable shows a row per tuner and one for conflicts, and is navigated by arrows', async () => {
    // From noon on, so that the evening stays within one broadcast day.
    const noon = dayOf(Date.now()) + DAY_MS + 7 * 3_600_000;
    fill(busyEvening(STATIONS, noon));
    rig.service.household.tuners = rig.service.household.tuners.map((tuner) =>
      tuner.id === 's2' ? { ...tuner, state: 'idle', error: null } : tuner,
    );
    const page = await rig.open('reservations?view=day');
    await page.locator('.guide-day').nth(2).click();
    await page.locator('.bar').first().waitFor();
    // As the times in the bars: 28:00, not 4:00.
    expect(await page.locator('.day-hours span').last().textContent()).toBe('28時');
    const heads = await page.locator('.day-head b').allTextContents();
    expect(heads).toEqual(['録画できない予約', '地デジ 1', '地デジ 2', 'BS・CS 1', 'BS・CS 2']);
    // In the order of use.
    expect(await page.locator('.day-head .tuner-rank').allTextContents()).toEqual(['1', '2', '3', '4']);
    const inRow = (index: number): Promise<(string | null)[]> =>
      page
        .locator('.day-row')
        .nth(index)
        .locator('.bar')
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('data-reservation')));
    expect(await inRow(0)).toEqual(['15', '4']);
    expect([await inRow(1), await inRow(2)]).toEqual([['14', '1', '3', '5'], ['2']]);
    await page.locator('.bar[data-reservation="4"]').focus();
    expect(await page.locator('.bar[data-blocks]').count()).toBe(2);
    await page.locator('.day-focus', { hasText: 'チューナーが足りない' }).waitFor();
    await page.keyboard.press('ArrowDown');
    expect(await activeBar(page)).toBe(3);
    await page.keyboard.press('ArrowDown');
    expect(await activeBar(page)).toBe(2);
    await page.keyboard.press('ArrowUp');
    expect(await activeBar(page)).toBe(3);
    await page.keyboard.press('ArrowRight');
    expect(await activeBar(page)).toBe(5);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: '予約の詳細' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(
      () => (document.activeElement as HTMLElement | null)?.dataset.reservation === '5',
    );
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('ArrowUp');
    await page.waitForFunction(() => document.activeElement?.closest('.day-stage') === null);
    // Down leads back in, wherever the bars are, and on into the panel below; never to the navigation at the
    // side.
    await page.locator('.guide-day[aria-selected="true"]').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.matches('.bar'));
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.closest('.day-focus') !== null);
  });

  test('the timetable waits for the tuners before it says which of them records what', async () => {
    fill(busyEvening(STATIONS, dayOf(Date.now()) + DAY_MS + 7 * 3_600_000));
    const tuners = Promise.withResolvers<void>();
    rig.service.state.before = async ({ pathname }) =>
      pathname.endsWith('/api/tuners') ? await tuners.promise : undefined;
    const page = await rig.open('reservations?view=day');
    await page.locator('.guide-day').nth(2).click();
    await page.locator('.block-skeleton, .day-head').first().waitFor();
    expect(await page.locator('.day-head').count()).toBe(0);
    tuners.resolve();
    await page.locator('.day-head b', { hasText: '地デジ 1' }).waitFor();
  });

  test('on a phone time runs downwards, and nothing is wider than the screen', async () => {
    const noon = dayOf(Date.now()) + DAY_MS + 7 * 3_600_000;
    fill(busyEvening(STATIONS, noon));
    const page = await rig.open('reservations?view=day', PHONE);
    await page.locator('.guide-day').nth(2).click();
    const bar = page.locator('.bar[data-reservation="2"]');
    await bar.waitFor();
    const box = await bar.boundingBox();
    expect(box?.height).toBeGreaterThan(box?.width ?? Number.POSITIVE_INFINITY);
    await page.locator('.bar[data-reservation="1"]').focus();
    await page.keyboard.press('ArrowDown');
    expect(await activeBar(page)).toBe(3);
    await page.keyboard.press('ArrowRight');
    expect(await activeBar(page)).toBe(2);
    expect(await widthOf(page)).toBe(360);
    await page.getByRole('link', { name: '予約一覧' }).click();
    await row(page, 5).waitFor();
    expect(await widthOf(page)).toBe(360);
  });

  test('without any it links to the guide; a failure shows its reason and a retry', async () => {
    fill([]);
    const page = await rig.open('reservations');
    await page.getByText('予約はまだありません').waitFor();
    expect(await page.locator('main').getByRole('link', { name: '番組表を開く' }).getAttribute('href')).toBe(
      'guide',
    );
    rig.service.household.problems.set('reservations', {
      body: { message: 'データベースを読めません。', code: 'internal' },
      status: 500,
    });
    await page.reload();
    await page.getByRole('alert').getByText('データベースを読めません。').waitFor();
    rig.service.household.problems.clear();
    fill();
    await page.getByRole('button', { name: '再試行' }).click();
    await row(page, 1).waitFor();
  });

  test('recording options can be changed, and reset to the setting', async () => {
    fill();
    const page = await rig.open('reservations?reservation=6', PHONE);
    const dialog = page.getByRole('dialog', { name: '予約の詳細' });
    await dialog.getByRole('button', { name: '録画の設定を変える' }).click();
    const after = dialog.getByRole('radiogroup', { name: '終了後のマージン' });
    await after.getByRole('radio', { name: '5分' }).click();
    await dialog.getByText('終了後のマージン 5分').waitFor();
    expect(rig.service.household.bookings.items[5]?.marginAfter).toBe(300_000);
    await after.getByRole('radio', { name: '設定（15秒）' }).click();
    await dialog.getByText('終了後のマージン 5分').waitFor({ state: 'detached' });
    expect(rig.service.household.bookings.items[5]?.marginAfter).toBeNull();
    expect(await widthOf(page)).toBe(360);
  });

  test('who records by hand is told that the original goes, and can keep it while it is being recorded', async () => {
    fill();
    const now = Date.now();
    const span = { from: now - DAY_MS, to: now + DAY_MS, type: 'GR' } as const;
    const onAir = guideWindow({ stations: STATIONS, days: 8 }, span, now)
      .flatMap(({ programs }) => programs)
      .find(({ startAt, endAt, copyNever }) => startAt <= now && endAt > now + 60_000 && !copyNever);
    const page = await rig.open(`reservations?program=${onAir?.id}`);
    await page.getByRole('dialog').getByRole('button', { name: '録画する' }).click();
    await page.locator('.toast', { hasText: '録画後にAV1へ変換し、元の録画は残しません' }).waitFor();
    await page.goto(`${rig.service.url}reservations?reservation=1`);
    const options = page.getByRole('button', { name: '録画の設定を変える' });
    await options.getByText('元の録画は残しません').waitFor();
    await options.click();
    await page.getByText('録画が終わったときの設定で変換します').waitFor();
    expect(await page.getByRole('radiogroup', { name: '終了後のマージン' }).count()).toBe(0);
    const original = page.getByRole('radiogroup', { name: '変換後の元の録画' });
    await original.getByRole('radio', { name: '残す', exact: true }).click();
    await options.getByText('元の録画も残します').waitFor();
    expect(rig.service.household.bookings.items[0]?.keepTs).toBe(true);
    await page
      .getByRole('radiogroup', { name: '録画後の変換' })
      .getByRole('radio', { name: 'しない' })
      .click();
    await options.getByText('録画後は変換しません').waitFor();
  });

  test('changes made elsewhere are shown as soon as they are announced', async () => {
    fill();
    const page = await rig.open('reservations');
    await row(page, 2).waitFor();
    rig.service.household.bookings.items = rig.service.household.bookings.items.map((item) =>
      item.id === 2 ? { ...item, state: 'recording' } : item,
    );
    rig.service.send('recordings');
    await row(page, 2).locator('.badge', { hasText: '録画中' }).waitFor();
  });
});
