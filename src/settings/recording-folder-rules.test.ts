import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderList as listOf, refusedFolder } from './recording-folder-rules.ts';

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
  expect(await judge(join(folder, 'loop'))).toContain('リンクが循環しています');
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

describe('folder list', () => {
  const FOLDER = mkdtempSync(join(tmpdir(), 'svc-folders-'));
  afterAll(() => rmSync(FOLDER, { recursive: true }));
  const RULES = { dataDir: join(FOLDER, 'data'), recordingsDir: join(FOLDER, 'data', 'recordings') };
  const folderList = (path: string) => listOf(path, RULES);

  test('lists the folders within a folder by name, without files, links and hidden ones', async () => {
    for (const name of ['録画', 'b', '.hidden', 'two\nlines', 'bell\x07']) mkdirSync(join(FOLDER, name));
    writeFileSync(join(FOLDER, 'file'), '');
    symlinkSync('/etc', join(FOLDER, 'link'));
    expect(await folderList(`${FOLDER}/b/..`)).toEqual({
      path: FOLDER,
      parent: tmpdir(),
      folders: [
        { name: 'b', path: join(FOLDER, 'b') },
        { name: '録画', path: join(FOLDER, '録画') },
      ],
      more: false,
    });
  });

  test('system folders are not listed', async () => {
    const { parent, folders } = await folderList('/');
    expect(parent).toBeNull();
    const names = folders.map(({ name }) => name);
    expect(names).toContain('tmp');
    for (const name of ['etc', 'proc', 'sys', 'dev', 'usr', 'lib']) expect(names).not.toContain(name);
  });

  test('a path that is not a readable folder is refused with a reason', async () => {
    const asked = ['relative', '/etc', '/etc/ssl', '/proc/1', join(FOLDER, 'file'), '/tmp\0'];
    const answers = await Promise.all(asked.map((path) => folderList(path).catch((error) => error)));
    expect(answers.map(({ code, message }) => [code, String(message).length > 5])).toEqual(
      asked.map(() => ['bad_request', true]),
    );
    const { folders: running } = await folderList('/run');
    expect(running.filter(({ name }) => name !== 'media')).toEqual([]);
    expect((await folderList('/var')).folders.map(({ name }) => name)).not.toContain('lib');
    await expect(folderList(join(FOLDER, 'nothing'))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a link is judged and answered by where it leads', async () => {
    symlinkSync(join(FOLDER, '録画'), join(FOLDER, 'other-name'));
    mkdirSync(join(FOLDER, '録画', 'アニメ'));
    expect(await folderList(join(FOLDER, 'other-name'))).toMatchObject({
      path: join(FOLDER, '録画'),
      parent: FOLDER,
      folders: [{ path: join(FOLDER, '録画', 'アニメ') }],
    });
    mkdirSync(join(FOLDER, '.ssh'));
    symlinkSync(join(FOLDER, '.ssh'), join(FOLDER, 'keys'));
    symlinkSync('/var/lib', join(FOLDER, 'state'));
    symlinkSync('/', join(FOLDER, 'root'));
    for (const name of [
      'link',
      'link/ssl',
      'keys',
      'state',
      'state/svc-agent',
      'root/etc',
      'root/proc/self',
      '.ssh',
      'two\nlines',
    ])
      await expect(folderList(join(FOLDER, name))).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('the first recording folder may be anywhere, what is beside it in the data folder is not listed', async () => {
    mkdirSync(join(RULES.recordingsDir, '2026'), { recursive: true });
    expect((await folderList(RULES.recordingsDir)).folders.map(({ name }) => name)).toEqual(['2026']);
    await expect(folderList(RULES.dataDir)).rejects.toMatchObject({ code: 'bad_request' });
  });
});
