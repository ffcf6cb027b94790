/**
 * How long a viewer waits after a channel key, in headless Chromium: from the press to the first frame of the other
 * station that is shown, original packets and H.264, where the channel is tuned already and where the next one was
 * prepared; and after a press on a station of the home screen, in HD (`streams/home-presses.ts`).
 * `bun test/bench/zap.ts [presses] [presses on home]`. Ends with 1 where a median is above its bound.
 *
 * Agent, service and broadcast share the machine with the browser, whose frames are drawn without a graphics processor.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { startAgent } from '../../agent/agent.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import type { Channel } from '../../lib/wire/agent.ts';
import type { Station } from '../../lib/wire/api.ts';
import { startTestService } from '../service/harness.ts';
import { until } from '../until.ts';
import { builtWeb } from '../web/browser.ts';
import { Figures, quantile } from './guide/figures.ts';
import { homePresses } from './streams/home-presses.ts';

const SYNTH = join(import.meta.dir, '..', '..', 'synth', 'main.ts');
const presses = Number(process.argv[2] ?? 30);
const homeRounds = Number(process.argv[3] ?? 8);
const LIMIT_MS = 60_000;
/** Medians, ms on the reference machine. Raw: from the intra picture that the service has buffered. */
const BOUNDS = { raw: 350, h264: 900 } as const;

interface Pressed {
  svcShown: Promise<number> | undefined;
}

/** Runs in the page, before its scripts: records each channel key, and the first frame shown after it. */
function watchKeys(): void {
  const held = window as unknown as Pressed;
  const isRaw = (): boolean => localStorage.getItem('svc.live-raw') === 'true';
  document.addEventListener(
    'keydown',
    ({ key }) => {
      if (key !== 'PageUp') return;
      const at = performance.now();
      const before = document.querySelector('video.raw-picture');
      held.svcShown = new Promise<number>((done) => {
        const shown = (video: HTMLVideoElement): void => {
          video.requestVideoFrameCallback((now) => done(now - at));
        };
        if (!isRaw()) {
          // The first frame of the new source is ready: it is shown with the next one that the page draws.
          const onData = ({ target }: Event): void => {
            document.removeEventListener('loadeddata', onData, true);
            if (target instanceof HTMLVideoElement) requestAnimationFrame((now) => done(now - at));
          };
          document.addEventListener('loadeddata', onData, true);
          return;
        }
        const observer = new MutationObserver(() => {
          const video = document.querySelector<HTMLVideoElement>('video.raw-picture');
          if (video === null || video === before) return;
          observer.disconnect();
          shown(video);
        });
        observer.observe(document.body, { childList: true, subtree: true });
      });
    },
    true,
  );
}

async function synth(...words: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, SYNTH, '--scenario', 'mini', ...words], { stdout: 'pipe' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`synth ${words.join(' ')} failed`);
  return text;
}

const folder = mkdtempSync(join(tmpdir(), 'svc-zap-'));
const channelsFile = join(folder, 'channels.json');
await synth('--prepare');
const channels = (JSON.parse(await synth('--channels')) as Channel[]).filter(({ type }) => type === 'GR');
writeFileSync(channelsFile, JSON.stringify(channels));
const agent = await startAgent({
  ...{ host: '127.0.0.1', port: 0, networks: Networks.parse('127.0.0.0/8') },
  ...{ tunersFile: join(folder, 'tuners.json'), channelsFile, fakeTuners: 'GR:2' },
  fakeTune: `${process.execPath} ${SYNTH} --scenario mini --type {type} --channel {channel}`,
  ...{ environment: process.env, log: SILENT_LOG, timing: { lingerMs: 2_000 } },
});
const service = await startTestService({
  environment: { TUNER_AGENT_URL: agent.url, FFMPEG_PATH: Bun.which('ffmpeg') ?? '' },
  webDir: await builtWeb(),
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--autoplay-policy=no-user-gesture-required'],
});

async function stations(): Promise<Station[]> {
  return (await (await fetch(`${service.url}/api/services`)).json()) as Station[];
}

/** Keeps a station tuned, like another viewer. */
async function keepTuned({ id }: Station, signal: AbortSignal): Promise<void> {
  const { body } = await fetch(`${service.url}/api/services/${id}/live?codec=raw`, { signal });
  for await (const _ of body ?? []) void _;
}

const playing = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => {
    const video = document.querySelector('video');
    return video !== null && !video.paused && video.currentTime > 0.5 && video.readyState >= 3;
  });

async function zap(codec: 'raw' | 'h264', first: Station): Promise<number[]> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  page.setDefaultTimeout(LIMIT_MS);
  await page.addInitScript((isRaw) => {
    localStorage.setItem('svc.live-raw', String(isRaw));
    localStorage.setItem('svc.live-panel', 'false');
  }, codec === 'raw');
  await page.addInitScript(watchKeys);
  try {
    await page.goto(`${service.url}/live/${first.id}`);
    const times: number[] = [];
    for (let press = 0; press <= presses; press += 1) {
      await playing(page);
      await page.keyboard.press('PageUp');
      const time = await page.evaluate(() => (window as unknown as Pressed).svcShown ?? Number.NaN);
      // The first press warms up the caches.
      if (press > 0) times.push(time);
    }
    return times;
  } finally {
    await page.close();
  }
}

let failed = 0;
try {
  await until('the stations are listed', async () => (await stations()).length >= channels.length);
  if (homeRounds > 0 && !(await homePresses(browser, homeRounds))) failed += 1;
  const list = await stations();
  const [first, ...rest] = list;
  if (first === undefined) throw new Error('no station');
  for (const codec of presses > 0 ? (['raw', 'h264'] as const) : []) {
    const abort = new AbortController();
    const kept = [first, ...rest].map((station) => keepTuned(station, abort.signal).catch(() => {}));
    const times = await zap(codec, first);
    abort.abort();
    await Promise.all(kept);
    const [median, p90] = [quantile(times, 0.5), quantile(times, 0.9)];
    const figures = new Figures();
    const name = `${codec}, tuned: key to first frame (p90 ${p90.toFixed(0)} ms of ${times.length}), median`;
    figures.limited(name, median, 'ms', BOUNDS[codec]);
    if (figures.failed) failed += 1;
  }
} catch (error) {
  failed += 1;
  console.error(`test/bench/zap: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  await browser.close();
  await service.close();
  await agent.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed === 0 ? 0 : 1);
