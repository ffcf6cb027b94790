/** The guide over HTTP: windows, details, lists and searches return what another connection stored. */
import type { Database } from 'bun:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { Value } from '@sinclair/typebox/value';
import type { StationId } from '../../lib/arib/ids.ts';
import {
  type GuideWindow,
  GuideWindowSchema,
  type ProgramDetail,
  ProgramDetailSchema,
  type SearchResult,
  SearchResultSchema,
  type Station,
} from '../../lib/wire/api.ts';
import { until } from '../until.ts';
import { type ProgramRow, programIdOf, putPrograms, putReservation } from './guide-rows.ts';
import { CHANNELS, HOME_STATION, StandInAgent } from './harness.ts';
import { type Household, startHousehold } from './household.ts';

const HOUR = 3_600_000;
const SATELLITE = 400_151 as StationId;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);
/** A full hour in the near future. */
const START = Math.ceil(Date.now() / HOUR) * HOUR + HOUR;

let household: Household;
let database: Database;

beforeAll(async () => {
  household = await startHousehold();
  database = household.database;
});

afterAll(() => household.close());

beforeEach(() => {
  database.run('DELETE FROM reservations');
  database.run('DELETE FROM programs');
});

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return household.ask(path, init);
}

async function guide(query: string): Promise<GuideWindow> {
  const response = await get(`/api/guide?${query}`);
  expect([query, response.status]).toEqual([query, 200]);
  const window = (await response.json()) as GuideWindow;
  expect([...Value.Errors(GuideWindowSchema, window)]).toEqual([]);
  return window;
}

function row(event: number, over: Partial<ProgramRow> = {}): ProgramRow {
  const startAt = START + (event - 1) * HOUR;
  return { station: HOME_STATION, event, startAt, endAt: startAt + HOUR, name: `番組${event}`, ...over };
}

const eventsOf = (window: GuideWindow, station = HOME_STATION): number[] =>
  window.find(({ stationId }) => stationId === station)?.programs.map(({ id }) => id % 100_000) ?? [];

