/** The verdict of a recording on every screen that shows it; and what a rule skipped, with the reason. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Recording, ReservationItem } from '../../lib/wire/api.ts';
import { recordingId, reservationId, ruleId } from '../../lib/wire/ids.ts';
import { until } from '../until.ts';
import { newBookings, reservation } from './fake-bookings.ts';
import { dayOf, guideWindow, manyStations } from './fake-guide.ts';
import {
  COMPLETE,
  damaged,
  failedRecording,
  fakeRecording,
  newRecordings,
  runningRecording,
} from './fake-recordings.ts';
import { addRule } from './fake-rules.ts';
import { hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);
const HOUR_MS = 3_600_000;
const [station] = STATIONS;
if (station === undefined) throw new Error('no stations');
const STATION = station;

/** A recording that ended this many hours ago. */
function over(id: number, hours: number, changes: Partial<ReservationItem>): ReservationItem {
  const startAt = Date.now() - hours * HOUR_MS;
  const name = `[字]灯台守の娘　第${id}話`;
  const program = {
    id: 7_000 + id,
    name,
    title: name,
    startAt,
    endAt: startAt + HOUR_MS / 2,
    station: STATION,
  };
  return reservation(program, { id: reservationId(id), ruleId: ruleId(1), ...changes });
}

describe.skipIf(!hasChromium)('verdicts', () => {
  const rig = webRig({ stations: STATIONS });
  const row = (page: Page, id: number) => page.locator(`.booking[data-reservation="${id}"]`);

  test('a past reservation shows the verdict of its recording', async () => {
    rig.service.household.bookings = newBookings([
      over(1, 3, { state: 'finished', recordingId: recordingId(1), verdict: 'complete' }),
      over(2, 4, { state: 'finished', recordingId: recordingId(2), verdict: 'damaged' }),
      over(3, 5, { state: 'finished', recordingId: recordingId(3), verdict: 'lost' }),
      over(4, 6, { state: 'finished', recordingId: null, verdict: null }),
    ]);
    const page = await rig.open('reservations?done=1');
    await page.getByRole('switch').click();
    await row(page, 4).waitFor();
    const badges = await Promise.all([1, 2, 3, 4].map((id) => row(page, id).locator('.badge').textContent()));
    expect(badges).toEqual(['完了', '一部に乱れ', '失敗', '完了']);
    expect(await row(page, 2).locator('.badge[data-tone="warn"]').count()).toBe(1);
    await row(page, 2).locator('.booking-main').click();
    await page.getByRole('dialog').locator('.badge', { hasText: '一部に乱れ' }).waitFor();
  });

  test('a series shows the verdict of any damaged episode, also where its newest is complete', async () => {
    const list = [1, 2, 3].map((id) => ({
      ...fakeRecording(id * 9 + 2, station, Date.now()),
      verdict: COMPLETE,
    }));
    const oldest = list.sort((a, b) => a.startAt - b.startAt)[0];
    if (oldest === undefined) throw new Error('no recordings');
    oldest.verdict = damaged();
    rig.service.household.recordings = newRecordings(list);
    const page = await rig.open('nowhere', PHONE);
    for (const look of ['grid', 'list']) {
      await page.evaluate((kept) => {
        localStorage.setItem('svc.recordings-grouped', 'true');
        localStorage.setItem('svc.recordings-look', JSON.stringify(kept));
      }, look);
      await page.goto(`${rig.service.url}recordings`);
      await page.locator('.rec-pile .rec-foot .badge[data-tone]', { hasText: '一部に乱れ 1件' }).waitFor();
      expect(await page.locator('.rec-pile .rec-foot .badge[data-tone]').count()).toBe(1);
      const name = await page.locator('.rec-pile .hidden-text').first().textContent();
      expect(name).toContain('一部に乱れ 1件');
    }
  });

  test('a sheet begins with what is missing and when it is on again, above its buttons', async () => {
    const lost = failedRecording(40, station, Date.now());
    const running = runningRecording(50, station, Date.now());
    const cut = { ...fakeRecording(20, station, Date.now()), verdict: damaged() };
    const late: Recording = {
      ...fakeRecording(30, station, Date.now()),
      verdict: { ...COMPLETE, headMs: -9 * 60_000 },
    };
    const whole = { ...fakeRecording(10, station, Date.now()), verdict: COMPLETE };
    const poor: Recording = {
      ...fakeRecording(60, station, Date.now()),
      verdict: { ...COMPLETE, level: 'damaged', drops: 1_234 },
    };
    if (running.progress !== null) Object.assign(running.progress, { recordedMs: 11 * 60_000 });
    const list = [whole, cut, late, lost, running, poor];
    rig.service.household.recordings = newRecordings(list);
    const tomorrow = dayOf(Date.now()) + 24 * HOUR_MS;
    const span = { from: tomorrow, to: tomorrow + 24 * HOUR_MS, type: 'GR' } as const;
    const again = guideWindow({ stations: STATIONS, days: 8 }, span, Date.now())[1]?.programs.find(
      ({ copyNever }) => !copyNever,
    );
    if (again === undefined) throw new Error('no coming programme');
    const offer = {
      ...{ programId: again.id, serviceName: station.name, title: cut.title },
      ...{ startAt: again.startAt, endAt: again.endAt },
    };
    rig.service.household.bookings = newBookings([
      over(1, 3, { state: 'finished', recordingId: cut.id, verdict: 'damaged', offers: [offer] }),
      { ...over(2, -48, { state: 'scheduled' }), name: lost.name, title: lost.title },
    ]);
    const first = async (recording: Recording) => {
      await page.goto(`${rig.service.url}recordings?recording=${recording.id}`);
      const box = page.locator('.verdict-box');
      await box.locator('h4').waitFor();
      const [line, buttons] = await Promise.all([
        box.boundingBox(),
        page.locator('dialog .program-actions').boundingBox(),
      ]);
      expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual(buttons?.y ?? 0);
      expect(await box.locator('details[open]').count()).toBe(0);
      expect(await page.locator('dialog .program-actions > *').count()).toBeLessThanOrEqual(4);
      return await box.locator('h4').textContent();
    };
    const page = await rig.open('nowhere', PHONE);
    expect(await first(whole)).toBe('完全に録画できました');
    expect(await page.locator('.verdict-next').count()).toBe(0);
    expect(await first(late)).toMatch(/^\d+:[03]9から録画しました（最初の9分がありません）。録れた部分に/u);
    expect(await first(poor)).toBe('受信の乱れが1,234か所あります');
    expect(await first(running)).toBe('録画中（始まりから20分のうち、録画できたのは11分）');
    expect(await first(lost)).toBe('録画できませんでした。チューナーエージェントに接続できませんでした');
    await page.locator('.verdict-next', { hasText: '次の放送' }).getByText('予約済み').waitFor();
    expect(await first(cut)).toMatch(
      /^\d+:[03]0:43から録画しました（最初の43秒がありません）。\d+:[14]2:05から43秒が/u,
    );
    await page.locator('.verdict-next').getByRole('button', { name: '予約する' }).click();
    await until(() =>
      rig.service.household.bookings.items.some(
        ({ programId, state }) => programId === again.id && state === 'scheduled',
      ),
    );
  });

  test('a recording that failed plays where a part of it is there, and says how much that is', async () => {
    const gone = failedRecording(40, station, Date.now());
    const minutes = (gone.endAt - gone.startAt) / 60_000;
    const part: Recording = {
      ...fakeRecording(41, station, Date.now()),
      ...{ startAt: gone.startAt, endAt: gone.endAt, durationMs: 9 * 60_000, state: 'failed' },
      ...{ watchedAt: null, resumeMs: null, reason: 'サービスが止まっていました' },
      verdict: {
        ...{ level: 'lost', drops: 0, headMs: 10_000, tailMs: -(minutes - 9) * 60_000 },
        gaps: [{ startMs: 9 * 60_000, endMs: minutes * 60_000, cause: 'service_stopped' }],
      },
    };
    const said = `${minutes}分のうち9分しか録画できませんでした`;
    rig.service.household.recordings = newRecordings([gone, part]);
    rig.service.household.bookings = newBookings(
      [gone, part].map(({ id }) =>
        over(id, 3, { state: 'finished', recordingId: recordingId(id), verdict: 'lost' }),
      ),
    );
    const page = await rig.open('recordings?show=failed');
    const card = (id: number) => page.locator('.rec', { has: page.locator(`[data-id="${id}"]`) });
    expect(await card(41).locator('.rec-play').getAttribute('href')).toBe('watch/41');
    await card(41).locator('.rec-latest', { hasText: said }).waitFor();
    expect(await card(40).locator('.rec-play').count()).toBe(0);
    await card(41).locator('.cell-main').press('p');
    await page.waitForURL(/\/watch\/41$/u);
    await page.getByText(`${minutes}分のうち9分を録画`).first().waitFor({ state: 'attached' });
    await page.goto(`${rig.service.url}recordings?recording=41`);
    const play = page.getByRole('dialog').getByRole('link', { name: '録れた部分を再生' });
    await play.waitFor();
    await page.locator('.verdict-box h4', { hasText: said }).waitFor();
    await page.getByRole('button', { name: 'その他', exact: true }).click();
    // The service does not convert it, and only what was converted is saved on a device.
    await page.getByRole('link', { name: 'ファイルを保存' }).waitFor();
    for (const name of ['変換する', 'この端末に保存'])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0);
    for (const [id, count] of [
      [41, 1],
      [40, 0],
    ] as const) {
      await page.goto(`${rig.service.url}reservations?reservation=${id}`);
      const sheet = page.getByRole('dialog', { name: '予約の詳細' });
      await sheet.getByRole('link', { name: '録画を開く' }).waitFor();
      await sheet.getByText('次の放送').first().waitFor();
      await (count === 0
        ? until(() => rig.service.household.asked.includes('GET recordings/40'))
        : sheet.getByRole('link', { name: '録れた部分を再生' }).waitFor());
      expect(await sheet.locator('a[href^="watch/"]').count()).toBe(count);
    }
  });

  test("a rule's page lists skipped airings, past and future, with the reason, and opens them", async () => {
    addRule(rig.service.household.rules, { name: '灯台守', keyword: '灯台守', dedupe: true });
    rig.service.household.bookings = newBookings([
      over(11, 30, { state: 'missed', reason: 'チューナーが足りませんでした。' }),
      over(12, 60, { state: 'skipped', reason: 'コピー禁止の番組なので録画しません。' }),
      over(13, 90, { state: 'cancelled' }),
      over(14, 90, { state: 'finished', recordingId: recordingId(9) }),
      over(15, 90, { state: 'missed', ruleId: ruleId(2) }),
    ]);
    const page = await rig.open('rules?rule=1');
    const past = page.getByRole('region', { name: '録画しなかった放送' });
    await past.getByText('チューナーが足りませんでした。').waitFor();
    const text = (await past.textContent()) ?? '';
    for (const words of ['コピー禁止の番組', '取り消されています', '録り逃し', '3件']) {
      expect(text).toContain(words);
    }
    for (const id of [14, 15]) expect(text).not.toContain(`第${id}話`);
    const left = page.getByRole('region', { name: '対象外の放送' });
    await left.locator('.row', { hasText: '同じ回を先の放送で' }).first().click();
    await page.getByRole('dialog', { name: '番組の詳細' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('switch').click();
    await left.waitFor({ state: 'detached' });
    expect(await past.textContent()).toContain('録り逃し');
  });
});
