/** `npm run check`: the type checker over every folder (`tsc -b`, unchanged folders are skipped), then biome. */
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const BIN = join(ROOT, 'node_modules', '.bin');

async function run(title: string, command: string[]): Promise<boolean> {
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' });
  const [stdout, stderr, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  if (code !== 0) console.error(`${title}\n${stdout}${stderr}`);
  return code === 0;
}

/** Prints every finding. @returns whether there is none */
export async function check(): Promise<boolean> {
  const [types, style] = await Promise.all([
    run('tsc', [join(BIN, 'tsc'), '-b']),
    run('biome', [join(BIN, 'biome'), 'check', '--error-on-warnings', '.']),
  ]);
  return types && style;
}

if (import.meta.main) {
  const clean = await check();
  console.log(clean ? 'check: clean' : 'check: findings');
  process.exit(clean ? 0 : 1);
}