describe('/api/guide', () => {
  test('returns the programmes that overlap the window, by station in list order and by start', async () => {
    putPrograms(database, [
      row(3),
      row(1),
      row(2),
      row(9, { station: SATELLITE, startAt: START, endAt: START + 1 }),
    ]);
    const window = await guide(`from=${START + HOUR}&to=${START + 2 * HOUR + 1}`);
    expect(window.map(({ stationId }) => stationId)).toEqual([HOME_STATION, SATELLITE]);
    expect(eventsOf(window)).toEqual([2, 3]);
    expect(eventsOf(window, SATELLITE)).toEqual([]);
    expect(eventsOf(await guide(`from=${START}&to=${START + 1}`), SATELLITE)).toEqual([9]);
  });

  test('contains what a cell of the guide shows', async () => {
    const marked = row(1, {
      name: '\u{1F21F}ドラマ "引用"\\[字]',
      description: `"嵐"の夜。${'長'.repeat(200)}`,
      genres: [{ lv1: 3, lv2: 0 }],
      isFree: false,
      copyNever: true,
      openEnd: true,
    });
    putPrograms(database, [marked]);
    const id = putReservation(database, { ...marked, state: 'conflict' });
    const [station] = await guide(`from=${START}&to=${START + HOUR}`);
    expect(station?.programs).toEqual<unknown>([
      {
        id: programIdOf(marked),
        title: 'ドラマ "引用"\\',
        name: marked.name,
        description: `"嵐"の夜。${'長'.repeat(114)}`,
        startAt: START,
        endAt: START + HOUR,
        openEnd: true,
        genres: [{ lv1: 3, lv2: 0 }],
        isFree: false,
        copyNever: true,
        reservation: { id, state: 'conflict' },
      },
    ]);
  });

  test('an earlier programme with the same event id is not confused with its successor', async () => {
    const past = row(1, { startAt: START - 100 * HOUR, endAt: START - 99 * HOUR });
    for (const state of ['finished', 'cancelled'] as const) {
      database.run('DELETE FROM reservations');
      putPrograms(database, [row(1)]);
      const id = putReservation(database, { ...past, state });
      const shown = async () => {
        const [station] = await guide(`from=${START}&to=${START + HOUR}`);
        const program = await (await get(`/api/programs/${programIdOf(row(1))}`)).json();
        return [station?.programs[0]?.reservation, (program as { reservation: unknown }).reservation];
      };
      expect(await shown()).toEqual([null, null]);
      database.query('UPDATE reservations SET end_at = ? WHERE id = ?').run(START, id);
      expect(await shown()).toEqual([
        { id, state },
        { id, state },
      ]);
    }
  });

  test('of one type or one station', async () => {
    putPrograms(database, [row(1), row(2, { station: SATELLITE })]);
    const span = `from=${START}&to=${START + 3 * HOUR}`;
    expect((await guide(`${span}&type=BS`)).map(({ stationId }) => stationId)).toEqual([SATELLITE]);
    expect(await guide(`${span}&type=CS`)).toEqual([]);
    expect((await guide(`${span}&stationId=${SATELLITE}`)).map(({ stationId }) => stationId)).toEqual([
      SATELLITE,
    ]);
  });

  test('finds long programmes that began long ago, omits hidden ones', async () => {
    putPrograms(database, [
      row(1, { startAt: START - 50 * HOUR, endAt: START + HOUR }),
      row(2, { startAt: START - 12 * HOUR, endAt: START + 1 }),
      row(3, { startAt: START - 12 * HOUR - 1, endAt: START + 1 }),
      row(4, { startAt: START - HOUR, endAt: START }),
      row(5, { hidden: true, startAt: START }),
    ]);
    expect(eventsOf(await guide(`from=${START}&to=${START + HOUR}`))).toEqual([1, 3, 2]);
  });

  test('the default window is a day from the current hour on', async () => {
    putPrograms(database, [row(1), row(30)]);
    expect(eventsOf(await guide(''))).toEqual([1]);
  });

  test('a bad value names its field', async () => {
    const span = `from=${START}&to=${START + HOUR}`;
    for (const [query, status, path] of [
      ['from=x&to=5', 400, 'from'],
      ['from=-5', 400, 'from'],
      ['from=1e3', 400, 'from'],
      [`from=${START}&to=${START}`, 400, 'to'],
      [`from=${START}&to=${START - 1}`, 400, 'to'],
      [`from=0&to=${START}`, 400, 'to'],
      [`${span}&type=XX`, 400, 'type'],
      [`${span}&type=gr`, 400, 'type'],
      [`${span}&stationId=abc`, 400, 'stationId'],
      [`${span}&stationId=1`, 404, 'stationId'],
      [`${span}&stationId=99999999999999`, 404, 'stationId'],
    ] as const) {
      const response = await get(`/api/guide?${query}`);
      expect([query, response.status, ((await response.json()) as { path: string }).path]).toEqual([
        query,
        status,
        path,
      ]);
    }
  });

  test('an unchanged window is a 304, any change in it a new response', async () => {
    putPrograms(database, [row(1)]);
    const path = `/api/guide?from=${START}&to=${START + HOUR}`;
    let tag = (await get(path)).headers.get('etag') ?? '';
    const status = async () => {
      const response = await get(path, { headers: { 'if-none-match': tag } });
      const before = tag;
      tag = response.headers.get('etag') ?? '';
      return [response.status, tag === before];
    };
    expect(await status()).toEqual([304, true]);
    putPrograms(database, [row(1, { name: '改題' })]);
    expect(await status()).toEqual([200, false]);
    putReservation(database, { ...row(1), state: 'scheduled' });
    expect(await status()).toEqual([200, false]);
    database.run('DELETE FROM programs');
    expect(await status()).toEqual([200, false]);
    // The planner may still change the reservation, whose programme is gone.
    await until('an unchanged window', async () => (await status())[0] === 304);
    expect((await get(`${path}&type=GR`, { headers: { 'if-none-match': tag } })).status).toBe(200);
  });
});

