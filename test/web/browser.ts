/**
 * One Chromium and one build of the UI for all test files of a process. Launching and building take two to
 * three seconds, longer than most tests. Each page has its own context, so pages share no state.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { buildWeb } from '../../tools/web.ts';

/**
 * The headless shell takes a third less processor time than the full browser, which the tests of the demo
 * use.
 */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env.CHROMIUM_PATH ?? BROWSERS.find(existsSync) ?? '';
export const hasChromium = existsSync(CHROMIUM);

/** A host name that is not a secure context over plain HTTP, like the address of a recorder at home. */
export const PLAIN_HOST = 'minipc.test';
/** Without this flag the browser blocks sound before a user gesture on some starts and not on others. */
const ARGS = [
  '--no-sandbox',
  '--autoplay-policy=no-user-gesture-required',
  `--host-resolver-rules=MAP ${PLAIN_HOST} 127.0.0.1`,
];

interface Shared {
  browser?: Promise<Browser>;
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

/** Removed when the process exits. */
async function temporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Playwright starts the browser in a session of its own. Where the kernel groups processes by session
 * (sched(7), "The autogroup feature"), the niceness inherited from this process counts only within that
 * session. A script that runs before the browser therefore sets it for the session as well.
 */
function atPriority(program: string, folder: string): string {
  const niceness = getPriority();
  if (niceness <= 0) return program;
  const script = join(folder, 'browser.sh');
  const isOwnSession = '[ "$(cut -d " " -f 6 /proc/$$/stat)" = $$ ]';
  const lower = `${isOwnSession} && echo ${niceness} > /proc/$$/autogroup`;
  writeFileSync(script, `#!/bin/sh\n{ ${lower}; } 2>/dev/null\nexec '${program}' "$@"\n`, { mode: 0o700 });
  return script;
}

async function launch(): Promise<Browser> {
  const folder = await temporaryFolder('web-browser-');
  return await chromium.launch({ executablePath: atPriority(CHROMIUM, folder), args: ARGS });
}

/** Ends with the process: Playwright kills what it launched when the process exits. */
export function sharedBrowser(): Promise<Browser> {
  const held = shared();
  held.browser ??= launch();
  return held.browser;
}

async function build(): Promise<string> {
  const folder = await temporaryFolder('web-built-');
  await buildWeb(folder);
  return folder;
}

/** Folder of the built UI, removed when the process exits. */
export function builtWeb(): Promise<string> {
  const held = shared();
  held.webDir ??= build();
  return held.webDir;
}
