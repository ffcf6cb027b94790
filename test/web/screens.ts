/**
 * Every screen of the UI over a filled home: for everything that is measured or photographed on all screens.
 */
import type { Page } from 'playwright-core';
import { busyEvening, newBookings } from './fake-bookings.ts';
import { manyStations } from './fake-guide.ts';
import { manyNotices } from './fake-notices.ts';
import { manyRecordings, newRecordings, runningRecording } from './fake-recordings.ts';
import { addRule } from './fake-rules.ts';
import type { WebRig } from './rig.ts';

export const STATIONS = manyStations([12, 8, 4]);
const LONG = `土曜スペシャル　全国うまいもの大紀行${'　港町の朝市と名物駅弁を巡る三千キロの旅'.repeat(3)}`;

/** Address, and a selector that matches once the screen has loaded. */
export const SCREENS = [
  ['', 'a.card'],
  ['guide', '.prog'],
  [`guide?view=week&station=${STATIONS[0]?.id}`, '.week-part'],
  ['reservations', '.booking'],
  ['reservations?filter=conflict', '.conflict'],
  ['reservations?view=day', '.bar'],
  ['reservations?view=week', '.week-part'],
  ['recordings', '.rec-title'],
  ['recordings?show=failed', '.panel, .rec-title'],
  ['recordings?recording=4', '.program-summary'],
  ['recordings?recording=900', '.program-summary'],
  ['watch/1', '.end-panel'],
  ['rules', '.rule'],
  ['rules?rule=1', '.rule-page'],
  ['rules?new&keyword=%E7%81%AF%E5%8F%B0%E5%AE%88', '.preview-row'],
  ['search?q=%E7%81%AF%E5%8F%B0%E5%AE%88', '.row'],
  ['notices', '.notice'],
  ['offline', '.panel'],
  ['settings', '.access-you p'],
  ['tuners', '.device'],
  ['setup', '.setup-step[data-state="done"]'],
] as const;

/**
 * Opens an address within the page, like a pressed link; by way of an address without a screen, so that the screen before
 * is not taken for this one.
 */
export async function showScreen(page: Page, path: string, ready: string): Promise<void> {
  for (const address of ['nowhere', path]) {
    await page.evaluate(async (to) => {
      history.pushState(null, '', new URL(to, document.baseURI));
      dispatchEvent(new PopStateEvent('popstate'));
      await new Promise(requestAnimationFrame);
    }, address);
  }
  await page.locator(ready).first().waitFor();
}

export function fillEverything({ service }: Pick<WebRig, 'service'>): void {
  const now = Date.now();
  const [station] = STATIONS;
  if (station === undefined) throw new Error('no station');
  const list = manyRecordings(STATIONS, 60, now).map((one) =>
    one.id === 2 ? { ...one, name: LONG, title: LONG } : one,
  );
  const { household } = service;
  household.recordings = newRecordings([...list, runningRecording(900, station, now)]);
  const evening = busyEvening(STATIONS, now);
  household.bookings = newBookings(
    evening.map((item) => (item.id === 2 ? { ...item, name: LONG, title: LONG } : item)),
  );
  household.notices.notices = manyNotices(now);
  addRule(household.rules, { keyword: '灯台守', name: '灯台守の娘' });
  addRule(household.rules, { keyword: '駅弁', name: LONG, enabled: false });
}