describe('a sub-channel', () => {
  test('without own programmes is listed with its main station, in a time window and now', async () => {
    const agent = new StandInAgent();
    const branch = { serviceId: 1025, name: '試験テレビ２', serviceType: 1, remoteControlKey: 1 };
    agent.channels = CHANNELS.map((channel) =>
      channel.type === 'GR' ? { ...channel, stations: [...channel.stations, branch] } : channel,
    );
    const home = await startHousehold({}, agent);
    try {
      const [main, sub] = [HOME_STATION, HOME_STATION + 1];
      const groups = [{ type: 'shared', events: [{ networkId: 0x7fe8, serviceId: 1024, eventId: 1 }] }];
      const now = { startAt: Date.now() - HOUR, endAt: Date.now() + HOUR };
      putPrograms(home.database, [
        ...[row(1), row(2), row(9, now)],
        row(1, { station: sub, groups }),
        row(2, { station: sub, name: '副音声ではない別番組' }),
        row(9, { ...now, station: sub, groups }),
      ]);
      const shared = async (hours: number) => {
        const path = `/api/guide/shared?type=GR&from=${START}&to=${START + hours * HOUR}`;
        return (await home.ask(path)).json();
      };
      expect(await shared(1)).toEqual([{ stationId: sub, mainStationId: main }]);
      expect(await shared(2)).toEqual([]);
      const list = (await (await home.ask('/api/services')).json()) as Station[];
      const mains = list.map(({ id, now }) => [id, now?.mainStationId]);
      expect(mains.slice(0, 2)).toEqual<unknown>([
        [main, undefined],
        [sub, main],
      ]);
      // Without the descriptor: by name and times.
      putPrograms(home.database, [row(1, { station: sub }), row(9, { ...now, station: sub })]);
      expect(await shared(1)).toEqual([{ stationId: sub, mainStationId: main }]);
      expect(await shared(2)).toEqual([]);
      const plain = (await (await home.ask('/api/services')).json()) as Station[];
      expect(plain.find(({ id }) => id === sub)?.now?.mainStationId).toBe(main as StationId);
      putPrograms(home.database, [row(9, { ...now, station: sub, name: '別の番組' })]);
      const own = (await (await home.ask('/api/services')).json()) as Station[];
      expect(own.find(({ id }) => id === sub)?.now?.mainStationId).toBeUndefined();
    } finally {
      await home.close();
    }
  });
});

