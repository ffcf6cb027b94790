/**
 * An application of the data broadcast that spins: how long the page stands still meanwhile, and how long the application stays.
 * In Chromium, whose sandboxed frames have a process of their own, in its headless shell and in Firefox, which have none.
 *
 *   npm run bench hybrid
 */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { until } from '../until.ts';
import { Firefox, hasFirefox } from '../web/firefox.ts';
import { HybridStage, type StageBrowser } from '../web/hybrid-stage.ts';
import { Figures } from './guide/figures.ts';

const QUIET_MS = 5000;
const MAX_GAP_MS = 100;
const ROUNDS = 3;
/** After the document is there, and its beginning, in which it may take longer. */
const SPIN_AFTER_MS = 4000;
/** Each look costs the page something. */
const LOOK_MS = 100;

const figures = new Figures();

interface Opened extends StageBrowser {
  close(): Promise<void>;
}

async function openChromium(executablePath: string): Promise<Opened> {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--headless=new'],
  });
  const page = await browser.newPage();
  return {
    open: async (url) => void (await page.goto(url)),
    evaluate: (expression) => page.evaluate(expression),
    close: () => browser.close(),
  };
}

async function measure(name: string, open: () => Promise<Opened>): Promise<void> {
  const browser = await open();
  const stage = await HybridStage.open(browser);
  // The machine's own pauses.
  await stage.start('');
  await until(async () => (await browser.evaluate('hybridStage.state.shown > 0')) === true);
  await browser.evaluate('hybridStage.watchGap()');
  await Bun.sleep(QUIET_MS);
  const quiet = (await browser.evaluate('hybridStage.state.gap')) as number;
  const gaps: number[] = [];
  const stays: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await stage.start(`<script>setTimeout(function () { while (1); }, ${SPIN_AFTER_MS});</script>`);
    await until(async () => (await browser.evaluate('hybridStage.state.shown > 0')) === true);
    const began = performance.now();
    await browser.evaluate('hybridStage.watchGap()');
    while ((await browser.evaluate('hybridStage.state.ended !== undefined')) !== true)
      await Bun.sleep(LOOK_MS);
    stays.push(performance.now() - began - SPIN_AFTER_MS);
    gaps.push((await browser.evaluate('hybridStage.state.gap')) as number);
  }
  const gap = Math.max(...gaps);
  const text = `idle application: ${Math.round(quiet)} ms; spinning one removed after ${Math.round(Math.max(...stays))} ms`;
  figures.limited(`${name}: page stands still (${text})`, gap, 'ms', MAX_GAP_MS);
  await browser.close();
  await stage.close();
}

for (const [name, path] of [
  ['Chromium', '/usr/bin/chromium'],
  ['Chromium headless shell', '/usr/bin/chromium-headless-shell'],
] as const)
  if (existsSync(path)) await measure(name, () => openChromium(path));
if (hasFirefox) await measure('Firefox', () => Firefox.launch());
process.exit(figures.failed ? 1 : 0);
