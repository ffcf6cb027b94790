/** Arguments of the demo: for help or a misspelt argument nothing is built or started. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { HANG_LIMIT_MS } from '../until.ts';

const DEMO = join(import.meta.dir, '..', '..', 'tools', 'demo.ts');

async function demo(...args: string[]) {
  const child = Bun.spawn([process.execPath, DEMO, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HANG_LIMIT_MS,
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { out, error, code: await child.exited };
}

test('--help names the environment variables', async () => {
  const { out, error, code } = await demo('--help');
  expect({ error, code }).toEqual({ error: '', code: 0 });
  for (const name of ['PORT', 'AGENT_PORT', 'DATA_DIR', 'FAKE_TUNERS', 'TRUSTED_NETWORKS'])
    expect(out).toContain(`  ${name} `);
});

test('an unknown argument is an error that names it', async () => {
  const { out, error, code } = await demo('--port', '8080');
  expect({ out, error, code }).toEqual({
    ...{ out: '', code: 2 },
    error: 'demo: unknown argument: --port 8080 (see --help)\n',
  });
});
