/**
 * A big household: the real service over a full database (stations with their guide, thousands of recordings,
 * reservations, rules), with a stand-in agent that lists eight tuners and delivers no stream. With `--long`
 * it has 120 stations, 40,000 recordings, 400 reservations and 50 rules.
 */
import type { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { networkId, serviceId, transportStreamId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { Channel, Tuner } from '../../lib/wire/agent.ts';
import type { RecordingVerdict, Station } from '../../lib/wire/api.ts';
import type { StationRecord } from '../../src/model/station.ts';
import { openDatabase } from '../../src/store/database.ts';
import { StationStore } from '../../src/store/station-store.ts';
import { type ProgramRow, putPrograms, putReservation } from '../service/guide-rows.ts';
import { StandInAgent, startTestService, type TestService } from '../service/harness.ts';
import { fillRecordings, putRecording } from '../service/recording-rows.ts';
import { tunerOf } from '../tuner.ts';
import { until } from '../until.ts';
import { dayOf, guideWindow, manyStations } from './fake-guide.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Stations by band, days of guide data, and recordings. The full size takes minutes to fill and to plan. */
const SIZES = {
  // `crowd`: this many reservations overlap for certain; otherwise the number of conflicts depends on the
  // hour.
  short: { stations: [14, 16, 10], bookings: 130, crowd: 12, rules: 20, days: 2, recordings: 2_000 },
  full: { stations: [40, 48, 32], bookings: 400, crowd: 12, rules: 50, days: 14, recordings: 40_000 },
} as const;
const SIZE = SIZES[process.env.SVC_LONG === undefined ? 'short' : 'full'];
/** Stations of one band share this many tuners. */
const TUNERS = 4;

function recordOf(station: Station, index: number): StationRecord {
  const network = Math.floor(station.id / 100_000);
  const multiplex = Math.floor(index / 3);
  const slot = String(2 * Math.floor(multiplex / 4) + 1).padStart(2, '0');
  const channel = { GR: `T${13 + index}`, BS: `BS${slot}_${multiplex % 4}`, CS: `CS${2 * multiplex}` };
  return {
    id: station.id,
    type: station.type,
    networkId: networkId(network),
    serviceId: serviceId(station.id % 100_000),
    transportStreamId: transportStreamId(station.type === 'GR' ? network : 0x4000 + index),
    channel: channel[station.type],
    name: station.name,
    serviceType: 1,
    remoteControlKey: station.remoteControlKey,
  };
}

function channelsOf(records: readonly StationRecord[]): Channel[] {
  const channels = new Map<string, Channel>();
  for (const { type, channel, networkId: network, transportStreamId: tsid, ...record } of records) {
    const { serviceId: service, name, serviceType, remoteControlKey } = record;
    const known = channels.get(channel) ?? { type, channel, tsid, networkId: network, stations: [] };
    known.stations.push({ serviceId: service, name, serviceType, remoteControlKey });
    channels.set(channel, known);
  }
  return [...channels.values()];
}

function tuners(): Tuner[] {
  return Array.from({ length: 2 * TUNERS }, (_, rank) => {
    const roof = rank >= TUNERS;
    const name = `${roof ? '屋根' : '居間'}のチューナー${(rank % TUNERS) + 1}`;
    return tunerOf(roof ? ['BS', 'CS'] : ['GR'], { id: `t${rank}`, name, rank });
  });
}

/**
 * Reserves one of every few programmes of the coming days on all stations, `crowd` overlapping ones of one
 * band on the next day, and one of yesterday that was missed because no tuner was free.
 */
function fillBookings(database: Database, rows: readonly ProgramRow[], now: number): void {
  const coming = rows.filter(({ startAt }) => startAt > now + 7_200_000);
  const every = Math.max(1, Math.floor(coming.length / SIZE.bookings));
  const spread = Array.from({ length: SIZE.bookings }, (_, index) => coming[index * every]);
  const moment = now + DAY_MS;
  const together = coming.filter(({ startAt, endAt }) => startAt <= moment && endAt > moment);
  const booked = new Set([...spread, ...together.slice(0, SIZE.crowd)].filter((row) => row !== undefined));
  database
    .transaction(() => {
      for (const row of booked) putReservation(database, { ...row, state: 'scheduled' });
    })
    .immediate();
  const missed = rows.find(({ endAt, name }) => endAt < now - 3_600_000 && name.includes('路地裏'));
  if (missed === undefined) throw new Error('nothing to miss');
  const id = putReservation(database, { ...missed, state: 'missed' });
  database
    .query('UPDATE reservations SET reason = $reason WHERE id = $id')
    .run({ id, reason: JSON.stringify({ code: 'missed_tuners_in_use', users: [] }) });
}

function fillRules(database: Database): void {
  const insert = database.query(
    `INSERT INTO rules (name, enabled, dedupe, conditions, created_at, updated_at)
     VALUES ($name, $enabled, 1, $conditions, 0, 0)`,
  );
  for (let index = 0; index < SIZE.rules; index += 1) {
    const name = index === 0 ? 'ほうき星の郵便屋さん' : `むかしの連続ドラマ ${index}`;
    insert.run({ name, enabled: index === 0 ? 1 : 0, conditions: JSON.stringify({ keyword: name }) });
  }
}

/** @returns the stations' records */
function fill(path: string, folder: string, now: number): StationRecord[] {
  const database = openDatabase(path);
  const stations = manyStations([...SIZE.stations]);
  const bands = new Map<string, number>();
  const records = stations.map((station) => {
    const index = bands.get(station.type) ?? 0;
    bands.set(station.type, index + 1);
    return recordOf(station, index);
  });
  new StationStore(database).apply({ put: records, hide: [], retype: [] }, broadcastMs(now));
  const from = dayOf(now) - DAY_MS;
  const windows = guideWindow(
    { stations, days: SIZE.days },
    { from, to: from + (SIZE.days + 1) * DAY_MS, type: null },
    now,
  );
  const rows = windows.flatMap(({ stationId, programs }) =>
    programs.map(
      ({ id, startAt, endAt, name, description, genres }): ProgramRow => ({
        ...{ station: stationId, event: id % 100_000, startAt, endAt, name, description: description ?? '' },
        ...{ genres, extended: { 出演者: '海野遥、青葉まこと、みなと一平' } },
      }),
    ),
  );
  putPrograms(database, rows);
  fillBookings(database, rows, now);
  fillRules(database);
  fillRecordings(database, { stations, count: SIZE.recordings, now, folder });
  const [first] = stations;
  if (first === undefined) throw new Error('no stations');
  const damaged: RecordingVerdict = {
    ...{ level: 'damaged', drops: 37, headMs: 10_000, tailMs: 15_000 },
    gaps: [{ startMs: 431_000, endMs: 462_500, cause: 'stream_ended' }],
  };
  const length = { startAt: now - 3 * HOUR_MS, endAt: now - 2 * HOUR_MS };
  putRecording(
    database,
    { station: first.id, serviceName: first.name, name: '港の気象台[字]', ...length, verdict: damaged },
    folder,
  );
  database.run('PRAGMA optimize');
  database.close();
  return records;
}

export interface BigHousehold {
  readonly home: TestService;
  readonly agent: StandInAgent;
  close(): Promise<void>;
}

export async function startBigHousehold(webDir: string): Promise<BigHousehold> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-big-'));
  const recordings = join(folder, 'recordings');
  const records = fill(join(folder, 'svc.db'), recordings, Date.now());
  const agent = new StandInAgent();
  agent.channels = channelsOf(records);
  agent.tuners = tuners();
  agent.start();
  const environment = { DATA_DIR: folder, RECORDINGS_DIR: recordings, TUNER_AGENT_URL: agent.url };
  const home = await startTestService({ webDir, environment });
  await until(async () => {
    const listed = (await (await fetch(`${home.url}/api/services`)).json()) as Station[];
    return listed.length === records.length;
  });
  return {
    home,
    agent,
    close: async () => {
      await home.close();
      await agent.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
