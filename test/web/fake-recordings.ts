/**
 * Fake recordings for tests of the UI, any number of them: lists as the service returns them, and the changes
 * made to them.
 */
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { removeTitleMarks } from '../../lib/arib/text/title-marks.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type {
  Problem,
  Recording,
  RecordingSeries,
  RecordingVerdict,
  Station,
  StorageFacts,
} from '../../lib/wire/api.ts';
import type { Encodes } from '../../lib/wire/encode.ts';
import { recordingId, ruleId } from '../../lib/wire/ids.ts';
import { seriesWords } from '../../web/words/series.ts';
import type { FakeStream } from './fake-air.ts';
import { answerEncodes, newEncodes } from './fake-encodes.ts';
import { answerPlayback, type FakePlayback, newPlayback } from './fake-playback.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Name with `%` for its number, genre, duration in minutes. */
type Title = readonly [string, readonly [number, number], number];

const TITLES: readonly Title[] = [
  ['[字]ドラマ「灯台守の娘」第%話　嵐の夜に帰ってきた人', [3, 0], 54],
  ['[字]ニュースきょう一日', [0, 0], 30],
  ['アニメ　ほうき星の郵便屋さん　＃%', [7, 0], 30],
  ['[字][SS]映画「さよならは朝の汽車で」', [6, 1], 115],
  ['[字][二]世界の路地裏から　第%回　青いタイルの坂の町', [8, 1], 45],
  ['[字]クイズ！まちかど博覧会　#%　全国の市場で見つけた謎の道具の使い方を当てるスペシャル', [5, 0], 114],
  ['ミュージックサロン　第%回　秋のピアノ特集', [4, 2], 60],
  ['[生][字]みなとナイター　ブルーマリンズ対フォレスターズ', [1, 1], 170],
  ['趣味の庭しごと　#%　冬じたくと球根', [10, 1], 25],
];

export const COMPLETE: RecordingVerdict = {
  level: 'complete',
  drops: 0,
  gaps: [],
  headMs: 10_000,
  tailMs: 15_000,
};

export function damaged(): RecordingVerdict {
  return {
    level: 'damaged',
    drops: 37,
    gaps: [
      { startMs: 0, endMs: 43_000, cause: 'no_tuner' },
      { startMs: 12 * MINUTE_MS + 5_000, endMs: 12 * MINUTE_MS + 48_000, cause: 'stream_ended' },
    ],
    headMs: -43_000,
    tailMs: 15_000,
  };
}

export interface FakeRecordings {
  encodes: Encodes;
  list: Recording[];
  /** Video and audio of each of them. */
  playback: FakePlayback;
  storage: StorageFacts | Problem;
  /** Milliseconds before a page is returned. */
  delayMs: number;
}

export function fakeRecording(number: number, station: Pick<Station, 'id' | 'name'>, now: number): Recording {
  const id = recordingId(number);
  const [pattern, [lv1, lv2], minutes] = TITLES[id % TITLES.length] ?? ['番組', [15, 15], 30];
  const name = pattern.replace('%', String(1 + (Math.floor(id / TITLES.length) % 40)));
  const startAt = Math.floor((now - id * 5 * HOUR_MS) / (30 * MINUTE_MS)) * 30 * MINUTE_MS - 3 * HOUR_MS;
  const endAt = startAt + minutes * MINUTE_MS;
  const key = seriesWords(name);
  return {
    id,
    title: removeTitleMarks(name).title,
    name,
    serviceId: station.id,
    serviceName: station.name,
    startAt: broadcastMs(startAt),
    endAt: broadcastMs(endAt),
    durationMs: minutes * MINUTE_MS + 25_000,
    resumeMs: id % 11 === 3 ? 12 * MINUTE_MS : null,
    watchedAt: id % 3 === 0 ? broadcastMs(endAt + DAY_MS / 2) : null,
    recording: false,
    chase: `api/recordings/${id}/chase`,
    cmReliable: true,
    poster: `api/recordings/${id}/poster?v=1`,
    files: [{ source: 'ts', codec: 'mpeg2', url: `api/recordings/${id}/file?source=ts` }],
    audio: `api/recordings/${id}/file?audio=only`,
    audios: [],
    verdict: id % 7 === 4 ? damaged() : COMPLETE,
    state: 'recorded',
    reason: null,
    programId: (station.id * 100_000 + (id % 60_000)) as ProgramId,
    ruleId: pattern.includes('%') ? ruleId(1 + (id % 2)) : null,
    genres: [{ lv1, lv2 }],
    series: pattern.includes('%') ? { key, name: key, episode: null } : null,
    bytes: minutes * 120_000_000,
    protected: id % 13 === 5,
    binnedAt: null,
    progress: null,
  };
}

