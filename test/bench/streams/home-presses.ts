/**
 * From the press on a station's card of the home screen to its HD picture in headless Chromium, in the steps of
 * `web/player/start-steps.ts`: original packets and H.264, with another viewer on the station (warm), and with no tuner
 * on its channel (cold). The pointer reaches the card `AIM_MS` before it presses. Beside them, in the same run, what no
 * page can be faster than: the first intra picture at the agent, and the first fragment of a plain ffmpeg.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { startAgent } from '../../../agent/agent.ts';
import { SILENT_LOG } from '../../../lib/host/log.ts';
import { Networks } from '../../../lib/host/networks.ts';
import type { Channel } from '../../../lib/wire/agent.ts';
import type { StationRecord } from '../../../src/model/station.ts';
import type { StationLayout } from '../../../src/reception/station-layout.ts';
import { START_STEPS } from '../../../web/player/start-steps.ts';
import { startTestService } from '../../service/harness.ts';
import { until } from '../../until.ts';
import { builtWeb } from '../../web/browser.ts';
import { quantile } from '../guide/figures.ts';
import { fillLiveHome } from './live-home.ts';
import { agentInput, plainEncoder, rawJudge, watch } from './stream-start.ts';

const BUN = process.execPath;
const SYNTH = join(import.meta.dir, '..', '..', '..', 'synth', 'main.ts');
const SCENARIO = 'default';
const CHANNELS = ['T27', 'T26'];
/** From the pointer's arrival on a card to the press: a quick hand. */
const AIM_MS = 250;
/** Of a channel's tuner without consumers. */
const LINGER_MS = 300;
const FRAME_MS = 1001 / 30;
const BOUNDS = { raw: 1.2, h264: 1.3 } as const;
type Codec = keyof typeof BOUNDS;

async function synth(...words: string[]): Promise<string> {
  const child = Bun.spawn([BUN, SYNTH, '--scenario', SCENARIO, ...words], { stdout: 'pipe' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`synth ${words.join(' ')} failed`);
  return text;
}

const airOf = ({ type, channel }: Pick<Channel, 'type' | 'channel'>): string[] => [
  ...[BUN, SYNTH, '--scenario', SCENARIO],
  ...['--type', type, '--channel', channel],
];

/** Agent and service with two tuners on two HD channels. */
async function startHome() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-home-presses-'));
  await synth('--prepare', ...CHANNELS.flatMap((channel) => ['--channel', channel]));
  const all = JSON.parse(await synth('--channels')) as Channel[];
  const channels = all.filter(({ channel }) => CHANNELS.includes(channel));
  const channelsFile = join(folder, 'channels.json');
  writeFileSync(channelsFile, JSON.stringify(channels));
  const data = join(folder, 'data');
  mkdirSync(data);
  const records = fillLiveHome(data, channels, Date.now());
  const agent = await startAgent({
    ...{ host: '127.0.0.1', port: 0, networks: Networks.parse('127.0.0.0/8') },
    ...{ tunersFile: join(folder, 'tuners.json'), channelsFile, fakeTuners: 'GR:2' },
    fakeTune: airOf({ type: '{type}' as 'GR', channel: '{channel}' }).join(' '),
    ...{ environment: process.env, log: SILENT_LOG, timing: { lingerMs: LINGER_MS } },
  });
  const service = await startTestService({
    environment: { TUNER_AGENT_URL: agent.url, FFMPEG_PATH: Bun.which('ffmpeg') ?? '', DATA_DIR: data },
    webDir: await builtWeb(),
  });
  const stations = CHANNELS.map((channel) => records.find((one) => one.channel === channel));
  return {
    ...{ agent, service, stations: stations.filter((one) => one !== undefined) },
    close: async () => {
      await service.close();
      await agent.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
type Home = Awaited<ReturnType<typeof startHome>>;

const streamUrl = (home: Home, { type, channel }: StationRecord): string =>
  `${home.agent.url}/agent/stream?type=${type}&channel=${channel}&priority=9&use=live%20${type}/${channel}`;

async function whenFree({ agent }: Home): Promise<void> {
  await until('the tuners are idle', async () => {
    const tuners = (await (await fetch(`${agent.url}/agent/tuners`)).json()) as { state: string }[];
    return tuners.every(({ state }) => state === 'idle');
  });
}

/** Presses the station's card on the home screen. @returns when each step was reached after the press, ms */
async function press(page: Page, station: StationRecord): Promise<Map<string, number>> {
  const card = page.locator(`a.card[href="live/${station.id}"]`);
  await card.waitFor();
  const box = await card.boundingBox();
  if (box === null) throw new Error('no card');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 4 });
  await Bun.sleep(AIM_MS);
  await page.mouse.down();
  await page.mouse.up();
  const isShown = await page
    .waitForFunction(() => performance.getEntriesByName('live:shown').length > 0)
    .catch(() => undefined);
  const marks = await page.evaluate(() =>
    performance.getEntriesByType('mark').map(({ name, startTime }) => [name, startTime] as const),
  );
  if (isShown === undefined) {
    const text = await page.locator('main').textContent();
    throw new Error(`no picture; reached: ${marks.map(([name]) => name).join(' ')}; the page says: ${text}`);
  }
  await page.evaluate(() => performance.clearMarks());
  await page.mouse.move(1, 1);
  await page.goBack();
  const at = new Map(marks.map(([name, time]) => [name.replace('live:', ''), time]));
  const begun = at.get('press') ?? Number.NaN;
  await page.locator('a.card').first().waitFor();
  return new Map([...at].map(([step, time]) => [step, time - begun]));
}

async function openPage(browser: Browser, home: Home, codec: Codec): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  await page.addInitScript((isRaw) => {
    localStorage.setItem('svc.live-raw', String(isRaw));
    localStorage.setItem('svc.live-panel', 'false');
  }, codec === 'raw');
  await page.goto(`${home.service.url}/`);
  await page.locator('a.card').first().waitFor();
  return page;
}

