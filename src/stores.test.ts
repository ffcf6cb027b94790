import { expect, test } from 'bun:test';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores } from './stores.ts';

test("a new database and its WAL are readable by the service's user only", () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stores-'));
  const before = process.umask(0o022);
  try {
    const stores = openStores(folder);
    const files = readdirSync(folder).filter((name) => /^svc\.db(-wal|-shm)?$/.test(name));
    expect(files).toContain('svc.db-wal');
    for (const name of files) {
      expect([name, (statSync(join(folder, name)).mode & 0o777).toString(8)]).toEqual([name, '600']);
    }
    expect(stores.isNew).toBe(true);
    stores.close();
    const again = openStores(folder);
    expect(again.isNew).toBe(false);
    again.close();
  } finally {
    process.umask(before);
    rmSync(folder, { recursive: true });
  }
});
