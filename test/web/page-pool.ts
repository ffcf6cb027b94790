/**
 * Pages that the tests of a process use one after another. A page in a new context starts a process of the
 * browser and reads, compiles and decodes all files of the UI; a load in a page that has shown the UI before
 * costs a third of that. Every test gets a document of its own, without history, storage or cookies; what a
 * test installed in its page is removed after it, and a page in which something stays is closed.
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { shiftDate } from './clock.ts';

interface PageOptions extends BrowserContextOptions {
  /** The browser's default font size in CSS pixels, as in its settings. */
  readonly letters?: number;
}

/** Methods whose effect outlasts a document and cannot be removed. */
const LASTING = {
  page: [
    ...['addLocatorHandler', 'exposeBinding', 'exposeFunction', 'routeWebSocket', 'setExtraHTTPHeaders'],
  ],
  context: ['addInitScript', 'grantPermissions', 'newPage', 'route', 'setOffline'],
  clock: ['install', 'pauseAt', 'setFixedTime', 'setSystemTime'],
} as const;

/** What a page has before a test asks for something else. */
const USUAL_SIZE = { width: 1440, height: 900 };
const USUAL_MEDIA = {
  media: null,
  colorScheme: 'light',
  reducedMotion: 'no-preference',
  forcedColors: 'none',
  contrast: 'no-preference',
} as const;

/** A page keeps the memory of a browser's tab. */
const MOST_PARKED = 4;

interface Held {
  readonly key: string;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly session: CDPSession;
  /** Remove what was installed for the last test and by it. */
  readonly removals: (() => Promise<unknown>)[];
  /** Size or media are not the usual ones. */
  isReshaped: boolean;
  /** The test installed something that stays. */
  isChanged: boolean;
}

/**
 * What moves for ever, such as the light of a recording in progress, is drawn 60 times a second as long as a page is open.
 * Runs in the page.
 */
export function moveOnce(): void {
  if (window !== top) return;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { animation-iteration-count: 1 !important; }');
  document.adoptedStyleSheets = [sheet];
}

/** Tells `after` what each call of the method returned. */
function intercept(target: object, name: string, after: (result: unknown) => void): void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') throw new Error(`no method ${name}`);
  Reflect.set(target, name, (...words: unknown[]): unknown => {
    const result: unknown = Reflect.apply(original, target, words);
    after(result);
    return result;
  });
}

function noticeChanges(held: Held): void {
  const { page, context, removals } = held;
  const change = (): void => {
    held.isChanged = true;
  };
  for (const name of LASTING.page) intercept(page, name, change);
  for (const name of LASTING.context) intercept(context, name, change);
  for (const name of LASTING.clock) intercept(page.clock, name, change);
  for (const name of ['setViewportSize', 'emulateMedia'])
    intercept(page, name, () => {
      held.isReshaped = true;
    });
  intercept(page, 'route', () => {
    removals.push(() => page.unrouteAll({ behavior: 'ignoreErrors' }));
  });
  intercept(page, 'addInitScript', (added) => {
    removals.push(async () => (await (added as ReturnType<Page['addInitScript']>)).dispose());
  });
  intercept(context, 'newCDPSession', (opened) => {
    // The test may have detached it.
    removals.push(async () => (await (opened as Promise<CDPSession>)).detach().catch(() => undefined));
  });
}

export class PagePool {
  readonly #parked: Held[] = [];
  readonly #used = new Set<Held>();

  constructor(private readonly browser: Browser) {}

  /** @param aheadMs difference of the page's clock to the machine's */
  async open(url: string, aheadMs: number, options: PageOptions): Promise<Page> {
    const { viewport, colorScheme, reducedMotion, ...lasting } = options;
    const key = JSON.stringify(lasting);
    const at = this.#parked.findIndex((one) => one.key === key && !one.page.isClosed());
    const [parked] = at < 0 ? [] : this.#parked.splice(at, 1);
    const held = parked ?? (await this.#create(key, lasting));
    this.#used.add(held);
    const { page } = held;
    if (viewport != null) await page.setViewportSize(viewport);
    if (colorScheme !== undefined) await page.emulateMedia({ colorScheme });
    if (reducedMotion !== undefined) await page.emulateMedia({ reducedMotion });
    await page.addInitScript(shiftDate, aheadMs);
    await page.goto(url);
    return page;
  }

  async #create(key: string, { letters, ...options }: PageOptions): Promise<Held> {
    const context = await this.browser.newContext({ viewport: USUAL_SIZE, ...options });
    await context.addInitScript(moveOnce);
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    if (letters !== undefined)
      await session.send('Page.setFontSizes', { fontSizes: { standard: letters, fixed: letters } });
    const held: Held = { key, context, page, session, removals: [], isReshaped: false, isChanged: false };
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
    const { page, session, context, removals } = held;
    for (const event of ['console', 'pageerror', 'load', 'request', 'requestfailed', 'response', 'dialog'])
      page.removeAllListeners(event);
    // What it would send while it is left could change the state of the next test.
    await page.evaluate(() => {
      Reflect.set(globalThis, 'fetch', () => new Promise(() => {}));
    });
    for (const remove of removals.splice(0)) await remove();
    await page.goto(emptyUrl);
    if (held.isReshaped) {
      await page.setViewportSize(USUAL_SIZE);
      await page.emulateMedia(USUAL_MEDIA);
      held.isReshaped = false;
    }
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
