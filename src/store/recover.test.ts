import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../lib/arib/time.ts';
import { putPrograms, putReservation } from '../../test/service/guide-rows.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { migrate, openDatabase } from './database.ts';
import { recordingCount } from './recording-sums.ts';
import { recoverDatabase } from './recover.ts';
import { ReservationStore } from './reservation-store.ts';
import { STEPS } from './schema-by-steps.ts';
import { SearchStore } from './search-store.ts';

const PAGE = 4096;
const STATION = 400_101;
const NOW = broadcastMs(1_800_000_000_000);
const PROGRAMS = 600;

let folder: string;
let path: string;
let aside: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-recover-'));
  path = join(folder, 'svc.db');
  aside = `${path}-damaged`;
  const database = openDatabase(path);
  database.run(
    `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, hidden, seen_at)
     VALUES (${STATION}, 'BS', 4, 101, 'BS01_0', '局', 1, 1, 0, 0)`,
  );
  const programs = Array.from({ length: PROGRAMS }, (_, index) => ({
    ...{ station: STATION, event: index + 1, name: `番組${index}`, description: '海'.repeat(60) },
    ...{ startAt: NOW + index * 1000, endAt: NOW + (index + 1) * 1000 },
  }));
  putPrograms(database, programs);
  for (const program of programs.slice(0, 20)) {
    putReservation(database, { ...program, state: 'scheduled' });
    const row = { station: STATION, serviceName: '局', name: program.name, content: null };
    putRecording(database, { ...row, startAt: program.startAt, endAt: program.endAt }, null);
  }
  database.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function ruin(page: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0x55, (page - 1) * PAGE, page * PAGE));
}

function pageOf(sql: string): number {
  const database = openDatabase(path);
  const page = database.query<{ page: number }, []>(sql).get()?.page ?? 0;
  database.close();
  return page;
}

const LEAF = `SELECT pageno AS page FROM dbstat WHERE name = 'programs' AND pagetype = 'leaf' LIMIT 1 OFFSET 9`;
const root = (table: string): string => `SELECT rootpage AS page FROM sqlite_schema WHERE name = '${table}'`;

test('a damaged page loses only its rows, and everything else is unchanged', async () => {
  ruin(pageOf(LEAF));
  const { tables } = recoverDatabase(path, aside);
  expect(tables.filter(({ isDamaged }) => isDamaged).map(({ table }) => table)).toEqual(['programs']);
  expect(existsSync(aside)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('recovered'))).toEqual([]);
  const database = openDatabase(path);
  const count = database.query<{ n: number }, []>('SELECT count(*) AS n FROM programs').get()?.n ?? 0;
  expect(count).toBeLessThan(PROGRAMS);
  expect(count).toBeGreaterThan(PROGRAMS - 30);
  expect(new ReservationStore(database).all()).toHaveLength(20);
  expect(recordingCount(database)).toBe(20);
  expect((await new SearchStore(database).programs(['番組599'], 5, NOW)).rows).toHaveLength(1);
  expect((await new SearchStore(database).recordings(['番組3'], 5)).rows).toHaveLength(1);
  expect(database.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  database.close();
});

test('data of a lost station and a lost rule stays', () => {
  const before = openDatabase(path);
  before.run(
    `INSERT INTO rules (id, name, enabled, priority, dedupe, conditions, created_at, updated_at)
     VALUES (7, '規則', 1, 1, 0, '{}', 0, 0)`,
  );
  before.run('UPDATE reservations SET rule_id = 7');
  before.close();
  const pages = ['rules', 'stations'].map((table) => pageOf(root(table)));
  for (const page of pages) ruin(page);
  recoverDatabase(path, aside);
  const database = openDatabase(path);
  const all = new ReservationStore(database).all();
  expect(all).toHaveLength(20);
  expect(all[0]).toMatchObject({ ruleId: null, stationId: STATION });
  const station = database.query('SELECT type, network_id, service_id, hidden FROM stations').get();
  expect(station).toEqual({ type: 'BS', network_id: 4, service_id: 101, hidden: 1 });
  database.close();
});

