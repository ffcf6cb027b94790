/**
 * Bundles of both programs and of the service's workers, with their bytecode: a service that is started from them takes
 * half of the processor time of one that is started from hundreds of modules, and stack traces name the sources as well.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cachedBuild } from './cached-build.ts';

const ROOT = join(import.meta.dir, '..');
/** Folders, and the entries beside their workers. */
const ENTRIES = { src: ['main.ts', 'workers.ts'], agent: ['main.ts'] } as const;
const SOURCES = ['{src,agent,lib}/**/*', 'package.json', 'package-lock.json', 'test/built-programs.ts'];

async function bundle(out: string, later: string): Promise<void> {
  for (const [folder, entries] of Object.entries(ENTRIES)) {
    const path = join(ROOT, folder);
    const workers = readdirSync(path).filter((name) => name.endsWith('.worker.ts'));
    await Bun.build({
      entrypoints: [...entries, ...workers].map((name) => join(path, name)),
      root: path,
      outdir: join(out, folder),
      // Under the names by which the sources start their workers.
      naming: { entry: '[name].ts' },
      // Else a path in the working directory of the process.
      publicPath: `${join(later, folder)}/`,
      ...{ target: 'bun', format: 'cjs', bytecode: true, sourcemap: 'linked' },
    });
  }
}

/** Set for all processes that a test starts, and for the next files of this one. */
const VARIABLE = 'SVC_TEST_PROGRAMS';
const built = process.env[VARIABLE] ?? (await cachedBuild('programs', SOURCES, bundle));
process.env[VARIABLE] = built;

/** Commands. */
export const SVC = [process.execPath, join(built, 'src', 'main.ts')] as const;
export const SVC_AGENT = [process.execPath, join(built, 'agent', 'main.ts')] as const;

export const {
  startBackgroundWorker,
  startDatabaseWorker,
  startGuideWorker,
  startReceptionWorker,
  startScheduleWorker,
} = (await import(join(built, 'src', 'workers.ts'))) as typeof import('../src/workers.ts');
