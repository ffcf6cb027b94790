/**
 * The database of a large household: 8 days of programmes and the day before, 40,000 recordings, some
 * reservations and rules.
 */
import type { Database } from 'bun:sqlite';
import { constants, copyFileSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { eventId, networkId, programId, serviceId, transportStreamId } from '../../../lib/arib/ids.ts';
import { broadcastMs } from '../../../lib/arib/time.ts';
import type { StationRecord } from '../../../src/model/station.ts';
import { openDatabase } from '../../../src/store/database.ts';
import { indexAllPending } from '../../../src/store/search-index.ts';
import { StationStore } from '../../../src/store/station-store.ts';
import type { Programme } from '../../../synth/guide/programme.ts';
import type { BenchStation } from './bench-stations.ts';

const DAY_MS = 86_400_000;
export const PROGRAMS = 60_000;
export const RECORDINGS = 40_000;
const RESERVATIONS = 400;
export const RULES = 50;
/** Years of recordings. */
const RECORDED_DAYS = 2_500;
const KEPT_MS = DAY_MS;
/** Days in which a station's programmes are searched: a station of long programmes shows a fixed number in 20 days. */
const DAYS = 40;
/** Days of which programmes are generated at once: no more than needed, since texts take most of the time. */
const STEP_MS = 4 * DAY_MS;

const INSERT_PROGRAM = `
  INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, extended, genres,
    audios, video_type, video_resolution, is_free, copy_never, updated_at)
  VALUES ($id, $station, $event, $startAt, $endAt, 0, $name, $description, $extended, $genres, $audios, 'mpeg2',
    '1080i', $isFree, $copyNever, 0)`;

const INSERT_RECORDING = `
  INSERT INTO recordings (station_id, service_name, state, name, description, extended, genres, start_at, end_at,
    duration_ms, folder, stem, created_at, updated_at)
  VALUES ($station, $serviceName, 'available', $name, $description, $extended, $genres, $startAt, $endAt,
    $endAt - $startAt, '/recordings', 'stem', $startAt, $startAt)`;

const INSERT_FILE = `
  INSERT INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
  VALUES ($id, 'encoded', '/recordings/stem.mkv', 'av1', 1000000000, 1800000, 0)`;

const AUDIOS = JSON.stringify([
  { componentTag: 16, componentType: 3, main: true, languages: ['jpn'], text: 'ステレオ' },
]);

function texts({ title, description, items, genres }: Programme) {
  return {
    name: title,
    description,
    extended: JSON.stringify(Object.fromEntries(items.map(({ heading, text }) => [heading, text]))),
    genres: JSON.stringify(genres.map(([lv1, lv2]) => ({ lv1, lv2 }))),
  };
}

export function record(station: BenchStation): StationRecord {
  return {
    id: station.id,
    type: station.type,
    networkId: networkId(station.network),
    serviceId: serviceId(station.service),
    transportStreamId: transportStreamId(station.transportStream),
    channel: station.channel,
    name: station.name,
    serviceType: 1,
    remoteControlKey: station.type === 'GR' ? 1 + (station.service % 12) : station.service,
  };
}

export function putStations(database: Database, stations: readonly BenchStation[], now: number): void {
  new StationStore(database).apply({ put: stations.map(record), hide: [], retype: [] }, broadcastMs(now));
}

/** Runs in transactions of this many steps: fast, without a large write-ahead log. */
function inBatches(database: Database, steps: Iterable<() => void>, size = 2_000): void {
  const waiting: (() => void)[] = [];
  const flush = database.transaction(() => {
    for (const step of waiting.splice(0)) step();
  });
  for (const step of steps) {
    if (waiting.push(step) >= size) flush.immediate();
  }
  flush.immediate();
}

/** The first programmes of a station that are on the air in a period, at most `count`. */
function firstProgrammes({ events }: BenchStation, from: number, to: number, count: number): Programme[] {
  const found: Programme[] = [];
  for (let begin = from; begin < to && found.length < count; begin += STEP_MS) {
    const airing = events.guide.airing(broadcastMs(begin), broadcastMs(Math.min(begin + STEP_MS, to)));
    found.push(...(begin === from ? airing : airing.filter(({ startAt }) => startAt >= begin)));
  }
  return found.slice(0, count);
}

/** Programmes of a station from the day before on; all stations together have the wanted number. */
export function stretch(station: BenchStation, now: number, count: number): Programme[] {
  const programmes = firstProgrammes(station, now - KEPT_MS, now + DAYS * DAY_MS, count);
  const last = programmes.at(-1);
  if (last === undefined) return [];
  // Stations show fewer and longer programmes than the required home: times are compressed into its eight
  // days.
  const end = last.startAt + last.durationMs;
  const begin = now - KEPT_MS;
  const press = Math.min(1, (8 * DAY_MS + KEPT_MS) / (end - begin));
  const moved = (at: number) => broadcastMs(Math.round((begin + (at - begin) * press) / 60_000) * 60_000);
  return programmes.map((one) => ({
    ...one,
    startAt: moved(one.startAt),
    durationMs: moved(one.startAt + one.durationMs) - moved(one.startAt),
  }));
}

function endFilling(database: Database): void {
  indexAllPending(database);
  database.run('PRAGMA optimize');
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

/** Only recordings. */
export function fillRecordingDatabase(path: string, stations: readonly BenchStation[], now: number): void {
  const database = openDatabase(path);
  putStations(database, stations, now);
  fillRecordings(database, stations, now);
  endFilling(database);
}

export function fillDatabase(path: string, stations: readonly BenchStation[], now: number): void {
  const database = openDatabase(path);
  putStations(database, stations, now);
  const insertProgram = database.query(INSERT_PROGRAM);
  const each = PROGRAMS / stations.length;
  const programmes = stations.map((station) => ({ station, list: stretch(station, now, each) }));
  inBatches(
    database,
    programmes.flatMap(({ station, list }) =>
      list.map((one, index) => () => {
        insertProgram.run({
          id: programId(station.id, eventId(index)),
          station: station.id,
          event: index,
          startAt: one.startAt,
          endAt: one.startAt + one.durationMs,
          ...texts(one),
          audios: AUDIOS,
          isFree: one.isFree ? 1 : 0,
          copyNever: one.copyControl === 'never' ? 1 : 0,
        });
      }),
    ),
  );
  fillRecordings(database, stations, now);
  fillBookings(database, now);
  endFilling(database);
}

function fillRecordings(database: Database, stations: readonly BenchStation[], now: number): void {
  const insertRecording = database.query(INSERT_RECORDING);
  const insertFile = database.query(INSERT_FILE);
  const perStation = Math.ceil(RECORDINGS / stations.length);
  const from = now - RECORDED_DAYS * DAY_MS;
  const steps = stations.flatMap((station) => {
    const shown = firstProgrammes(station, now - DAYS * DAY_MS, now - DAY_MS, perStation);
    return Array.from({ length: perStation }, (_, index) => shown[index % shown.length]).map(
      (one, index) => () => {
        if (one === undefined) return;
        const startAt =
          from + Math.floor(((index + (station.id % 97) / 97) / perStation) * RECORDED_DAYS) * DAY_MS;
        const times = { startAt, endAt: startAt + one.durationMs };
        const { lastInsertRowid } = insertRecording.run({
          station: station.id,
          serviceName: station.name,
          ...texts(one),
          ...times,
        });
        insertFile.run({ id: Number(lastInsertRowid) });
      },
    );
  });
  inBatches(database, steps.slice(0, RECORDINGS));
}

/** A copy of the database of a service that is idle, with all rules enabled. */
export function copyWithRules(path: string, copy: string): void {
  mkdirSync(dirname(copy), { recursive: true });
  const database = openDatabase(path);
  database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  // Nothing is written meanwhile.
  database.transaction(() => copyFileSync(path, copy, constants.COPYFILE_FICLONE)).immediate();
  database.close();
  const copied = openDatabase(copy);
  copied.run('UPDATE rules SET enabled = 1');
  copied.close();
}

function fillBookings(database: Database, now: number): void {
  database
    .query(
      `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
         created_at, updated_at)
       SELECT id, station_id, CASE WHEN id % 9 = 0 THEN 'conflict' ELSE 'scheduled' END, 1, name, description,
         start_at, end_at, 0, 0
       FROM programs WHERE end_at > $now ORDER BY id % 997, id LIMIT ${RESERVATIONS}`,
    )
    .run({ now });
  // As users write them: a series on its station, each episode once. Disabled: `copyWithRules`.
  const rule = database.query(
    `INSERT INTO rules (name, enabled, dedupe, conditions, created_at, updated_at)
     SELECT name, 0, 1, json_object('keyword', name, 'stationIds', json_array(station_id)), 0, 0
     FROM programs LIMIT 1 OFFSET $at`,
  );
  for (let index = 0; index < RULES; index++) rule.run({ at: index * 1_199 });
}
