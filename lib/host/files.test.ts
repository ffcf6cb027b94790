import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeLeftovers, writeFileAtomic } from './files.ts';

test('a file is replaced atomically, folders are created as needed, and no temporary file remains', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
  try {
    const path = join(folder, 'a', 'b.json');
    await writeFileAtomic(path, 'one');
    await Promise.all(Array.from({ length: 8 }, (_, index) => writeFileAtomic(path, `write ${index}`)));
    expect(readFileSync(path, 'utf8')).toMatch(/^write \d$/);
    expect(readdirSync(join(folder, 'a'))).toEqual(['b.json']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a failed write keeps the old content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
  try {
    writeFileSync(join(folder, 'plain'), 'old');
    await expect(writeFileAtomic(join(folder, 'plain', 'below'), 'new')).rejects.toThrow();
    expect(readFileSync(join(folder, 'plain'), 'utf8')).toBe('old');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('temporary files of a killed process are removed, and nothing else', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
  try {
    const now = Date.now();
    const old = [
      'a.json.12.3.tmp',
      'a.json',
      'a.json.tmp',
      'a.json.broken',
      'b.json.12.3.tmp',
      'a.json.1.x.tmp',
    ];
    for (const name of [...old, 'a.json.13.1.tmp']) writeFileSync(join(folder, name), '');
    for (const name of old) utimesSync(join(folder, name), now / 1_000 - 60, now / 1_000 - 60);
    utimesSync(join(folder, 'a.json.13.1.tmp'), now / 1_000, now / 1_000);
    await removeLeftovers(join(folder, 'a.json'), now - 30_000);
    expect(readdirSync(folder).sort()).toEqual([...old.slice(1), 'a.json.13.1.tmp'].sort());
    await removeLeftovers(join(folder, 'no', 'such.json'), now);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