test('nothing is told anew, and deliveries of a lost notice go', () => {
  const database = openDatabase(path);
  database.run(
    `INSERT INTO access_tokens (hash, name, paired_at, approver) VALUES ('a', '居間', 1, ''), ('b', '寝室', 2, '')`,
  );
  database.run(`DELETE FROM notices WHERE subject = '1'`);
  database.run(
    `INSERT INTO notice_targets (kind, name, url, events, digest, enabled, base)
     VALUES ('webhook', '', 'https://hook.example/', '[]', 0, 1, '')`,
  );
  database.run('INSERT INTO notice_deliveries (target_id, notice_id, due_at) SELECT 1, id, 0 FROM notices');
  database.run('UPDATE notices SET queued = 1');
  database.close();
  const left = (): unknown[] => {
    const recovered = openDatabase(path);
    const [notices, deliveries] = [
      recovered.query('SELECT key, queued FROM notices').all(),
      recovered.query('SELECT notice_id FROM notice_deliveries').all(),
    ];
    recovered.close();
    return [notices, deliveries];
  };
  recoverDatabase(path, aside);
  expect(left()).toEqual([[{ key: 'paired:device:2', queued: 1 }], [{ notice_id: 2 }]]);
  ruin(pageOf(root('notices')));
  recoverDatabase(path, `${aside}-2`);
  expect(left()).toEqual([[], []]);
});

test('a file that cannot be read at all is not changed', () => {
  writeFileSync(path, 'no database '.repeat(1000));
  const before = readFileSync(path);
  expect(() => recoverDatabase(path, aside)).toThrow();
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(folder).filter((name) => !name.startsWith('svc.db'))).toEqual([]);
  expect(existsSync(aside)).toBe(false);
});

test('if the schema is lost, the known one is used', () => {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0, 0, PAGE));
  const { tables } = recoverDatabase(path, aside);
  expect(tables.find(({ table }) => table === 'programs')?.rows).toBe(PROGRAMS);
  const database = openDatabase(path);
  expect(new ReservationStore(database).all()).toHaveLength(20);
  database.close();
});

test('a file without readable content is not changed', () => {
  const bytes = Buffer.alloc(40 * PAGE, 0x55);
  writeFileSync(path, bytes);
  expect(() => recoverDatabase(path, aside)).toThrow();
  expect(readFileSync(path).equals(bytes)).toBe(true);
  expect(readdirSync(folder)).toEqual(['svc.db']);
});

test('nor of a database without a row', () => {
  const empty = join(folder, 'empty.db');
  openDatabase(empty).close();
  const before = readFileSync(empty);
  expect(() => recoverDatabase(empty, aside)).toThrow('no row');
  expect(readFileSync(empty).equals(before)).toBe(true);
  expect(existsSync(aside)).toBe(false);
});

function removeFile(): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
}

function madeAt(changes: readonly string[]): Database {
  removeFile();
  const database = new Database(path, { create: true, strict: true });
  database.run('PRAGMA journal_mode = WAL');
  migrate(database, path, changes);
  return database;
}

/** By the steps up to that version. */
function madeBySteps(version: number): Database {
  removeFile();
  const database = new Database(path, { create: true, strict: true });
  database.run('PRAGMA journal_mode = WAL');
  for (const [index, sql] of STEPS.slice(0, version).entries()) {
    database
      .transaction(() => {
        database.run(sql);
        database.run(`PRAGMA user_version = ${index + 1}`);
      })
      .immediate();
  }
  return database;
}

const HOUSEHOLD = ['stations', 'programs', 'rules', 'recordings', 'recording_files'];

function fill(database: Database): void {
  database.transaction(() => {
    for (let n = 1; n <= 80; n++) {
      const station = STATION + n;
      database.run(
        `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
         VALUES (?, 'BS', 4, ?, 'BS01_0', '局', 1, 1, 0)`,
        [station, 101 + n],
      );
      database.run(
        `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
           is_free, copy_never, updated_at) VALUES (?, ?, ?, ?, ?, 0, ?, ?, '[]', '[]', 1, 0, 0)`,
        [station * 100_000 + n, station, n, NOW, NOW + n, `番組${n}`, '海'.repeat(200)],
      );
      database.run(
        `INSERT INTO rules (id, name, conditions, created_at, updated_at) VALUES (?, ?, '{"keyword":"海"}', 0, 0)`,
        [n, `規則${n}`],
      );
      database.run(
        `INSERT INTO recordings (id, station_id, service_name, state, name, description, start_at, end_at, created_at,
           updated_at) VALUES (?, ?, '局', 'recorded', ?, '', ?, ?, 0, 0)`,
        [n, station, `録画${n}`, NOW, NOW + n],
      );
      database.run(
        `INSERT INTO recording_files (recording_id, source, path, codec, bytes, created_at)
         VALUES (?, 'ts', ?, 'mpeg2', 5, 0)`,
        [n, `/tv/${n}.ts`],
      );
    }
  })();
}