describe('/api/programs/<id>', () => {
  test('returns everything that the guide contains', async () => {
    const audio = {
      componentTag: 16,
      componentType: 2,
      main: true,
      languages: ['jpn', 'eng'],
      text: '二か国語',
    };
    const program = row(1, {
      name: '[新]名作劇場「海」[二]',
      description: '夏の海。',
      extended: { 出演者: '誰か', 内容: 'あらすじ' },
      genres: [{ lv1: 6, lv2: 1 }],
      audios: [audio],
      groups: [
        {
          type: 'relay',
          events: [
            { networkId: 4, serviceId: 151, eventId: 7 },
            { networkId: 4, serviceId: 9, eventId: 8 },
          ],
        },
      ],
      series: {
        id: 5,
        repeat: 0,
        pattern: 2,
        expiresAt: null,
        episode: 3,
        lastEpisode: null,
        name: '名作劇場',
      },
    });
    const again = row(2, { station: SATELLITE, name: '名作劇場「海」[再]', startAt: START + 90 * HOUR });
    putPrograms(database, [
      program,
      { ...again, endAt: again.startAt + HOUR },
      row(3, { name: '名作劇場「山」' }),
    ]);
    const response = await get(`/api/programs/${programIdOf(program)}`);
    const detail = (await response.json()) as ProgramDetail;
    expect([...Value.Errors(ProgramDetailSchema, detail)]).toEqual([]);
    expect(detail).toEqual<unknown>({
      id: programIdOf(program),
      station_id: HOME_STATION,
      name: '[新]名作劇場「海」[二]',
      title: '名作劇場「海」',
      service_name: '試験テレビ',
      start_at: START,
      end_at: START + HOUR,
      open_end: false,
      description: '夏の海。',
      extended: { 出演者: '誰か', 内容: 'あらすじ' },
      genre_detail: [{ lv1: 6, lv2: 1 }],
      audios: [{ componentType: 2, langs: ['jpn', 'eng'], main: true, text: '二か国語' }],
      video_type: null,
      video_resolution: null,
      is_free: true,
      copy_never: false,
      series: { id: 5, name: '名作劇場', episode: 3, last_episode: null, repeat_label: 0 },
      relations: [
        { kind: 'relay', id: 400_151_00007, station_id: SATELLITE, service_name: '試験衛星' },
        { kind: 'relay', id: 400_009_00008, station_id: 400_009, service_name: null },
      ],
      others: [
        {
          id: programIdOf(again),
          service_name: '試験衛星',
          start_at: again.startAt,
          end_at: again.startAt + HOUR,
        },
      ],
      reservation: null,
    });
  });

  test('values that the guide does not contain are null', async () => {
    const [id] = putPrograms(database, [row(1, { extended: {} })]);
    const detail = (await (await get(`/api/programs/${id}`)).json()) as ProgramDetail;
    expect(detail).toMatchObject({
      extended: null,
      genre_detail: null,
      audios: null,
      series: null,
      others: [],
    });
  });

  test('an expired, unknown or impossible id is a 404, an invalid one a 400', async () => {
    const [id] = putPrograms(database, [row(1)]);
    database.run('DELETE FROM programs');
    for (const [path, status] of [
      [id, 404],
      ['1', 404],
      ['9999999999999999', 404],
      ['x', 400],
      ['-1', 400],
      ['1.5', 400],
      ['%00', 400],
    ] as const) {
      const response = await get(`/api/programs/${path}`);
      expect([path, response.status]).toEqual([path, status]);
      expect(await response.json()).toHaveProperty('message');
    }
  });
});

describe('/api/services', () => {
  const stations = async (): Promise<Station[]> => (await (await get('/api/services')).json()) as Station[];

  test('returns the current programme, the title with and without broadcast symbols, and whether it will be recorded', async () => {
    const now = row(1, { name: '生放送[生]', startAt: Date.now() - HOUR, endAt: Date.now() + HOUR });
    putPrograms(database, [now]);
    expect((await stations())[0]?.now).toMatchObject({
      id: programIdOf(now),
      title: '生放送',
      name: '生放送[生]',
      reserved: false,
      recording: false,
    });
    for (const [state, reserved, recording] of [
      ['scheduled', true, false],
      ['recording', true, true],
      ['conflict', false, false],
      ['cancelled', false, false],
    ] as const) {
      database.run('DELETE FROM reservations');
      putReservation(database, { ...now, state });
      expect([state, (await stations())[0]?.now]).toEqual([
        state,
        expect.objectContaining({ reserved, recording }),
      ]);
    }
  });

  test('is a 304 until something changes, including the time', async () => {
    const now = Date.now();
    putPrograms(database, [
      row(1, { startAt: now - HOUR, endAt: now + 300 }),
      row(2, { startAt: now + 300, endAt: now + HOUR }),
    ]);
    const first = await get('/api/services');
    const tag = first.headers.get('etag') ?? '';
    expect((await get('/api/services', { headers: { 'if-none-match': tag } })).status).toBe(304);
    await until(
      async () => (await get('/api/services', { headers: { 'if-none-match': tag } })).status === 200,
    );
    expect((await stations())[0]?.now?.id).toBe<unknown>(programIdOf(row(2)));
  });
});

