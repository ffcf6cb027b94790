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
} from '../../arib/ids.ts';
import { epochMs } from '../../arib/time.ts';
import type { ProgramRecord } from '../model/program.ts';
import type { StationRecord } from '../model/station.ts';
import { migrate, openDatabase, SchemaTooNew } from './database.ts';
import { MIGRATIONS } from './migrations.ts';
import { ProgramStore } from './programs.ts';
import { StationStore } from './stations.ts';

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

function program(on: StationId, event: number, startAt: number, endAt: number): ProgramRecord {
  return {
    id: programId(on, eventId(event)),
    stationId: on,
    eventId: eventId(event),
    startAt: epochMs(startAt),
    endAt: epochMs(endAt),
    openEnd: false,
    name: `番組${event}`,
    description: '',
    extended: null,
    genres: [{ lv1: 0, lv2: 1 }],
    audios: [{ componentTag: 16, componentType: 3, main: true, languages: ['jpn'], text: '' }],
    videoType: 'mpeg2',
    videoResolution: '1080i',
    isFree: true,
    copyNever: false,
    groups: [],
    series: null,
  };
}

function put(store: StationStore, stations: StationRecord[]): void {
  store.apply({ put: stations, hide: [], retype: [] }, 10);
}

describe('openDatabase', () => {
  test('creates the folder, uses WAL and applies every migration', () => {
    expect(database.query('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(database.query('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length });
  });

  test('opening again changes nothing', () => {
    const path = join(folder, 'deep', 'svc.db');
    put(new StationStore(database), [station(0x7fe8, 1024, 'GR', 1)]);
    const again = openDatabase(path);
    expect(new StationStore(again).listed()).toHaveLength(1);
    again.close();
  });

  test('a database of a newer version is refused with its numbers and left alone', () => {
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
    expect(memory.query('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    expect(memory.query("SELECT name FROM sqlite_master WHERE name = 'b'").get()).toBeNull();
    memory.close();
  });

  test('a file that is no database is an error, not a new database', () => {
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

  test('a hidden station is kept, and comes back as it is then', () => {
    const store = new StationStore(database);
    const [one, two] = [station(0x7fe8, 1024, 'GR', 1), station(0x7fe9, 2048, 'GR', 2)];
    put(store, [one, two]);
    store.apply({ put: [], hide: [two.id], retype: [{ id: one.id, serviceType: 0xc0 }] }, 20);
    expect(store.listed()).toEqual([]);
    expect(store.known()).toEqual([
      { ...one, serviceType: 0xc0, hidden: true, forgotten: false },
      { ...two, hidden: true, forgotten: false },
    ]);
    put(store, [{ ...two, name: '新しい名前' }]);
    expect(store.listed().map((row) => row.name)).toEqual(['新しい名前']);
  });

  test('forgetting takes the guide and the bookings that have not begun; the row stays for recordings', () => {
    const store = new StationStore(database);
    const [gone, other] = [station(0x7fe8, 1024, 'GR', 1), station(0x7fe9, 2048, 'GR', 2)];
    put(store, [gone, other]);
    new ProgramStore(database).putNowAndNext(
      [gone, other].map((one) => ({
        stationId: one.id,
        present: program(one.id, 1, 0, 500),
        following: program(one.id, 2, 500, 900),
      })),
      1,
    );
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
    expect(store.forgetStation(gone.id, 300)).toEqual({ programs: 2, reservations: 2 });
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
    store.apply({ put: [], hide: all.filter((one) => one !== listed).map(({ id }) => id), retype: [] }, 1);
    database
      .query(
        `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
           created_at, updated_at) VALUES (1, ?, 'finished', 2, '', '', 0, 1, 0, 0)`,
      )
      .run(booked.id);
    database
      .query("INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('', ?, 0, 0)")
      .run(JSON.stringify({ stationIds: [wanted.id] }));
    new ProgramStore(database).putNowAndNext(
      [{ stationId: aired.id, present: program(aired.id, 1, 0, 500), following: null }],
      1,
    );
    expect(store.deleteUnreferenced(all.map(({ id }) => id))).toEqual([free.id]);
    expect(store.known()).toHaveLength(4);
  });
});

describe('ProgramStore', () => {
  const home = station(0x7fe8, 1024, 'GR', 1);
  let store: ProgramStore;

  beforeEach(() => {
    put(new StationStore(database), [home]);
    store = new ProgramStore(database);
  });

  test('a stored programme comes back as it was', () => {
    const stored = { ...program(home.id, 7, 1000, 2000), extended: { 出演者: '誰か' }, copyNever: true };
    store.putNowAndNext([{ stationId: home.id, present: stored, following: null }], 1);
    expect(store.ofStation(home.id, 0)).toEqual([stored]);
  });

  test('airing is the programme whose span holds the moment, end exclusive', () => {
    const present = program(home.id, 1, 1000, 2000);
    const following = program(home.id, 2, 2000, 3000);
    store.putNowAndNext([{ stationId: home.id, present, following }], 1);
    expect(store.airingOn(home.id, 999)).toBeUndefined();
    expect(store.airingOn(home.id, 1999)?.eventId).toBe(eventId(1));
    expect(store.airingOn(home.id, 2000)?.eventId).toBe(eventId(2));
    expect(store.airing([home.id], 2999).get(home.id)?.eventId).toBe(eventId(2));
    expect(store.airing([home.id], 3000).size).toBe(0);
  });

  test('where programmes overlap the one that began last is airing', () => {
    store.putNowAndNext(
      [{ stationId: home.id, present: program(home.id, 1, 1000, 9000), following: null }],
      1,
    );
    database.run(
      `CREATE TEMP TABLE copied AS SELECT * FROM programs;
       UPDATE copied SET id = ${programId(home.id, eventId(2))}, event_id = 2, start_at = 2000, end_at = 3000;
       INSERT INTO programs SELECT * FROM copied;`,
    );
    expect(store.airingOn(home.id, 2500)?.eventId).toBe(eventId(2));
    expect(store.airingOn(home.id, 3500)?.eventId).toBe(eventId(1));
  });

  test('spans are those that overlap the window', () => {
    store.putNowAndNext(
      [
        {
          stationId: home.id,
          present: program(home.id, 1, 1000, 2000),
          following: program(home.id, 2, 2000, 3000),
        },
      ],
      1,
    );
    const span = (from: number, to: number) => store.spans([home.id], from, to).map((row) => row.startAt);
    expect(span(1500, 1600)).toEqual([1000]);
    expect(span(2000, 2001)).toEqual([2000]);
    expect(span(0, 9000)).toEqual([1000, 2000]);
    expect(store.spans([], 0, 9000)).toEqual([]);
  });

  test('storing the same again counts no change', () => {
    const item = { stationId: home.id, present: program(home.id, 1, 1000, 2000), following: null };
    expect(store.putNowAndNext([item], 1)).toBe(1);
    expect(store.putNowAndNext([item], 2)).toBe(0);
  });

  test('what overlaps the present and following programmes gives way', () => {
    store.putNowAndNext(
      [{ stationId: home.id, present: program(home.id, 1, 1000, 2000), following: null }],
      1,
    );
    const present = program(home.id, 5, 1500, 2500);
    store.putNowAndNext([{ stationId: home.id, present, following: null }], 2);
    expect(store.ofStation(home.id, 0).map((row) => row.eventId as number)).toEqual([5]);
  });

  test('a table without extended text keeps the text that is there', () => {
    const rich = { ...program(home.id, 1, 1000, 2000), extended: { 内容: '長い' } };
    store.putNowAndNext([{ stationId: home.id, present: rich, following: null }], 1);
    const plain = program(home.id, 1, 1000, 2100);
    store.putNowAndNext([{ stationId: home.id, present: plain, following: null }], 2);
    expect(store.ofStation(home.id, 0)[0]).toEqual({ ...plain, extended: { 内容: '長い' } });
  });

  test('ended programmes are forgotten', () => {
    store.putNowAndNext(
      [
        {
          stationId: home.id,
          present: program(home.id, 1, 1000, 2000),
          following: program(home.id, 2, 2000, 3000),
        },
      ],
      1,
    );
    expect(store.deleteEnded(2000)).toBe(1);
    expect(store.ofStation(home.id, 0).map((row) => row.eventId as number)).toEqual([2]);
  });
});
