/** The built UI, a fake service and pages of a real Chromium, shared by the tests of a file. */
import { afterAll, afterEach, beforeAll } from 'bun:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Station } from '../../lib/wire/api.ts';
import { builtWeb, sharedPages } from './browser.ts';
import { START, type TestClock, testClock } from './clock.ts';
import { type FakeStream, fakeStations } from './fake-air.ts';
import { newHousehold } from './fake-api.ts';
import { EMPTY_PAGE, FakeService } from './fake-service.ts';

export { hasChromium } from './browser.ts';

export interface WebRig {
  /** Serves under `/tv/`, as behind a front proxy. */
  readonly service: FakeService;
  /** Of this process and of the pages: at `START` when a test begins. */
  readonly clock: TestClock;
  /** Opens a page without state of earlier ones. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  closePages(): Promise<void>;
  close(): Promise<void>;
}

const NO_STREAM: FakeStream = { init: new Uint8Array(), fragments: [] };

export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

/** Fills the service with these stations and a guide of eight days, and resets everything else. */
export function fillService({ service }: WebRig, stations: Station[]): void {
  service.state.stations = stations;
  service.household = newHousehold({ stations, days: 8 });
}

async function startWebRig(
  clock: TestClock,
  stream: FakeStream,
  letters: number | undefined,
): Promise<WebRig> {
  const [webDir, pages] = await Promise.all([builtWeb(), sharedPages()]);
  const service = FakeService.atUsualPort(webDir, stream, fakeStations(Date.now()), '/tv/');
  const closePages = (): Promise<void> => pages.release(`${service.url}${EMPTY_PAGE}`);
  return {
    service,
    clock,
    closePages,
    open: (path, options = {}) =>
      pages.open(
        service.url + path,
        clock.aheadMs,
        letters === undefined ? options : { ...options, letters },
      ),
    async close() {
      await closePages();
      await service.close();
    },
  };
}

interface RigOptions {
  /** Stations of the service, set before the first test and again after each. */
  readonly stations?: Station[];
  readonly stream?: () => Promise<FakeStream>;
  /** The browser's default font size, px; 16 if unset. */
  readonly letters?: number;
}

/**
 * Scope is the enclosing `describe`: started before the first test, pages closed after each, all closed after
 * the last.
 */
export function webRig({ stations, stream, letters }: RigOptions = {}): WebRig {
  let started: WebRig | undefined;
  const clock = testClock();
  const rig = (): WebRig => {
    if (started === undefined) throw new Error('not started');
    return started;
  };
  beforeAll(async () => {
    const air = (await stream?.()) ?? NO_STREAM;
    clock.set(START);
    started = await startWebRig(clock, air, letters);
    if (stations !== undefined) fillService(started, stations);
  });
  afterAll(async () => {
    clock.end();
    await started?.close();
  });
  afterEach(async () => {
    await rig().closePages();
    clock.set(START);
    Object.assign(rig().service.state, { refusing: false, before: undefined, rewrite: undefined });
    if (stations !== undefined) fillService(rig(), stations);
  });
  return {
    get service() {
      return rig().service;
    },
    clock,
    open: (path, options) => rig().open(path, options),
    closePages: () => rig().closePages(),
    close: () => rig().close(),
  };
}

/** Errors that the page itself reported: exceptions and violations of the content security policy. */
export function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) faults.push(message.text());
  });
  return faults;
}

/** Waits until an element with this text in its name or content has the focus. */
export async function focusOn(page: Page, text: string): Promise<void> {
  await page.waitForFunction((wanted) => {
    const active = document.activeElement;
    const name = active?.getAttribute('aria-label') ?? active?.textContent ?? '';
    return active !== document.body && name.includes(wanted);
  }, text);
}

/** Presses the red key of a remote control, for which Playwright has no name. */
export async function pressRed(page: Page): Promise<void> {
  await page.evaluate(() => {
    const key = new KeyboardEvent('keydown', { key: 'ColorF0Red', bubbles: true, cancelable: true });
    (document.activeElement ?? document.body).dispatchEvent(key);
  });
}
