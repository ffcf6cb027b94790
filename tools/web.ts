/**
 * Builds the browser UI into a folder: script and style bundled under names that carry their content's hash,
 * `index.html` that refers to them relatively, icons under their own names. `bun tools/web.ts OUTDIR` by hand.
 */
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const WEB = join(import.meta.dir, '..', 'web');

/** Source name as `index.html` writes it. */
const ENTRIES = ['main.tsx', 'theme-early.ts', 'styles/index.css'] as const;

/** Names that `bundle` gives. */
const BUILT = /^(app|theme-early|index)-[a-z0-9]{8}\.(js|css)$/u;

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

/** What an earlier build left under names that no page refers to any more; nothing else in the folder is touched. */
async function removeOld(outDir: string): Promise<void> {
  const old = (await readdir(outDir)).filter((name) => BUILT.test(name));
  await Promise.all(old.map((name) => rm(join(outDir, name))));
}

/** @throws AggregateError with the bundler's messages when the source does not build */
export async function buildWeb(outDir: string): Promise<void> {
  await mkdir(outDir, { recursive: true });
  await removeOld(outDir);
  let html = await readFile(join(WEB, 'index.html'), 'utf8');
  for (const entry of ENTRIES) {
    const name = await bundle(entry, outDir);
    if (!html.includes(`"${entry}"`)) throw new Error(`index.html does not refer to ${entry}`);
    html = html.replace(`"${entry}"`, `"${name}"`);
  }
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
