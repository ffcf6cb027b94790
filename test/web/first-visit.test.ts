/** The first visit over a slow network: what arrives late moves nothing that is on the screen. */
import { describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { START } from './clock.ts';
import { busyEvening, newBookings } from './fake-bookings.ts';
import { encodeItem } from './fake-encodes.ts';
import { manyStations } from './fake-guide.ts';
import { manyRecordings, newRecordings, runningRecording } from './fake-recordings.ts';
import { hasChromium, webRig } from './rig.ts';

const STATIONS = manyStations([12, 4, 4]);
const [station] = STATIONS;
if (station === undefined) throw new Error('no stations');
const RUNNING = runningRecording(9_000, station, START);
const SIZES = {
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  desktop: { viewport: { width: 1440, height: 900 } },
} as const;
/** Cumulative layout shift; 0.1 is what web.dev calls good. */
const MOST_SHIFT = 0.05;
/** Milliseconds by which the answers are apart. */
const APART_MS = 250;

/** Adds up the shifts of the next page. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const seen = { shift: 0 };
    Object.assign(globalThis, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if ('value' in entry) seen.shift += Number(entry.value);
    }).observe({ type: 'layout-shift', buffered: true });
  });
}

/** The shifts so far; those of a frame are reported after it. */
async function shiftOf(page: Page): Promise<number> {
  return await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
    await new Promise((done) => setTimeout(done));
    return (Reflect.get(globalThis, 'seen') as { shift: number }).shift;
  });
}

/** Answers with these in their address arrive one after the other, the others at once. */
async function answerInTurn(page: Page, order: readonly RegExp[]): Promise<void> {
  for (const [index, pattern] of order.entries()) {
    await page.route(pattern, async (route) => {
      await Bun.sleep((index + 1) * APART_MS);
      await route.continue();
    });
  }
}

describe.skipIf(!hasChromium)('on a slow first visit', () => {
  const rig = webRig({ stations: STATIONS });

  function fill(): void {
    const state = newRecordings([...manyRecordings(STATIONS, 60, START), RUNNING]);
    const [one] = state.list;
    if (one !== undefined) state.encodes.queue = [encodeItem(one, { state: 'running', percent: 0.4 })];
    rig.service.household.recordings = state;
    rig.service.household.bookings = newBookings(busyEvening(STATIONS, START));
  }

  async function firstVisit(size: keyof typeof SIZES, order: readonly RegExp[]): Promise<Page> {
    const page = await rig.open('nowhere', SIZES[size]);
    await page.evaluate(() => localStorage.clear());
    await watchShifts(page);
    await answerInTurn(page, order);
    return page;
  }

  for (const size of ['phone', 'desktop'] as const) {
    test(`the rows of the home screen do not move the stations (${size})`, async () => {
      fill();
      const page = await firstVisit(size, [/api\/reservations\?/u, /api\/recordings\?/u]);
      await page.goto(rig.service.url);
      await page.locator('.watch-title').first().waitFor();
      await page.locator('.next-title').first().waitFor();
      await page.locator('a.card').first().waitFor();
      expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT);
    });

    test(`a home without reservations and recordings keeps its stations in place (${size})`, async () => {
      const page = await firstVisit(size, [/api\/reservations\?/u, /api\/recordings\?/u]);
      const lists = Promise.all(
        ['show=resume', 'unwatched=1'].map((wish) => page.waitForResponse((one) => one.url().includes(wish))),
      );
      await page.goto(rig.service.url);
      await lists;
      await page.locator('a.card').first().waitFor();
      expect(await page.locator('.watch-row, .next-up').count()).toBe(0);
      expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT);
    });

    test(`what is converted does not move the recordings (${size})`, async () => {
      fill();
      const page = await firstVisit(size, [/api\/recordings\?/u, /api\/encodes/u]);
      await page.goto(`${rig.service.url}recordings`);
      await page.locator('.encode-line').waitFor();
      await page.locator('.cell-list .rec-title').first().waitFor();
      expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT);
    });

    test(`the steps of the first run stay where they are (${size})`, async () => {
      const page = await firstVisit(size, [/api\/tuners/u, /api\/card/u, /api\/guide\/status/u]);
      await page.goto(`${rig.service.url}setup`);
      await page.locator('.setup-step').nth(3).waitFor();
      await page.evaluate(() => document.fonts.ready);
      expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT);
    });
  }

  /** The sheet of a recording whose content arrives when `arrive` is called. */
  async function waitingSheet(): Promise<{ page: Page; arrive: () => Promise<void> }> {
    fill();
    const page = await firstVisit('desktop', []);
    const gate = Promise.withResolvers<void>();
    await page.route(/api\/recordings[?/]/u, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.goto(`${rig.service.url}recordings?recording=5`);
    await page.locator('dialog.sheet[open]').waitFor();
    const arrive = async (): Promise<void> => {
      gate.resolve();
      await page.locator('dialog .program-actions').waitFor();
    };
    return { page, arrive };
  }

  test('a sheet whose content arrives late focuses its main action', async () => {
    const { page, arrive } = await waitingSheet();
    await arrive();
    await page.locator('dialog [data-nav-initial]:focus').waitFor();
  });

  test('a press before the content of a sheet arrives keeps the focus where the user moved it', async () => {
    const { page, arrive } = await waitingSheet();
    await page.keyboard.press('Tab');
    await arrive();
    expect(await page.locator('dialog .program-actions :focus').count()).toBe(0);
  });

  test('when the agent is started, the steps of the first run change once', async () => {
    const { problems } = rig.service.household;
    const body = { message: 'エージェントが応答しません。', code: 'agent_unavailable' } as const;
    for (const path of ['tuners', 'devices', 'card', 'channels']) problems.set(path, { body, status: 503 });
    const page = await firstVisit('phone', [/api\/channels/u, /api\/card/u]);
    await page.goto(`${rig.service.url}setup`);
    await page.locator('.setup-step[data-state="problem"]').waitFor();
    problems.clear();
    rig.service.send('tuners');
    const seen = await page.waitForFunction(() => {
      const steps = [...document.querySelectorAll<HTMLElement>('.setup-step')];
      const states = steps.map(({ dataset }) => dataset.state);
      return states[0] === 'problem' ? undefined : states;
    });
    expect(await seen.jsonValue()).toEqual(['done', 'done', 'done', 'running']);
  });
});
