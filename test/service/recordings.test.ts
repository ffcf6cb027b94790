/** Recordings over HTTP: lists return what the rows contain. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import {
  RECORDING_SORTS,
  type Recording,
  RecordingDetailSchema,
  type RecordingSeries,
  RecordingSeriesSchema,
  RecordingStatusSchema,
  type RecordingVerdict,
} from '../../lib/wire/api.ts';
import { indexAllPending } from '../../src/store/search-index.ts';
import { HOME_STATION } from './harness.ts';
import { HOUR, RecordedHome, SATELLITE, START, STATIONS } from './recorded-home.ts';
import { fillRecordings } from './recording-rows.ts';

let home: RecordedHome;

beforeAll(async () => {
  home = await RecordedHome.start();
});

afterAll(() => home.close());

beforeEach(() => home.clear());

describe('the list', () => {
  test('contains what a screen shows of a recording', async () => {
    const verdict = {
      level: 'damaged' as const,
      drops: 3,
      gaps: [{ startMs: 5, endMs: 900, cause: 'stalled' as const }],
      headMs: 10,
      tailMs: -4,
    };
    const id = home.put({
      name: '\u{1F21F}灯台守の夏 第3話「嵐の夜」[字]',
      genres: [{ lv1: 3, lv2: 0 }],
      programId: HOME_STATION * 100_000 + 7,
      verdict,
      series: { name: '灯台守の夏', episode: '第3話「嵐の夜」' },
      resumeMs: 95_000,
      bytes: 123_456,
      protected: true,
    });
    expect(await home.list()).toEqual<unknown>([
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
        chase: `api/recordings/${id}/chase`,
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

  test('contains watchable recordings and those in progress, newest first; others on request', async () => {
    const old = home.put({}, 0);
    const failed = home.put({ state: 'failed', reason: '受信できませんでした' }, 1);
    const running = home.put({ state: 'recording' }, 2);
    const binned = home.put({ binnedAt: Date.now() }, 3);
    const gone = home.put({ content: null }, 4);
    const locked = home.put({ protected: true }, 5);
    home.database.query('UPDATE recordings SET deleted_at = 1 WHERE id = $id').run({ id: home.put({}, 6) });
    expect(await home.ids()).toEqual([locked, running, old]);
    expect(await home.ids('show=recording')).toEqual([running]);
    expect(await home.ids('show=failed')).toEqual([gone, failed]);
    expect(await home.ids('show=bin')).toEqual([binned]);
    expect(await home.ids('show=protected')).toEqual([locked]);
    const [item] = await home.list('show=recording');
    expect(item).toMatchObject({ recording: true, durationMs: null, progress: null });
    expect(item?.chase).toBe(`api/recordings/${item?.id}/chase`);
    expect((await home.list('show=bin'))[0]).toMatchObject({ files: [] });
  });

  test('continues behind a cursor, and says what is wrong with a bad one', async () => {
    fillRecordings(home.database, { stations: STATIONS, count: 25, now: START, folder: null });
    const all = await home.ids('sort=title&limit=500');
    const read: number[] = [];
    for (let place: string | null = 'offset=0'; place !== null; ) {
      const response: Response = await home.get(`/api/recordings?sort=title&limit=10&${place}`);
      read.push(...((await response.json()) as Recording[]).map(({ id }) => id));
      const cursor: string | null = response.headers.get('x-svc-next');
      place = cursor === null ? null : `cursor=${cursor}`;
    }
    expect(read).toEqual(all);
    const next = (await home.get('/api/recordings?limit=1')).headers.get('x-svc-next');
    for (const bad of [`cursor=${next}&sort=title`, `cursor=${next}&offset=1`, 'cursor=x', 'cursor=W10']) {
      const response = await home.get(`/api/recordings?${bad}`);
      expect([bad, response.status]).toEqual([bad, 400]);
      expect(await response.json()).toMatchObject({ code: 'bad_request', path: 'cursor' });
    }
  });

  test('replaces a limit or an offset out of range by the nearest valid value', async () => {
    const ids = [home.put({}, 0), home.put({}, 1), home.put({}, 2)].reverse();
    expect(await home.ids('limit=0')).toEqual(ids.slice(0, 1));
    expect(await home.ids('limit=999999999999999')).toEqual(ids);
    expect(await home.ids('offset=2')).toEqual(ids.slice(2));
    expect(await home.ids('offset=3')).toEqual([]);
    expect(await home.ids('offset=999999999999999')).toEqual([]);
    for (const bad of ['limit=-1', 'limit=1.5', 'limit=', 'offset=x', 'offset=9999999999999999'])
      expect([bad, (await home.get(`/api/recordings?${bad}`)).status]).toEqual([bad, 400]);
    const total = (await home.get('/api/recordings?offset=3')).headers.get('x-svc-total');
    expect(total).toBe('3');
  });

  test('reports the length so far of recordings in progress and interrupted ones', async () => {
    const id = home.put({ state: 'recording' });
    const measure = (stretches: { from: number; to: number }[]): void => {
      home.database
        .query('INSERT OR REPLACE INTO recording_measurements VALUES ($id, $measured)')
        .run({ id, measured: JSON.stringify({ stretches, breaks: [], damage: [], sums: {} }) });
    };
    measure([{ from: START, to: START + 60_000 }]);
    expect((await home.list())[0]?.durationMs).toBeNull();
    measure([
      { from: START, to: START + 60_000 },
      { from: START + 90_000, to: START + 100_000.4 },
    ]);
    expect(((await (await home.get(`/api/recordings/${id}`)).json()) as Recording).durationMs).toBe(70_000);
  });

  test('is sorted, filtered and searched', async () => {
    const rule = home.database.query<{ id: number }, []>(
      "INSERT INTO rules (name, conditions, created_at, updated_at) VALUES ('r', '{}', 0, 0) RETURNING id",
    );
    const ruleId = rule.get()?.id ?? -1;
    const series = { name: '山の便り', episode: null };
    const ten = home.put({ name: '山の便り 第10話', series, watchedAt: 5, bytes: 900 }, 0);
    const two = home.put({ name: '[字]山の便り 第2話', series, ruleId, bytes: 300 }, 1);
    const genres = [
      { lv1: 8, lv2: 1 },
      { lv1: 3, lv2: 0 },
    ];
    const endAt = START + 9 * HOUR;
    const sea = home.put({ name: '海の便り', station: SATELLITE, bytes: 600, endAt, genres }, 2);
    indexAllPending(home.database);
    expect(await home.ids('sort=newest')).toEqual([sea, two, ten]);
    expect(await home.ids('sort=oldest')).toEqual([ten, two, sea]);
    expect(await home.ids('sort=title')).toEqual([two, ten, sea]);
    expect(await home.ids('sort=unwatched')).toEqual([sea, two, ten]);
    expect(await home.ids('sort=longest')).toEqual([sea, two, ten]);
    expect(await home.ids('sort=largest')).toEqual([ten, sea, two]);
    expect(await home.ids('unwatched=1')).toEqual([sea, two]);
    expect(await home.ids(`stationId=${SATELLITE}`)).toEqual([sea]);
    expect(await home.ids(`ruleId=${ruleId}`)).toEqual([two]);
    expect([await home.ids('genre=8'), await home.ids('genre=3')]).toEqual([[sea], [sea]]);
    expect(await home.ids('genre=15&sort=oldest')).toEqual([ten, two]);
    expect(await home.ids(`genre=3&q=${encodeURIComponent('便り')}`)).toEqual([sea]);
    expect(await home.ids('genre=7')).toEqual([]);
    expect(await home.ids(`series=${encodeURIComponent('山の便り')}&sort=oldest`)).toEqual([ten, two]);
    expect(await home.ids(`q=${encodeURIComponent('便り')}&sort=oldest`)).toEqual([ten, two, sea]);
    expect(await home.ids(`q=${encodeURIComponent('山の便り １０')}`)).toEqual([ten]);
    expect(await home.ids(`q=${encodeURIComponent('無いもの')}`)).toEqual([]);
  });

  test('is paged, with the total count', async () => {
    const all = Array.from({ length: 7 }, (_, index) => home.put({}, index)).reverse();
    expect(await home.ids('limit=3&offset=2')).toEqual(all.slice(2, 5));
    expect(await home.ids('limit=3&offset=6')).toEqual(all.slice(6));
    expect(await home.ids('limit=3&offset=999999999')).toEqual([]);
    const response = await home.get('/api/recordings?limit=1');
    expect(response.headers.get('x-svc-total')).toBe('7');
    for (const sort of RECORDING_SORTS) {
      const pages = await Promise.all(
        [0, 2, 4, 6].map((at) => home.ids(`sort=${sort}&limit=2&offset=${at}`)),
      );
      expect(pages.flat().sort()).toEqual([...all].sort());
    }
  });

  test('is not sent again while nothing changed', async () => {
    const id = home.put();
    const first = await home.get('/api/recordings');
    const etag = first.headers.get('etag') ?? '';
    const again = (query = '') => home.get(`/api/recordings${query}`, { headers: { 'if-none-match': etag } });
    expect((await again()).status).toBe(304);
    expect((await again('?limit=1')).status).toBe(200);
    home.database.query('UPDATE recordings SET watched_at = 9 WHERE id = $id').run({ id });
    expect((await again()).status).toBe(200);
  });

  test('refuses unknown parameters', async () => {
    const bad = ['limit=x', 'offset=-1', 'sort=best', 'show=all', 'unwatched=2', 'stationId=a', 'genre=16'];
    for (const query of bad) {
      const response = await home.get(`/api/recordings?${query}`);
      expect([query, response.status]).toEqual([query, 400]);
      const { message, ...problem } = (await response.json()) as { message: string };
      expect(problem).toEqual({ code: 'bad_request', path: query.split('=')[0] });
      // A message that users understand.
      expect(message).not.toMatch(/[\^$]/);
    }
  });
});

test('series are those of watchable recordings, the one with the newest recording first', async () => {
  const sea = { name: '海の便り', episode: null };
  home.put({ series: { name: '山の便り', episode: '第1話' }, watchedAt: 1 }, 0);
  home.put({ series: sea }, 1);
  const newest = home.put({ series: sea, watchedAt: 1 }, 2);
  const judged = (level: RecordingVerdict['level']): RecordingVerdict => ({
    level,
    drops: 0,
    gaps: [],
    headMs: 0,
    tailMs: 0,
  });
  home.put({ series: sea, verdict: judged('damaged') }, -5);
  home.put({ series: sea, verdict: judged('damaged'), binnedAt: Date.now() }, -6);
  home.put({ series: sea, verdict: judged('lost') }, -7);
  home.put({ series: sea, verdict: judged('complete') }, -8);
  home.put({ series: { name: 'ごみ箱', episode: null }, binnedAt: Date.now() }, 3);
  home.put({}, 4);
  const response = await home.get('/api/recordings/series');
  const series = (await response.json()) as RecordingSeries[];
  for (const one of series) expect([...Value.Errors(RecordingSeriesSchema, one)]).toEqual([]);
  expect(response.headers.get('x-svc-total')).toBe('2');
  expect(
    series.map(({ name, count, unwatched, damaged, lost }) => ({ name, count, unwatched, damaged, lost })),
  ).toEqual([
    { name: '海の便り', count: 5, unwatched: 4, damaged: 1, lost: 1 },
    { name: '山の便り', count: 1, unwatched: 0, damaged: 0, lost: 0 },
  ]);
  expect(series[0]?.newest.id).toBe<unknown>(newest);
});

const LOSSES = { drops: 3, errors: 1, scrambled: 0 };

describe('one recording', () => {
  test('contains its state and its texts', async () => {
    const id = home.put({ name: '[字]番組', description: '概要', extended: { 出演者: '誰か' } });
    const status: unknown = await (await home.get(`/api/recordings/${id}/status`)).json();
    expect([...Value.Errors(RecordingStatusSchema, status)]).toEqual([]);
    expect(status).toEqual({
      id,
      encoded: false,
      state: 'recorded',
      durationMs: HOUR + 25_000,
      progress: null,
    });
    const { startAt } = (await home.list()).find((one) => one.id === id) ?? { startAt: 0 };
    const damage = { from: startAt + 60_000, to: startAt + 70_000, packets: 900, ...LOSSES };
    const measured = { v: 2, stretches: [], breaks: [], damage: [damage], sums: { packets: 900, ...LOSSES } };
    home.database
      .query('INSERT INTO recording_measurements VALUES ($id, $measured)')
      .run({ id, measured: JSON.stringify(measured) });
    const detail: unknown = await (await home.get(`/api/recordings/${id}/detail`)).json();
    expect([...Value.Errors(RecordingDetailSchema, detail)]).toEqual([]);
    expect(detail).toEqual({
      id,
      title: '番組',
      name: '[字]番組',
      description: '概要',
      extended: { 出演者: '誰か' },
      damage: [{ startMs: 60_000, endMs: 70_000, ...LOSSES }],
    });
    expect(await (await home.get(`/api/recordings/${id}`)).json()).toEqual((await home.list())[0]);
    const bare = home.put();
    expect(await (await home.get(`/api/recordings/${bare}/detail`)).json()).toMatchObject({
      description: '',
      extended: {},
      damage: [],
    });
  });

  test('is not found when unknown, deleted or in the recycle bin', async () => {
    const binned = home.put({ binnedAt: Date.now() });
    const deleted = home.put();
    home.database.query('UPDATE recordings SET deleted_at = 1 WHERE id = $id').run({ id: deleted });
    for (const id of [binned, deleted, 999_999_999_999_999]) {
      for (const what of ['', '/status', '/detail']) {
        const response = await home.get(`/api/recordings/${id}${what}`);
        expect([what, response.status]).toEqual([what, 404]);
        expect(await response.json()).toMatchObject({ code: 'not_found' });
      }
    }
    expect((await home.get('/api/recordings/x/status')).status).toBe(400);
  });
});

test('a realistic household is listed completely', async () => {
  const made = fillRecordings(home.database, {
    stations: STATIONS,
    count: 200,
    now: Date.now(),
    folder: home.folder,
  });
  const shown = await Promise.all(
    ['', 'show=failed', 'show=bin'].map((query) => home.list(`${query}&limit=500`)),
  );
  expect(shown.map((items) => items.length > 5)).toEqual([true, true, true]);
  expect(
    shown
      .flat()
      .map(({ id }) => id)
      .sort(),
  ).toEqual<unknown>([...made].sort());
  expect((await home.list())[0]).toMatchObject({ recording: true, title: '真夜中の音楽堂' });
});

describe('playlists', () => {
  test('name the files under the address that the client opened', async () => {
    const [first, second] = [home.put({}, 0), home.put({}, 1)];
    home.put({ content: null }, 2);
    const list = await home.get('/api/recordings.m3u?sort=oldest');
    expect(list.headers.get('content-type')).toBe('audio/x-mpegurl; charset=utf-8');
    const address = (id: number): string => `${home.service.url}/api/recordings/${id}/file?source=ts`;
    const lines = (await list.text()).split('\n');
    expect(lines.filter((line) => line.startsWith('http'))).toEqual([address(first), address(second)]);
    expect((await fetch(address(first), { method: 'HEAD' })).status).toBe(200);
    const headers = {
      host: 'localhost:8888',
      'x-forwarded-proto': 'https',
      'x-svc-base': 'http://evil.example/',
    };
    const one = await (await home.get(`/api/recordings/${second}/playlist.m3u`, { headers })).text();
    expect(one.split('\n').slice(3)).toEqual([
      `https://localhost:8888/api/recordings/${second}/file?source=ts`,
      '',
    ]);
  });

  test('do not exist for unknown recordings and those without a file', async () => {
    const id = home.put({ content: null });
    expect((await home.get(`/api/recordings/${id}/playlist.m3u`)).status).toBe(404);
    expect((await home.get('/api/recordings/77777/playlist.m3u')).status).toBe(404);
    expect((await home.get('/api/recordings.m3u?sort=none')).status).toBe(400);
  });
});
