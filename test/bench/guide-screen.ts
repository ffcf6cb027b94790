/**
 * The guide screen in headless Chromium, with 120 stations and eight days of programmes: wheel and touchpad moves in
 * all directions, jumps over days and stations, zoom, other broadcast types. Main-thread tasks of 50 ms
 * and more are noticeable. Measured in CPU time of the thread, so that other load is not
 * counted; wall time is printed as well.
 * `bun test/bench/guide-screen.ts [rounds]`. Ends with 1 when a task reached 50 ms.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { buildWeb } from '../../tools/web.ts';
import { newHousehold } from '../web/fake-api.ts';
import { manyStations } from '../web/fake-guide.ts';
import { FakeService } from '../web/fake-service.ts';
import { Figures } from './guide/figures.ts';

const LIMIT_MS = 50;
const STATIONS = [12, 40, 68] as const;
const DAYS = 8;
const WHEELS = 60;
const WHEEL_PX = 240;
const rounds = Number(process.argv[2] ?? 2);

/** A task of the page's main thread, from the browser's tracing; ms. */
interface Task {
  /** Wall time, including other programs. */
  readonly wall: number;
  /** CPU time of the thread. */
  readonly own: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly tid: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** Runs `work` under tracing. */
async function tasksOf(page: Page, work: () => Promise<void>): Promise<Task[]> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value) events.push(event as unknown as TraceEvent);
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] },
  });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  await session.detach();
  const main = events.find((event) => event.name === 'FireAnimationFrame')?.tid;
  return events
    .filter((event) => event.ph === 'X' && event.name === 'RunTask' && event.tid === main)
    .map((event) => ({ wall: (event.dur ?? 0) / 1000, own: (event.tdur ?? 0) / 1000 }));
}

async function wheel(page: Page, x: number, y: number): Promise<void> {
  for (let index = 0; index < WHEELS; index += 1) await page.mouse.wheel(x, y);
}

/** A movement over the guide, with its name for the report. */
type Move = readonly [name: string, run: (page: Page) => Promise<void>];

const MOVES: readonly Move[] = [
  ['down', (page) => wheel(page, 0, WHEEL_PX)],
  ['right', (page) => wheel(page, WHEEL_PX, 0)],
  ['aslant back', (page) => wheel(page, -WHEEL_PX / 2, -WHEEL_PX / 2)],
  [
    'days',
    async (page) => {
      for (let day = 0; day < DAYS; day += 1) await page.locator('.guide-day').nth(day).click();
    },
  ],
  [
    'types',
    async (page) => {
      for (const name of ['BS', 'CS', '地デジ', 'CS']) {
        await page.getByRole('tab', { name, exact: true }).click();
        await page.locator('.prog').first().waitFor();
      }
    },
  ],
  [
    'zoom',
    async (page) => {
      await page.mouse.move(800, 500);
      await page.keyboard.down('Control');
      for (const by of [240, -240]) for (let step = 0; step < 12; step += 1) await page.mouse.wheel(0, by);
      await page.keyboard.up('Control');
    },
  ],
  [
    'arrows',
    async (page) => {
      await page.keyboard.press('Home');
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press(step % 4 === 0 ? 'ArrowDown' : 'ArrowRight');
      }
    },
  ],
];

async function measure(page: Page, [name, run]: Move): Promise<number> {
  const tasks = await tasksOf(page, async () => {
    await run(page);
    // Includes work started by the last move.
    await page.locator('.guide-loading').waitFor({ state: 'detached' });
    await page.waitForTimeout(300);
  });
  const own = Math.max(...tasks.map((task) => task.own));
  const wall = Math.max(...tasks.map((task) => task.wall));
  const work = tasks.reduce((sum, task) => sum + task.own, 0);
  const long = tasks.filter((task) => task.own >= LIMIT_MS).length;
  console.log(
    `${name.padEnd(12)} longest task ${own.toFixed(1).padStart(5)} ms (${wall.toFixed(1)} ms by the clock), ` +
      `${long} of ${LIMIT_MS} ms and more, work ${work.toFixed(0)} ms in ${tasks.length} tasks`,
  );
  return own;
}

const webDir = await mkdtemp(join(tmpdir(), 'guide-bench-'));
await buildWeb(webDir);
const stations = manyStations(STATIONS);
const service = new FakeService(webDir, { init: new Uint8Array(), fragments: [] }, stations, '/');
service.household = newHousehold({ stations, days: DAYS });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let worst = 0;
try {
  const page = await browser.newPage({ viewport: { width: 1600, height: 900 } });
  await page.goto(`${service.url}guide`);
  await page.locator('.prog').first().waitFor();
  await page.mouse.move(800, 500);
  console.log(`${stations.length} stations, ${DAYS} days, ${cpus().length} cores, ${rounds} rounds`);
  for (let round = 0; round < rounds; round += 1) {
    for (const move of MOVES) worst = Math.max(worst, await measure(page, move));
  }
} finally {
  await browser.close();
  await service.close();
  await rm(webDir, { recursive: true, force: true });
}
const figures = new Figures();
figures.limited('longest task', worst, 'ms', LIMIT_MS);
process.exit(figures.failed ? 1 : 0);
