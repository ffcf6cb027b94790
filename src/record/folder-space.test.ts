import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monotonicMs } from '../../lib/host/clock.ts';
import { WritableFolders } from './folder-space.ts';

const SPACE = { totalBytes: 2e12, freeBytes: 1e12, device: 1, exists: true };

test('one folder that is there, has space and is a folder suffices; the answer is kept for 5 s', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-writable-'));
  const file = join(folder, 'file');
  writeFileSync(file, '');
  let now = 0;
  const state = { paths: [file, folder], space: SPACE as typeof SPACE | undefined, asked: 0 };
  const folders = new WritableFolders({
    folders: () => state.paths.map((path) => ({ path, floorBytes: 0 })),
    spaces: {
      of: async () => {
        state.asked += 1;
        return state.space;
      },
    },
    clock: () => monotonicMs(now),
  });
  const next = (): Promise<boolean> => {
    now += 6_000;
    return folders.any();
  };
  expect(await next()).toBe(true);
  const { asked } = state;
  state.paths = [file];
  expect([await folders.any(), state.asked]).toEqual([true, asked]);
  // A file is no folder.
  expect(await next()).toBe(false);
  state.paths = [join(folder, 'made', 'later')];
  expect(await next()).toBe(true);
  state.space = { ...SPACE, freeBytes: 0 };
  expect(await next()).toBe(false);
  state.space = undefined;
  expect(await next()).toBe(false);
  state.paths = [];
  expect(await next()).toBe(false);
  rmSync(folder, { recursive: true });
});
