/**
 * Every screen in headless Chromium with a large household: 120 stations, eight days of guide, 40,000 recordings, 400
 * bookings. How long a screen takes to open from another one, how long keys and presses take to the next picture (what
 * INP measures), and how many nodes it has. Measured in CPU time of the page's main thread, times four for a device of
 * a quarter of the speed, so that other load is not counted; wall times are printed as well. What a key leaves for
 * after its picture is no part of INP: timers that end after the frame are held until it is counted. Layout shifts
 * (CLS) are those of a page that is opened at the screen's address, on a wide screen and on a phone. `bun
 * test/bench/screens.ts [rounds] [names]` (2, all): of each the best round counts. Ends with 1 when one is past its limit.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { ReservationItem } from '../../lib/wire/api.ts';
import { reservationId } from '../../lib/wire/ids.ts';
import { buildWeb } from '../../tools/web.ts';
import { newHousehold } from '../web/fake-api.ts';
import { busyEvening, newBookings } from '../web/fake-bookings.ts';
import { manyStations } from '../web/fake-guide.ts';
import { manyNotices } from '../web/fake-notices.ts';
import { manyRecordings, newRecordings } from '../web/fake-recordings.ts';
import { addRule } from '../web/fake-rules.ts';
import { FakeService } from '../web/fake-service.ts';
import { Figures } from './guide/figures.ts';

const SLOWER = 4;
const INP_LIMIT_MS = 200;
/** Without the factor: for the reservations, and for every other screen. */
const OPEN_LIMITS_MS = { reservations: 100, other: 200 } as const;
const NODES_LIMIT = 6_000;
const CLS_LIMIT = 0.05;
const VIEWS = {
  wide: { width: 1600, height: 900 },
  phone: { width: 390, height: 844 },
} as const;
/** What comes late comes within this. */
const SETTLED_MS = 1_500;
const RECORDINGS = 40_000;
const BOOKINGS = 400;
const rounds = Number(process.argv[2] ?? 2);
const names = process.argv.slice(3);

/**
 * Address, selector of the loaded screen, target of Enter if not the focused element, and the address that
 * Enter leads to.
 */
const SCREENS = [
  ['home', '', 'a.card', 'a.card', '.stage'],
  ['guide', 'guide', '.prog'],
  ['reservations', 'reservations', '.booking'],
  ['timetable', 'reservations?view=day', '.bar'],
  ['recordings', 'recordings', '.rec-title'],
  ['rules', 'rules', '.rule'],
  ['search', 'search?q=%E7%81%AF%E5%8F%B0', '.row'],
  ['settings', 'settings', '.access-you p'],
  // Not the list of channels that the keys lead to: it opens a window of the browser, which takes the next key.
  ['tuners', 'tuners', '.device', 'main .button-small'],
  ['notices', 'notices', '.notice'],
  ['setup', 'setup', '.setup-step[data-state="done"]'],
  ['offline', 'offline', '.panel'],
] as const satisfies readonly Measured[];
type Measured = readonly [name: string, path: string, ready: string, enter?: string, leadsTo?: string];
const REACHED_MS = 20_000;
const KEYS = ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowDown', 'ArrowUp', 'Enter', 'Escape'] as const;

interface Opening {
  /** Time on the main thread, ms. */
  open: number;
  /** Wall time, ms. */
  openWall: number;
  /** The slowest interaction on a device of a quarter of the speed, ms. */
  inp: number;
  key: string;
  nodes: number;
}

/** The minimum of each figure: the difference is other load. */
function lesser(one: Opening, other: Opening): Opening {
  return {
    ...(one.inp < other.inp ? one : other),
    open: Math.min(one.open, other.open),
    openWall: Math.min(one.openWall, other.openWall),
  };
}

