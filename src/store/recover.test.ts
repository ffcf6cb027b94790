import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { broadcastMs } from '../../arib/time.ts';
import { putPrograms, putReservation } from '../../test/service/guide-rows.ts';
import { putRecording } from '../../test/service/recording-rows.ts';
import { openDatabase } from './database.ts';
import { recoverDatabase } from './recover.ts';
import { ReservationStore } from './reservation-store.ts';
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
