/** Remote control: the focus survives when the pressed element disappears, and the layout does not shift. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { until } from '../until.ts';
import { START } from './clock.ts';
import { busyEvening, newBookings } from './fake-bookings.ts';
import { manyStations } from './fake-guide.ts';
import { manyRecordings, newRecordings, runningRecording } from './fake-recordings.ts';
import { focusOn, hasChromium, PHONE, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);
const [station] = STATIONS;
if (station === undefined) throw new Error('no stations');
const RUNNING = runningRecording(9_000, station, START);
const TELEVISION = { viewport: { width: 1920, height: 1080 } };

describe.skipIf(!hasChromium)('by remote control', () => {
  const rig = webRig({ stations: STATIONS });

  function fill(): void {
    rig.service.household.recordings = newRecordings([...manyRecordings(STATIONS, 400, START), RUNNING]);
    rig.service.household.bookings = newBookings(busyEvening(STATIONS, START));
  }
  const held = (page: Page): Promise<string> =>
    page.evaluate(() => {
      const active = document.activeElement;
      return active === null || active === document.body ? 'nothing' : (active.classList[0] ?? '');
    });

  test('several are selected in the middle of a long list, moved to the bin and restored', async () => {
    fill();
    const page = await rig.open('recordings', TELEVISION);
    await page.locator('.rec-title').first().waitFor();
    await page.getByRole('button', { name: '選択' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.closest('.list-cell') != null);
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter', 'ArrowRight', 'Enter']) {
      await page.keyboard.press(key);
    }
    await page.getByText('2件を選択中').waitFor();
    for (let step = 0; step < 12 && (await held(page)) !== 'select-action'; step += 1) {
      await page.keyboard.press('ArrowRight');
    }
    await focusOn(page, 'ごみ箱へ');
    await page.keyboard.press('Enter');
    await focusOn(page, '元に戻す');
    await page.keyboard.press('Enter');
    await page.getByText('を元に戻しました').waitFor();
    await until(() => rig.service.household.recordings.list.every(({ binnedAt }) => binnedAt === null));
  });

  test('a key that is held down opens a screen once, after the next frame', async () => {
    const page = await rig.open('', TELEVISION);
    await page.locator('a.card').first().waitFor();
    const pressed = await page.evaluate(() => {
      const before = history.length;
      for (let press = 0; press < 3; press += 1) document.querySelector<HTMLElement>('a.card')?.click();
      return { added: history.length - before, shown: document.querySelector('a.card') !== null };
    });
    expect(pressed).toEqual({ added: 1, shown: true });
    await page.locator('.stage').waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'main');
    await page.keyboard.press('Escape');
    await page.locator('a.card').first().waitFor();
  });

  test('keys pressed faster than a slow machine draws have the same effect as on a fast one', async () => {
    const page = await rig.open('', TELEVISION);
    await page.locator('a.card').first().waitFor();
    const rail = page.locator('.rail-item', { hasText: '番組表' });
    // The page fetches the screens ahead when it has time; a key may come before a screen, and is then lost.
    await rail.focus();
    await page.waitForFunction(() =>
      performance
        .getEntriesByType('resource')
        .some(
          ({ name, ...entry }) =>
            /\/guide-screen-[a-z0-9]{8}\.js$/.test(name) && Reflect.get(entry, 'responseEnd') !== 0,
        ),
    );
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 10 });
    const press = async (...keys: string[]): Promise<void> => {
      await Promise.all(keys.map((key) => page.keyboard.press(key)));
    };
    await rail.focus();
    // Opens the guide and enters it, not the next entry of the rail.
    await press('Enter', 'ArrowDown');
    await page.waitForFunction(() => document.activeElement?.closest('main') != null);
    expect(await page.evaluate(() => document.activeElement?.id)).not.toBe('main');
    await page.locator('.prog').first().waitFor();
    await page.getByRole('button', { name: '日時を選ぶ' }).focus();
    // The first key opens a dialog, the others move and choose in it.
    await press('Enter', 'ArrowLeft', 'Enter');
    await focusOn(page, '11月20日');
    await page.locator('.jump-days [aria-checked="true"]', { hasText: '11月20日' }).waitFor();
  });

  test('cancelling a selection leaves the focus on a recording in view', async () => {
    fill();
    const page = await rig.open('recordings', TELEVISION);
    await page.locator('.rec-title').first().waitFor();
    await page.getByRole('button', { name: '選択' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: '選択を解除' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => {
      const box = document.activeElement?.closest('.list-cell')?.getBoundingClientRect();
      return box !== undefined && box.top >= 0 && box.bottom <= innerHeight;
    });
  });

  test('removing a filter moves the focus to its neighbour', async () => {
    fill();
    const page = await rig.open('recordings?genre=3', TELEVISION);
    const chip = page.locator('.chip-on');
    await chip.focus();
    await page.keyboard.press('Enter');
    await chip.waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.closest('.rec-tools-more') != null);
  });

  test('an element removed by a response of the service does not move the focus elsewhere', async () => {
    fill();
    const page = await rig.open('reservations', TELEVISION);
    const offer = page.locator('.conflict[data-reservation="4"] .blocker .button').last();
    await offer.focus();
    await page.evaluate(() => document.activeElement?.closest('.conflict')?.remove());
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.closest('main') != null);
    const top = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top ?? 0);
    expect(top).toBeGreaterThan(200);
  });

  test('a list of choices is reached by the arrows, which change it only while Enter has opened it', async () => {
    const page = await rig.open('settings', TELEVISION);
    const hours = page.locator('.encode-hour select');
    await hours.first().waitFor();
    const held = (): Promise<number> =>
      hours.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement));
    await hours.first().focus();
    for (const [key, which] of [
      ['ArrowRight', 1],
      ['ArrowUp', -1],
      ['ArrowDown', 0],
    ] as const) {
      await page.keyboard.press(key);
      expect(await held()).toBe(which);
    }
    expect(await hours.first().inputValue()).toBe('0');
    for (const key of ['Enter', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
    await until(() => rig.service.household.settings.encodeFrom === 60);
    expect(await held()).toBe(0);
  });

  test('a player whose login has ended leads back to it by Enter alone', async () => {
    const page = await rig.open('', TELEVISION);
    await page.locator('a.card').first().waitFor();
    rig.service.state.refusing = true;
    await page.locator('a.card').first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ログインが必要です' }).waitFor();
    await focusOn(page, '開き直す');
    rig.service.state.refusing = false;
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
    await page.locator('.stage').waitFor();
  });

  for (const [name, options] of [
    ['phone', PHONE],
    ['television', TELEVISION],
  ] as const) {
    test(`content that loads later causes no layout shift (${name})`, async () => {
      fill();
      const page = await rig.open('nowhere', options);
      await page.addInitScript(() => {
        const shifts: string[] = [];
        Object.assign(globalThis, { shifts });
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            if ('value' in entry && Number(entry.value) > 0.01)
              shifts.push(`${location.href} ${entry.value}`);
          }
        }).observe({ type: 'layout-shift', buffered: true });
      });
      // From its second visit on, the home screen knows that something is shown above the stations.
      await page.goto(rig.service.url);
      await page.locator('.next').first().waitFor();
      rig.service.household.delayMs = 60;
      rig.service.household.recordings.delayMs = 120;
      // The running recordings are known before the list, and after it.
      let turn = 0;
      rig.service.state.before = async ({ pathname, searchParams }) => {
        const running = searchParams.get('show') === 'recording';
        if (pathname.endsWith('/api/recordings')) await Bun.sleep(running === (turn === 0) ? 0 : 250);
      };
      for (const [path, ready] of [
        ['', '.next-title:not(.skeleton *)'],
        ['recordings', '.running'],
        ['recordings?turn=1', '.running'],
        ['reservations', '.booking'],
        ['rules', 'h1'],
      ] as const) {
        turn = path.includes('turn') ? 1 : 0;
        await page.goto(rig.service.url + path);
        await page.locator(ready).first().waitFor();
        await page.locator('.cell-list .rec-title, main h1').first().waitFor();
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
        expect(await page.evaluate(() => Reflect.get(globalThis, 'shifts'))).toEqual([]);
      }
    });
  }
});
