/**
 * Pages that the tests of a process use one after another. A page in a new context starts a process of the
 * browser and reads, compiles and decodes all files of the UI; a load in a page that has shown the UI before
 * costs a third of that. Every test gets a document of its own, without history, storage or cookies; a page in
 * which a test installed something that stays is closed after the test.
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { shiftDate } from './clock.ts';

interface PageOptions extends BrowserContextOptions {
  /** The browser's default font size in CSS pixels, as in its settings. */
  readonly letters?: number;
}

/** Methods whose effect outlasts a document. */
const LASTING = {
  page: [
    ...['addInitScript', 'addLocatorHandler', 'emulateMedia', 'exposeBinding', 'exposeFunction'],
    ...['route', 'routeWebSocket', 'setExtraHTTPHeaders', 'setViewportSize'],
  ],
  context: ['addInitScript', 'grantPermissions', 'newCDPSession', 'newPage', 'route', 'setOffline'],
  clock: ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'],
} as const;

/** A page keeps the memory of a browser's tab. */
const MOST_PARKED = 4;
const PAGE_WAIT_MS = 120_000;

interface Held {
  readonly key: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  /** The page's own method, which does not count as a change by the test. */
  readonly addInitScript: Page['addInitScript'];
  clock: { dispose(): Promise<void> } | undefined;
  /** The test installed something that stays. */
  isChanged: boolean;
}

function noticeChanges(held: Held): void {
  const watch = (target: object, names: readonly string[]): void => {
    for (const name of names) {
      const original: unknown = Reflect.get(target, name);
      if (typeof original !== 'function') throw new Error(`no method ${name}`);
      const noticed = (...words: unknown[]): unknown => {
        held.isChanged = true;
        return Reflect.apply(original, target, words);
      };
      Reflect.set(target, name, noticed);
    }
  };
  watch(held.page, LASTING.page);
  watch(held.context, LASTING.context);
  watch(held.page.clock, LASTING.clock);
}

export class PagePool {
  readonly #parked: Held[] = [];
  readonly #used = new Set<Held>();

  constructor(private readonly browser: Browser) {}

  /** @param aheadMs difference of the page's clock to the machine's */
  async open(url: string, aheadMs: number, options: PageOptions): Promise<Page> {
    const key = JSON.stringify(options);
    const at = this.#parked.findIndex((one) => one.key === key && !one.page.isClosed());
    const [parked] = at < 0 ? [] : this.#parked.splice(at, 1);
    const held = parked ?? (await this.#create(key, options));
    this.#used.add(held);
    held.clock = await held.addInitScript(shiftDate, aheadMs);
    await held.page.goto(url);
    return held.page;
  }

  async #create(key: string, { letters, ...options }: PageOptions): Promise<Held> {
    const context = await this.browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PAGE_WAIT_MS);
    const session = await context.newCDPSession(page);
    if (letters !== undefined)
      await session.send('Page.setFontSizes', { fontSizes: { standard: letters, fixed: letters } });
    const addInitScript = page.addInitScript.bind(page);
    const held = { key, context, page, session, addInitScript, clock: undefined, isChanged: false };
    noticeChanges(held);
    return held;
  }

  /** Ends the documents of the last test. @param emptyUrl an address of the same origin that shows nothing */
  async release(emptyUrl: string): Promise<void> {
    const used = [...this.#used];
    this.#used.clear();
    await Promise.all(
      used.map(async (held) => {
        if (held.isChanged || held.page.isClosed()) await held.context.close();
        else await this.#park(held, emptyUrl);
      }),
    );
    for (const { context } of this.#parked.splice(0, this.#parked.length - MOST_PARKED))
      await context.close();
  }

  async #park(held: Held, emptyUrl: string): Promise<void> {
    const { page, session, context } = held;
    for (const event of ['console', 'pageerror', 'request', 'requestfailed', 'response', 'dialog'])
      page.removeAllListeners(event);
    await held.clock?.dispose();
    // What it would send while it is left could change the state of the next test.
    await page.evaluate(() => {
      Reflect.set(globalThis, 'fetch', () => new Promise(() => {}));
    });
    await page.goto(emptyUrl);
    await page.mouse.move(-1, -1);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    await session.send('Page.resetNavigationHistory');
    this.#parked.push(held);
  }
}
