/**
 * One Chromium and the built UI for all test files of a process. Launching the browser takes two to three
 * seconds, longer than most tests; the build is kept in the ignored cache for all processes.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { buildWeb } from '../../tools/web.ts';
import { cachedBuild } from '../cached-build.ts';
import { HANG_LIMIT_MS } from '../until.ts';
import { PagePool } from './page-pool.ts';

/** The headless shell takes a third less processor time than the full browser. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
export const CHROMIUM = process.env.CHROMIUM_PATH ?? BROWSERS.find(existsSync) ?? '';
export const hasChromium = existsSync(CHROMIUM);

/** A host name that is not a secure context over plain HTTP, like the address of a recorder at home. */
export const PLAIN_HOST = 'minipc.test';
const ARGS = [
  '--no-sandbox',
  // Drawing by the processor costs a quarter less than emulating a graphics card on it.
  '--disable-gpu',
  // Without this flag the browser blocks sound before a user gesture on some starts and not on others.
  '--autoplay-policy=no-user-gesture-required',
  `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
];

/** Everything that the bundler reads (`test/tidy.test.ts` checks that the UI imports nothing else). */
const SOURCES = ['{web,assets,lib}/**/*', 'tools/web.ts', 'package-lock.json'];

interface Shared {
  browser?: Promise<Browser>;
  pages?: Promise<PagePool>;
  webDir?: Promise<string>;
}

declare global {
  // Test files may be loaded as separate module graphs; they share only the process.
  var svcTestBrowser: Shared | undefined;
}

function shared(): Shared {
  globalThis.svcTestBrowser ??= {};
  return globalThis.svcTestBrowser;
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  return browser.on('context', (context) => context.setDefaultTimeout(HANG_LIMIT_MS));
}

/** Ends with the process: Playwright kills what it launched when the process exits. */
export function sharedBrowser(): Promise<Browser> {
  const held = shared();
  held.browser ??= launch();
  return held.browser;
}

/** Pages for the tests of the fake service. */
export function sharedPages(): Promise<PagePool> {
  const held = shared();
  held.pages ??= sharedBrowser().then((browser) => new PagePool(browser));
  return held.pages;
}

/** Folder of the built UI, made once for each state of its sources. */
export function builtWeb(): Promise<string> {
  const held = shared();
  held.webDir ??= cachedBuild('web', SOURCES, buildWeb);
  return held.webDir;
}
