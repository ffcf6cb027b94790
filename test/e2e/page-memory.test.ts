/**
 * `--long`: the memory of pages with live television, one on each path, for SVC_SOAK_S (default: an hour).
 * The broadcast is a section of a minute, so that its clock jumps each minute. Read from the kernel and the
 * JavaScript heap, not from the player.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { broadcastMs } from '../../lib/arib/time.ts';
import { HOME_STATION, StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { builtWeb, hasChromium, PLAIN_HOST, sharedBrowser } from '../web/browser.ts';
import { LiveAir } from './live-air.ts';
import { liveSpy, movingSince, shownSince } from './live-spy.ts';
import { RecordedAir } from './recorded-air.ts';

const LONG = process.env.SVC_LONG === '1';
const SOAK_S = Number(process.env.SVC_SOAK_S ?? 3_600);
const AT = broadcastMs(Date.UTC(2026, 0, 5, 12, 10));
const STRETCH_S = 60;
const SAMPLE_MS = 15_000;
/** Variation caused by garbage collection and decoder buffers. */
const GROWTH_MB = 48;
const HEAP_GROWTH_MB = 8;

setDefaultTimeout(SOAK_S * 1_000 + 300_000);

interface Sample {
  /** Anonymous memory of all processes of the browser, MB. */
  readonly processes: number;
  /** JavaScript heap of each page after a collection, MB. */
  readonly heaps: readonly number[];
}

const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? Number.NaN;

/** Growth from the second quarter, when everything has been used once, to the last. */
function growth(values: readonly number[]): number {
  const quarter = Math.floor(values.length / 4);
  return median(values.slice(-quarter)) - median(values.slice(quarter, 2 * quarter));
}

function anonymousMb(pid: number): number {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    // The process has exited since it was listed.
    return 0;
  }
}

describe.skipIf(!(LONG && hasChromium))('pages with live television', () => {
  const air = new RecordedAir();
  const agent = new StandInAgent();
  let service: TestService;
  let browser: Browser;
  let system: CDPSession;
  const pages: { page: Page; devtools: CDPSession }[] = [];

  beforeAll(async () => {
    agent.start();
    const environment = {
      TUNER_AGENT_URL: agent.url,
      FFMPEG_PATH: Bun.which('ffmpeg') ?? '',
      ALLOWED_HOSTS: PLAIN_HOST,
    };
    const [webDir, made] = await Promise.all([builtWeb(), air.stretch(AT, STRETCH_S)]);
    browser = await sharedBrowser();
    new LiveAir(agent, made.bytes, STRETCH_S).rewind();
    service = await startTestService({ environment, webDir });
    await until(async () => (await (await fetch(`${service.url}/api/services`)).json()).length === 2);
    system = await browser.newBrowserCDPSession();
  });
  afterAll(async () => {
    for (const { page } of pages) await page.context().close();
    await system?.detach();
    await service?.close();
    await agent.stop();
  });

  async function open(isRaw: boolean): Promise<void> {
    const page = await browser.newPage({ viewport: { width: 960, height: 640 } });
    await page.addInitScript(liveSpy);
    const url = service.url.replace('127.0.0.1', isRaw ? PLAIN_HOST : '127.0.0.1');
    await page.goto(url);
    await page.evaluate((raw) => localStorage.setItem('svc.live-raw', String(raw)), isRaw);
    await page.goto(`${url}/live/${HOME_STATION}`);
    pages.push({ page, devtools: await page.context().newCDPSession(page) });
    await moves(page);
  }

  async function moves(page: Page): Promise<void> {
    const from = Date.now();
    await until('the picture moves', async () => movingSince(await shownSince(page, from)) !== undefined);
  }

  async function sample(): Promise<Sample> {
    const heaps: number[] = [];
    for (const { devtools } of pages) {
      await devtools.send('HeapProfiler.collectGarbage');
      const { usedSize } = await devtools.send('Runtime.getHeapUsage');
      heaps.push(usedSize / 1024 / 1024);
    }
    const { processInfo } = await system.send('SystemInfo.getProcessInfo');
    return { processes: processInfo.reduce((sum, { id }) => sum + anonymousMb(id), 0), heaps };
  }

  test(`use no more memory after ${SOAK_S} s`, async () => {
    await open(true);
    await open(false);
    const samples: Sample[] = [];
    for (const end = Date.now() + SOAK_S * 1_000; Date.now() < end; ) {
      samples.push(await sample());
      await Bun.sleep(SAMPLE_MS);
    }
    const processes = growth(samples.map((one) => one.processes));
    const heaps = pages.map((_, index) => growth(samples.map((one) => one.heaps[index] ?? 0)));
    console.log(
      `${SOAK_S} s: browser ${processes.toFixed(1)} MB more, heaps ${heaps.map((mb) => mb.toFixed(2)).join(', ')} MB more; ` +
        `at last ${samples.at(-1)?.processes.toFixed(0)} MB, ${samples
          .at(-1)
          ?.heaps.map((mb) => mb.toFixed(1))
          .join(', ')}`,
    );
    for (const { page } of pages) await moves(page);
    expect(processes).toBeLessThan(GROWTH_MB);
    expect(Math.max(...heaps)).toBeLessThan(HEAP_GROWTH_MB);
  });
});
