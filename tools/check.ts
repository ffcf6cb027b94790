/** `npm run check`: the type checker in every room with its own libraries, then biome. Exit 1 on any finding. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const ROOMS = [
  'arib',
  'wire',
  'host',
  'agent',
  'src',
  'web',
  'synth',
  'test',
  'test/e2e',
  'test/web',
  'bench',
  'tools',
] as const;

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

/** Every finding is printed; true when there is none. */
export async function check(): Promise<boolean> {
  let clean = true;
  for (const room of ROOMS) {
    if (!existsSync(join(ROOT, room, 'tsconfig.json'))) continue;
    clean = (await run(`tsc ${room}`, [join(BIN, 'tsc'), '-p', room])) && clean;
  }
  return (await run('biome', [join(BIN, 'biome'), 'check', '--error-on-warnings', '.'])) && clean;
}

if (import.meta.main) {
  const clean = await check();
  console.log(clean ? 'check: clean' : 'check: findings');
  process.exit(clean ? 0 : 1);
}
