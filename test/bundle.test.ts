/** What a browser loads before a screen is there: a bound for each file, so that growth is seen when it happens. */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildWeb, bundlePage, type PageScripts } from '../tools/web.ts';

/** Bounds in bytes, compressed by gzip. */
const MOST = {
  entry: 48_000,
  /** With the entry. */
  screen: 92_000,
  /** Loaded beside a screen. */
  part: 25_000,
  early: 3_000,
  styles: 15_000,
  group: 9_000,
} as const;

let folder: string;
let scripts: PageScripts;
let html: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-bundle-'));
  await buildWeb(join(folder, 'web'));
  scripts = await bundlePage(join(folder, 'scripts'));
  html = await Bun.file(join(folder, 'web', 'index.html')).text();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function compressed(...names: string[]): Promise<number> {
  const sizes = names.map(
    async (name) => Bun.gzipSync(await Bun.file(join(folder, 'web', name)).bytes()).length,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

test('the first script is small, and needs no other', async () => {
  expect([...html.matchAll(/<script[^>]* src="([^"]+)"/gu)].map(([, name]) => name)).toEqual([
    expect.stringMatching(/^early-/u),
    scripts.entry,
  ]);
  expect(await compressed(scripts.entry)).toBeLessThan(MOST.entry);
  const [, early = ''] = /src="(early-[^"]+)"/u.exec(html) ?? [];
  expect(await compressed(early)).toBeLessThan(MOST.early);
});

test('every screen begins with few scripts', async () => {
  const entry = await compressed(scripts.entry);
  const screens = [...scripts.parts].filter(([source]) => source.endsWith('-screen.tsx'));
  expect(screens.length).toBeGreaterThan(12);
  const large: string[] = [];
  for (const [source, files] of screens) {
    const size = entry + (await compressed(...files));
    if (size > MOST.screen || files.length > 16)
      large.push(`${source}: ${size} bytes, ${files.length} files`);
  }
  expect(large).toEqual([]);
});

test('every part is small', async () => {
  const large: string[] = [];
  for (const name of scripts.sizes.keys()) {
    const size = await compressed(name);
    if (name !== scripts.entry && size > MOST.part) large.push(`${name}: ${size} bytes`);
  }
  expect(large).toEqual([]);
});

test('little style is needed before the first paint', async () => {
  const first = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/gu)].map(([, name = '']) => name);
  expect(first).toHaveLength(2);
  expect(await compressed(...first)).toBeLessThan(MOST.styles);
  for (const [, name = ''] of html.matchAll(/data-href="([^"]+)"/gu))
    if (!name.startsWith('fonts-')) expect(await compressed(name)).toBeLessThan(MOST.group);
});

test('every style sheet belongs to one group', async () => {
  const styles = join(import.meta.dir, '..', 'web', 'styles');
  const named: string[] = [];
  for (const group of await readdir(join(styles, 'groups'))) {
    const text = await Bun.file(join(styles, 'groups', group)).text();
    named.push(...[...text.matchAll(/"\.\.\/([\w-]+\.css)"/gu)].map(([, name = '']) => name));
    expect(html).toMatch(new RegExp(`="${group.replace('.css', '')}-[a-z0-9]{8}\\.css"`, 'u'));
  }
  const files = (await readdir(styles)).filter((name) => name.endsWith('.css'));
  expect(named.sort()).toEqual(files.sort());
});

test('the service worker keeps every script and style sheet', async () => {
  const worker = await Bun.file(join(folder, 'web', 'sw.js')).text();
  const names = (await readdir(join(folder, 'web'))).filter((name) =>
    /-[a-z0-9]{8}\.(?:js|css)$/u.test(name),
  );
  expect(names.length).toBeGreaterThan(40);
  expect(names.filter((name) => !worker.includes(name))).toEqual([]);
});
