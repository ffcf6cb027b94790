/** What tests build of the sources: made once for each state of them, and kept in the ignored cache for all processes. */
import { existsSync, type Stats } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
/** A build that another checkout or an older process may still use is kept this long. */
const KEPT_MS = 6 * 3_600_000;

/** Hash of all that determines the built files. */
async function sourceHash(patterns: readonly string[]): Promise<string> {
  const found = patterns.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: ROOT })));
  const paths = (await Promise.all(found)).flat().filter((path) => !path.endsWith('.test.ts'));
  const hasher = new Bun.CryptoHasher('sha256').update(Bun.version);
  for (const path of paths.sort())
    hasher.update(`\0${path}\0`).update(await Bun.file(join(ROOT, path)).bytes());
  return hasher.digest('hex').slice(0, 16);
}

async function removeOldBuilds(builds: string, current: string): Promise<void> {
  for (const name of await readdir(builds)) {
    const path = join(builds, name);
    // Another process may have removed it.
    const { mtimeMs = Number.NaN } = await stat(path).catch((): Partial<Stats> => ({}));
    if (path !== current && Date.now() - mtimeMs > KEPT_MS) await rm(path, { recursive: true, force: true });
  }
}

/**
 * @param name of its folder in the cache
 * @param sources patterns of files
 * @param build into `folder`, which is renamed to `later`
 * @returns the folder
 */
export async function cachedBuild(
  name: string,
  sources: readonly string[],
  build: (folder: string, later: string) => Promise<unknown>,
): Promise<string> {
  const builds = join(ROOT, '.cache', name);
  const folder = join(builds, await sourceHash(sources));
  if (existsSync(folder)) return folder;
  await mkdir(builds, { recursive: true });
  // Appears as a whole: if another process built it meanwhile, that one is used.
  const own = await mkdtemp(`${folder}-`);
  try {
    await build(own, folder);
    await rename(own, folder);
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  await removeOldBuilds(builds, folder);
  return folder;
}
