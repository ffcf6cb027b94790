/** Recordings over HTTP: what rows and files say is what lists, marks and files answer. */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { openDatabase } from '../../src/store/database.ts';
import { indexAllPending } from '../../src/store/search-index.ts';
import {
  RECORDING_SORTS,
  type Recording,
  type RecordingSeries,
  RecordingSeriesSchema,
  RecordingStatusSchema,
  RecordingsSchema,
} from '../../wire/api.ts';
import { HOME_STATION, StandInAgent, startTestService, type TestService, until } from './harness.ts';
import { fillRecordings, putRecording, type RecordingRow } from './recording-rows.ts';

const HOUR = 3_600_000;
const SATELLITE = 400_151;
const STATIONS = [
  { id: HOME_STATION, name: '試験テレビ' },
  { id: SATELLITE, name: '試験衛星' },
];
const START = Date.UTC(2026, 0, 5, 12);

let agent: StandInAgent;
let home: TestService;
let database: Database;
let folder: string;

beforeAll(async () => {
  agent = new StandInAgent();
  agent.start();
  home = await startTestService({ environment: { TUNER_AGENT_URL: agent.url } });
  folder = join(home.folder, 'recordings');
  await until(async () => (await (await get('/api/services')).text()).includes('試験テレビ'));
  database = openDatabase(join(home.folder, 'svc.db'));
});

afterAll(async () => {
  database.close();
  await home.close();
  await agent.stop();
});

beforeEach(() => {
  database.run('DELETE FROM recordings');
});

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${home.url}${path}`, init);
}

async function list(query = ''): Promise<Recording[]> {
  const response = await get(`/api/recordings?${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  const items = (await response.json()) as Recording[];
  expect([...Value.Errors(RecordingsSchema, items)]).toEqual([]);
  return items;
}

const ids = async (query = ''): Promise<number[]> => (await list(query)).map(({ id }) => id);

function put(row: Partial<RecordingRow> = {}, index = 0): number {
  const startAt = START + index * HOUR;
  return putRecording(
    database,
    {
      station: HOME_STATION,
      serviceName: '試験テレビ',
      name: `番組${index}`,
      startAt,
      endAt: startAt + HOUR,
      ...row,
    },
    folder,
  );
}

