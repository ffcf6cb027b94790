/**
 * Mutation test of the features that control access: each fault of `mutants.ts` is put into a copy of the
 * project, and the tests of the feature have to fail. Runs with `--long`, because every fault needs a run of
 * the tests. `MUTATED=src/access/secrets.ts` selects one file.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type Mutant, mutantsOf } from './mutants.ts';

const ROOT = join(import.meta.dir, '..', '..');
const LONG = process.env.SVC_LONG === '1';
const ONLY = process.env.MUTATED;
/** The folders that those tests load. */
const COPIED = ['src', 'test', 'lib', 'docs', 'package.json', 'tsconfig.json'];
const LINKED = ['node_modules', 'assets'];
/** A fault that makes a test hang counts as detected. */
const LIMIT_MS = 90_000;
const WANTED = 0.9;

/** Test runs in order: the fast ones, which detect most faults, before those with a running service. */
const FOLDERS: readonly { folder: string; rounds: readonly (readonly string[])[] }[] = [
  {
    folder: 'src/access',
    rounds: [
      ['src/access'],
      ['test/service/pairing.test.ts'],
      ['test/access/who-is-let-in.test.ts', 'test/access/attempts.test.ts', 'test/access/login.test.ts'],
    ],
  },
];

/** Equivalent mutants, by file and text of the line: the fault has no observable effect. */
const EQUIVALENT: readonly [file: string, line: RegExp][] = [
  // Limits that only save work: the next check rejects longer input too.
  ['src/access/device-routes.ts', /text\.length > MAX_NAME_LENGTH \* 2/],
  ['src/access/secrets.ts', /text\.length > USER_CODE_LENGTH \+ 1/],
  ['src/access/device-page-routes.ts', /MAX_FORM_LENGTH/],
  // Needed by the compiler only: the pure function has decided already.
  ['src/access/pairing-service.ts', /found === undefined \|\| /],
  // Needed by the compiler only: the key of a non-empty table, the library's own check, a route that is never
  // open.
  ['src/access/attempt-limiter.ts', /if \(quietest !== undefined\)/],
  ['src/access/identity-provider.ts', /idTokenExpected: true|claims === undefined/],
  ['src/access/access-routes.ts', /if \(letIn\.by === 'open'\)/],
];

let copy: string;

beforeAll(() => {
  if (!LONG) return;
  copy = mkdtempSync(join(tmpdir(), 'svc-mutants-'));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
  for (const name of LINKED) symlinkSync(join(ROOT, name), join(copy, name));
});
afterAll(() => {
  if (LONG) rmSync(copy, { recursive: true, force: true });
});

/** Whether every run passes; stops at the first that fails. */
async function passes(rounds: readonly (readonly string[])[]): Promise<boolean> {
  for (const tests of rounds) if (!(await passesRound(tests))) return false;
  return true;
}

async function passesRound(tests: readonly string[]): Promise<boolean> {
  const child = Bun.spawn([process.execPath, 'test', '--bail=1', ...tests.map((one) => `./${one}`)], {
    cwd: copy,
    stdout: 'ignore',
    stderr: 'ignore',
    env: { ...process.env, SVC_LONG: '0' },
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const code = await child.exited;
  clearTimeout(timer);
  return code === 0;
}

function isEquivalent(file: string, text: string, { line }: Mutant): boolean {
  const words = text.split('\n')[line - 1] ?? '';
  return EQUIVALENT.some(([where, pattern]) => where === file && pattern.test(words));
}

test('mutations are applied to code only', () => {
  const text = [
    "import { a } from './a===b.ts';",
    '// a === b',
    'type T = { a: true };',
    'export function f(a: string): boolean {',
    "  if (a === 'x === y' && !g(a)) return true;",
    '  h(a);',
    '  log.info(a);',
    '  return /true/.test(a);',
    '}',
  ].join('\n');
  expect(mutantsOf(text).map(({ line, what }) => [line, what])).toEqual([
    [5, 'if ( → if (false &&'],
    [5, '=== → !=='],
    [5, '&& → ||'],
    [5, '! → '],
    [5, 'true → false'],
    [6, 'h(a); → '],
  ]);
});

describe.skipIf(!LONG)('the tests detect mutations', () => {
  for (const { folder, rounds } of FOLDERS) {
    const files = readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => `${folder}/${name}`)
      .filter((file) => ONLY === undefined || file === ONLY);
    if (files.length === 0) continue;
    test(folder, async () => {
      expect(await passes(rounds)).toBe(true);
      let all = 0;
      const survivors: string[] = [];
      for (const file of files) {
        const text = readFileSync(join(ROOT, file), 'utf8');
        const own = `${folder}/${basename(file, '.ts')}.test.ts`;
        // The file's own test first: it detects most faults.
        const order = (await Bun.file(join(ROOT, own)).exists()) ? [[own], ...rounds] : rounds;
        for (const mutant of mutantsOf(text)) {
          if (isEquivalent(file, text, mutant)) continue;
          all += 1;
          writeFileSync(join(copy, file), mutant.text);
          if (!(await passes(order))) continue;
          survivors.push(`${file}:${mutant.line} ${mutant.what}`);
          console.log(`not detected: ${survivors.at(-1)}`);
        }
        writeFileSync(join(copy, file), text);
      }
      const share = (all - survivors.length) / all;
      console.log(
        `${folder}: ${all - survivors.length} of ${all} faults detected (${(100 * share).toFixed(1)} %)`,
      );
      expect(share).toBeGreaterThanOrEqual(WANTED);
    });
  }
});
