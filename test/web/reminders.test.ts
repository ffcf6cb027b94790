import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { guideWindow, manyStations } from './fake-guide.ts';
import { tooSmall, tooWide, violations } from './look.ts';
import { hasChromium, PHONE, webRig } from './rig.ts';

const HOUR_MS = 3_600_000;

describe.skipIf(!hasChromium)('reminders', () => {
  const rig = webRig({ stations: manyStations([6, 0, 0]) });

  /** A programme that has not begun. */
  function coming(): number {
    const now = Date.now();
    const wish = { from: now, to: now + 24 * HOUR_MS, type: 'GR' as const };
    const [first] = guideWindow(rig.service.household.guide, wish, now);
    const found = first?.programs.find(({ startAt }) => startAt > now + HOUR_MS);
    if (found === undefined) throw new Error('nothing is coming');
    return found.id;
  }

  const lists = () => rig.service.household.notices.reminders;
  const picture = async (page: Page, name: string): Promise<void> => {
    const folder = process.env.REMINDER_PICTURES;
    if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
  };

  test('one press asks for it, the programme says so, and the list cancels it with a way back', async () => {
    const id = coming();
    const page = await rig.open(`guide?program=${id}`);
    await page.getByRole('button', { name: 'リマインダー' }).click();
    const sheet = page.getByRole('dialog', { name: 'リマインダー' });
    await sheet.getByText('通知先がまだないため').waitFor();
    await picture(page, 'sheet');
    expect([...(await violations(page)), ...(await tooWide(page))]).toEqual([]);
    await sheet.getByRole('button', { name: '10分前' }).click();
    await page.getByText('10分前にお知らせします').first().waitFor();
    await page.getByRole('button', { name: '10分前に通知' }).waitFor();
    expect(lists().reminders).toMatchObject([{ programId: id, minutes: 10, seriesId: null }]);

    await page.goto(`${rig.service.url}notices`);
    await page.getByRole('button', { name: /のリマインダーを取り消す/u }).click();
    await until(() => lists().reminders.length === 0);
    await page.getByRole('button', { name: '元に戻す' }).click();
    await until(() => lists().reminders.length === 1);
    await page.getByRole('button', { name: /のリマインダーを取り消す/u }).waitFor();
  });

  test('its series is followed with the same press, and left with one', async () => {
    const id = coming();
    const phone = { ...PHONE, viewport: { width: 390, height: 800 }, colorScheme: 'dark' } as const;
    const page = await rig.open(`guide?program=${id}`, phone);
    await page.getByRole('button', { name: 'リマインダー' }).click();
    await page.getByRole('button', { name: 'このシリーズの次回からも' }).click();
    await picture(page, 'sheet-phone');
    expect([...(await tooWide(page)), ...(await tooSmall(page, '.sheet'))]).toEqual([]);
    await page.getByRole('button', { name: '30分前' }).click();
    await until(() => lists().series.length === 1);
    await page.goto(`${rig.service.url}notices`);
    await page.getByText('毎回').waitFor();
    await picture(page, 'list-phone');
    expect([...(await violations(page)), ...(await tooWide(page))]).toEqual([]);
    await page.goto(`${rig.service.url}guide?program=${id}`);
    await page.getByRole('button', { name: '30分前に通知' }).click();
    await page.getByRole('button', { name: 'シリーズのリマインダーを取り消す' }).click();
    await page.getByRole('button', { name: 'リマインダー', exact: true }).waitFor();
    expect(lists()).toEqual({ reminders: [], series: [] });
  });

  test('a programme that has begun offers none; a refusal is said', async () => {
    const id = coming();
    rig.service.household.problems.set('reminders', {
      body: { message: 'リマインダーは500件までです。', code: 'conflict' },
      status: 409,
    });
    const page = await rig.open(`guide?program=${id}`);
    await page.getByRole('button', { name: 'リマインダー' }).click();
    await page.getByRole('button', { name: '5分前', exact: true }).click();
    await page.getByText('リマインダーは500件までです').first().waitFor();
    const now = Date.now();
    const [first] = guideWindow(rig.service.household.guide, { from: now, to: now + 1, type: 'GR' }, now);
    await page.goto(`${rig.service.url}guide?program=${first?.programs[0]?.id}`);
    await page.getByRole('link', { name: '視聴' }).waitFor();
    expect(await page.getByRole('button', { name: 'リマインダー' }).count()).toBe(0);
  });
});