describe('the list', () => {
  test('says of a recording what a screen shows', async () => {
    const verdict = {
      level: 'damaged' as const,
      drops: 3,
      gaps: [{ startMs: 5, endMs: 900, cause: 'stalled' as const }],
      headMs: 10,
      tailMs: -4,
    };
    const id = put({
      name: '\u{1F21F}灯台守の夏 第3話「嵐の夜」[字]',
      genres: [{ lv1: 3, lv2: 0 }],
      programId: HOME_STATION * 100_000 + 7,
      verdict,
      series: { name: '灯台守の夏', episode: '第3話「嵐の夜」' },
      resumeMs: 95_000,
      bytes: 123_456,
      protected: true,
    });
    expect(await list()).toEqual([
      {
        id,
        title: '灯台守の夏 第3話「嵐の夜」',
        name: '\u{1F21F}灯台守の夏 第3話「嵐の夜」[字]',
        serviceId: HOME_STATION,
        serviceName: '試験テレビ',
        startAt: START,
        endAt: START + HOUR,
        durationMs: HOUR + 25_000,
        resumeMs: 95_000,
        watchedAt: null,
        recording: false,
        chase: null,
        cmReliable: false,
        poster: `api/recordings/${id}/poster`,
        files: [{ source: 'ts', codec: 'mpeg2', url: `api/recordings/${id}/file?source=ts` }],
        audio: `api/recordings/${id}/file?audio=only`,
        audios: [{ id: '0:both', stream: 0, side: 'both', label: '主音声' }],
        verdict,
        state: 'recorded',
        reason: null,
        programId: HOME_STATION * 100_000 + 7,
        ruleId: null,
        genres: [{ lv1: 3, lv2: 0 }],
        series: { key: '灯台守の夏', name: '灯台守の夏', episode: '第3話「嵐の夜」' },
        bytes: 123_456,
        protected: true,
        binnedAt: null,
        progress: null,
      },
    ]);
  });

  test('shows what can be watched and what is being recorded, newest first; the rest where it is asked for', async () => {
    const old = put({}, 0);
    const failed = put({ state: 'failed', reason: '受信できませんでした' }, 1);
    const running = put({ state: 'recording' }, 2);
    const binned = put({ binnedAt: Date.now() }, 3);
    const gone = put({ content: null }, 4);
    const locked = put({ protected: true }, 5);
    database.query('UPDATE recordings SET deleted_at = 1 WHERE id = $id').run({ id: put({}, 6) });
    expect(await ids()).toEqual([locked, running, old]);
    expect(await ids('show=recording')).toEqual([running]);
    expect(await ids('show=failed')).toEqual([gone, failed]);
    expect(await ids('show=bin')).toEqual([binned]);
    expect(await ids('show=protected')).toEqual([locked]);
    const [item] = await list('show=recording');
    expect(item).toMatchObject({ recording: true, durationMs: null, chase: null, progress: null });
    expect((await list('show=bin'))[0]).toMatchObject({ files: [] });
  });

  test('is sorted, filtered and searched', async () => {
    const rule = database.query<{ id: number }, []>(
      "INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('r', '{}', 0, 0) RETURNING id",
    );
    const ruleId = rule.get()?.id ?? -1;
    const series = { name: '山の便り', episode: null };
    const ten = put({ name: '山の便り 第10話', series, watchedAt: 5, bytes: 900 }, 0);
    const two = put({ name: '[字]山の便り 第2話', series, ruleId, bytes: 300 }, 1);
    const sea = put({ name: '海の便り', station: SATELLITE, bytes: 600, endAt: START + 9 * HOUR }, 2);
    indexAllPending(database);
    expect(await ids('sort=newest')).toEqual([sea, two, ten]);
    expect(await ids('sort=oldest')).toEqual([ten, two, sea]);
    expect(await ids('sort=title')).toEqual([two, ten, sea]);
    expect(await ids('sort=unwatched')).toEqual([sea, two, ten]);
    expect(await ids('sort=longest')).toEqual([sea, two, ten]);
    expect(await ids('sort=largest')).toEqual([ten, sea, two]);
    expect(await ids('unwatched=1')).toEqual([sea, two]);
    expect(await ids(`stationId=${SATELLITE}`)).toEqual([sea]);
    expect(await ids(`ruleId=${ruleId}`)).toEqual([two]);
    expect(await ids(`series=${encodeURIComponent('山の便り')}&sort=oldest`)).toEqual([ten, two]);
    expect(await ids(`q=${encodeURIComponent('便り')}&sort=oldest`)).toEqual([ten, two, sea]);
    expect(await ids(`q=${encodeURIComponent('山の便り １０')}`)).toEqual([ten]);
    expect(await ids(`q=${encodeURIComponent('無いもの')}`)).toEqual([]);
  });

  test('comes in pages with the number of all', async () => {
    const all = Array.from({ length: 7 }, (_, index) => put({}, index)).reverse();
    expect(await ids('limit=3&offset=2')).toEqual(all.slice(2, 5));
    expect(await ids('limit=3&offset=6')).toEqual(all.slice(6));
    expect(await ids('limit=3&offset=999999999')).toEqual([]);
    const response = await get('/api/recordings?limit=1');
    expect(response.headers.get('x-svc-total')).toBe('7');
    for (const sort of RECORDING_SORTS) {
      const pages = await Promise.all([0, 2, 4, 6].map((at) => ids(`sort=${sort}&limit=2&offset=${at}`)));
      expect(pages.flat().sort()).toEqual([...all].sort());
    }
  });

  test('is not sent again while nothing changed', async () => {
    const id = put();
    const first = await get('/api/recordings');
    const etag = first.headers.get('etag') ?? '';
    const again = (query = '') => get(`/api/recordings${query}`, { headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    expect((await again('?limit=1')).status).toBe(200);
    database.query('UPDATE recordings SET watched_at = 9 WHERE id = $id').run({ id });
    expect((await again()).status).toBe(200);
  });

  test('refuses what it does not know', async () => {
    for (const query of ['limit=x', 'offset=-1', 'sort=best', 'show=all', 'unwatched=2', 'stationId=a']) {
      const response = await get(`/api/recordings?${query}`);
      expect([query, response.status]).toEqual([query, 400]);
      expect(await response.json()).toMatchObject({ code: 'bad_request', path: query.split('=')[0] });
    }
  });
});

test('series are those of what can be watched, that with the newest recording first', async () => {
  const sea = { name: '海の便り', episode: null };
  put({ series: { name: '山の便り', episode: '第1話' }, watchedAt: 1 }, 0);
  put({ series: sea }, 1);
  const newest = put({ series: sea, watchedAt: 1 }, 2);
  put({ series: { name: 'ごみ箱', episode: null }, binnedAt: Date.now() }, 3);
  put({}, 4);
  const response = await get('/api/recordings/series');
  const series = (await response.json()) as RecordingSeries[];
  for (const one of series) expect([...Value.Errors(RecordingSeriesSchema, one)]).toEqual([]);
  expect(response.headers.get('x-svc-total')).toBe('2');
  expect(series.map(({ name, count, unwatched }) => ({ name, count, unwatched }))).toEqual([
    { name: '海の便り', count: 2, unwatched: 1 },
    { name: '山の便り', count: 1, unwatched: 0 },
  ]);
  expect(series[0]?.newest.id).toBe(newest);
});

describe('one recording', () => {
  test('tells its state and its texts', async () => {
    const id = put({ name: '[字]番組', description: '概要', extended: { 出演者: '誰か' } });
    const status: unknown = await (await get(`/api/recordings/${id}/status`)).json();
    expect([...Value.Errors(RecordingStatusSchema, status)]).toEqual([]);
    expect(status).toEqual({
      id,
      encoded: false,
      state: 'recorded',
      durationMs: HOUR + 25_000,
      progress: null,
    });
    expect(await (await get(`/api/recordings/${id}/detail`)).json()).toEqual({
      id,
      title: '番組',
      name: '[字]番組',
      description: '概要',
      extended: { 出演者: '誰か' },
    });
    const bare = put();
    expect(await (await get(`/api/recordings/${bare}/detail`)).json()).toMatchObject({
      description: '',
      extended: {},
    });
  });

  test('is not there when it is unknown, deleted or in the bin', async () => {
    const binned = put({ binnedAt: Date.now() });
    const deleted = put();
    database.query('UPDATE recordings SET deleted_at = 1 WHERE id = $id').run({ id: deleted });
    for (const id of [binned, deleted, 999_999_999_999_999]) {
      for (const what of ['status', 'detail']) {
        const response = await get(`/api/recordings/${id}/${what}`);
        expect([what, response.status]).toEqual([what, 404]);
        expect(await response.json()).toMatchObject({ code: 'not_found' });
      }
    }
    expect((await get('/api/recordings/x/status')).status).toBe(400);
  });
});

test('a believable household is listed whole', async () => {
  const made = fillRecordings(database, { stations: STATIONS, count: 200, now: Date.now(), folder });
  const shown = await Promise.all(['', 'show=failed', 'show=bin'].map((query) => list(`${query}&limit=500`)));
  expect(shown.map((items) => items.length > 5)).toEqual([true, true, true]);
  expect(
    shown
      .flat()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...made].sort());
  expect((await list())[0]).toMatchObject({ recording: true, title: '真夜中の音楽堂' });
});
