/** Lists of recordings compared with a simple model: all rows, filtered and sorted. */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { RECORDING_SHOWS, RECORDING_SORTS } from '../../lib/wire/api.ts';
import { recordingId, ruleId } from '../../lib/wire/ids.ts';
import { FUZZ_TIMEOUT, fuzzRounds, fuzzSeed, Random } from '../../test/fuzz/random.ts';
import { fillRecordings, putRecording } from '../../test/service/recording-rows.ts';
import { searchText, searchWords, titleOrder } from '../model/search-text.ts';
import { openDatabase } from './database.ts';
import { type ListedRecording, RecordingListStore, type RecordingQuestion } from './recording-list-store.ts';
import { type RecordingCursor, readCursor, writeCursor } from './recording-order.ts';
import { RecordingSumStore } from './recording-sums.ts';
import { RecycleBin } from './recycle-bin.ts';
import { indexAllPending } from './search-index.ts';

const NOW = broadcastMs(1_800_000_000_000);
const STATIONS = [101, 102, 103].map((id) => ({ id, name: `衛星${id}` }));
const seed = fuzzSeed();

let database: Database;
let list: RecordingListStore;

beforeAll(() => {
  database = openDatabase(':memory:');
  for (const { id, name } of STATIONS) {
    database.run(
      `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key, seen_at)
       VALUES (${id}, 'BS', 4, ${id}, 'BS01_0', '${name}', 1, ${id}, 0)`,
    );
  }
  for (let index = 0; index < 3; index++) {
    database.run("INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('r', '{}', 0, 0)");
  }
  fillRecordings(database, { stations: STATIONS, count: 300, now: NOW, folder: null });
  database.run('UPDATE recordings SET rule_id = 1 + id % 3 WHERE id % 4 > 0');
  list = new RecordingListStore(database);
});

afterAll(() => database.close());

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

/** Every recording that is not deleted. */
function everything(): ListedRecording[] {
  const ids = database.query<{ id: number }, []>('SELECT id FROM recordings ORDER BY id').all();
  return ids.flatMap(({ id }) => list.find(recordingId(id), { binned: true }) ?? []);
}

function isShown(
  one: ListedRecording,
  { show, words, unwatched, series, ruleId, stationId, genre }: RecordingQuestion,
): boolean {
  const isFailed = one.state === 'failed' || (one.state !== 'recording' && one.files.length === 0);
  const isHere = {
    watchable: one.binnedAt === null && !isFailed,
    recording: one.binnedAt === null && one.state === 'recording',
    failed: one.binnedAt === null && isFailed,
    bin: one.binnedAt !== null,
    protected: one.binnedAt === null && one.protected,
    resume: one.binnedAt === null && !isFailed && one.resumeMs !== null,
  }[show ?? 'watchable'];
  const { description } = list.detail(one.id) ?? { description: '' };
  const text = searchText(`${one.name}\n${description} ${one.serviceName}`);
  return (
    isHere &&
    words.every((word) => text.includes(word)) &&
    (!unwatched || one.watchedAt === null) &&
    (series === null || one.series?.key === series) &&
    (ruleId === null || one.ruleId === ruleId) &&
    (stationId === null || one.stationId === stationId) &&
    (genre === null ||
      one.genres.some(({ lv1 }) => lv1 === genre) ||
      (genre === 15 && one.genres.length === 0))
  );
}

const byTime = (a: ListedRecording, b: ListedRecording): number => a.startAt - b.startAt || a.id - b.id;
const text = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const ORDERS: Record<RecordingQuestion['sort'], (a: ListedRecording, b: ListedRecording) => number> = {
  newest: (a, b) => byTime(b, a),
  oldest: byTime,
  title: (a, b) => text(titleOrder(a.name), titleOrder(b.name)) || byTime(a, b),
  unwatched: (a, b) => Number(a.watchedAt !== null) - Number(b.watchedAt !== null) || byTime(b, a),
  longest: (a, b) => (b.durationMs ?? -1) - (a.durationMs ?? -1) || byTime(b, a),
  largest: (a, b) => b.bytes - a.bytes || byTime(b, a),
};

