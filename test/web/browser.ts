/**
 * One Chromium and one build of the UI for every test file of a process. Launching and building take two to three
 * seconds, more than most tests; pages keep nothing from each other, because each has a context of its own.
 */
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { buildWeb } from '../../tools/web.ts';

/** The headless shell takes a third less of the processor than the whole browser, which the tests of the demo use. */
const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = process.env.CHROMIUM_PATH ?? BROWSERS.find(existsSync) ?? '';
export const hasChromium = existsSync(CHROMIUM);

/** Left to itself the browser refuses sound without a gesture on some starts and not on others. */
/** A name that is no secure context on plain http, as the address of a home's recorder is none. */
export const PLAIN_HOST = 'minipc.test';
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
  // Test files may be loaded as separate module graphs; the process is what they share.
  var svcTestBrowser: Shared | undefined;
}

function shared(): Shared {
  globalThis.svcTestBrowser ??= {};
  return globalThis.svcTestBrowser;
}

/** Ends with the process: Playwright kills what it launched when the process exits. */
export function sharedBrowser(): Promise<Browser> {
  const held = shared();
  held.browser ??= chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  return held.browser;
}

async function build(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'web-built-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  await buildWeb(folder);
  return folder;
}

/** Folder of the built UI, removed when the process exits. */
export function builtWeb(): Promise<string> {
  const held = shared();
  held.webDir ??= build();
  return held.webDir;
}
