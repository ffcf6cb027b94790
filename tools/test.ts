/**
 * `npm test [filters]`: the checks, then every test. Ends with a line `N passed, N failed`, in which the checks
 * count as one. Arguments are handed to `bun test`; `--long` adds the soaks.
 */
import { join } from 'node:path';
import { check } from './check.ts';

const ROOT = join(import.meta.dir, '..');

function count(summary: string, word: string): number {
  const found = summary.match(new RegExp(`^\\s*(\\d+) ${word}$`, 'm'));
  return found === null ? 0 : Number(found[1]);
}

const args = process.argv.slice(2);
const long = args.includes('--long');
const clean = await check();
console.log(clean ? 'check: clean' : 'check: findings above');

const child = Bun.spawn(
  [process.execPath, 'test', '--timeout', '30000', ...args.filter((arg) => arg !== '--long')],
  {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    env: { ...process.env, ...(long ? { SVC_LONG: '1' } : {}) },
  },
);
// `bun test` reports on stderr: shown as it comes, and its end read for the counts.
let tail = '';
const decoder = new TextDecoder();
for await (const chunk of child.stderr) {
  process.stderr.write(chunk);
  tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4096);
}
const code = await child.exited;
const passed = count(tail, 'pass') + (clean ? 1 : 0);
const failed = Math.max(count(tail, 'fail'), code === 0 ? 0 : 1) + (clean ? 0 : 1);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
