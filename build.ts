/**
 * `npm run build`: the browser UI, then the two executables with everything inside.
 *
 *   dist/svc, dist/svc-agent              this machine's architecture (x64: baseline, for boxes without AVX2)
 *   dist/<other>/svc, dist/<other>/svc-agent   the other one, unless `--host-only`
 *
 * `--out DIR` writes elsewhere than `dist`. Nothing outside the executables is needed to run them.
 */
import { mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { captionFont, FONT_NAME } from './tools/caption-font.ts';
import { buildWeb } from './tools/web.ts';

const ROOT = import.meta.dir;

type Architecture = 'x64' | 'arm64';
const TARGETS: Record<Architecture, string> = {
  x64: 'bun-linux-x64-baseline',
  arm64: 'bun-linux-arm64',
};

interface Program {
  name: string;
  folder: string;
  /** A folder embedded under its own name. */
  asset: string | undefined;
}

/** The main entry and the worker entries beside it: compiled executables find workers only there. */
function entries(folder: string): string[] {
  const workers = readdirSync(join(ROOT, folder)).filter((file) => file.endsWith('.worker.ts'));
  return ['main.ts', ...workers.sort()].map((file) => join(ROOT, folder, file));
}

async function compile(program: Program, architecture: Architecture, outFolder: string): Promise<void> {
  mkdirSync(outFolder, { recursive: true });
  const command = [
    process.execPath,
    'build',
    '--compile',
    '--minify',
    '--sourcemap',
    '--bytecode',
    '--format=esm',
    // Otherwise a stray .env or bunfig.toml in the folder of start-up would be read by the installed program.
    '--no-compile-autoload-dotenv',
    '--no-compile-autoload-bunfig',
    `--target=${TARGETS[architecture]}`,
    ...(program.asset === undefined ? [] : [`--asset=${program.asset}`]),
    `--outfile=${join(outFolder, program.name)}`,
    ...entries(program.folder),
  ];
  const child = Bun.spawn(command, { cwd: ROOT, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) throw new Error(`bun build ${program.name} (${architecture}):\n${stdout}${stderr}`);
}

interface BuildOptions {
  out: string;
  hostOnly: boolean;
  progress: (line: string) => void;
}

/** @throws Error with the compiler's output. */
export async function build(options: BuildOptions): Promise<void> {
  const web = join(options.out, 'web');
  options.progress('web');
  await buildWeb(web);
  options.progress('font');
  await Bun.write(join(web, FONT_NAME), await captionFont());
  const host: Architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  const other: Architecture = host === 'x64' ? 'arm64' : 'x64';
  const programs: Program[] = [
    { name: 'svc', folder: 'src', asset: web },
    { name: 'svc-agent', folder: 'agent', asset: undefined },
  ];
  const targets: [Architecture, string][] = [[host, options.out]];
  if (!options.hostOnly) targets.push([other, join(options.out, other)]);
  for (const [architecture, folder] of targets) {
    for (const program of programs) {
      options.progress(`${program.name} (${TARGETS[architecture]})`);
      await compile(program, architecture, folder);
    }
  }
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  const outIndex = args.indexOf('--out');
  const out = resolve(outIndex < 0 ? join(ROOT, 'dist') : (args[outIndex + 1] ?? 'dist'));
  await build({
    out,
    hostOnly: args.includes('--host-only'),
    progress: (line) => console.log(`build ${line}`),
  });
}
