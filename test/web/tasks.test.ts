/**
 * Runs the tasks of `tasks.ts` against the real service: in a big household, and in a new installation with a
 * real agent that has no channels yet. Every task takes at most the presses that its row and the table of
 * `docs/testing.md` state.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { type BigHousehold, startBigHousehold } from './big-household.ts';
import { builtWeb, hasChromium, sharedPages } from './browser.ts';
import { type FirstHome, startFirstHome } from './first-home.ts';
import { BIG_HOUSEHOLD, FIRST_RUN, type Task } from './tasks.ts';
import { PointerInput, RemoteInput } from './user-input.ts';

const VIEW = { viewport: { width: 1280, height: 800 } };
const LONG = process.env.SVC_LONG !== undefined;
const dash = (presses: number | undefined): string => (presses === undefined ? '–' : String(presses));

/** In a page without state of other tasks. */
async function carryOut(url: string, task: Task, byKeys: boolean): Promise<void> {
  const pages = await sharedPages();
  const page = await pages.open(url, 0, VIEW);
  try {
    await page.locator('.stations .card, main .panel').first().waitFor();
    const input = byKeys ? new RemoteInput(page) : new PointerInput(page);
    await task.run(input);
    expect(input.presses()).toBeLessThanOrEqual((byKeys ? task.keys : task.pointer) ?? 0);
  } finally {
    await pages.release(`${url}/icon.svg`);
  }
}

test('twenty-eight tasks are documented with their steps', async () => {
  const rows = [...BIG_HOUSEHOLD, ...FIRST_RUN].map(
    ({ name, pointer, keys }, index) => `| ${index + 1} | ${name} | ${dash(pointer)} | ${dash(keys)} |`,
  );
  expect(rows).toHaveLength(28);
  const text = await Bun.file(join(import.meta.dir, '..', '..', 'docs', 'testing.md')).text();
  expect(rows.filter((row) => !text.includes(row))).toEqual([]);
});

describe.skipIf(!hasChromium)('in a large household', () => {
  let household: BigHousehold;
  beforeAll(async () => {
    household = await startBigHousehold(await builtWeb());
  });
  afterAll(async () => {
    await household?.close();
  });

  for (const task of BIG_HOUSEHOLD) {
    if (task.pointer !== undefined) {
      test(`${task.name}, by pointer`, () => carryOut(household.home.url, task, false));
    }
    if (task.keys !== undefined && (LONG || task.remote === true)) {
      test(`${task.name}, by keys`, () => carryOut(household.home.url, task, true));
    }
  }
});

describe.skipIf(!hasChromium)('on the first run', () => {
  let home: FirstHome;
  beforeAll(async () => {
    home = await startFirstHome(await builtWeb());
  });
  afterAll(async () => {
    await home?.close();
  });

  // They depend on each other: what the scan finds is watched and recorded.
  for (const task of FIRST_RUN) {
    test(`${task.name}, by pointer`, () => carryOut(home.service.url, task, false));
    if (task.keys !== undefined && LONG) {
      test(`${task.name}, by keys`, () => carryOut(home.service.url, task, true));
    }
  }
});
