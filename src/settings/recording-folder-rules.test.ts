import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refusedFolder } from './recording-folder-rules.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-folders-'));
  mkdirSync(join(folder, 'data', 'recordings'), { recursive: true });
  mkdirSync(join(folder, 'disk'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('/etc', join(folder, 'link'));
  symlinkSync(join(folder, 'data'), join(folder, 'other-name'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const judge = (path: string) =>
  refusedFolder(path, { dataDir: join(folder, 'data'), recordingsDir: join(folder, 'data', 'recordings') });

test('a writable folder, or one that can be created, may be used', async () => {
  for (const name of ['disk', 'disk/new/deep', 'data/recordings', 'data/recordings/more']) {
    expect([name, await judge(join(folder, name))]).toEqual([name, undefined]);
  }
});

test('system folders and the data folder are refused, under any path', async () => {
  for (const path of [
    '/',
    '/etc',
    '/usr/share/tv',
    '/dev/shm',
    '/var/lib',
    '/var/lib/svc-agent',
    '/var/lib/postgresql/16',
    '/var/backups/tv',
    '/var/www/tv',
    '/home',
    '/proc/self',
    '/run/media',
  ]) {
    expect([path, await judge(path)]).toEqual([path, expect.stringContaining('システムのフォルダー')]);
  }
  expect(await judge(join(folder, 'link', 'tv'))).toContain('システムのフォルダー');
  for (const name of ['data', 'data/db', 'other-name', 'other-name/x', 'data/recordings/..']) {
    expect([name, await judge(`${folder}/${name}`)]).toEqual([name, expect.stringContaining('DATA_DIR')]);
  }
});

test('hidden folders and names of more than one line are refused, also behind a link', async () => {
  mkdirSync(join(folder, 'home', '.ssh'), { recursive: true });
  symlinkSync(join(folder, 'home', '.ssh'), join(folder, 'keys'));
  for (const path of [
    '/root/.ssh',
    '/root/.ssh/tv',
    '/home/tv/.config/x',
    join(folder, 'keys'),
    join(folder, 'home/.ssh'),
  ])
    expect([path, await judge(path)]).toEqual([path, expect.stringContaining('隠しフォルダー')]);
  // A link to what does not exist yet leads there as well.
  symlinkSync('home/.cache', join(folder, 'later'));
  symlinkSync('later', join(folder, 'later-still'));
  symlinkSync('loop', join(folder, 'loop'));
  for (const path of [join(folder, 'later'), join(folder, 'later-still', 'tv')])
    expect([path, await judge(path)]).toEqual([path, expect.stringContaining('隠しフォルダー')]);
  expect(await judge(join(folder, 'loop'))).toContain('ELOOP');
  for (const name of ['two\nlines', 'return\r', 'bell\x07/tv', 'line\u2028separator'])
    expect([name, await judge(join(folder, name))]).toEqual([name, expect.stringContaining('改行')]);
  mkdirSync(join(folder, 'two\nlines'));
  symlinkSync(join(folder, 'two\nlines'), join(folder, 'plain'));
  symlinkSync(join(folder, 'disk'), join(folder, 'link\nto disk'));
  for (const name of ['plain', 'link\nto disk'])
    expect([name, await judge(join(folder, name))]).toEqual([name, expect.stringContaining('改行')]);
  // The folder that the environment names is trusted.
  mkdirSync(join(folder, '.demo', 'recordings'), { recursive: true });
  const rules = { dataDir: join(folder, '.demo'), recordingsDir: join(folder, '.demo', 'recordings') };
  expect(await refusedFolder(rules.recordingsDir, rules)).toBeUndefined();
});

test('a path that is not a folder is refused', async () => {
  expect(await judge(join(folder, 'file'))).toBe('フォルダーではありません');
  expect(await judge(join(folder, 'file', 'below'))).toBe('フォルダーではありません');
});
