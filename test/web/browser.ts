/**
 * One Chromium and one build of the UI for every test file of a process. Launching and building take two to three
 * seconds, more than most tests; pages keep nothing from each other, because each has a context of its own.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
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

/**
 * Linux shares the processor among sessions first (sched(7), autogroup), and a browser is one of its own: where this
 * process gives way to others, its browser would not.
 */
function giveWay(): void {
  const niceness = getPriority();
  if (niceness === 0) return;
  try {
    const own = readFileSync('/proc/self/autogroup', 'latin1').split(' ')[0];
    for (const thread of readdirSync('/proc/self/task')) {
      for (const child of readFileSync(`/proc/self/task/${thread}/children`, 'latin1').split(' ')) {
        const group = `/proc/${child}/autogroup`;
        if (child === '' || readFileSync(group, 'latin1').startsWith(`${own} `)) continue;
        writeFileSync(group, String(niceness));
      }
    }
  } catch {
    // A kernel without such groups, or a child that has ended.
  }
}

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  giveWay();
  return browser;
}

/** Ends with the process: Playwright kills what it launched when the process exits. */
export function sharedBrowser(): Promise<Browser> {
  const held = shared();
  held.browser ??= launch();
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
