import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { ProgramId } from '../../arib/ids.ts';
import { broadcastMs } from '../../arib/time.ts';
import { monotonicMs } from '../../host/clock.ts';
import { recordingId, ruleId } from '../model/ids.ts';
import { matchText, searchWords } from '../model/search-text.ts';
import { openDatabase, openReader } from './database.ts';
import { RecordingListStore, type RecordingQuestion } from './recording-list-store.ts';
import {
  endPending,
  firstDocument,
  indexAllPending,
  indexPending,
  indexPrograms,
  matchExpression,
  pendingPrograms,
  preparePrograms,
  textTerms,
} from './search-index.ts';
import { SearchStore } from './search-store.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
const HOUR = 3_600_000;
const NOW = broadcastMs(1_800_000_000_000);
const STATION = 3_273_601_024;

let database: Database;
let store: SearchStore;

/** Recordings without files are listed so. */
const FAILED: RecordingQuestion = {
  ...{ show: 'failed', sort: 'newest', words: [], unwatched: false },
  ...{ series: null, ruleId: null, stationId: null, genre: null },
};

beforeEach(() => {
  database = openDatabase(':memory:');
  store = new SearchStore(database);
  addStation(STATION, '試験テレビ');
});

afterEach(() => {
  database.close();
});

function addStation(id: number, name: string, hidden = 0): void {
  database
    .query(
      `INSERT INTO stations (id, type, network_id, service_id, channel, name, service_type, remote_control_key,
         hidden, seen_at) VALUES ($id, 'GR', 1, 1, 'T27', $name, 1, 1, $hidden, 0)`,
    )
    .run({ id, name, hidden });
}

interface Doc {
  name: string;
  description?: string;
  /** Heading to body. */
  extended?: Record<string, string>;
  startAt?: number;
  endAt?: number;
  station?: number;
}

function addProgram(event: number, doc: Doc): number {
  const {
    name,
    description = '',
    extended = null,
    startAt = NOW + HOUR,
    endAt = startAt + HOUR,
    station = STATION,
  } = doc;
  const id = station * 100_000 + event;
  database
    .query(
      `INSERT INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, extended, genres,
         audios,
         is_free, copy_never, updated_at)
       VALUES ($id, $station, $event, $startAt, $endAt, 0, $name, $description, $extended, '[]', '[]', 1, 0, 0)`,
    )
    .run({
      id,
      station,
      event,
      startAt,
      endAt,
      name,
      description,
      extended: extended === null ? null : JSON.stringify(extended),
    });
  return id;
}

function addRecording(id: number, doc: Doc & { serviceName?: string; state?: string }): void {
  const { name, description = '', startAt = NOW - HOUR * id, serviceName = '局', state = 'available' } = doc;
  const extended = doc.extended === undefined ? null : JSON.stringify(doc.extended);
  database
    .query(
      `INSERT INTO recordings (id, station_id, service_name, state, name, description, extended, start_at, end_at,
         created_at, updated_at)
       VALUES ($id, $station, $serviceName, $state, $name, $description, $extended, $startAt, $startAt, 0, 0)`,
    )
    .run({ id, station: STATION, serviceName, state, name, description, extended, startAt });
}

function addReservation(id: number, doc: Doc & { state?: string }): void {
  const {
    name,
    description = '',
    startAt = NOW + HOUR * id,
    endAt = startAt + HOUR,
    state = 'scheduled',
  } = doc;
  database
    .query(
      `INSERT INTO reservations (id, program_id, station_id, state, priority, name, description, start_at, end_at,
         created_at, updated_at)
       VALUES ($id, $program, $station, $state, 2, $name, $description, $startAt, $endAt, 0, 0)`,
    )
    .run({ id, program: STATION * 100_000 + id, station: STATION, state, name, description, startAt, endAt });
}

function addRule(name: string, enabled = 1): void {
  database
    .query("INSERT INTO rules (name, enabled, conditions, created_at, updated_at) VALUES (?, ?, '{}', 0, 0)")
    .run(name, enabled);
}

