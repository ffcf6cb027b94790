import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderList as listOf } from './folder-list.ts';

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