describe('/api/search', () => {
  async function search(query: string): Promise<SearchResult> {
    const response = await get(`/api/search?${query}`);
    expect([query.slice(0, 200), response.status]).toEqual([query.slice(0, 200), 200]);
    const result = (await response.json()) as SearchResult;
    expect([...Value.Errors(SearchResultSchema, result)]).toEqual([]);
    return result;
  }
  const q = (text: string) => `q=${encodeURIComponent(text)}`;

  test('four rows per section by default, ten at most, and whether there are more', async () => {
    putPrograms(
      database,
      Array.from({ length: 12 }, (_, index) => row(index + 1, { name: `ｱﾆﾒ劇場 第${index}話` })),
    );
    const events = (result: SearchResult) => result.programs.rows.map(({ id }) => id % 100_000);
    const plain = await search(q('アニメ'));
    expect([events(plain), plain.programs.more]).toEqual([[1, 2, 3, 4], true]);
    expect(events(await search(`${q('アニメ')}&limit=99`))).toHaveLength(10);
    expect(events(await search(`${q('アニメ')}&limit=0`))).toHaveLength(1);
    expect((await search(`${q('第11話')}&limit=1`)).programs).toMatchObject({
      more: false,
      rows: [{ end_at: START + 12 * HOUR }],
    });
    expect((await get(`/api/search?${q('x')}&limit=many`)).status).toBe(400);
  });

  test('further rows of one section, page by page', async () => {
    putPrograms(
      database,
      Array.from({ length: 12 }, (_, index) => row(index + 1, { name: `ｱﾆﾒ劇場 第${index}話` })),
    );
    const page = async (offset: number) => {
      const { programs } = await search(`${q('アニメ')}&limit=5&section=programs&offset=${offset}`);
      return [programs.rows.map(({ id }) => id % 100_000), programs.more];
    };
    expect(await page(5)).toEqual([[6, 7, 8, 9, 10], true]);
    expect(await page(10)).toEqual([[11, 12], false]);
    expect(await page(999_999_999)).toEqual([[], false]);
    expect((await search(`${q('アニメ')}&section=rules`)).programs.rows).toEqual([]);
    expect((await get(`/api/search?${q('x')}&section=all`)).status).toBe(400);
    expect((await get(`/api/search?${q('x')}&offset=-1`)).status).toBe(400);
  });

  test('without words every section is empty', async () => {
    putPrograms(database, [row(1)]);
    const nothing = { more: false, rows: [] };
    for (const query of ['', 'q=', q(' \u3000 '), q('\u200b'), 'limit=3'])
      expect(await search(query)).toMatchObject({
        programs: nothing,
        recordings: nothing,
        reservations: nothing,
        rules: nothing,
      });
  });

  test('is cut at 100 characters, and says so', async () => {
    const name = 'あ'.repeat(101);
    putPrograms(database, [row(1, { name })]);
    const result = await search(q(`${'あ'.repeat(100)}い${'う'.repeat(9900)}`));
    expect(result.q).toBe('あ'.repeat(100));
    expect(result.programs.rows).toHaveLength(1);
  });

  test('answers any query', async () => {
    putPrograms(database, [row(1, { name: '100%_*"-NEAR(\'-- 😀', description: 'a AND b OR NOT c' })]);
    for (const text of [
      '%',
      '_',
      '*',
      '"',
      "'",
      '--',
      '-NEAR',
      'NEAR(',
      '😀',
      'AND',
      'or not',
      '100%_*"',
      '\\',
    ])
      expect([text, (await search(q(text))).programs.rows.length]).toEqual([text, text === '\\' ? 0 : 1]);
    let state = SEED;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let round = 0; round < 200; round++) {
      const length = random(40);
      const bytes = Array.from({ length }, () => `%${random(256).toString(16).padStart(2, '0')}`).join('');
      const response = await get(`/api/search?q=${bytes}&limit=${random(20)}`);
      expect([SEED, bytes, response.status]).toEqual([SEED, bytes, 200]);
      await response.text();
      const strange = await get(`/api/guide?from=${bytes}&to=${random(1e9)}&type=${bytes}`);
      expect([SEED, bytes, strange.status]).toEqual([SEED, bytes, 400]);
      await strange.text();
    }
  });
});
