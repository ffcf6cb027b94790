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

/** They wait for broadcast time to pass: beside each other they wait once. */
const WAITING = ['test/record', 'test/follow'];
const WAITING_AT_ONCE = 3;

interface Outcome {
  passed: number;
  failed: number;
}

async function run(args: readonly string[], long: boolean): Promise<Outcome> {
  const child = Bun.spawn([process.execPath, 'test', '--timeout', '30000', ...args], {
    cwd: ROOT,
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
    env: { ...process.env, ...(long ? { SVC_LONG: '1' } : {}) },
  });
  // `bun test` reports on stderr: shown as it comes, and its end read for the counts.
  let tail = '';
  const decoder = new TextDecoder();
  for await (const chunk of child.stderr) {
    process.stderr.write(chunk);
    tail = (tail + decoder.decode(chunk, { stream: true })).slice(-4096);
  }
  const code = await child.exited;
  return { passed: count(tail, 'pass'), failed: Math.max(count(tail, 'fail'), code === 0 ? 0 : 1) };
}

const args = process.argv.slice(2);
const long = args.includes('--long');
const filters = args.filter((arg) => arg !== '--long');
const clean = await check();
console.log(clean ? 'check: clean' : 'check: findings above');

const runs =
  filters.length > 0
    ? [filters]
    : [
        WAITING.flatMap((folder) => ['--path-ignore-patterns', `${folder}/**`]),
        [`--parallel=${WAITING_AT_ONCE}`, '--no-isolate', ...WAITING.map((folder) => `./${folder}`)],
      ];
let passed = clean ? 1 : 0;
let failed = clean ? 0 : 1;
for (const each of runs) {
  const outcome = await run(each, long);
  passed += outcome.passed;
  failed += outcome.failed;
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
