import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderList } from './folder-list.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'svc-folders-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));

test('lists the folders within a folder by name, without files, links and hidden ones', async () => {
  for (const name of ['録画', 'b', '.hidden']) mkdirSync(join(FOLDER, name));
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
  for (const name of ['etc', 'proc', 'sys', 'dev', 'usr']) expect(names).not.toContain(name);
});

test('a path that is not a readable folder is refused with a reason', async () => {
  const asked = ['relative', '/etc', '/etc/ssl', '/proc/1', join(FOLDER, 'file'), '/tmp\0'];
  const answers = await Promise.all(asked.map((path) => folderList(path).catch((error) => error)));
  expect(answers.map(({ code, message }) => [code, String(message).length > 5])).toEqual(
    asked.map(() => ['bad_request', true]),
  );
  expect(folderList(join(FOLDER, 'nothing'))).rejects.toMatchObject({ code: 'not_found' });
});
