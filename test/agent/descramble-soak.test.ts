/** `--long`: eight scrambled tunings through a real agent and the real card daemon for two minutes, every packet compared. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { cardRigMissing } from './card-rig.ts';

const SECONDS = 120;
const BENCH = join(import.meta.dir, '..', '..', 'bench', 'descramble.ts');
const isSkipped = process.env.SVC_LONG !== '1' || cardRigMissing() !== undefined;

test.skipIf(isSkipped)(
  'eight descrambled tunings lose nothing',
  async () => {
    const child = Bun.spawn([process.execPath, BENCH, String(SECONDS)], {
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    });
    const text = await new Response(child.stdout).text();
    await child.exited;
    // Figures of the processor are the benchmark's own matter: a test may run beside others.
    expect(text).toMatch(/^packets lost or different +0\.0 /m);
    expect(text).toMatch(/^streams that ended +0\.0 /m);
    expect(text).toMatch(/^ECMs failed +0\.0 /m);
  },
  (SECONDS + 120) * 1_000,
);
