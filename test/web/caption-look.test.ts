/**
 * Compares rendered caption pages with the golden pictures in `caption-golden/`. These were checked by eye
 * when they were made; `UPDATE_GOLDEN=1 bun test test/web/caption-look.test.ts` makes them again.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { captionFontOf } from '../../tools/caption-font.ts';
import { hasChromium, sharedBrowser } from './browser.ts';
import { SCENE_TEXT, SCENES } from './caption-scenes.ts';

const GOLDEN = join(import.meta.dir, 'caption-golden');
const UPDATE = process.env.UPDATE_GOLDEN === '1';
/** Antialiasing differs between browser versions; a missing or moved glyph differs much more. */
const MAX_MEAN = 1;
const MAX_FAR = 0.002;

describe.skipIf(!hasChromium)('caption pages', () => {
  let page: Page;
  let script: string;

  beforeAll(async () => {
    const built = await Bun.build({
      entrypoints: [join(import.meta.dir, 'caption-stage.ts')],
      target: 'browser',
    });
    const [output] = built.outputs;
    if (output === undefined) throw new Error('nothing was built');
    script = await output.text();
    page = await (await sharedBrowser()).newPage();
    await page.addScriptTag({ content: script, type: 'module' });
    await page.waitForFunction(() => window.stage !== undefined);
    const font = Buffer.from(await captionFontOf(SCENE_TEXT)).toString('base64');
    await page.evaluate((base64) => window.stage.useFont(base64), font);
  });

  afterAll(async () => {
    await page.close();
  });

  test.each(SCENES)('$name', async ({ name, scene }) => {
    const file = join(GOLDEN, `${name}.png`);
    if (UPDATE) {
      mkdirSync(GOLDEN, { recursive: true });
      const made = await page.evaluate((one) => window.stage.picture(one), scene);
      writeFileSync(file, Buffer.from(made, 'base64'));
    }
    expect(existsSync(file)).toBe(true);
    const golden = readFileSync(file).toString('base64');
    const difference = await page.evaluate(([one, base64]) => window.stage.compare(one, base64), [
      scene,
      golden,
    ] as const);
    expect(difference.mean).toBeLessThan(MAX_MEAN);
    expect(difference.far).toBeLessThan(MAX_FAR);
  });

  test('the layer draws device pixels, flashes only what flashes and is empty afterwards', async () => {
    const sharp = await (await sharedBrowser()).newPage({ deviceScaleFactor: 2 });
    await sharp.addScriptTag({ content: script, type: 'module' });
    await sharp.waitForFunction(() => window.stage !== undefined);
    const place = { x: 170, y: 450, w: 40, h: 60, fx: 2, fy: 12, size: 36, scaleX: 1 };
    const look = { text: '■', fg: '#ffffffff', bg: '#00000000', flash: true as const };
    const flashing = {
      v: 1 as const,
      plane: [960, 540] as [number, number],
      duration: null,
      runs: [{ ...place, ...look }],
    };
    const size = await sharp.evaluate((one) => window.stage.mount(one, 480, 270), flashing);
    expect(size).toEqual([960, 540]);
    await sharp.waitForFunction(() => window.stage.inked() > 0);
    await sharp.waitForFunction(() => window.stage.inked() === 0);
    await sharp.waitForFunction(() => window.stage.inked() > 0);
    expect(await sharp.evaluate(() => window.stage.unmount())).toBe(0);
    await sharp.close();
  });

  test('a page with a missing character, a shift or another colour differs from the golden picture', async () => {
    const { scene } = SCENES[0] ?? {};
    const golden = readFileSync(join(GOLDEN, 'one-line.png')).toString('base64');
    if (scene === undefined) throw new Error('no scene');
    const [run] = scene.page.runs;
    if (run === undefined) throw new Error('no run');
    const changes = [{ text: '字幕で' }, { x: run.x + 6 }, { fg: '#ffff00ff' }, { size: 40 }];
    for (const change of changes) {
      const changed = { ...scene, page: { ...scene.page, runs: [{ ...run, ...change }] } };
      const { far } = await page.evaluate(([one, base64]) => window.stage.compare(one, base64), [
        changed,
        golden,
      ] as const);
      expect(far).toBeGreaterThan(MAX_FAR);
    }
  });
});
