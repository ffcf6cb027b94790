import { expect, test } from 'bun:test';
import { broadcastMs } from '../../lib/arib/time.ts';
import { wallMs } from '../../lib/host/clock.ts';
import { createLog } from '../../lib/host/log.ts';
import { type Shortage, SpaceWatch } from './space-shortage.ts';

test('a shortage is logged and published once when it begins and once when it ends', async () => {
  const lines: string[] = [];
  const published: string[] = [];
  let shortage: Shortage | null = null;
  const watch = new SpaceWatch({
    shortage: async () => shortage,
    hub: { changed: (name) => published.push(name) },
    log: createLog({ level: 'info', now: () => wallMs(0), write: (line) => lines.push(line) }),
  });
  await watch.check();
  expect(lines).toEqual([]);
  shortage = { leftMs: 1_800_000, fullAt: null };
  await watch.check();
  shortage = { leftMs: 1_700_000, fullAt: broadcastMs(5) };
  await watch.check();
  expect(lines.map((line) => /WARN.*little space.*leftMs=1800000/.test(line))).toEqual([true]);
  expect(published).toEqual(['recordings']);
  shortage = null;
  await watch.check();
  expect(lines).toHaveLength(2);
  expect(published).toHaveLength(2);
});
