/** `npm run bench [name …]`: runs the benchmarks of `test/bench/` one after another, all or those named. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..');
const known = readdirSync(join(ROOT, 'test', 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -3))
  .sort();
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`no benchmark ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  process.exit(1);
}
let failed = 0;
for (const name of wanted.length > 0 ? wanted : known) {
  console.log(`# ${name}`);
  const child = Bun.spawn([process.execPath, join(ROOT, 'test', 'bench', `${name}.ts`)], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if ((await child.exited) !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
