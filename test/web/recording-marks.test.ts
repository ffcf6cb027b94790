/** Finding recordings by genre, and undoing marks together with their side effects. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Recording } from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { START } from './clock.ts';
import { manyStations } from './fake-guide.ts';
import { manyRecordings, newRecordings } from './fake-recordings.ts';
import { focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);
const DRAMA = 3;
/** A recording with a stored position: `fakeRecording` gives one to every eleventh. */
const STOPPED = 14;

describe.skipIf(!hasChromium)('of recordings', () => {
  const rig = webRig({ stations: STATIONS });

  const held = (id: number): Recording | undefined =>
    rig.service.household.recordings.list.find((one) => one.id === id);
  async function open(path: string, options = {}): Promise<Page> {
    rig.service.household.recordings = newRecordings(manyRecordings(STATIONS, 60, START));
    return await rig.open(path, options);
  }
  const ids = (page: Page): Promise<string[]> =>
    page
      .locator('.cell-list .cell-main')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-id') ?? ''));

  for (const options of [{}, PHONE]) {
    test(`a genre is chosen, shown and reset again (${'isMobile' in options ? 'phone' : 'laptop'})`, async () => {
      const page = await open('recordings', options);
      await page.locator('.rec-title').first().waitFor();
      await page.getByRole('button', { name: '絞り込み' }).click();
      await page.getByRole('radiogroup', { name: 'ジャンル' }).getByRole('radio', { name: 'ドラマ' }).click();
      const chip = page.locator('.chip-on', { hasText: 'ドラマ' });
      await chip.waitFor();
      await until('only its recordings are shown', async () => {
        const shown = await ids(page);
        return shown.length > 3 && shown.every((id) => held(Number(id))?.genres[0]?.lv1 === DRAMA);
      });
      expect(new URL(page.url()).searchParams.get('genre')).toBe(String(DRAMA));
      await page.reload();
      await chip.waitFor();
      await chip.click();
      await chip.waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
    });
  }

  test('a genre without recordings says so, and leads back', async () => {
    const page = await open('recordings?genre=11');
    await page.getByText('条件に合う録画はありません').waitFor();
    await page.getByRole('button', { name: '条件を消す' }).click();
    await page.locator('.rec-title').first().waitFor();
  });

  test('marking as watched is undone together with the playback position, from the sheet', async () => {
    const page = await open(`recordings?recording=${STOPPED}`);
    const place = held(STOPPED)?.resumeMs;
    expect(place).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'その他', exact: true }).click();
    await page.getByRole('button', { name: '視聴済みにする' }).click();
    await until(() => held(STOPPED)?.watchedAt !== null);
    expect(held(STOPPED)?.resumeMs).toBeNull();
    await page.getByRole('button', { name: '元に戻す' }).click();
    await until(() => held(STOPPED)?.resumeMs === place);
    expect(held(STOPPED)?.watchedAt).toBeNull();
  });

  test('marking as not watched is undone too, for many at once and by keys', async () => {
    const page = await open('recordings?q=灯台守');
    await page.locator('.rec-title').first().waitFor();
    const before = rig.service.household.recordings.list.map(({ id, watchedAt, resumeMs }) => ({
      id,
      watched: watchedAt !== null,
      resumeMs,
    }));
    const now = () =>
      rig.service.household.recordings.list.map(({ id, watchedAt, resumeMs }) => ({
        id,
        watched: watchedAt !== null,
        resumeMs,
      }));
    await page.locator('.cell-list .cell-main').first().focus();
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'すべて選択' }).click();
    await page.getByRole('button', { name: '未視聴に', exact: true }).focus();
    await page.keyboard.press('Enter');
    await until(() => now().some(({ watched }, index) => watched !== before[index]?.watched));
    await focusOn(page, '元に戻す');
    await page.keyboard.press('Enter');
    await until(() => Bun.deepEquals(now(), before));
  });
});