function contentOf(database: Database, tables: readonly string[]): unknown[] {
  return tables.map((table) => database.query(`SELECT * FROM "${table}" ORDER BY 1`).all());
}

const CREATIONS: readonly [name: string, create: () => Database, isFilledBefore?: boolean][] = [
  [
    'new',
    () => {
      removeFile();
      return openDatabase(path);
    },
  ],
  ['made by the steps', () => madeBySteps(STEPS.length)],
  ['made by the steps and filled before later changes', () => madeBySteps(STEPS.length), true],
  ['new and filled before later changes', () => madeAt([]), true],
];
for (const [name, create, isFilledBefore = false] of CREATIONS) {
  test(`without its first page a database that was ${name} keeps all rows, in their tables`, () => {
    const before = create();
    if (isFilledBefore) fill(before);
    migrate(before, path);
    if (!isFilledBefore) fill(before);
    const rows = contentOf(before, HOUSEHOLD);
    before.run('PRAGMA wal_checkpoint(TRUNCATE)');
    before.close();
    ruin(1);
    const { tables } = recoverDatabase(path, aside);
    const counts = tables.filter((table) => table.rows > 0).map((table) => [table.table, table.rows]);
    expect(counts.toSorted()).toEqual(HOUSEHOLD.map((table) => [table, 80]).toSorted());
    const after = openDatabase(path);
    expect(contentOf(after, HOUSEHOLD)).toEqual(rows);
    expect(after.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    after.close();
    expect(readdirSync(folder).filter((file) => /recovered|known/.test(file))).toEqual([]);
  });
}

/** SQLite file format, 2.1: 13 and 12 more than twice the length stand for a text and a blob. */
function makeBlob(rule: string): void {
  const bytes = readFileSync(path);
  const serialType = 13 + 2 * Buffer.byteLength(rule);
  // The name follows the id, which is no part of the record.
  const header = bytes.lastIndexOf(Buffer.of(0, serialType), bytes.indexOf(rule));
  bytes[header + 1] = serialType - 1;
  writeFileSync(path, bytes);
}

test('what can be read of a damaged database of an earlier version is recovered and migrated', () => {
  const before = madeBySteps(50);
  fill(before);
  before.run(
    `INSERT INTO notice_targets (kind, name, url, events, digest, enabled, base)
     VALUES ('webhook', '', 'https://hook.example/', '["disk_low"]', 0, 1, '')`,
  );
  before.close();
  makeBlob('規則77');
  const probe = new Database(path);
  const { page } = probe.query<{ page: number }, []>(LEAF).get() ?? { page: 0 };
  probe.close();
  ruin(page);
  const { tables } = recoverDatabase(path, aside);
  const damaged = tables.filter(({ isDamaged }) => isDamaged).map(({ table }) => table);
  expect(damaged.toSorted()).toEqual(['programs', 'rules']);
  const after = openDatabase(path);
  const count = (table: string) =>
    after.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0;
  expect(['stations', 'rules', 'recordings', 'recording_files'].map(count)).toEqual([80, 79, 80, 80]);
  expect(recordingCount(after)).toBe(80);
  expect(count('programs')).toBeWithin(1, 80);
  expect(after.query('SELECT events FROM notice_targets').get()).toEqual({
    events: '["disk_low","database_trouble"]',
  });
  after.close();
});

for (const version of [1, 10, 11, 22, 34, 49, 51]) {
  test(`rows of version ${version} are recovered`, () => {
    const before = madeBySteps(version);
    before.run(
      `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
       VALUES (101, 'BS', 4, 101, 'BS01_0', '局', 1, 1, 0)`,
    );
    before.run(
      `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
         is_free, copy_never, updated_at) VALUES (10100007, 101, 7, 1, 2, 0, '番組', '', '[]', '[]', 1, 0, 0)`,
    );
    before.close();
    const { tables } = recoverDatabase(path, aside);
    expect(tables.filter(({ isDamaged }) => isDamaged)).toEqual([]);
    const after = openDatabase(path);
    expect(after.query('SELECT id, name FROM programs').all()).toEqual([{ id: 10100007, name: '番組' }]);
    expect(after.query('SELECT id, hidden FROM stations').all()).toEqual([{ id: 101, hidden: 0 }]);
    after.close();
  });
}

test('a database of a later version is refused', () => {
  const database = openDatabase(path);
  database.run('PRAGMA user_version = 99999');
  database.close();
  expect(() => recoverDatabase(path, aside)).toThrow('99999');
  expect(existsSync(aside)).toBe(false);
});
