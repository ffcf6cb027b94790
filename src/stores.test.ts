import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEPS } from './store/schema-by-steps.ts';
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

/** Of its own, with a large database of an earlier version. */
function onSmallDisk(act: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stores-disk-'));
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=40m', 'svc-stores-disk', folder]);
  try {
    if (mounted.exitCode !== 0) {
      console.warn(`a small disk is not tested, mounting is not allowed: ${mounted.stderr}`);
      return;
    }
    const database = new Database(join(folder, 'svc.db'), { create: true });
    for (const sql of STEPS.slice(0, 5)) database.run(sql);
    database.run('PRAGMA user_version = 5');
    database.run(
      `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
       VALUES (101, 'BS', 4, 101, 'BS01_0', '局', 1, 1, 0)`,
    );
    database.run(
      `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
         is_free, copy_never, updated_at)
       WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
       SELECT 10100000 + i, 101, i, i, i + 1, 0, '番組', hex(randomblob(500)), '[]', '[]', 1, 0, 0 FROM n`,
    );
    database.close();
    act(folder);
  } finally {
    if (mounted.exitCode === 0) Bun.spawnSync(['umount', folder]);
    rmSync(folder, { recursive: true });
  }
}

const canMount = process.getuid?.() === 0;

test.skipIf(!canMount)(
  'to convert a database on a full disk the reserved space is used, if that is enough',
  () => {
    onSmallDisk((folder) => {
      const { bavail, bsize } = statfsSync(folder);
      const filling = Buffer.alloc(bavail * bsize - 4_000_000);
      const [recording, room] = [join(folder, 'recording'), join(folder, 'svc.db-room')];
      writeFileSync(recording, filling);
      expect(() => openStores(folder)).toThrow(/make room on the disk of DATA_DIR: \d+ MB free are enough/);
      renameSync(recording, room);
      const stores = openStores(folder);
      expect(existsSync(room)).toBe(false);
      expect(stores.database.query('SELECT count(*) AS n FROM programs').get()).toEqual({ n: 5000 });
      stores.close();
    });
  },
);
