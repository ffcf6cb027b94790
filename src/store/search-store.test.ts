import type { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { monotonicMs } from '../../lib/host/clock.ts';
import { recordingId, ruleId } from '../../lib/wire/ids.ts';
import { NOW, SearchRows, STATION } from '../../test/service/search-rows.ts';
import { searchWords } from '../model/search-text.ts';
import { openReader } from './connection.ts';
import { openDatabase } from './database.ts';
import {
  endPending,
  firstDocument,
  indexAllPending,
  indexPending,
  indexPrograms,
  pendingPrograms,
  preparePrograms,
} from './search-index.ts';
import { SearchStore } from './search-store.ts';

const HOUR = 3_600_000;

let database: Database;
let store: SearchStore;
let home: SearchRows;

beforeEach(() => {
  database = openDatabase(':memory:');
  store = new SearchStore(database);
  home = new SearchRows(database);
  home.addStation(STATION, '試験テレビ');
});

afterEach(() => {
  database.close();
});

async function programs(query: string, limit = 10): Promise<string[]> {
  indexAllPending(database);
  return (await await store.programs(searchWords(query), limit, NOW)).rows.map((row) => row.name);
}

describe('programmes', () => {
  test('a sub-channel that repeats its main station is found there only, unless it differs or is booked', async () => {
    const sub = STATION + 1;
    home.addStation(sub, '試験テレビ２');
    const found = async (): Promise<number[]> => {
      indexAllPending(database);
      const { rows } = await store.programs(searchWords('灯台'), 10, NOW);
      return rows.map(({ id }) => Math.floor(id / 100_000) - STATION);
    };
    const setGroup = (id: number, event: number): void => {
      const events = [{ networkId: 32_736, serviceId: 1_024, eventId: event }];
      const groups = JSON.stringify([{ type: 'shared', events }]);
      database.query('UPDATE programs SET groups = ? WHERE id = ?').run(groups, id);
    };
    // By name and times, on air and to come; one starts later and is another programme.
    home.addProgram(1, { name: '灯台の朝', startAt: NOW - HOUR, endAt: NOW + HOUR });
    home.addProgram(1, { name: '灯台の朝', startAt: NOW - HOUR, endAt: NOW + HOUR, station: sub });
    home.addProgram(2, { name: '灯台の昼' });
    home.addProgram(2, { name: '灯台の昼', station: sub });
    expect(await found()).toEqual([0, 0]);
    home.addProgram(3, { name: '灯台の昼', startAt: NOW + 2 * HOUR, station: sub });
    expect(await found()).toEqual([0, 0, 1]);
    // By the event group, whatever the name; not if the guide of the main station lacks the event.
    home.addProgram(4, { name: '灯台の夜', startAt: NOW + 5 * HOUR });
    const shared = home.addProgram(5, { name: '灯台の夜 第2', startAt: NOW + 5 * HOUR, station: sub });
    expect(await found()).toEqual([0, 0, 1, 0, 1]);
    setGroup(shared, 4);
    expect(await found()).toEqual([0, 0, 1, 0]);
    setGroup(shared, 99);
    expect(await found()).toEqual([0, 0, 1, 0, 1]);
    setGroup(shared, 4);
    home.addReservation(1, { name: '灯台の夜', startAt: NOW + 5 * HOUR });
    database.query('UPDATE reservations SET program_id = ?, station_id = ? WHERE id = 1').run(shared, sub);
    expect(await found()).toEqual([0, 0, 1, 0, 1]);
  });

  test('a sub-channel that repeats its main station is found where it alone has the words', async () => {
    const sub = STATION + 1;
    home.addStation(sub, '試験テレビ２');
    const at = (hours: number) => ({ startAt: NOW + hours * HOUR, endAt: NOW + (hours + 2) * HOUR });
    // On air by its name, to come by its name, and by a description of its own.
    for (const [event, hours] of [
      [1, -1],
      [2, 5],
    ] as const) {
      home.addProgram(event, { name: '灯台の夜', ...at(hours) });
      const id = home.addProgram(event, { name: '岬の夜', ...at(hours), station: sub });
      const events = [{ networkId: 32_736, serviceId: 1_024, eventId: event }];
      database
        .query('UPDATE programs SET groups = ? WHERE id = ?')
        .run(JSON.stringify([{ type: 'shared', events }]), id);
    }
    home.addProgram(3, { name: '港の朝', ...at(9) });
    home.addProgram(3, { name: '港の朝', description: '手話つき', ...at(9), station: sub });
    expect(await programs('夜')).toEqual(['灯台の夜', '灯台の夜']);
    expect(await programs('岬')).toEqual(['岬の夜', '岬の夜']);
    expect(await programs('港')).toEqual(['港の朝']);
    expect(await programs('手話')).toEqual(['港の朝']);
  });

  test('a row whose name lacks a word says where it was found', async () => {
    home.addProgram(1, { name: '町の話', description: '今夜', extended: { 出演者: '海野　遥' } });
    home.addProgram(2, { name: '海野遥の町', startAt: NOW + HOUR });
    indexAllPending(database);
    const { rows } = await store.programs(searchWords('町 海野'), 10, NOW);
    expect(rows.map(({ name, match }) => [name, match])).toEqual([
      ['海野遥の町', undefined],
      ['町の話', { heading: '出演者', text: '海野 遥' }],
    ]);
  });

  test('every word must be contained, in the name or the description', async () => {
    home.addProgram(1, { name: '歌の広場', description: '夏の名曲を集めて' });
    home.addProgram(2, { name: '歌の時間', description: '冬の名曲' });
    expect(await programs('歌 名曲')).toHaveLength(2);
    expect(await programs('名曲　夏')).toEqual(['歌の広場']);
    expect(await programs('歌 夏 冬')).toEqual([]);
    // A word does not match across the end of the name.
    expect(await programs('広場夏')).toEqual([]);
  });

  test('words of the extended text are found, with others too; those with all words in the name come first', async () => {
    const cast = { 出演者: '海野　遥、髙橋ｹﾝ', 番組内容: '港の町の一日' };
    const id = home.addProgram(1, { name: '町の話', description: '今夜', extended: cast });
    home.addProgram(2, { name: '海野遥の部屋', startAt: NOW + 9 * HOUR });
    home.addProgram(3, { name: '夜の町', description: '語り 海野 遥', startAt: NOW - HOUR, endAt: NOW + 1 });
    home.addProgram(4, { name: '海野　遥　旅へ', startAt: NOW + 5 * HOUR });
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
    const id = home.addProgram(1, { name: '番組' });
    database.query("UPDATE programs SET extended = '{broken' WHERE id = ?").run(id);
    expect(await programs('番組')).toEqual(['番組']);
  });

  test('width, letter case and the width of kana are ignored, broadcast symbols have one spelling', async () => {
    home.addProgram(1, { name: '\u{1F21F}ＮＥＷＳ７　ｶﾞｲﾄﾞ' });
    for (const query of ['news7', 'ＮｅＷＳ', 'ガイド', 'ｶﾞｲ', '[新]news', '【新】', 'w', 'ｲ'])
      expect([query, await programs(query)]).toEqual([query, ['\u{1F21F}ＮＥＷＳ７　ｶﾞｲﾄﾞ']]);
    expect(await programs('がいど')).toEqual([]);
  });

  test('ended programmes are omitted, those on the air come first, then by start', async () => {
    home.addProgram(1, { name: '番組 終わり', startAt: NOW - 2 * HOUR, endAt: NOW });
    home.addProgram(2, { name: '番組 明日', startAt: NOW + 24 * HOUR });
    home.addProgram(3, { name: '番組 今', startAt: NOW - HOUR, endAt: NOW + 1 });
    home.addProgram(4, { name: '番組 次', startAt: NOW + 1 });
    home.addProgram(5, { name: '番組 長い', startAt: NOW - 30 * HOUR, endAt: NOW + HOUR });
    home.addProgram(6, { name: '番組 丁度', startAt: NOW });
    expect(await programs('番組')).toEqual(['番組 長い', '番組 今', '番組 丁度', '番組 次', '番組 明日']);
    expect(await programs('番', 2)).toEqual(['番組 長い', '番組 今']);
    expect((await store.programs(['番'], 4, NOW)).more).toBe(true);
    expect((await store.programs(['番'], 5, NOW)).more).toBe(false);
  });

  test('programmes of unlisted stations are not found', async () => {
    home.addStation(5, '消えた局', 1);
    home.addProgram(1, { name: '番組', station: 5 });
    expect(await programs('番組')).toEqual([]);
  });

  test('a row contains its station and its reservation', async () => {
    home.addProgram(1, { name: '番組' });
    home.addReservation(1, { name: '番組', state: 'conflict' });
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

  test('a row has no reservation of an earlier programme with the same event id', async () => {
    home.addProgram(1, { name: '番組' });
    home.addProgram(2, { name: '番組', startAt: NOW - HOUR, endAt: NOW + HOUR });
    for (const event of [1, 2]) home.addReservation(event, { name: '昔の番組', state: 'finished' });
    indexAllPending(database);
    const states = async () => {
      const { rows } = await store.programs(['番組'], 4, NOW);
      return rows.map(({ reservation_state }) => reservation_state);
    };
    expect(await states()).toEqual(['finished', 'finished']);
    database.query('UPDATE reservations SET end_at = ?').run(NOW - 100 * HOUR);
    expect(await states()).toEqual([null, null]);
  });

  test('renamed, moved or deleted programmes are found as they are now', async () => {
    const id = home.addProgram(1, { name: '古い名前' });
    expect(await programs('古い')).toHaveLength(1);
    database.query("UPDATE programs SET name = '新しい題', start_at = start_at + 1 WHERE id = ?").run(id);
    expect(await programs('古い')).toEqual([]);
    expect(await programs('新しい')).toEqual(['新しい題']);
    database.query('DELETE FROM programs WHERE id = ?').run(id);
    expect(await programs('新しい')).toEqual([]);
    expect(database.query('SELECT count(*) AS n FROM program_documents').get()).toEqual({ n: 0 });
  });

  test('a programme deleted before it was indexed leaves nothing in the index', async () => {
    const id = home.addProgram(1, { name: '束の間' });
    database.query('DELETE FROM programs WHERE id = ?').run(id);
    expect(indexPending(database)).toBe(0);
    expect(await programs('束の間')).toEqual([]);
  });

  test('a programme deleted between reading and writing is not indexed; a second pass changes nothing', async () => {
    const [kept, gone] = [
      home.addProgram(1, { name: '残る番組' }),
      home.addProgram(2, { name: '消える番組' }),
    ];
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
    for (let event = 0; event < 25; event++) home.addProgram(event, { name: `番組${event}` });
    expect([indexPending(database, 10), indexPending(database, 10)]).toEqual([10, 10]);
    expect([indexPending(database, 10), indexPending(database, 10)]).toEqual([5, 0]);
  });

  test('many programmes that begin in the same second, and impossible starts, are all found', async () => {
    for (let event = 0; event < 50; event++) home.addProgram(event, { name: '同時' });
    home.addProgram(60, { name: '果て', startAt: 9_999_999_999_999, endAt: 9_999_999_999_999 + HOUR });
    expect(await programs('果て')).toEqual(['果て']);
    expect(await programs('同時')).toHaveLength(10);
    expect(firstDocument(broadcastMs(-5))).toBe(0);
  });
});

describe('the other sections', () => {
  test('recordings: undeleted ones, newest first, also by the name of their station', async () => {
    home.addRecording(1, { name: '新しい', serviceName: 'ＸテレビHD' });
    home.addRecording(2, { name: '古い', serviceName: 'XテレビHD' });
    home.addRecording(3, { name: '別の局' });
    home.addRecording(4, { name: '捨てた', serviceName: 'Xテレビ' });
    home.addRecording(5, { name: '消した', serviceName: 'Xテレビ' });
    database.run('UPDATE recordings SET binned_at = 1 WHERE id = 4');
    database.run('UPDATE recordings SET deleted_at = 1 WHERE id = 5');
    indexAllPending(database);
    const found = await store.recordings(searchWords('ｘてれび'.replace('てれび', 'テレビ')), 10);
    expect(found.rows.map((row) => row.name)).toEqual(['新しい', '古い']);
    expect((await store.recordings(['x', '古'], 10)).rows.map((row) => row.id)).toEqual([recordingId(2)]);
    expect(await store.recordings(['x'], 1)).toMatchObject({ more: true, rows: [{ id: 1 }] });
  });

  test('recordings: words of the extended text are found; those with all words in the name come first', async () => {
    const cast = { 出演者: '海野　遥、髙橋ｹﾝ' };
    home.addRecording(1, { name: '町の話', description: '今夜', extended: cast });
    home.addRecording(2, { name: '夜の町', description: '語り 海野 遥', serviceName: '海野テレビ' });
    home.addRecording(3, { name: '海野遥の部屋', extended: cast });
    home.addRecording(4, { name: '海野　遥　旅へ' });
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

  test('recordings are marked as watchable, chaseable or not viewable', async () => {
    home.addRecording(1, { name: '録画中', state: 'recording' });
    home.addRecording(2, { name: '録画済み' });
    home.addRecording(3, { name: '録画失敗、一部だけ', state: 'failed' });
    home.addRecording(4, { name: '録画失敗、ファイルがない', state: 'failed' });
    const file = database.query(
      "INSERT INTO recording_files VALUES ($id, 'ts', '/r/a.ts', 'mpeg2', 1, 1, 0)",
    );
    for (const id of [1, 2, 3]) file.run({ id });
    indexAllPending(database);
    expect((await store.recordings(['録画'], 10)).rows.map((row) => row.watch)).toEqual([
      'chase/1',
      'watch/2',
      'watch/3',
      null,
    ]);
  });

  test('recordings contain their verdict', async () => {
    home.addRecording(1, { name: '録画済み' });
    home.addRecording(2, { name: '録画乱れ' });
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
      home.addReservation(index + 2, { name: `予約 ${state}`, state });
    home.addReservation(1, {
      name: '予約 録画中',
      state: 'recording',
      startAt: NOW - 3 * HOUR,
      endAt: NOW - 1,
    });
    home.addReservation(20, { name: '予約 過去', startAt: NOW - 2 * HOUR, endAt: NOW });
    home.addRecording(7, { name: '録画', state: 'recording' });
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
    home.addRule('ドラマ 月9');
    home.addRule('月曜のアニメ', 0);
    expect(store.rules(searchWords('ﾄﾞﾗﾏ'), 4).rows).toEqual([
      { id: ruleId(1), name: 'ドラマ 月9', enabled: true },
    ]);
    expect(store.rules(['月'], 4).rows.map((row) => row.enabled)).toEqual([true, false]);
  });
});

describe('a long search', () => {
  const letters = Array.from({ length: 63 }, (_, index) => String.fromCodePoint(0x4e00 + index));
  const word = letters.join('');
  /** Has every pair of the word but does not contain it. */
  const pairs = letters
    .slice(1)
    .map((letter, index) => `${letters[index]}${letter}`)
    .join(' ');

  test('compares many rows and lets other tasks run in between', async () => {
    const count = 2_600;
    database.transaction(() => {
      for (let index = 0; index < count; index++) {
        const startAt = index < 1_500 ? NOW + HOUR : NOW + index * HOUR;
        home.addProgram(index, { name: pairs, startAt });
        home.addRecording(index + 1, {
          name: pairs,
          startAt: index < 1_500 ? NOW - HOUR : NOW - index * HOUR,
        });
      }
      home.addProgram(60_000, { name: word, startAt: NOW + 5_000 * HOUR });
      home.addProgram(60_001, { name: word, startAt: NOW + HOUR });
      home.addRecording(60_000, { name: word, startAt: NOW - 5_000 * HOUR });
      home.addRecording(60_001, { name: word, startAt: NOW - HOUR });
    })();
    indexAllPending(database);
    // Each reading of the clock adds a millisecond: about every fourth document ends its slice.
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

test('a writer neither waits for a running search nor fails because of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-search-'));
  const path = join(folder, 'svc.db');
  const [writer, other, reader] = [openDatabase(path), openDatabase(path), openReader(path)];
  const rows = new SearchRows(writer);
  try {
    rows.addStation(STATION, '試験テレビ');
    for (let event = 1; event <= 20; event += 1) rows.addProgram(event, { name: `海の番組${event}` });
    indexAllPending(writer);
    let at = 0;
    // Other tasks run after every row.
    const search = new SearchStore(reader, () => {
      at += 1000;
      return monotonicMs(at);
    });
    const found = search.programs(searchWords('海の番組'), 50, NOW);
    other.run('UPDATE stations SET channel = ?', ['T28']);
    const write = writer.transaction(() => writer.run('UPDATE stations SET channel = ?', ['T29']));
    expect(write.immediate().changes).toBe(1);
    expect((await found).rows).toHaveLength(20);
  } finally {
    for (const one of [reader, other, writer]) one.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
