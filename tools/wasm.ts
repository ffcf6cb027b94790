/**
 * Compiles the AssemblyScript modules, `lib/wasm/<name>/<name>.as.ts` → `lib/wasm/built/<name>.wasm`, if a source in
 * the folder or this file has changed. `tools/run.mjs` runs it before every task.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const WASM = join(ROOT, 'lib', 'wasm');
const BUILT = join(WASM, 'built');
const COMPILER = join(ROOT, 'node_modules', 'assemblyscript', 'bin', 'asc.js');
const OPTIONS = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd'];
const LIMIT_MS = 120_000;

async function stampOf(name: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  const sources = readdirSync(join(WASM, name)).filter((file) => file.endsWith('.as.ts'));
  for (const file of [...sources.sort().map((one) => join(WASM, name, one)), import.meta.path])
    hasher.update(await Bun.file(file).bytes());
  return hasher.digest('hex');
}

/** @throws Error with the compiler's output */
async function compile(name: string): Promise<boolean> {
  const source = join(WASM, name, `${name}.as.ts`);
  const target = join(BUILT, `${name}.wasm`);
  const stampFile = `${target}.stamp`;
  const stamp = await stampOf(name);
  if (existsSync(target) && existsSync(stampFile) && (await Bun.file(stampFile).text()) === stamp)
    return false;
  mkdirSync(BUILT, { recursive: true });
  // Written under a temporary name first, because a test may be reading the old file.
  const unfinished = `${target}.${process.pid}`;
  const child = Bun.spawn([process.execPath, COMPILER, source, ...OPTIONS, '-o', unfinished], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
  });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`asc ${name}:\n${stdout}${stderr}`);
  renameSync(unfinished, target);
  writeFileSync(stampFile, stamp);
  return true;
}

/** @returns the names of the modules that were compiled */
async function buildWasm(): Promise<string[]> {
  const names = readdirSync(WASM, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(WASM, entry.name, `${entry.name}.as.ts`)))
    .map((entry) => entry.name);
  const compiled: string[] = [];
  for (const name of names) if (await compile(name)) compiled.push(name);
  return compiled;
}

if (import.meta.main) await buildWasm();