/** A recording in progress. */
export function runningRecording(id: number, station: Pick<Station, 'id' | 'name'>, now: number): Recording {
  const made = fakeRecording(id, station, now);
  return {
    ...made,
    startAt: broadcastMs(now - 20 * MINUTE_MS),
    endAt: broadcastMs(now + 34 * MINUTE_MS),
    durationMs: null,
    watchedAt: null,
    resumeMs: null,
    recording: true,
    poster: `api/recordings/${id}/poster`,
    verdict: null,
    state: 'recording',
    bytes: 0,
    protected: false,
    progress: {
      phase: 'receiving',
      cause: null,
      bytes: 2_400_000_000,
      drops: 0,
      slow: false,
      tunerId: 't1',
      until: broadcastMs(now + 34 * MINUTE_MS),
    },
  };
}

export function failedRecording(id: number, station: Pick<Station, 'id' | 'name'>, now: number): Recording {
  const made = fakeRecording(id, station, now);
  const verdict: RecordingVerdict = {
    level: 'lost',
    drops: 0,
    gaps: [{ startMs: 0, endMs: made.endAt - made.startAt, cause: 'agent_unavailable' }],
    headMs: made.startAt - made.endAt,
    tailMs: made.startAt - made.endAt,
  };
  return {
    ...made,
    state: 'failed',
    verdict,
    files: [],
    bytes: 0,
    durationMs: 0,
    watchedAt: null,
    resumeMs: null,
    reason: 'チューナーエージェントに接続できませんでした',
  };
}

export function manyRecordings(stations: readonly Station[], count: number, now: number): Recording[] {
  return Array.from({ length: count }, (_, index) =>
    fakeRecording(
      index + 1,
      stations[(index * 7) % stations.length] ?? { id: 1 as StationId, name: '局' },
      now,
    ),
  );
}

const GB = 1_000_000_000;

function fakeStorage(list: readonly Recording[]): StorageFacts {
  const shown = list.filter((one) => one.binnedAt === null && one.state !== 'failed');
  const binned = list.filter((one) => one.binnedAt !== null);
  const sum = (some: readonly Recording[]): number => some.reduce((bytes, one) => bytes + one.bytes, 0);
  return {
    folders: [
      {
        path: '/srv/recordings',
        totalBytes: 8_000 * GB,
        freeBytes: 2_100 * GB,
        floorBytes: 50 * GB,
        recordingBytes: 5_200 * GB,
        state: 'ok',
      },
      {
        path: '/mnt/usb/録画',
        totalBytes: 2_000 * GB,
        freeBytes: 1_250 * GB,
        floorBytes: 20 * GB,
        recordingBytes: 610 * GB,
        state: 'ok',
      },
    ],
    recordings: {
      count: shown.length,
      unwatched: shown.filter((one) => one.watchedAt === null).length,
      bytes: sum(shown),
      failed: list.filter((one) => one.state === 'failed' && one.binnedAt === null).length,
      binned: binned.length,
      binnedBytes: sum(binned),
    },
    roomMs: 437 * HOUR_MS,
    shortage: null,
  };
}

export function newRecordings(list: Recording[] = [], stream?: FakeStream): FakeRecordings {
  return {
    list,
    playback: newPlayback(stream),
    storage: fakeStorage(list),
    encodes: newEncodes(),
    delayMs: 0,
  };
}

const NOT_FOUND: Problem = { message: '録画が見つかりません。', code: 'not_found' };
const RUNS: Problem = { message: '録画中です。終わってから操作してください。', code: 'busy' };

const ORDERS: Readonly<Record<string, (a: Recording, b: Recording) => number>> = {
  newest: (a, b) => b.startAt - a.startAt || b.id - a.id,
  oldest: (a, b) => a.startAt - b.startAt || a.id - b.id,
  title: (a, b) => a.title.localeCompare(b.title, 'ja', { numeric: true }) || a.startAt - b.startAt,
  unwatched: (a, b) =>
    Number(a.watchedAt !== null) - Number(b.watchedAt !== null) || b.startAt - a.startAt || b.id - a.id,
  longest: (a, b) => (b.durationMs ?? 0) - (a.durationMs ?? 0),
  largest: (a, b) => b.bytes - a.bytes,
};

function isShown(one: Recording, show: string | null): boolean {
  if (show === 'bin') return one.binnedAt !== null;
  if (one.binnedAt !== null) return false;
  if (show === 'failed') return one.state === 'failed';
  if (show === 'protected') return one.protected;
  if (show === 'recording') return one.recording;
  if (show === 'resume') return one.resumeMs !== null && one.state !== 'failed';
  if (show === 'resume') return one.resumeMs !== null;
  return one.state !== 'failed';
}

