import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MediaCache, recipeKey } from './cache.ts';
import { findFfmpeg } from './ffmpeg.ts';
import { loopPeriod } from './loop.ts';
import { mainFilm } from './recipes.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'synth-cache-'));
const CACHE = new MediaCache(FOLDER, findFfmpeg(process.env));
const PLAN = { codec: 'h264', width: 160, height: 92, bitrate: 100_000 } as const;
const RECIPE = mainFilm(PLAN, { name: '試験', hue: 10 }, 'video');
const PATH = join(FOLDER, `${recipeKey(RECIPE)}.loop`);

beforeAll(async () => {
  await CACHE.get(RECIPE);
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

describe('the cache', () => {
  test('returns the loop that was made', async () => {
    const loop = await CACHE.get(RECIPE);
    expect(readdirSync(FOLDER)).toEqual([`${recipeKey(RECIPE)}.loop`]);
    expect(loopPeriod(loop)).toBe(720_720);
    expect(loop.packets.length / 188).toBe(loop.groupPacket.at(-1) ?? 0);
    expect(loop.unitPts).toHaveLength(120);
  });

  test('uses other names for other recipes', () => {
    const keys = [RECIPE, { ...RECIPE, hue: 11 }, { ...RECIPE, label: '試' }].map(recipeKey);
    expect(new Set(keys).size).toBe(3);
  });

  test('makes a damaged file again', async () => {
    truncateSync(PATH, 1_000);
    expect(CACHE.read(RECIPE)).toBeUndefined();
    expect((await CACHE.get(RECIPE)).unitPts).toHaveLength(120);
  });

  test('takes over the lock of a process that has ended', async () => {
    const gone = Bun.spawnSync(['true']).pid;
    rmSync(PATH);
    writeFileSync(`${PATH}.lock`, String(gone));
    expect((await CACHE.get(RECIPE)).unitPts).toHaveLength(120);
    expect(existsSync(`${PATH}.lock`)).toBe(false);
  });

  test('removes unused files after a while', () => {
    const old = join(FOLDER, 'old.loop');
    const fresh = join(FOLDER, 'fresh.loop');
    for (const path of [old, fresh]) writeFileSync(path, '');
    const lately = Date.UTC(2026, 10, 20);
    utimesSync(old, new Date(lately - 30 * 86_400_000), new Date(lately - 30 * 86_400_000));
    utimesSync(fresh, new Date(lately), new Date(lately));
    CACHE.prune([RECIPE], lately);
    expect([existsSync(old), existsSync(fresh), existsSync(PATH)]).toEqual([false, true, true]);
  });
});