async function programs(query: string, limit = 10): Promise<string[]> {
  indexAllPending(database);
  return (await await store.programs(searchWords(query), limit, NOW)).rows.map((row) => row.name);
}

describe('programmes', () => {
  test('every word must be contained, in the name or the description', async () => {
    addProgram(1, { name: '歌の広場', description: '夏の名曲を集めて' });
    addProgram(2, { name: '歌の時間', description: '冬の名曲' });
    expect(await programs('歌 名曲')).toHaveLength(2);
    expect(await programs('名曲　夏')).toEqual(['歌の広場']);
    expect(await programs('歌 夏 冬')).toEqual([]);
    // A word is not looked for across the end of the name.
    expect(await programs('広場夏')).toEqual([]);
  });

  test('words of the extended text are found, with others too; what has all words in its name comes first', async () => {
    const cast = { 出演者: '海野　遥、髙橋ｹﾝ', 番組内容: '港の町の一日' };
    const id = addProgram(1, { name: '町の話', description: '今夜', extended: cast });
    addProgram(2, { name: '海野遥の部屋', startAt: NOW + 9 * HOUR });
    addProgram(3, { name: '夜の町', description: '語り 海野 遥', startAt: NOW - HOUR, endAt: NOW + 1 });
    addProgram(4, { name: '海野　遥　旅へ', startAt: NOW + 5 * HOUR });
    expect(await programs('海野 遥')).toEqual(['海野　遥　旅へ', '海野遥の部屋', '夜の町', '町の話']);
    expect(await programs('高橋ケン')).toEqual(['町の話']);
    expect(await programs('今夜 出演者 港')).toEqual(['町の話']);
    // Not across the end of a text.
    expect(await programs('今夜出演者')).toEqual([]);
    const rows = async (offset: number, limit: number): Promise<string[]> =>
      (await store.programs(['海野'], limit, NOW, offset)).rows.map(({ name }) => name);
    expect([...(await rows(0, 1)), ...(await rows(1, 2)), ...(await rows(3, 9))]).toEqual(
      await programs('海野'),
    );
    database.query('UPDATE programs SET extended = \'{"出演者":"山田"}\' WHERE id = ?').run(id);
    expect(await programs('高橋ケン')).toEqual([]);
    expect(await programs('山田')).toEqual(['町の話']);
    database.query('UPDATE programs SET extended = NULL WHERE id = ?').run(id);
    expect(await programs('山田')).toEqual([]);
  });

  test('a damaged extended text leaves the other texts found', async () => {
    const id = addProgram(1, { name: '番組' });
    database.query("UPDATE programs SET extended = '{broken' WHERE id = ?").run(id);
    expect(await programs('番組')).toEqual(['番組']);
  });

  test('width, letter case and the width of kana do not count, marks have one spelling', async () => {
    addProgram(1, { name: '\u{1F21F}ＮＥＷＳ７　ｶﾞｲﾄﾞ' });
    for (const query of ['news7', 'ＮｅＷＳ', 'ガイド', 'ｶﾞｲ', '[新]news', '【新】', 'w', 'ｲ'])
      expect([query, await programs(query)]).toEqual([query, ['\u{1F21F}ＮＥＷＳ７　ｶﾞｲﾄﾞ']]);
    expect(await programs('がいど')).toEqual([]);
  });

  test('what has ended is left out, what is on the air comes first, then by start', async () => {
    addProgram(1, { name: '番組 終わり', startAt: NOW - 2 * HOUR, endAt: NOW });
    addProgram(2, { name: '番組 明日', startAt: NOW + 24 * HOUR });
    addProgram(3, { name: '番組 今', startAt: NOW - HOUR, endAt: NOW + 1 });
    addProgram(4, { name: '番組 次', startAt: NOW + 1 });
    addProgram(5, { name: '番組 長い', startAt: NOW - 30 * HOUR, endAt: NOW + HOUR });
    addProgram(6, { name: '番組 丁度', startAt: NOW });
    expect(await programs('番組')).toEqual(['番組 長い', '番組 今', '番組 丁度', '番組 次', '番組 明日']);
    expect(await programs('番', 2)).toEqual(['番組 長い', '番組 今']);
    expect((await store.programs(['番'], 4, NOW)).more).toBe(true);
    expect((await store.programs(['番'], 5, NOW)).more).toBe(false);
  });

  test('of stations that are not listed nothing is found', async () => {
    addStation(5, '消えた局', 1);
    addProgram(1, { name: '番組', station: 5 });
    expect(await programs('番組')).toEqual([]);
  });

  test('a row says its station and its reservation', async () => {
    addProgram(1, { name: '番組' });
    addReservation(1, { name: '番組', state: 'conflict' });
    indexAllPending(database);
    expect((await store.programs(['番組'], 4, NOW)).rows).toEqual([
      {
        id: (STATION * 100_000 + 1) as ProgramId,
        name: '番組',
        service_name: '試験テレビ',
        start_at: broadcastMs(NOW + HOUR),
        end_at: broadcastMs(NOW + 2 * HOUR),
        reservation_state: 'conflict',
      },
    ]);
  });

  test('what was renamed, moved or deleted is found as it is now', async () => {
    const id = addProgram(1, { name: '古い名前' });
    expect(await programs('古い')).toHaveLength(1);
    database.query("UPDATE programs SET name = '新しい題', start_at = start_at + 1 WHERE id = ?").run(id);
    expect(await programs('古い')).toEqual([]);
    expect(await programs('新しい')).toEqual(['新しい題']);
    database.query('DELETE FROM programs WHERE id = ?').run(id);
    expect(await programs('新しい')).toEqual([]);
    expect(database.query('SELECT count(*) AS n FROM program_documents').get()).toEqual({ n: 0 });
  });

  test('a programme that came and went before it was indexed leaves nothing', async () => {
    const id = addProgram(1, { name: '束の間' });
    database.query('DELETE FROM programs WHERE id = ?').run(id);
    expect(indexPending(database)).toBe(0);
    expect(await programs('束の間')).toEqual([]);
  });

  test('what is deleted between being read and being written is not indexed; a second pass changes nothing', async () => {
    const [kept, gone] = [addProgram(1, { name: '残る番組' }), addProgram(2, { name: '消える番組' })];
    const pending = pendingPrograms(database, 10);
    expect(pending as number[]).toEqual([kept, gone]);
    const documents = preparePrograms(database, pending);
    database.query('DELETE FROM programs WHERE id = ?').run(gone);
    for (let pass = 0; pass < 2; pass++) indexPrograms(database, documents);
    expect(pendingPrograms(database, 10) as number[]).toEqual([kept]);
    endPending(database, pending);
    expect(pendingPrograms(database, 10)).toEqual([]);
    expect(await programs('番組')).toEqual(['残る番組']);
    expect(database.query('SELECT program_id AS id FROM program_documents').all()).toEqual([{ id: kept }]);
  });

  test('one call indexes no more than its bound', () => {
    for (let event = 0; event < 25; event++) addProgram(event, { name: `番組${event}` });
    expect([indexPending(database, 10), indexPending(database, 10)]).toEqual([10, 10]);
    expect([indexPending(database, 10), indexPending(database, 10)]).toEqual([5, 0]);
  });

  test('many programmes that begin in the same second, and impossible starts, are all found', async () => {
    for (let event = 0; event < 50; event++) addProgram(event, { name: '同時' });
    addProgram(60, { name: '果て', startAt: 9_999_999_999_999, endAt: 9_999_999_999_999 + HOUR });
    expect(await programs('果て')).toEqual(['果て']);
    expect(await programs('同時')).toHaveLength(10);
    expect(firstDocument(broadcastMs(-5))).toBe(0);
  });
});

