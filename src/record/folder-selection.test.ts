import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseFolder, configuredFolders, freeBytes, isFilling } from './folder-selection.ts';

const GB = 1024 ** 3;
const A = { path: '/a', floorBytes: 10 * GB };
const B = { path: '/b', floorBytes: 0 };

test('the first folder above its floor is taken', () => {
  expect(chooseFolder([A, B], [11 * GB, 50 * GB])).toBe(A);
  expect(chooseFolder([A, B], [10 * GB, 50 * GB])).toBe(B);
  expect(chooseFolder([A, B], [undefined, 50 * GB])).toBe(B);
});

test('a folder named twice counts once, in its first position and with its last floor', () => {
  expect(configuredFolders('/a', [])).toEqual([{ path: '/a', floorBytes: 0 }]);
  expect(
    configuredFolders('/a', [B, { path: '/x/../a/', floorBytes: 3 }, { path: '/b/', floorBytes: 4 }]),
  ).toEqual([
    { path: '/a', floorBytes: 3 },
    { path: '/b', floorBytes: 4 },
  ]);
});

test('below all floors the folder with the most free space is taken, a full one never', () => {
  expect(chooseFolder([A, B], [9 * GB, 1024])).toBe(A);
  expect(chooseFolder([A, B], [1024, 1024])).toBeUndefined();
  expect(chooseFolder([], [])).toBeUndefined();
});

test('a recording leaves a folder that reached its floor', () => {
  expect([11 * GB, 10 * GB, undefined].map((free) => isFilling(A, free))).toEqual([false, true, false]);
});

test('free space is that of the nearest existing parent folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-folders-'));
  expect(await freeBytes(join(folder, 'not', 'yet'))).toBeGreaterThan(0);
  rmSync(folder, { recursive: true });
});
