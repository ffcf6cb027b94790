import { expect, test } from 'bun:test';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FolderMounts, parseMounts } from './folder-mounts.ts';

function remembering(points: Set<string> | undefined, files: readonly string[] = []) {
  const remembered = new Map<string, string>();
  const memory = {
    mountOf: (folder: string) => remembered.get(folder),
    rememberMount: (folder: string, mount: string) => void remembered.set(folder, mount),
    filesIn: () => files,
  };
  return { remembered, mounts: new FolderMounts(memory, async () => points) };
}

test('a folder is unavailable when its earlier mount is missing', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mounts-')));
  const disk = join(root, 'disk');
  mkdirSync(join(disk, 'tv'), { recursive: true });
  symlinkSync(join(disk, 'tv'), join(root, 'link'));
  const points = new Set(['/', disk]);
  const { mounts, remembered } = remembering(points);
  const folders = [join(disk, 'tv'), join(disk, 'tv', 'not made yet'), join(root, 'link'), join(root, 'own')];
  expect(await Promise.all(folders.map((one) => mounts.look(one)))).toEqual(Array(4).fill('unknown'));
  for (const folder of folders) await mounts.used(folder);
  expect([...remembered.values()]).toEqual([disk, disk, disk, '/']);
  expect(await Promise.all(folders.map((one) => mounts.look(one)))).toEqual(Array(4).fill('there'));
  points.delete(disk);
  expect(await Promise.all(folders.map((one) => mounts.look(one)))).toEqual([
    ...Array(3).fill('away'),
    'there',
  ]);
  points.add(disk);
  expect(await mounts.isAway(join(disk, 'tv'))).toBe(false);
  rmSync(root, { recursive: true });
});

test('a folder that has most of its files is available, whatever is mounted', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mounts-')));
  const files = ['a', 'b', 'c', 'd'].map((name) => join(root, name));
  const { mounts, remembered } = remembering(new Set(['/']), files);
  remembered.set(root, root);
  expect(await mounts.look(root)).toBe('away');
  writeFileSync(join(root, 'a'), '');
  expect(await mounts.look(root)).toBe('away');
  writeFileSync(join(root, 'b'), '');
  expect(await mounts.look(root)).toBe('there');
  rmSync(root, { recursive: true });
});

test.each([
  ['renamed away', false],
  ['covered by another', true],
])('a folder that was %s is unavailable until it is back', async (_, isCovered) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mounts-')));
  const folder = join(root, 'tv');
  mkdirSync(folder);
  const { mounts, remembered } = remembering(new Set(['/']), [join(folder, 'a'), join(folder, 'b')]);
  remembered.set(folder, '/');
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), '');
  expect(await mounts.look(folder)).toBe('there');
  renameSync(folder, join(root, 'aside'));
  if (isCovered) mkdirSync(folder);
  expect([await mounts.look(folder), await mounts.look(folder)]).toEqual(['away', 'away']);
  if (isCovered) rmSync(folder, { recursive: true });
  renameSync(join(root, 'aside'), folder);
  expect(await mounts.look(folder)).toBe('there');
  // Its files were moved to another disk.
  renameSync(folder, join(root, 'aside'));
  mkdirSync(folder);
  for (const name of ['a', 'b']) writeFileSync(join(folder, name), '');
  expect([await mounts.look(folder), await mounts.look(folder)]).toEqual(['there', 'there']);
  rmSync(root, { recursive: true });
});

test('a folder without files may be replaced', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-mounts-')));
  const folder = join(root, 'tv');
  mkdirSync(folder);
  const { mounts, remembered } = remembering(new Set(['/']), []);
  remembered.set(folder, '/');
  expect(await mounts.look(folder)).toBe('there');
  renameSync(folder, join(root, 'aside'));
  expect(await mounts.look(folder)).toBe('there');
  mkdirSync(folder);
  expect(await mounts.look(folder)).toBe('there');
  rmSync(root, { recursive: true });
});

test('without mount information no folder counts as unavailable', async () => {
  const { mounts, remembered } = remembering(undefined);
  await mounts.used('/mnt/tv');
  expect([remembered.size, await mounts.look('/mnt/tv')]).toEqual([0, 'unknown']);
  remembered.set('/mnt/tv', '/mnt');
  expect(await mounts.look('/mnt/tv')).toBe('there');
});

test('a failing mount memory does not prevent recording', async () => {
  const fail = () => {
    throw new Error('database is locked');
  };
  const mounts = new FolderMounts(
    { mountOf: fail, rememberMount: fail, filesIn: fail },
    async () => new Set(['/']),
  );
  await mounts.used('/');
  expect(await mounts.isAway('/')).toBe(false);
});

test('mount points with spaces are read', () => {
  const text = [
    '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
    '40 22 8:17 / /mnt/my\\040disk\\134a rw - ext4 /dev/sdb1 rw',
    '41 22 0:50 / /mnt/録画 rw - nfs4 nas:/tv rw',
    '',
  ].join('\n');
  expect([...parseMounts(text)]).toEqual(['/', '/mnt/my disk\\a', '/mnt/録画']);
});
