import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BroadcastType,
  eventId,
  networkId,
  programId,
  type StationId,
  serviceId,
  stationId,
} from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { StationRecord } from '../model/station.ts';
import { migrate, openDatabase, SchemaTooNew } from './database.ts';
import { FIRST_VERSION, SCHEMA_VERSION } from './migrations.ts';
import { recordingCount } from './recording-sums.ts';
import { BroadcasterStore, StationStore } from './station-store.ts';

let folder: string;
let database: Database;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-store-'));
  database = openDatabase(join(folder, 'deep', 'svc.db'));
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function station(network: number, service: number, type: BroadcastType, key: number): StationRecord {
  return {
    id: stationId(networkId(network), serviceId(service)),
    type,
    networkId: networkId(network),
    serviceId: serviceId(service),
    transportStreamId: null,
    channel: 'T27',
    name: `局${service}`,
    serviceType: 1,
    remoteControlKey: key,
  };
}

function addProgram(on: StationId, event: number, startAt: number, endAt: number): void {
  database
    .query(
      `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, genres, audios,
         is_free, copy_never, updated_at) VALUES (?, ?, ?, ?, ?, 0, '番組', '', '[]', '[]', 1, 0, 0)`,
    )
    .run(programId(on, eventId(event)), on, event, startAt, endAt);
}

function put(store: StationStore, stations: StationRecord[]): void {
  store.apply({ put: stations, hide: [], retype: [] }, broadcastMs(10));
}

