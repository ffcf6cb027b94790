import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFileAtomic } from './files.ts';

test('a file is replaced whole, in folders made as needed, and nothing is left beside it', async () => {
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

test('a failed write leaves the old content', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-files-'));
  try {
    writeFileSync(join(folder, 'plain'), 'old');
    await expect(writeFileAtomic(join(folder, 'plain', 'below'), 'new')).rejects.toThrow();
    expect(readFileSync(join(folder, 'plain'), 'utf8')).toBe('old');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
