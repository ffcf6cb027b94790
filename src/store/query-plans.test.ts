/**
 * Plans of the queries behind lists, guide and search, on the tables of a large household, with statistics of ANALYZE
 * and without: no scan of a large table, no sort of one.
 */
import { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { RECORDING_SHOWS, RECORDING_SORTS } from '../../lib/wire/api.ts';
import { recordingId, ruleId } from '../../lib/wire/ids.ts';
import { openDatabase } from './database.ts';
import { EncodeStore } from './encode-store.ts';
import { GuideWindowStore } from './guide-window.ts';
import { NoticeStore } from './notice-store.ts';
import { ProgramStore } from './program-store.ts';
import { RecordingListStore, type RecordingQuestion } from './recording-list-store.ts';
import { RecordingSumStore, recordingCount } from './recording-sums.ts';
import { RecycleBin } from './recycle-bin.ts';
import { ReminderStore } from './reminder-store.ts';
import { ReservationStore } from './reservation-store.ts';
import { RuleStore } from './rule-store.ts';
import { SearchStore } from './search-store.ts';

const RECORDINGS = 40_000;
const PROGRAMS = 60_000;
const STATIONS = 120;
const NOW = broadcastMs(1_800_000_000_000);
const STATION = 7 as StationId;
const PROGRAM = 700_007 as ProgramId;

const COUNTED = (most: number): string =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most})`;

let folder: string;
let database: Database;
/** Explains statements without their parameters. */
let explainer: Database;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-plans-'));
  const path = join(folder, 'svc.db');
  database = openDatabase(path);
  explainer = new Database(path);
  const triggers = explainer
    .query<{ name: string }, []>("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    .all();
  database.transaction(() => {
    // Plans do not depend on them.
    for (const { name } of triggers) database.run(`DROP TRIGGER ${name}`);
    for (const sql of [
      `${COUNTED(STATIONS)} INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type,
         remote_control_key, seen_at) SELECT i, 'BS', 4, i, 'BS01_0', '局', 1, i, 0 FROM n`,
      `${COUNTED(PROGRAMS)} INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description,
         genres, audios, is_free, copy_never, updated_at)
       SELECT (1 + i % ${STATIONS}) * 100000 + i, 1 + i % ${STATIONS}, i, ${NOW} + i * 12000, ${NOW} + i * 12000 + 1800000, 0,
         '番組', '', '[]', '[]', 1, 0, 0 FROM n`,
      `${COUNTED(RECORDINGS)} INSERT INTO recordings (id, station_id, service_name, state, name, description, start_at, end_at,
         rule_id, series_key, files, title_key, created_at, updated_at)
       SELECT i, 1 + i % ${STATIONS}, '', 'available', '', '', i, i + 1, NULL, i % 900, 1, i, 0, 0 FROM n`,
      `INSERT INTO recording_files SELECT id, 'ts', '/' || id, 'mpeg2', 1, 1, 0 FROM recordings`,
      `INSERT INTO program_documents SELECT start_at * 1000 + event_id, id, id, '' FROM programs`,
      `INSERT INTO recording_documents SELECT start_at * 1000000, id, '' FROM recordings`,
    ])
      database.run(sql);
  })();
});

afterAll(() => {
  explainer.close();
  database.close();
  rmSync(folder, { recursive: true });
});

const ANY: RecordingQuestion = {
  show: null,
  sort: 'newest',
  words: [],
  unwatched: false,
  series: null,
  ruleId: null,
  stationId: null,
  genre: null,
};

/** Every list that a screen, another program or the planning reads while people wait. */
async function readEverything(database: Database): Promise<void> {
  const recordings = new RecordingListStore(database);
  for (const sort of RECORDING_SORTS) {
    for (const over of [
      {},
      { unwatched: true },
      { ruleId: ruleId(1) },
      { stationId: STATION },
      { stationId: STATION, ruleId: ruleId(1), unwatched: true },
      { series: '5' },
      { genre: 3 },
      { words: ['海'] },
      ...RECORDING_SHOWS.map((show) => ({ show })),
    ])
      for (const from of [0, RECORDINGS - 50]) recordings.page({ ...ANY, sort, ...over }, from, 50);
  }
  for (const sort of RECORDING_SORTS) {
    for (const head of [null, 3])
      recordings.page({ ...ANY, sort }, { order: sort, head, startAt: 9, id: 9 }, 50);
  }
  recordings.series(0, 50);
  recordings.find(recordingId(1));
  recordings.detail(recordingId(1));
  recordings.originals(recordingId(1));
  recordingCount(database);
  new RecordingSumStore(database).sums();
  const bin = new RecycleBin(database);
  bin.binned();
  bin.binnedUntil(NOW, 10);
  bin.leftovers();
  bin.keepingRules();
  bin.keptBy(ruleId(1));

  const guide = new GuideWindowStore(database);
  guide.ofStation(STATION, NOW, broadcastMs(NOW + 86_400_000));
  guide.others(PROGRAM, NOW);
  guide.reservationOf(PROGRAM);
  guide.reserved([PROGRAM]);
  guide.nextChange([STATION], NOW);
  guide.stationNames([1]);
  const programs = new ProgramStore(database);
  programs.airing([STATION], NOW);
  programs.airingOn(STATION, NOW);
  programs.find(PROGRAM);
  programs.ofStation(STATION, NOW);
  programs.shown(STATION, NOW);
  programs.spans([STATION], NOW, broadcastMs(NOW + 86_400_000));

  const search = new SearchStore(database);
  await search.programs(['海'], 20, NOW);
  await search.recordings(['海'], 20);
  search.reservations(['海'], 20, NOW);
  search.rules(['海'], 20);

  const reservations = new ReservationStore(database);
  reservations.all();
  reservations.wanted();
  reservations.conflicting();
  reservations.coming(NOW);
  reservations.completed(NOW);
  reservations.offers([PROGRAM]);
  reservations.nextAirings(['題'], NOW, 3);
  reservations.isTitleBooked('題', NOW);
  const rules = new RuleStore(database);
  rules.all();
  rules.facts();
  const encodes = new EncodeStore(database);
  encodes.queue();
  encodes.recent();
  encodes.openOf(recordingId(1));
  encodes.log(recordingId(1));
  const notices = new NoticeStore(database);
  notices.latest(50);
  notices.nextDueAt();
  notices.targets();
  const reminders = new ReminderStore(database);
  reminders.all();
  reminders.series();
  reminders.coming(STATION, NOW);
}

const LARGE = [
  'recordings',
  'programs',
  'recording_files',
  'program_documents',
  'recording_documents',
] as const;

/** Parts of statements that read all of a large table, and why they may. */
const EXCEPTIONS: readonly [part: string, reason: string][] = [
  ['recordings_of_genre', 'a number each from an index; cached until lists change'],
  ['recording_documents_of ORDER BY document', 'two numbers each from an index; cached until texts change'],
];

async function statements(): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const watched = new Proxy(database, {
    get(target, name) {
      if (name === 'query' || name === 'prepare')
        return (sql: string) => {
          seen.add(sql);
          return target[name](sql);
        };
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  await readEverything(watched);
  return new Set([...seen].filter((sql) => /^\s*(?:SELECT|WITH)/.test(sql)));
}

/** Indexes of the few rows that are in a passing or rare state. */
const SMALL_INDEXES =
  /INDEX (?:recordings_(?:untitled|unfinished|protected|resumed|binned|deleted|imperfect)|programs_(?:long|borrowing))\b/;

/** Steps of the plan that read all of a large table, or sort all rows of a list. */
function slowSteps(sql: string): string[] {
  const large = new Set<string>(LARGE);
  for (const [, table = '', alias = ''] of sql.matchAll(/\b(\w+) AS (\w+)/g))
    if (large.has(table)) large.add(alias);
  const steps = explainer
    .query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => detail);
  const read = steps.filter((step) => {
    const [, table = ''] = /^(?:SCAN|SEARCH) (\w+)/.exec(step) ?? [];
    return large.has(table) && !SMALL_INDEXES.test(step);
  });
  const scans = read.filter((step) => step.startsWith('SCAN'));
  const isList = read.some((step) => /\(shelf=\?\)/.test(step));
  const sorts = steps.filter((step) => step.startsWith('USE TEMP B-TREE'));
  return [...scans, ...(isList || scans.length > 0 ? sorts : [])];
}

describe('no list reads or sorts a whole table', () => {
  for (const analyzed of [false, true]) {
    test(analyzed ? 'with statistics' : 'without statistics', async () => {
      if (analyzed) {
        database.run('ANALYZE');
        // Statistics are read when a connection is opened.
        explainer.close();
        explainer = new Database(join(folder, 'svc.db'));
      }
      const used = new Set<string>();
      const slow = [...(await statements())].flatMap((sql) => {
        const steps = slowSteps(sql);
        const excepted = EXCEPTIONS.find(([part]) => sql.includes(part));
        if (excepted !== undefined) used.add(excepted[0]);
        return steps.length === 0 || excepted !== undefined ? [] : [{ sql, steps }];
      });
      expect(slow).toEqual([]);
      expect(EXCEPTIONS.map(([part]) => part).filter((part) => !used.has(part))).toEqual([]);
    });
  }
});