/** Processor time of the page's main thread so far, ms. */
async function threadMs(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

/** Holds the page's timers that expire, from the frame after the next key until `release`. */
function holdTimers(): void {
  const later = setTimeout;
  let held: (() => void)[] | undefined;
  const page = window as unknown as Held;
  page.setTimeout = (act, ms, ...args) =>
    later(() => {
      if (held === undefined) act(...args);
      else held.push(() => act(...args));
    }, ms);
  page.answerTo = () =>
    new Promise((armed) => {
      page.answered = new Promise((end) => {
        const onKey = (): void => {
          requestAnimationFrame(() => {
            held = [];
            later(end);
          });
        };
        addEventListener('keydown', onKey, { capture: true, once: true });
      });
      armed();
    });
  page.release = () => {
    const acts = held ?? [];
    held = undefined;
    for (const act of acts) later(act);
  };
}

interface Held {
  setTimeout: (act: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => unknown;
  /** Resolves once the next key press is observed. */
  answerTo: () => Promise<void>;
  /** Resolves with the picture after the key. */
  answered: Promise<void>;
  release: () => void;
}

/** Time on the main thread from a key to the next picture, ms. */
async function answerMs(page: Page, session: CDPSession, key: string): Promise<number> {
  await page.evaluate(() => (window as unknown as Held).answerTo());
  const from = await threadMs(session);
  await page.keyboard.press(key);
  await page.evaluate(() => (window as unknown as Held).answered);
  const took = (await threadMs(session)) - from;
  await page.evaluate(() => (window as unknown as Held).release());
  await painted(page);
  return took;
}

/** Resolves after the next picture, which is the end of an interaction. */
function painted(page: Page): Promise<unknown> {
  return page.evaluate(() => new Promise((end) => requestAnimationFrame(() => setTimeout(end))));
}

/** Navigates like a press of a link within the page. */
function go(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => {
    history.pushState(null, '', new URL(to, document.baseURI));
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

async function measure(
  page: Page,
  session: CDPSession,
  [name, path, ready, enter, leadsTo]: Measured,
): Promise<Opening> {
  await go(page, 'nowhere');
  await painted(page);
  const [before, began] = [await threadMs(session), performance.now()];
  await go(page, path);
  await page.locator(ready).first().waitFor();
  await painted(page);
  const [open, openWall] = [(await threadMs(session)) - before, performance.now() - began];
  await page.evaluate(() => {
    document
      .querySelector<HTMLElement>('[data-nav-start] button, [data-nav-start] a, main a, main button')
      ?.focus();
  });
  // Later events are not caused by the keys.
  await page.waitForLoadState('networkidle');
  await painted(page);
  let [inp, slowest] = [0, ''];
  for (const key of KEYS) {
    if (key === 'Enter' && enter !== undefined) await page.locator(enter).first().focus();
    const took = SLOWER * (await answerMs(page, session, key));
    if (took > inp) [inp, slowest] = [took, key];
    // A key may have led to another screen.
    if (key === 'Enter' && leadsTo !== undefined) {
      const reached = page.locator(leadsTo).first().waitFor({ timeout: REACHED_MS });
      await reached.catch(() => Promise.reject(new Error(`Enter on ${name} does not lead to ${leadsTo}`)));
    }
    if (key === 'Enter') await page.waitForLoadState('networkidle');
  }
  await go(page, path);
  await page.locator(ready).first().waitFor();
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
  return { open, openWall, inp, key: slowest, nodes };
}

interface Shift {
  readonly value: number;
  /** Class of an element that moved, for whoever mends it. */
  readonly what: string;
}

interface LayoutShift {
  readonly value: number;
  readonly hadRecentInput: boolean;
  readonly sources: readonly { readonly node: Node | null }[];
}

/** Collects layout shifts from the first paint. Runs in the page. */
function collectShifts(): void {
  const shifts: Shift[] = [];
  (window as unknown as { shifts: Shift[] }).shifts = shifts;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries() as unknown as LayoutShift[]) {
      if (hadRecentInput) continue;
      const moved = sources.map(({ node }) => node).find((node) => node instanceof Element);
      shifts.push({ value, what: moved instanceof Element ? (moved.getAttribute('class') ?? '') : '' });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

/** CLS of a page that is opened at the address: the sum of its shifts, with what moved most. */
async function shiftOf(
  browser: Browser,
  url: string,
  [, path, ready]: Measured,
  view: keyof typeof VIEWS,
): Promise<Shift> {
  const page = await browser.newPage({ viewport: VIEWS[view] });
  try {
    await page.addInitScript(collectShifts);
    await page.goto(url + path);
    await page.locator(ready).first().waitFor();
    await page.waitForLoadState('networkidle');
    await page.waitForTimeout(SETTLED_MS);
    const shifts = await page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
    const most = shifts.toSorted((a, b) => b.value - a.value)[0];
    return { value: shifts.reduce((sum, { value }) => sum + value, 0), what: most?.what ?? '' };
  } finally {
    await page.close();
  }
}

const stations = manyStations([40, 48, 32]);
const now = Date.now();
const [model] = busyEvening(stations, now).filter(({ state }) => state === 'scheduled');
if (model === undefined) throw new Error('no model of a booking');
const bookings = Array.from({ length: BOOKINGS }, (_, index): ReservationItem => {
  const startAt = now + (index + 1) * 1_500_000;
  const id = reservationId(1_000 + index);
  return {
    ...model,
    id,
    programId: (1_000 + index) as ProgramId,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(startAt + 1_800_000),
  };
});

const webDir = await mkdtemp(join(tmpdir(), 'screens-bench-'));
await buildWeb(webDir);
const service = new FakeService(webDir, { init: new Uint8Array(), fragments: [] }, stations, '/');
service.household = newHousehold({ stations, days: 8 });
service.household.recordings = newRecordings(manyRecordings(stations, RECORDINGS, now));
service.household.bookings = newBookings([...busyEvening(stations, now), ...bookings]);
service.household.notices.notices = manyNotices(now);
for (let count = 0; count < 12; count += 1)
  addRule(service.household.rules, { keyword: '灯台守', name: `灯台守の娘 ${count}` });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
const figures = new Figures();
try {
  const page = await browser.newPage({ viewport: VIEWS.wide });
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  await page.addInitScript(holdTimers);
  await page.goto(`${service.url}nowhere`);
  await page.locator('main').waitFor();
  console.log(
    `${stations.length} stations, ${RECORDINGS} recordings, ${BOOKINGS} bookings, ${cpus().length} cores, best of ${rounds}`,
  );
  for (const measured of SCREENS) {
    const [name] = measured;
    if (names.length > 0 && !names.includes(name)) continue;
    let best: Opening | undefined;
    for (let round = 0; round < rounds; round += 1) {
      const opening = await measure(page, session, measured);
      best = best === undefined ? opening : lesser(best, opening);
    }
    if (best === undefined) continue;
    const openLimit = name === 'reservations' ? OPEN_LIMITS_MS.reservations : OPEN_LIMITS_MS.other;
    figures.limited(
      `${name}: opens (${best.openWall.toFixed(0)} ms by the clock)`,
      best.open,
      'ms',
      openLimit,
    );
    figures.limited(`  INP at a quarter of the speed (${best.key})`, best.inp, 'ms', INP_LIMIT_MS);
    figures.limited('  size', best.nodes, 'nodes', NODES_LIMIT);
    for (const view of ['wide', 'phone'] as const) {
      const { value, what } = await shiftOf(browser, service.url, measured, view);
      figures.limited(`  layout shifts, ${view} (${what})`, 1_000 * value, 'thousandths', 1_000 * CLS_LIMIT);
    }
  }
} finally {
  await browser.close();
  await service.close();
  await rm(webDir, { recursive: true, force: true });
}
process.exit(figures.failed ? 1 : 0);
