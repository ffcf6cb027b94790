/**
 * One Chromium and the built UI for all test files of a process. Launching the browser takes two to three
 * seconds, longer than most tests; the build is kept in the ignored cache for all processes.
 */
import { existsSync, type Stats } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { buildWeb } from '../../tools/web.ts';
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

const ROOT = join(import.meta.dir, '..', '..');
const BUILDS = join(ROOT, '.cache', 'web');
/** Everything that the bundler reads (`test/tidy.test.ts` checks that the UI imports nothing else). */
const SOURCES = '{web,assets,lib}/**/*';
const BUILDERS = ['tools/web.ts', 'package-lock.json'];
/** A build that another checkout or an older process may still serve is kept this long. */
const KEPT_MS = 24 * 3_600_000;

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

/** Hash of all that determines the built files. */
async function sourceHash(): Promise<string> {
  const paths = await Array.fromAsync(new Bun.Glob(SOURCES).scan({ cwd: ROOT }));
  const hasher = new Bun.CryptoHasher('sha256').update(Bun.version);
  for (const path of [...paths.sort(), ...BUILDERS])
    hasher.update(`\0${path}\0`).update(await Bun.file(join(ROOT, path)).bytes());
  return hasher.digest('hex').slice(0, 16);
}

async function removeOldBuilds(current: string): Promise<void> {
  for (const name of await readdir(BUILDS)) {
    const path = join(BUILDS, name);
    // Another process may have removed it.
    const { mtimeMs = Number.NaN } = await stat(path).catch((): Partial<Stats> => ({}));
    if (path !== current && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

async function build(): Promise<string> {
  const folder = join(BUILDS, await sourceHash());
  if (existsSync(folder)) return folder;
  await mkdir(BUILDS, { recursive: true });
  // Appears as a whole: if another process built it meanwhile, that one is used.
  const own = await mkdtemp(`${folder}-`);
  try {
    await buildWeb(own);
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  await removeOldBuilds(folder);
  return folder;
}

/** Folder of the built UI, made once for each state of its sources. */
export function builtWeb(): Promise<string> {
  const held = shared();
  held.webDir ??= build();
  return held.webDir;
}
