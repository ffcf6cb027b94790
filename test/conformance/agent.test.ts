/** Runs the conformance suite on this project's own agent, as the installed executable. */
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '..', '..');
const SUITE = join(import.meta.dir, 'agent.ts');
const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function ended(command: readonly string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn([process.execPath, ...command], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [text, problems] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code: await child.exited, text: text + problems };
}

test('the executable satisfies every statement of the contract', async () => {
  const executable = join(folder, 'svc-agent');
  // The executable built from these sources, not an older build.
  const words = ['--compile', '--minify', '--bytecode', '--format=esm', `--outfile=${executable}`];
  const built = await ended(['build', ...words, join(ROOT, 'agent', 'main.ts')]);
  expect([built.code, built.text]).toEqual([0, expect.any(String)]);
  const { code, text } = await ended([SUITE, '--start', executable]);
  if (code !== 0) console.log(text);
  expect(text.split('\n').filter((line) => line.startsWith('FAILED'))).toEqual([]);
  expect(code).toBe(0);
});

test('the suite refuses an agent that runs another source, and reports the required one', async () => {
  const words = ['--start', `${process.execPath} ${join(ROOT, 'agent', 'main.ts')}`, '--lanes', '1'];
  const { code, text } = await ended([SUITE, ...words, '--fake-tune', 'false']);
  expect(code).toBe(2);
  expect(text).toContain('source.ts {type} {channel} {tsid}');
});

test('the suite begins with --agent or --start only', async () => {
  expect((await ended([SUITE])).code).toBe(2);
  const help = await ended([SUITE, '--help']);
  expect([help.code, help.text]).toEqual([0, expect.stringContaining('--fake-tune')]);
});