describe('openDatabase', () => {
  test('creates the folder, uses WAL and applies every migration', () => {
    expect(database.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.query('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION });
  });

  test('opening again changes nothing', () => {
    const path = join(folder, 'deep', 'svc.db');
    put(new StationStore(database), [station(0x7fe8, 1024, 'GR', 1)]);
    const again = openDatabase(path);
    expect(new StationStore(again).listed()).toHaveLength(1);
    again.close();
  });

  test('a database of a newer version is refused with both version numbers and not changed', () => {
    const path = join(folder, 'newer.db');
    const newer = new Database(path);
    newer.run('PRAGMA user_version = 9999');
    newer.close();
    expect(() => openDatabase(path)).toThrow(SchemaTooNew);
    expect(() => openDatabase(path)).toThrow(/schema 9999/);
    const after = new Database(path);
    expect(after.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'delete' });
    after.close();
  });

  test('a migration that fails leaves the schema as it was', () => {
    const memory = new Database(':memory:');
    const broken = ['CREATE TABLE a (x)', 'CREATE TABLE b (x); CREATE TABLE a (x)'];
    expect(() => migrate(memory, ':memory:', broken)).toThrow();
    expect(memory.query('PRAGMA user_version').get()).toEqual({ user_version: FIRST_VERSION + 1 });
    expect(memory.query("SELECT name FROM sqlite_master WHERE name = 'b'").get()).toBeNull();
    memory.close();
  });

  test('a file that is not a database is an error, not a new database', () => {
    const path = join(folder, 'text.db');
    writeFileSync(path, 'this is no database, but a text that is long enough to have a header'.repeat(20));
    expect(() => openDatabase(path)).toThrow();
  });
});

describe('StationStore', () => {
  test('lists GR, BS, CS, each by remote-control number, ties by service id', () => {
    const store = new StationStore(database);
    put(store, [
      station(6, 55, 'CS', 55),
      station(4, 101, 'BS', 101),
      station(0x7fe9, 2048, 'GR', 3),
      station(0x7fe8, 1025, 'GR', 1),
      station(0x7fe8, 1024, 'GR', 1),
    ]);
    expect(store.listed().map((row) => row.serviceId as number)).toEqual([1024, 1025, 2048, 101, 55]);
  });

  test('a hidden station is kept, and is listed again with its new data', () => {
    const store = new StationStore(database);
    const [one, two] = [station(0x7fe8, 1024, 'GR', 1), station(0x7fe9, 2048, 'GR', 2)];
    put(store, [one, two]);
    store.apply({ put: [], hide: [two.id], retype: [{ id: one.id, serviceType: 0xc0 }] }, broadcastMs(20));
    expect(store.listed()).toEqual([]);
    expect(store.known()).toEqual([
      { ...one, serviceType: 0xc0, hidden: true, forgotten: false },
      { ...two, hidden: true, forgotten: false },
    ]);
    put(store, [{ ...two, name: '新しい名前' }]);
    expect(store.listed().map((row) => row.name)).toEqual(['新しい名前']);
  });

  test('deleting a station removes its guide and future bookings; the row stays for recordings', () => {
    const store = new StationStore(database);
    const [gone, other] = [station(0x7fe8, 1024, 'GR', 1), station(0x7fe9, 2048, 'GR', 2)];
    put(store, [gone, other]);
    for (const { id } of [gone, other]) {
      addProgram(id, 1, 0, 500);
      addProgram(id, 2, 500, 900);
    }
    const book = (id: number, on: StationRecord, state: string, start: number) =>
      database
        .query(
          `INSERT INTO reservations (id, program_id, station_id, state, priority, name, description, start_at,
             end_at, created_at, updated_at) VALUES (?, ?, ?, ?, 2, '番組', '', ?, ?, 0, 0)`,
        )
        .run(id, id, on.id, state, start, start + 100);
    book(1, gone, 'scheduled', 500);
    book(2, gone, 'conflict', 600);
    book(3, gone, 'recording', 100);
    book(4, gone, 'finished', 0);
    book(5, gone, 'scheduled', 200);
    book(6, other, 'scheduled', 500);
    expect(store.forgetStation(gone.id, broadcastMs(300))).toEqual({ programs: 2, reservations: 2 });
    const states = database.query('SELECT id, state FROM reservations ORDER BY id').values();
    expect(states).toEqual([
      [1, 'cancelled'],
      [2, 'cancelled'],
      [3, 'recording'],
      [4, 'finished'],
      [5, 'scheduled'],
      [6, 'scheduled'],
    ]);
    expect(database.query('SELECT count(*) AS n FROM programs').get()).toEqual({ n: 2 });
    expect(store.known()[0]).toEqual({ ...gone, hidden: true, forgotten: true });
    put(store, [gone]);
    expect(store.known()[0]).toEqual({ ...gone, hidden: false, forgotten: false });
  });

  test('only hidden stations to which nothing refers are deleted', () => {
    const store = new StationStore(database);
    const all = [1, 2, 3, 4, 5].map((id) => station(0x7fe8, id, 'GR', id));
    const [free, booked, listed, wanted, aired] = all;
    if (!free || !booked || !listed || !wanted || !aired) throw new Error('no station');
    put(store, all);
    store.apply(
      { put: [], hide: all.filter((one) => one !== listed).map(({ id }) => id), retype: [] },
      broadcastMs(1),
    );
    database
      .query(
        `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
           created_at, updated_at) VALUES (1, ?, 'finished', 2, '', '', 0, 1, 0, 0)`,
      )
      .run(booked.id);
    database
      .query("INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('', ?, 0, 0)")
      .run(JSON.stringify({ stationIds: [wanted.id] }));
    addProgram(aired.id, 1, 0, 500);
    expect(store.deleteUnreferenced(all.map(({ id }) => id))).toEqual([free.id]);
    expect(store.known()).toHaveLength(4);
  });
});

test('the current recordings are counted, without deleted ones', () => {
  const store = new StationStore(database);
  store.apply({ put: [station(0x7fe8, 1024, 'GR', 1)], hide: [], retype: [] }, broadcastMs(0));
  expect(recordingCount(database)).toBe(0);
  const [home] = store.known();
  for (const start of [1, 2, 3]) {
    database.run(
      `INSERT INTO recordings (station_id, service_name, state, name, description, start_at, end_at, created_at,
         updated_at) VALUES (?, '', 'recorded', '', '', ?, ?, 0, 0)`,
      [home?.id ?? 0, start, start + 1],
    );
  }
  expect(recordingCount(database)).toBe(3);
  database.run('UPDATE recordings SET binned_at = 1 WHERE start_at = 1');
  database.run('UPDATE recordings SET deleted_at = 1 WHERE start_at = 2');
  expect(recordingCount(database)).toBe(1);
});

test('a broadcaster is found as it was last learnt', () => {
  const store = new BroadcasterStore(database);
  const home = stationId(networkId(0x7fe0), serviceId(1024));
  expect(store.find(home)).toBeUndefined();
  const first = {
    networkId: networkId(0x7fe0),
    broadcasterId: 255,
    terrestrialBroadcasterId: 9,
    affiliations: [6, 255],
  };
  store.learn(home, first);
  expect(store.find(home)).toEqual(first);
  const satellite = { ...first, terrestrialBroadcasterId: null, affiliations: [] };
  store.learn(home, satellite);
  expect(store.find(home)).toEqual(satellite);
});
