import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asFarAsItCan, RecordedFile } from './recorded-file.ts';

const failing = (code: string) => async (): Promise<void> => {
  throw Object.assign(new Error(code), { code });
};

test('a file system that syncs no folders is written to all the same; a disk that fails is not', async () => {
  for (const code of ['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR'])
    await asFarAsItCan(failing(code));
  for (const code of ['EIO', 'ENOSPC', 'EROFS', 'EDQUOT'])
    await expect(asFarAsItCan(failing(code))).rejects.toThrow(code);
});

test('a file is made with the folders above it, and never in the place of another', async () => {
  const root = mkdtempSync(join(tmpdir(), 'svc-recorded-'));
  try {
    const path = join(root, 'new', 'deep', 'one.ts');
    const file = await RecordedFile.open({ path, mode: 'create' }, undefined);
    await file.append(new Uint8Array(188));
    await file.sync();
    await file.close();
    expect(existsSync(path)).toBe(true);
    writeFileSync(path, 'not to be lost');
    await expect(RecordedFile.open({ path, mode: 'create' }, undefined)).rejects.toThrow('EEXIST');
    expect(await Bun.file(path).text()).toBe('not to be lost');
  } finally {
    rmSync(root, { recursive: true });
  }
});