/** What the page is compared with, ms. */
interface Floor {
  readonly raw: number;
  readonly h264: number;
}

async function floors(home: Home, station: StationRecord, rounds: number, isWarm: boolean): Promise<Floor> {
  const raw: number[] = [];
  const encoded: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (!isWarm) await whenFree(home);
    let layout: StationLayout | undefined;
    const note = (found: StationLayout): void => {
      layout = found;
    };
    const one = await watch(streamUrl(home, station), rawJudge(station.serviceId, note));
    raw.push(one.times.picture);
    one.leave();
    if (layout === undefined) continue;
    if (!isWarm) await whenFree(home);
    encoded.push((await plainEncoder(() => agentInput(streamUrl(home, station)), layout)).picture);
    await Bun.sleep(137);
  }
  return { raw: quantile(raw, 0.5) + FRAME_MS, h264: quantile(encoded, 0.5) };
}

function report(
  name: string,
  presses: readonly Map<string, number>[],
  floor: number,
  bound: number,
): boolean {
  const at = (step: string): number =>
    quantile(
      presses.flatMap((one) => one.get(step) ?? []),
      0.5,
    );
  const steps = START_STEPS.slice(1).flatMap((step) => {
    const time = at(step);
    return Number.isNaN(time) ? [] : [`${step} ${time.toFixed(0)}`];
  });
  const ratio = at('shown') / floor;
  const over = ratio <= bound ? '' : ` ABOVE ${bound}`;
  console.log(
    `${name}: press to picture ${at('shown').toFixed(0)} ms / ${floor.toFixed(0)} = ${ratio.toFixed(2)}${over}`,
  );
  console.log(`  median ms after the press: ${steps.join(', ')}`);
  return ratio <= bound;
}

/** @returns whether all medians are within their bounds */
export async function homePresses(browser: Browser, rounds: number): Promise<boolean> {
  const home = await startHome();
  let isGood = true;
  try {
    const [station] = home.stations;
    if (station === undefined) throw new Error('no station');
    for (const isWarm of [true, false]) {
      const viewer = isWarm ? await watch(streamUrl(home, station), rawJudge(station.serviceId)) : undefined;
      const floor = await floors(home, station, rounds, isWarm);
      for (const codec of ['raw', 'h264'] as const) {
        const page = await openPage(browser, home, codec);
        const presses: Map<string, number>[] = [];
        for (let round = 0; round <= rounds; round += 1) {
          // A viewer that leaves for home comes back to a screen that is at rest.
          await Bun.sleep(2_500 + round * 97);
          if (!isWarm) await whenFree(home);
          const one = await press(page, station);
          // The first press warms up the caches.
          if (round > 0) presses.push(one);
        }
        await page.close();
        const name = `${codec}, tuner ${isWarm ? 'warm' : 'cold'}`;
        isGood = report(name, presses, floor[codec], BOUNDS[codec]) && isGood;
      }
      viewer?.leave();
    }
  } finally {
    await home.close();
  }
  return isGood;
}
