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
const DECODER = join(import.meta.dir, '..', 'lib', 'wasm', 'built', 'mpeg2.wasm');

/** File names with the hash of their content. */
const BUILT = /^[\w-]+-[a-z0-9]{8}\.(js|css)$/u;
/** A smaller part that several scripts share is put into one that more of them load, bytes of its source. */
const MIN_CHUNK_SIZE = 32_768;

/** The page's scripts: names of files in the output folder. */
export interface PageScripts {
  /** What every page begins with. */
  readonly entry: string;
  /** All files, in bytes. */
  readonly sizes: ReadonlyMap<string, number>;
  /** By module that is loaded on demand, as `home/home-screen.tsx`: its file, and those that it imports beside the entry. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
}

/** Builds the page's scripts: one for the start, and for each part of the page one that is loaded on demand. */
export async function bundlePage(outDir: string): Promise<PageScripts> {
  const { metafile } = await Bun.build({
    entrypoints: [join(WEB, 'main.tsx')],
    outdir: outDir,
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: true,
    minChunkSize: MIN_CHUNK_SIZE,
    metafile: true,
    naming: { entry: 'app-[hash].[ext]', chunk: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const outputs = new Map(
    Object.entries(metafile?.outputs ?? {}).map(([path, output]) => [basename(path), output]),
  );
  const needed = (name: string, found: Set<string>): Set<string> => {
    if (found.has(name)) return found;
    found.add(name);
    for (const { path, kind } of outputs.get(name)?.imports ?? [])
      if (kind === 'import-statement' && outputs.has(basename(path))) needed(basename(path), found);
    return found;
  };
  const [entry] = [...outputs.keys()].filter((name) => name.startsWith('app-'));
  if (entry === undefined) throw new Error('nothing was built from main.tsx');
  const first = needed(entry, new Set());
  if (first.size > 1) throw new Error(`${entry} cannot start without ${[...first].slice(1).join(', ')}`);
  const parts = [...outputs].flatMap(([name, { entryPoint }]): [string, string[]][] => {
    const [, source] = /web\/(.+)$/u.exec(entryPoint ?? '') ?? [];
    if (source === undefined || name === entry) return [];
    return [[source, [...needed(name, new Set())].filter((one) => one !== entry)]];
  });
  const sizes = [...outputs].map(([name, { bytes }]): [string, number] => [name, bytes]);
  return { entry, sizes: new Map(sizes), parts: new Map(parts) };
}

/** Builds a style sheet, or a classic script. @returns the name of the file */
async function bundle(source: string, outDir: string, define: Record<string, string> = {}): Promise<string> {
  const { outputs } = await Bun.build({
    entrypoints: [join(WEB, source)],
    outdir: outDir,
    target: 'browser',
    format: 'iife',
    minify: true,
    naming: { entry: '[name]-[hash].[ext]' },
    define,
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`nothing was built from ${source}`);
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
  // For the server's own pages (`src/http/route/page.ts`), which do not know the hashed names.
  await writeFile(join(outDir, 'fonts.css'), sheet);
  return name;
}

/** Builds one source under a name of its own, without a hash. */
async function buildNamed(outDir: string, source: string, name: string, options: object = {}): Promise<void> {
  await Bun.build({
    entrypoints: [join(WEB, source)],
    outdir: outDir,
    target: 'browser',
    format: 'esm',
    minify: true,
    naming: { entry: name },
    ...options,
  });
}

/** Scripts that are loaded when they are first used, by source, under the names that their loaders know. */
const ON_DEMAND = [
  // `web/bml/session.ts`, with the first press of d.
  ['bml/bml.worker.ts', 'bml.mjs'],
  // `web/watch/saved-source.ts`, with the first recording that was saved on the device.
  ['offline/saved-file.ts', 'saved.mjs'],
  // `web/data/application.ts`, with the first application that is started.
  ['hybrid/hybrid.ts', 'hybrid.mjs'],
] as const;

/** Of the container of applications, which `src/http/hybrid-route.ts` serves. */
const CONTAINER = ['hybrid/frame/frame.ts', 'hybrid-frame.js'] as const;

/**
 * The MPEG-2 decoder and its worker, under the names that `src/http/file-routes.ts` serves. Skipped if the
 * compiled module (`tools/wasm.ts`) does not exist.
 */
async function addDecoder(outDir: string): Promise<void> {
  const names = ['decoder.wasm', 'decoder.mjs'] as const;
  await Promise.all(names.map((name) => rm(join(outDir, name), { force: true })));
  if (!existsSync(DECODER)) return;
  await cp(DECODER, join(outDir, names[0]));
  await buildNamed(outDir, 'raw/decoder.worker.ts', names[1]);
}

/** Files that the UI needs to start without the service, besides what the bundler names. */
const SHELL = ['saved.mjs', 'bml.mjs', 'favicon.ico', 'icon.svg', 'icon-192.png'];

/**
 * Under one name at the root, so that it serves every screen; browsers look for a new one by themselves. It names the
 * files of this build, so that every build has a service worker of its own.
 */
async function addServiceWorker(outDir: string, html: string, scripts: PageScripts): Promise<void> {
  const named = [...html.matchAll(/(?:src|href)="([^"]+-[a-z0-9]{8}\.(?:js|css))"/gu)].map(
    ([, name = '']) => name,
  );
  const files = [...new Set([...named, ...scripts.sizes.keys()]), ...SHELL];
  const contents = await Promise.all(SHELL.map((name) => readFile(join(outDir, name))));
  const version = hashOf(html + files.join() + contents.map(hashOf).join());
  const define = { SVC_SHELL: JSON.stringify({ version, files }) };
  await buildNamed(outDir, 'sw.ts', 'sw.js', { format: 'iife', define });
}

/** The files of each screen by its name, for `web/early.ts`. */
function screenScripts({ parts }: PageScripts): Record<string, readonly string[]> {
  const screens = [...parts].flatMap(([source, files]): [string, readonly string[]][] => {
    const [, name] = /\/(\w+)-screen\.tsx$/u.exec(source) ?? [];
    return name === undefined ? [] : [[name, files]];
  });
  return Object.fromEntries(screens);
}

/** @throws AggregateError with the bundler's messages if the source cannot be built */
export async function buildWeb(outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  await removeOld(outDir);
  let html = await readFile(join(WEB, 'index.html'), 'utf8');
  const put = (source: string, name: string): void => {
    if (!html.includes(`"${source}"`)) throw new Error(`index.html does not refer to ${source}`);
    html = html.replace(`"${source}"`, `"${name}"`);
  };
  const scripts = await bundlePage(outDir);
  put('main.tsx', scripts.entry);
  const styles: Record<string, string> = {};
  for (const [, source = ''] of html.matchAll(/"(styles\/groups\/\w+\.css)"/gu)) {
    const name = await bundle(source, outDir);
    styles[basename(source, '.css')] = name;
    put(source, name);
  }
  const fonts = await addFont(outDir);
  put('fonts.css', fonts);
  styles.fonts = fonts;
  const first = { scripts: screenScripts(scripts), styles };
  put('early.ts', await bundle('early.ts', outDir, { SVC_FILES: JSON.stringify(first) }));
  await addDecoder(outDir);
  for (const [source, name] of ON_DEMAND) await buildNamed(outDir, source, name);
  await buildNamed(outDir, ...CONTAINER, { format: 'iife' });
  await cp(join(WEB, '..', 'assets'), outDir, { recursive: true });
  await addServiceWorker(outDir, html, scripts);
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