test(
  `any query gives the same as a plain scan (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    const all = everything();
    const maybe = <T>(value: T): T | null => (random.below(4) === 0 ? value : null);
    for (let round = fuzzRounds(300); round > 0; round--) {
      const word = random.pick(['の', '夏', '第12話', 'ニュース', '衛星101', '無いもの', '字']);
      const question: RecordingQuestion = {
        show: maybe(random.pick(RECORDING_SHOWS)),
        sort: random.pick(RECORDING_SORTS),
        // Recordings in the bin have no texts to compare here.
        words: [],
        unwatched: random.below(3) === 0,
        series: maybe(searchText(random.pick(['灯台守の夏', '台所の時間', '無い']))),
        ruleId: maybe(ruleId(1 + random.below(4))),
        stationId: maybe((101 + random.below(4)) as StationId),
        genre: maybe(random.pick([0, 3, 6, 8, 15])),
      };
      if (question.show !== 'bin' && random.below(3) === 0) question.words = searchWords(word);
      const wanted = all.filter((one) => isShown(one, question)).sort(ORDERS[question.sort]);
      const [offset, limit] = [random.below(40), 1 + random.below(60)];
      const { total, rows } = list.page(question, offset, limit);
      expect([question, total, rows.map(({ id }) => id)]).toEqual([
        question,
        wanted.length,
        wanted.slice(offset, offset + limit).map(({ id }) => id),
      ]);
    }
  },
  FUZZ_TIMEOUT,
);

test(
  `pages behind cursors give the list from any offset (FUZZ_SEED=${seed})`,
  () => {
    const random = new Random(seed);
    for (const show of [null, ...RECORDING_SHOWS]) {
      for (const sort of RECORDING_SORTS) {
        const question: RecordingQuestion = {
          ...{ ...ANY, show, sort, unwatched: random.below(3) === 0 },
          words: show !== 'bin' && random.below(3) === 0 ? searchWords('の') : [],
          genre: random.below(3) === 0 ? 3 : null,
          stationId: random.below(3) === 0 ? (101 as StationId) : null,
        };
        const all = list.page(question, 0, 1000);
        const ids = all.rows.map(({ id }) => id);
        expect([question, all.next]).toEqual([question, undefined]);
        const limit = 1 + random.below(60);
        const read: number[] = [];
        for (let from: RecordingCursor | number | undefined = random.below(5); from !== undefined; ) {
          if (typeof from === 'number') read.push(...ids.slice(0, from));
          const page = list.page(question, from, limit);
          expect(page.total).toBe(ids.length);
          read.push(...page.rows.map(({ id }) => id));
          from = page.next === undefined ? undefined : readCursor(writeCursor(page.next));
        }
        expect([question, read]).toEqual([question, ids]);
      }
    }
  },
  FUZZ_TIMEOUT,
);

test('a cursor stays in its place when rows before it come, go or move, and its own row does', () => {
  const question: RecordingQuestion = { ...ANY, sort: 'unwatched' };
  const first = list.page(question, 0, 30);
  const behind = list.page(question, 30, 30).rows.map(({ id }) => id);
  if (first.next === undefined) throw new Error('the list is too short');
  const marks = first.rows.map(({ id, watchedAt }) => ({ id, watchedAt }));
  database.run('SAVEPOINT moved');
  try {
    const last = marks.at(-1)?.id ?? 0;
    database.run(`UPDATE recordings SET watched_at = ${NOW} WHERE id = ${last}`);
    database.run(`UPDATE recordings SET deleted_at = ${NOW} WHERE id = ${marks[3]?.id}`);
    putRecording(
      database,
      { station: 101, serviceName: '衛星101', startAt: NOW, endAt: NOW + 1, name: '新' },
      null,
    );
    expect(list.page(question, first.next, 30).rows.map(({ id }) => id)).toEqual(behind);
  } finally {
    database.run('ROLLBACK TO moved');
    database.run('RELEASE moved');
  }
});

describe('writes of other modules', () => {
  const row = { station: 101, serviceName: '衛星101', startAt: NOW, endAt: NOW + 1 };
  const isListed = (id: number): boolean => list.page(ANY, 0, 1000).rows.some((one) => one.id === id);

  test('are listed at once, also by title', () => {
    const id = putRecording(database, { ...row, name: '[字]０番' }, null);
    expect(list.page({ ...ANY, sort: 'title' }, 0, 1).rows[0]?.id).toBe(recordingId(id));
    database.run(`UPDATE recordings SET name = '龠' WHERE id = ${id}`);
    expect(list.page({ ...ANY, sort: 'title' }, 0, 1).rows[0]?.id).not.toBe(id);
  });

  test('update the count of files', () => {
    const id = putRecording(database, { ...row, name: 'x', bytes: 500 }, null);
    expect([isListed(id), list.find(recordingId(id))?.bytes]).toEqual([true, 500]);
    database.run(
      `INSERT INTO recording_files (recording_id, source, path, codec, bytes, created_at)
       VALUES (${id}, 'encoded', '/x.mkv', 'av1', 70, 0)`,
    );
    expect(list.find(recordingId(id))?.bytes).toBe(570);
    expect(list.find(recordingId(id))?.files.map(({ source }) => source)).toEqual(['encoded', 'ts']);
    database.run(`DELETE FROM recording_files WHERE recording_id = ${id} AND source = 'ts'`);
    expect(list.find(recordingId(id))?.bytes).toBe(570);
    database.run(`DELETE FROM recording_parts WHERE recording_id = ${id}`);
    expect(list.find(recordingId(id))?.bytes).toBe(70);
    database.run(`UPDATE recording_files SET bytes = 71 WHERE recording_id = ${id}`);
    expect([isListed(id), list.find(recordingId(id))?.bytes]).toEqual([true, 71]);
    database.run(`DELETE FROM recording_files WHERE recording_id = ${id}`);
    expect([isListed(id), list.find(recordingId(id))?.bytes]).toEqual([false, 0]);
  });

  test('keep the cached list while nothing changes', () => {
    const stamp = list.stamp();
    list.page(ANY, 0, 10);
    list.series(0, 10);
    expect(list.stamp()).toBe(stamp);
  });
});

test('totals equal those of the lists', () => {
  indexAllPending(database);
  const sums = new RecordingSumStore(database);
  const total = (show: RecordingQuestion['show'], over: Partial<RecordingQuestion> = {}): number =>
    list.page({ ...ANY, show, ...over }, 0, 1).total;
  const bytesOf = (show: RecordingQuestion['show']): number =>
    list.page({ ...ANY, show }, 0, 1000).rows.reduce((sum, { bytes }) => sum + bytes, 0);
  // A running recording counts with the size written so far.
  const growing =
    database
      .query<{ bytes: number }, []>(
        `SELECT sum(p.bytes) AS bytes FROM recording_parts p JOIN recordings r ON r.id = p.recording_id
         WHERE r.state = 'recording'`,
      )
      .get()?.bytes ?? 0;
  const listed = bytesOf('recording');
  expect(sums.sums()).toMatchObject({
    count: total(null),
    unwatched: total(null, { unwatched: true }),
    failed: total('failed'),
    binned: total('bin'),
    binnedBytes: bytesOf('bin'),
    bytes: bytesOf(null) + bytesOf('failed') - listed + growing,
  });
  const [one] = list.page(ANY, 5, 1).rows;
  new RecycleBin(database).bin([recordingId(one?.id ?? 0)], NOW);
  expect(sums.sums().binned).toBe(total('bin'));
});

/** Each may change the members or the order of a list, or neither. */
const WRITES: readonly string[] = [
  'UPDATE recordings SET resume_ms = coalesce(resume_ms, 0) + 1 WHERE id = $id',
  'UPDATE recordings SET resume_ms = NULL WHERE id = $id',
  'UPDATE recordings SET watched_at = CASE WHEN watched_at IS NULL THEN 1 END WHERE id = $id',
  'UPDATE recordings SET binned_at = CASE WHEN binned_at IS NULL THEN 1 END WHERE id = $id',
  'UPDATE recordings SET protected = 1 - protected WHERE id = $id',
  'UPDATE recordings SET start_at = start_at + 1000 WHERE id = $id',
  'UPDATE recordings SET duration_ms = coalesce(duration_ms, 0) + 1 WHERE id = $id',
  'UPDATE recordings SET rule_id = 1, station_id = 102 WHERE id = $id',
  "UPDATE recordings SET name = '改名' || id WHERE id = $id",
  `UPDATE recordings SET genres = '[{"lv1":3,"lv2":0}]' WHERE id = $id`,
  "UPDATE recordings SET series_key = 's', series_name = 's' WHERE id = $id",
  `UPDATE recordings SET verdict = '{"level":"lost"}' WHERE id = $id`,
  "UPDATE recordings SET state = CASE state WHEN 'recording' THEN 'failed' ELSE 'recording' END WHERE id = $id",
  'UPDATE recording_files SET bytes = coalesce(bytes, 0) + 1000 WHERE recording_id = $id',
  'DELETE FROM recording_files WHERE recording_id = $id',
  'UPDATE recordings SET deleted_at = 1 WHERE id = $id',
  'DELETE FROM recordings WHERE id = $id',
];

test(`what was cached before a change equals what is read after it (FUZZ_SEED=${seed})`, () => {
  const random = new Random(seed);
  const questions: RecordingQuestion[] = [
    ...RECORDING_SHOWS.map((show) => ({ ...ANY, show })),
    ...RECORDING_SORTS.flatMap((sort) => [
      { ...ANY, sort },
      { ...ANY, sort, ruleId: ruleId(1) },
    ]),
    { ...ANY, unwatched: true },
    { ...ANY, stationId: 102 as StationId },
    { ...ANY, genre: 3 },
    { ...ANY, series: 's' },
  ];
  const lists = (store: RecordingListStore) =>
    questions.map((question) => {
      const { total, rows } = store.page(question, 0, 1000);
      return { question, total, ids: rows.map(({ id }) => id) };
    });
  for (let round = fuzzRounds(30); round > 0; round--) {
    const sql = random.pick(WRITES);
    database.query(sql).run({ id: 1 + random.below(300) });
    const kept = lists(list);
    expect([sql, kept]).toEqual([sql, lists(new RecordingListStore(database))]);
    expect(kept.map(({ total }) => total)).toEqual(kept.map(({ ids }) => ids.length));
    expect(list.series(0, 1000)).toEqual(new RecordingListStore(database).series(0, 1000));
  }
});
