/**
 * Builds the browser UI into a folder: script and style bundled under names with a hash of their content, an
 * `index.html` that refers to them relatively, icons under their own names, and a Japanese font for devices
 * that have none. `bun tools/web.ts OUTDIR` by hand.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const WEB = join(import.meta.dir, '..', 'web');
/**
 * Kosugi Maru, Apache License 2.0: some 120 parts by code point, of which a browser fetches those that it
 * needs.
 */
const FONT = join(import.meta.dir, '..', 'node_modules', '@fontsource', 'kosugi-maru');
const DECODER = join(import.meta.dir, '..', 'wasm', 'built', 'mpeg2.wasm');

/** Source name as `index.html` writes it. */
const ENTRIES = ['main.tsx', 'theme-early.ts', 'styles/index.css'] as const;

/** File names written by `bundle`. */
const BUILT = /^(app|theme-early|index|fonts)-[a-z0-9]{8}\.(js|css)$/u;

async function bundle(entry: string, outDir: string): Promise<string> {
  const classic = entry === 'theme-early.ts';
  const result = await Bun.build({
    entrypoints: [join(WEB, entry)],
    outdir: outDir,
    target: 'browser',
    format: classic ? 'iife' : 'esm',
    minify: true,
    naming: { entry: `${entry === 'main.tsx' ? 'app' : '[name]'}-[hash].[ext]` },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const output = result.outputs.find(
    (candidate) => candidate.kind === 'entry-point' || candidate.kind === 'asset',
  );
  if (output === undefined) throw new Error(`nothing was built from ${entry}`);
  return basename(output.path);
}

/** Removes files of earlier builds that no page refers to any more, and nothing else. */
async function removeOld(outDir: string): Promise<void> {
  const old = (await readdir(outDir)).filter((name) => BUILT.test(name));
  await Promise.all(old.map((name) => rm(join(outDir, name))));
}

const hashOf = (content: string | Uint8Array): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 8);

/**
 * Adds the parts of the font and the style sheet that lists the characters of each. @returns the name of the
 * sheet
 */
async function addFont(outDir: string): Promise<string> {
  const fonts = join(outDir, 'fonts');
  await rm(fonts, { recursive: true, force: true });
  await mkdir(fonts, { recursive: true });
  let sheet = (await readFile(join(FONT, '400.css'), 'utf8'))
    // Every browser that plays our streams reads WOFF2.
    .replace(/, url\([^)]*\.woff\) format\('woff'\)/g, '')
    .replace(/\/\*[^*]*\*\/\s*/g, '')
    .replace(/\n\s*/g, '');
  for (const [url, part = ''] of sheet.matchAll(/url\(\.\/files\/([^)]+)\.woff2\)/g)) {
    const content = await readFile(join(FONT, 'files', `${part}.woff2`));
    const name = `${part}-${hashOf(content)}.woff2`;
    await writeFile(join(fonts, name), content);
    sheet = sheet.replace(url, `url(fonts/${name})`);
  }
  await cp(join(FONT, 'LICENSE'), join(fonts, 'LICENSE.txt'));
  const name = `fonts-${hashOf(sheet)}.css`;
  await writeFile(join(outDir, name), sheet);
  // For the server's own pages (`src/route/page.ts`), which do not know the hashed names.
  await writeFile(join(outDir, 'fonts.css'), sheet);
  return name;
}

/**
 * The MPEG-2 decoder and its worker, under the names that `src/http/decoder-route.ts` serves. Skipped if the
 * compiled module (`tools/wasm.ts`) does not exist.
 */
async function addDecoder(outDir: string): Promise<void> {
  const names = ['decoder.wasm', 'decoder.mjs'] as const;
  await Promise.all(names.map((name) => rm(join(outDir, name), { force: true })));
  if (!existsSync(DECODER)) return;
  await cp(DECODER, join(outDir, names[0]));
  await Bun.build({
    entrypoints: [join(WEB, 'raw', 'decoder.worker.ts')],
    outdir: outDir,
    target: 'browser',
    format: 'esm',
    minify: true,
    naming: { entry: names[1] },
  });
}

/** @throws AggregateError with the bundler's messages if the source cannot be built */
export async function buildWeb(outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  await removeOld(outDir);
  let html = await readFile(join(WEB, 'index.html'), 'utf8');
  for (const entry of ENTRIES) {
    const name = await bundle(entry, outDir);
    if (!html.includes(`"${entry}"`)) throw new Error(`index.html does not refer to ${entry}`);
    html = html.replace(`"${entry}"`, `"${name}"`);
  }
  await addDecoder(outDir);
  html = html.replace('"fonts.css"', `"${await addFont(outDir)}"`);
  await cp(join(WEB, 'public'), outDir, { recursive: true });
  await writeFile(join(outDir, 'index.html'), html);
}

if (import.meta.main) {
  const outDir = process.argv[2];
  if (outDir === undefined) {
    console.error('usage: bun tools/web.ts OUTDIR');
    process.exit(2);
  }
  await buildWeb(outDir);
}