describe('the other sections', () => {
  test('recordings: undeleted ones, newest first, also by the name of their station', async () => {
    addRecording(1, { name: '新しい', serviceName: 'ＸテレビHD' });
    addRecording(2, { name: '古い', serviceName: 'XテレビHD' });
    addRecording(3, { name: '別の局' });
    addRecording(4, { name: '捨てた', serviceName: 'Xテレビ' });
    addRecording(5, { name: '消した', serviceName: 'Xテレビ' });
    database.run('UPDATE recordings SET binned_at = 1 WHERE id = 4');
    database.run('UPDATE recordings SET deleted_at = 1 WHERE id = 5');
    indexAllPending(database);
    const found = await store.recordings(searchWords('ｘてれび'.replace('てれび', 'テレビ')), 10);
    expect(found.rows.map((row) => row.name)).toEqual(['新しい', '古い']);
    expect((await store.recordings(['x', '古'], 10)).rows.map((row) => row.id)).toEqual([recordingId(2)]);
    expect(await store.recordings(['x'], 1)).toMatchObject({ more: true, rows: [{ id: 1 }] });
  });

  test('recordings: words of the extended text are found; what has all words in its name comes first', async () => {
    const cast = { 出演者: '海野　遥、髙橋ｹﾝ' };
    addRecording(1, { name: '町の話', description: '今夜', extended: cast });
    addRecording(2, { name: '夜の町', description: '語り 海野 遥', serviceName: '海野テレビ' });
    addRecording(3, { name: '海野遥の部屋', extended: cast });
    addRecording(4, { name: '海野　遥　旅へ' });
    indexAllPending(database);
    const found = async (query: string, limit = 10, offset = 0): Promise<number[]> =>
      (await store.recordings(searchWords(query), limit, offset)).rows.map(({ id }) => id);
    expect(await found('海野 遥')).toEqual([3, 4, 1, 2]);
    expect([
      ...(await found('海野', 1)),
      ...(await found('海野', 2, 1)),
      ...(await found('海野', 9, 3)),
    ]).toEqual([3, 4, 1, 2]);
    expect(await found('高橋ケン 今夜')).toEqual([1]);
    expect(await found('今夜出演者')).toEqual([]);
    database.run(`UPDATE recordings SET extended = '{"出演者":"山田"}' WHERE id = 1`);
    database.run('DELETE FROM recordings WHERE id = 3');
    indexAllPending(database);
    expect(await found('高橋ケン')).toEqual([]);
    expect(await found('山田')).toEqual([1]);
    expect(database.query('SELECT count(*) AS n FROM recording_name_letters').get()).toEqual({ n: 3 });
  });

  test('recordings are watched, chased, or not viewable', async () => {
    addRecording(1, { name: '録画中', state: 'recording' });
    addRecording(2, { name: '録画済み' });
    addRecording(3, { name: '録画失敗', state: 'failed' });
    addRecording(4, { name: '録画はあるがファイルがない' });
    const file = database.query(
      "INSERT INTO recording_files VALUES ($id, 'ts', '/r/a.ts', 'mpeg2', 1, 1, 0)",
    );
    for (const id of [1, 2, 3]) file.run({ id });
    indexAllPending(database);
    expect((await store.recordings(['録画'], 10)).rows.map((row) => row.watch)).toEqual([
      'chase/1',
      'watch/2',
      null,
      null,
    ]);
  });

  test('recordings tell what they are worth', async () => {
    addRecording(1, { name: '録画済み' });
    addRecording(2, { name: '録画乱れ' });
    database.run(`UPDATE recordings SET verdict = '{"level":"damaged","drops":3}' WHERE id = 2`);
    indexAllPending(database);
    const { rows } = await store.recordings(['録画'], 10);
    expect(rows.map(({ id, verdict }) => [id, verdict]).sort()).toEqual([
      [recordingId(1), null],
      [recordingId(2), 'damaged'],
    ]);
  });

  test('reservations: upcoming and in progress, by start', () => {
    for (const [index, state] of [
      'scheduled',
      'conflict',
      'skipped',
      'missed',
      'cancelled',
      'finished',
    ].entries())
      addReservation(index + 2, { name: `予約 ${state}`, state });
    addReservation(1, { name: '予約 録画中', state: 'recording', startAt: NOW - 3 * HOUR, endAt: NOW - 1 });
    addReservation(20, { name: '予約 過去', startAt: NOW - 2 * HOUR, endAt: NOW });
    addRecording(7, { name: '録画', state: 'recording' });
    database.query('UPDATE recordings SET program_id = ? WHERE id = 7').run(STATION * 100_000 + 1);
    const { rows } = store.reservations(['予約'], 10, NOW);
    expect(rows.map((row) => row.name)).toEqual([
      '予約 録画中',
      '予約 scheduled',
      '予約 conflict',
      '予約 skipped',
    ]);
    expect(rows.map((row) => row.chase)).toEqual(['chase/7', null, null, null]);
    expect(store.reservations(['予約'], 3, NOW)).toMatchObject({ more: true });
  });

  test('rules by their name', () => {
    addRule('ドラマ 月9');
    addRule('月曜のアニメ', 0);
    expect(store.rules(searchWords('ﾄﾞﾗﾏ'), 4).rows).toEqual([
      { id: ruleId(1), name: 'ドラマ 月9', enabled: true },
    ]);
    expect(store.rules(['月'], 4).rows.map((row) => row.enabled)).toEqual([true, false]);
  });
});