function listOf({ list }: FakeRecordings, query: URLSearchParams): Recording[] {
  const words = (query.get('q') ?? '').normalize('NFKC').toLowerCase().split(/\s+/u);
  const is = (name: string, value: unknown): boolean =>
    query.get(name) === null || query.get(name) === String(value);
  return list
    .filter((one) => isShown(one, query.get('show')))
    .filter((one) => query.get('unwatched') !== '1' || one.watchedAt === null)
    .filter((one) => is('stationId', one.serviceId) && is('ruleId', one.ruleId))
    .filter((one) => is('series', one.series?.key))
    .filter((one) => query.get('genre') === null || one.genres.some(({ lv1 }) => is('genre', lv1)))
    .filter((one) => {
      const text = `${one.name} ${one.serviceName}`.normalize('NFKC').toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort(ORDERS[query.get('sort') ?? 'newest'] ?? ORDERS.newest);
}

function seriesOf(state: FakeRecordings): RecordingSeries[] {
  const shown = listOf(state, new URLSearchParams());
  const groups = Map.groupBy(shown, (one) => one.series?.key);
  return [...groups].flatMap(([key, all]) => {
    const newest = all[0];
    if (key === undefined || newest === undefined) return [];
    const unwatched = all.filter((one) => one.watchedAt === null).length;
    const judged = (level: RecordingVerdict['level']): number =>
      all.filter(({ verdict }) => verdict?.level === level).length;
    return [
      {
        key,
        name: newest.series?.name ?? key,
        count: all.length,
        unwatched,
        damaged: judged('damaged'),
        lost: judged('lost'),
        newest,
      },
    ];
  });
}

function pageOf(rows: readonly unknown[], query: URLSearchParams): Response {
  const offset = Number(query.get('offset') ?? 0);
  const limit = Math.min(500, Number(query.get('limit') ?? 100));
  return Response.json(rows.slice(offset, offset + limit), {
    headers: { 'x-svc-total': String(rows.length) },
  });
}

function detailOf({ id, title, name }: Recording) {
  return {
    id,
    title,
    name,
    description:
      '十年ぶりに島へ戻った遥は、灯りの消えた灯台で一冊の日誌を見つける。書いたのは行方の知れない父だった。',
    extended: {
      出演者: '【語り】海野遥、【出演】青葉まこと、みなと一平、丘の上こずえ',
      番組内容: '港町に生きる人々の四季を、一年にわたって見つめました。',
    },
    damage: [{ startMs: 600_000, endMs: 610_000, drops: 4, errors: 0, scrambled: 0 }],
  };
}

function change(state: FakeRecordings, id: number, action: string, body: string): Response {
  const one = state.list.find((recording) => recording.id === id);
  if (one === undefined) return Response.json(NOT_FOUND, { status: 404 });
  if (one.recording && action === 'bin') return Response.json(RUNS, { status: 409 });
  const given: { watched?: boolean; protected?: boolean; at?: number } = body === '' ? {} : JSON.parse(body);
  if (action === 'bin') Object.assign(one, { binnedAt: Date.now() });
  if (action === 'restore') Object.assign(one, { binnedAt: null });
  if (action === 'watched')
    Object.assign(one, { watchedAt: given.watched === true ? Date.now() : null, resumeMs: null });
  if (action === 'resume') {
    Object.assign(one, { resumeMs: given.at === undefined ? null : given.at * 1000 });
    return Response.json({ resume: given.at ?? null, edge: 30 });
  }
  if (action === 'protect') Object.assign(one, { protected: given.protected === true });
  return new Response(null, { status: 204 });
}

/** @returns undefined for a path that does not concern recordings */
export async function answerRecordings(
  state: FakeRecordings,
  name: string,
  request: Request,
  body: string,
): Promise<Response | undefined> {
  const query = new URL(request.url).searchParams;
  if (name === 'storage') {
    const counted =
      'folders' in state.storage ? { ...fakeStorage(state.list), folders: state.storage.folders } : undefined;
    return counted === undefined ? Response.json(state.storage, { status: 500 }) : Response.json(counted);
  }
  if (name === 'recordings') {
    await Bun.sleep(state.delayMs);
    return pageOf(listOf(state, query), query);
  }
  if (name === 'recordings/series') return pageOf(seriesOf(state), query);
  if (name.endsWith('/encode')) await Bun.sleep(state.delayMs);
  const queued = answerEncodes(state.encodes, state.list, { method: request.method, name, body });
  if (queued !== undefined) return queued;
  const match = /^recordings\/(\d+)(?:\/([\w.]+(?:\/\d+)?))?$/u.exec(name);
  if (match === null) return undefined;
  const id = recordingId(Number(match[1]));
  const action = match[2] ?? '';
  const one = state.list.find((recording) => recording.id === id);
  if (request.method === 'POST') return change(state, id, action, body);
  if (one === undefined) return Response.json(NOT_FOUND, { status: 404 });
  if (request.method === 'DELETE' && action === '') {
    state.list = state.list.filter((recording) => recording.id !== id);
    return new Response(null, { status: 204 });
  }
  const played = await answerPlayback(state.playback, one, action, request, body);
  if (played !== undefined) return played;
  const isReadable = one.binnedAt === null || (action !== 'detail' && action !== '');
  if (!isReadable) return Response.json(NOT_FOUND, { status: 404 });
  if (action === 'detail') return Response.json(detailOf(one));
  return action === '' ? Response.json(one) : undefined;
}