describe('a long search', () => {
  const letters = Array.from({ length: 63 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const word = letters.join('');
  /** Has every pair of the word and does not contain it. */
  const pairs = letters
    .slice(1)
    .map((letter, index) => `${letters[index]}${letter}`)
    .join(' ');

  test('compares many and gives others a turn', async () => {
    const count = 2_600;
    database.transaction(() => {
      for (let index = 0; index < count; index++) {
        const startAt = index < 1_500 ? NOW + HOUR : NOW + index * HOUR;
        addProgram(index, { name: pairs, startAt });
        addRecording(index + 1, { name: pairs, startAt: index < 1_500 ? NOW - HOUR : NOW - index * HOUR });
      }
      addProgram(60_000, { name: word, startAt: NOW + 5_000 * HOUR });
      addProgram(60_001, { name: word, startAt: NOW + HOUR });
      addRecording(60_000, { name: word, startAt: NOW - 5_000 * HOUR });
      addRecording(60_001, { name: word, startAt: NOW - HOUR });
    })();
    indexAllPending(database);
    // A millisecond passes with every look at the clock: every fourth document or so is the last of its slice.
    let ms = 0;
    const slow = new SearchStore(database, () => monotonicMs(ms++));
    let turns = 0;
    const tick = (): void => {
      turns += 1;
      immediate = setImmediate(tick);
    };
    let immediate = setImmediate(tick);
    const found = await slow.programs([word], 4, NOW);
    const recorded = await slow.recordings([word], 4);
    clearImmediate(immediate);
    expect(found.rows.map((row) => row.id % 100_000)).toEqual([60_001, 60_000]);
    expect(recorded.rows.map((row) => row.id)).toEqual([recordingId(60_001), recordingId(60_000)]);
    expect((await store.programs(['一丁'], 10, NOW)).rows).toHaveLength(10);
    expect(turns).toBeGreaterThan(100);
  });
});

describe('the index', () => {
  test('terms are letters and pairs within words; signs are letters too', () => {
    expect(textTerms('あいう b-').split(' ')).toEqual([
      'あ',
      'い',
      'あい',
      'う',
      'いう',
      'b',
      '\ue02d',
      'b\ue02d',
    ]);
    expect(matchExpression(['a"b', '😀'])).toEqual({
      match: '"a\ue022" AND "\ue022b" AND "😀"',
      complete: true,
    });
    // The rarest of many: those with the fewest hiragana and signs.
    expect(matchExpression(['いろはにほへと漢字カナ'])).toEqual({
      match: '"漢字" AND "字カ" AND "カナ" AND "と漢" AND "いろ" AND "ろは" AND "はに" AND "にほ"',
      complete: false,
    });
  });

  test('finds what a comparison letter by letter finds, whatever the texts and queries', async () => {
    // Few letters, so that texts share pairs without sharing words; among them everything that means something
    // to SQL, LIKE, GLOB or FTS5.
    const letters = fc.constantFrom(
      ...'あいうアｱｲカｶﾞ゛AaＢb10%_*?"\'-+^:(){}[]字🈑〜～ー ．😀𠮷é\n　NEARORND',
    );
    const text = fc.string({ unit: letters, maxLength: 12 });
    const list = new RecordingListStore(database);
    const docs = fc.array(fc.tuple(text, text, fc.integer({ min: -3, max: 5 }), text), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(
        docs,
        fc.array(fc.string({ unit: letters, maxLength: 5 }), { maxLength: 12 }),
        async (rows, queries) => {
          database.run('DELETE FROM programs');
          database.run('DELETE FROM recordings');
          rows.forEach(([name, description, hours, body], index) => {
            addProgram(index, {
              name,
              description,
              extended: { あ: body },
              startAt: NOW + hours * HOUR,
              endAt: NOW + (hours + 2) * HOUR,
            });
            const extended = { あ: body };
            addRecording(index + 1, { name, description, extended, startAt: NOW + hours * HOUR });
          });
          indexAllPending(database);
          for (const words of queries.map(searchWords).filter((one) => one.length > 0)) {
            const within = (texts: readonly string[]): boolean => {
              const lines = texts.map(matchText).join('\n');
              return words.every((word) => lines.includes(word));
            };
            const coming = rows
              .map(([name, description, hours, body], index) => {
                const named = within([name]);
                return { hours, index, named, found: within([name, description, 'あ', body]) };
              })
              .filter(({ hours, found }) => found && hours + 2 > 0)
              .sort((a, b) => Number(b.named) - Number(a.named) || a.hours - b.hours);
            const found = await store.programs(words, 30, NOW);
            expect([...found.rows.map((row) => row.id % 100_000)].sort()).toEqual(
              coming.map(({ index }) => index).sort(),
            );
            expect(found.rows.map((row) => row.start_at)).toEqual(
              coming.map(({ hours }) => broadcastMs(NOW + hours * HOUR)),
            );
            const recorded = (await store.recordings(words, 30)).rows;
            const matchingRecordings = rows
              .map(([name, description, hours, body]) => {
                const found = within([name, `${description} 局`, 'あ', body]);
                return { hours, found, named: within([name]) };
              })
              .filter(({ found }) => found)
              .sort((a, b) => Number(b.named) - Number(a.named) || b.hours - a.hours);
            expect(recorded.map((row) => row.start_at)).toEqual(
              matchingRecordings.map(({ hours }) => broadcastMs(NOW + hours * HOUR)),
            );
            const listed = list.page({ ...FAILED, words }, 0, 30).rows.map((row) => row.id);
            expect(listed.toSorted()).toEqual(recorded.map(({ id }) => id).toSorted());
          }
        },
      ),
      { seed: SEED, numRuns: 150 },
    );
  });
});

test('whoever writes does not wait for a search that is under way, nor fails because of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-search-'));
  const path = join(folder, 'svc.db');
  const kept = database;
  database = openDatabase(path);
  const [other, reader] = [openDatabase(path), openReader(path)];
  try {
    addStation(STATION, '試験テレビ');
    for (let event = 1; event <= 20; event += 1) addProgram(event, { name: `海の番組${event}` });
    indexAllPending(database);
    let at = 0;
    // Others have their turn after every row.
    const search = new SearchStore(reader, () => {
      at += 1000;
      return monotonicMs(at);
    });
    const found = search.programs(searchWords('海の番組'), 50, NOW);
    other.run('UPDATE stations SET channel = ?', ['T28']);
    const write = database.transaction(() => database.run('UPDATE stations SET channel = ?', ['T29']));
    expect(write.immediate().changes).toBe(1);
    expect((await found).rows).toHaveLength(20);
  } finally {
    for (const one of [reader, other, database]) one.close();
    database = kept;
    rmSync(folder, { recursive: true, force: true });
  }
});
