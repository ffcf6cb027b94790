/**
 * Realistic recordings in a database, with small files: series with episodes, verdicts of all levels, failed ones,
 * watched and half-watched ones, some in the recycle bin, one in progress. Deterministic.
 */
import type { Database } from 'bun:sqlite';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordingVerdict } from '../../lib/wire/api.ts';
import { searchText } from '../../src/model/search-text.ts';
import { indexAllPending } from '../../src/store/search-index.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const PACKET = 188;
/** An hour of a terrestrial station. */
const BYTES_A_MS = 1.9e6 / 1000;

export interface RecordingRow {
  station: number;
  serviceName: string;
  name: string;
  description?: string;
  extended?: Record<string, string> | null;
  genres?: { lv1: number; lv2: number }[];
  audios?: unknown[];
  startAt: number;
  endAt: number;
  state?: 'recording' | 'recorded' | 'available' | 'failed';
  reason?: string | null;
  programId?: number | null;
  ruleId?: number | null;
  verdict?: RecordingVerdict | null;
  series?: { name: string; episode: string | null } | null;
  resumeMs?: number | null;
  watchedAt?: number | null;
  protected?: boolean;
  binnedAt?: number | null;
  encode?: string;
  /** Size of the original stream according to the row; the file itself contains `content`. */
  bytes?: number;
  /** Content of the file; null: no file. Default: some null packets. */
  content?: Uint8Array | null;
}

/** Null packets. ISO/IEC 13818-1, 2.4.3.3. */
export function nullPackets(count: number): Uint8Array {
  const bytes = new Uint8Array(count * PACKET).fill(0xff);
  for (let at = 0; at < bytes.length; at += PACKET) bytes.set([0x47, 0x1f, 0xff, 0x10], at);
  return bytes;
}

/** A file name without extension, made from the name of the recording. */
function stemFor(row: RecordingRow, id: number): string {
  const date = new Date(row.startAt + 9 * HOUR).toISOString().slice(0, 16).replace('T', '-');
  return `${date.replaceAll(/[-:]/g, '')} ${row.name.replaceAll('/', '／').slice(0, 20)} r${id}`;
}

/** @param folder null: rows name files that do not exist @returns its id */
export function putRecording(database: Database, row: RecordingRow, folder: string | null): number {
  const state = row.state ?? 'recorded';
  const length = row.endAt - row.startAt;
  const bytes = row.bytes ?? Math.round(length * BYTES_A_MS);
  const isRunning = state === 'recording';
  const inserted = database
    .query<{ id: number }, Record<string, string | number | null>>(
      `INSERT INTO recordings (station_id, service_name, state, reason, name, description, extended, genres, audios,
         start_at, end_at, began_at, duration_ms, folder, encode, verdict, resume_ms, resumed_at, watched_at, binned_at, program_id,
         rule_id, protected, series_key, series_name, episode, created_at, updated_at)
       VALUES ($station, $serviceName, $state, $reason, $name, $description, $extended, $genres, $audios, $startAt,
         $endAt, $startAt - 10000, $durationMs, $folder, $encode, $verdict, $resumeMs,
         iif($resumeMs IS NULL, NULL, $startAt), $watchedAt, $binnedAt,
         $programId, $ruleId, $protected, $seriesKey, $seriesName, $episode, $startAt, $startAt)
       RETURNING id`,
    )
    .get({
      station: row.station,
      serviceName: row.serviceName,
      state,
      reason: row.reason ?? null,
      name: row.name,
      description: row.description ?? '',
      extended: row.extended === undefined || row.extended === null ? null : JSON.stringify(row.extended),
      genres: JSON.stringify(row.genres ?? []),
      audios: JSON.stringify(row.audios ?? []),
      startAt: row.startAt,
      endAt: row.endAt,
      durationMs: isRunning ? null : length + 25_000,
      folder: folder ?? '/recordings',
      encode: row.encode ?? 'none',
      verdict: row.verdict === undefined || row.verdict === null ? null : JSON.stringify(row.verdict),
      resumeMs: row.resumeMs ?? null,
      watchedAt: row.watchedAt ?? null,
      binnedAt: row.binnedAt ?? null,
      programId: row.programId ?? null,
      ruleId: row.ruleId ?? null,
      protected: row.protected === true ? 1 : 0,
      seriesKey: row.series ? searchText(row.series.name) : null,
      seriesName: row.series?.name ?? null,
      episode: row.series?.episode ?? null,
    });
  const id = inserted?.id ?? -1;
  const stem = stemFor(row, id);
  database.query('UPDATE recordings SET stem = $stem WHERE id = $id').run({ id, stem });
  if (row.content === null) return id;
  const path = join(folder ?? '/recordings', `${stem}.ts`);
  if (folder !== null) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, row.content ?? nullPackets(50));
  }
  database
    .query('INSERT INTO recording_parts (recording_id, part, path, bytes) VALUES ($id, 1, $path, $bytes)')
    .run({ id, path, bytes });
  database
    .query(
      `INSERT INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
       VALUES ($id, 'ts', $path, 'mpeg2', $bytes, $durationMs, 0)`,
    )
    .run({ id, path, bytes: isRunning ? null : bytes, durationMs: isRunning ? null : length + 25_000 });
  return id;
}

interface Show {
  name: string;
  minutes: number;
  genre: { lv1: number; lv2: number };
  /** Days between two of them. */
  every: number;
  /** Start, in minutes after midnight. */
  at: number;
  description: string;
  subtitles: readonly string[];
}

const SUBTITLES = ['嵐の夜', '帰り道', '約束', '港の灯', '二つの手紙', '霧の朝', '最後の客', '雪どけ'];
const SHOWS: readonly Show[] = [
  {
    name: '灯台守の夏',
    minutes: 54,
    genre: { lv1: 3, lv2: 0 },
    every: 7,
    at: 21 * 60,
    description: '海辺の町に帰ってきた青年が、古い灯台を守る人々と出会う。',
    subtitles: SUBTITLES,
  },
  {
    name: '夜のニュース10',
    minutes: 60,
    genre: { lv1: 0, lv2: 0 },
    every: 1,
    at: 22 * 60,
    description: '今日の出来事を一時間で。',
    subtitles: [],
  },
  {
    name: '星くず探偵団',
    minutes: 30,
    genre: { lv1: 7, lv2: 0 },
    every: 7,
    at: 17 * 60 + 30,
    description: '小学生探偵たちが町の謎に挑むアニメ。',
    subtitles: ['消えた給食', '屋上の足音', '時計塔のひみつ', '赤い自転車', '図書室の手紙'],
  },
  {
    name: 'ふるさと線路の旅',
    minutes: 45,
    genre: { lv1: 8, lv2: 4 },
    every: 3,
    at: 19 * 60 + 30,
    description: '各駅停車で行く、山と海の小さな旅。',
    subtitles: ['峠を越える', '汽笛の町', '終着駅の朝'],
  },
  {
    name: '土曜名画座',
    minutes: 125,
    genre: { lv1: 6, lv2: 0 },
    every: 7,
    at: 12 * 60,
    description: '今週の一本。解説つきでお届けします。',
    subtitles: [],
  },
  {
    name: '台所の時間',
    minutes: 10,
    genre: { lv1: 2, lv2: 2 },
    every: 1,
    at: 11 * 60 + 45,
    description: '十分で作れる今日の一品。',
    subtitles: [],
  },
];
const FILMS = ['遠い汽笛', '雨の日曜日', '最後の渡し船', '小さな王国', '白い道'];

const COMPLETE: RecordingVerdict = {
  level: 'complete',
  drops: 0,
  gaps: [],
  headMs: 10_000,
  tailMs: 15_000,
};
const DAMAGED: RecordingVerdict = {
  level: 'damaged',
  drops: 37,
  gaps: [{ startMs: 431_000, endMs: 462_500, cause: 'stream_ended' }],
  headMs: 10_000,
  tailMs: -2_000,
};
const YIELDED: RecordingVerdict = {
  level: 'complete',
  drops: 0,
  gaps: [{ startMs: 1_800_000, endMs: 1_815_000, cause: 'yielded' }],
  headMs: 10_000,
  tailMs: 0,
};
const LOST: RecordingVerdict = {
  level: 'lost',
  drops: 0,
  gaps: [{ startMs: 0, endMs: 3_240_000, cause: 'no_tuner' }],
  headMs: -3_240_000,
  tailMs: 0,
};

interface RecordingFill {
  stations: readonly { id: number; name: string }[];
  /** Without the one in progress. */
  count: number;
  /** Epoch ms; all recordings began before. */
  now: number;
  /** Folder of the files; null: rows only. */
  folder: string | null;
}

/** The station of a show. */
function stationOf({ stations }: RecordingFill, index: number): { id: number; name: string } {
  const station = stations[index % stations.length];
  if (station === undefined) throw new Error('recordings need a station');
  return station;
}

/** The show with this index, newest first. */
function rowOf(index: number, fill: RecordingFill): RecordingRow {
  const which = index % SHOWS.length;
  const show = SHOWS[which];
  if (show === undefined) throw new Error('no show');
  const turn = Math.floor(index / SHOWS.length);
  const station = stationOf(fill, which + turn * (which % 2 === 0 ? 0 : 1));
  const today = Math.floor((fill.now + 9 * HOUR) / DAY) * DAY - 9 * HOUR;
  const startAt = today - (1 + turn * show.every) * DAY + show.at * MINUTE;
  const number = 400 - (turn % 400);
  const subtitle = show.subtitles[number % Math.max(show.subtitles.length, 1)];
  const film = show.name === '土曜名画座' ? `「${FILMS[turn % FILMS.length]}」` : '';
  const marks = which % 2 === 0 ? '[字]' : '[二][字]';
  const episode = subtitle === undefined ? film : ` 第${number}話「${subtitle}」`;
  return {
    station: station.id,
    serviceName: station.name,
    name: `${turn % 9 === 8 ? '[再]' : ''}${show.name}${episode}${marks}`,
    description: show.description,
    extended: { 番組内容: `${show.description}${episode}` },
    genres: [show.genre],
    audios: [{ componentTag: 16, componentType: 3, main: true, languages: ['jpn'], text: 'ステレオ' }],
    startAt,
    endAt: startAt + show.minutes * MINUTE,
    programId: station.id * 100_000 + (index % 65_536),
    verdict: index % 7 === 3 ? DAMAGED : index % 11 === 5 ? YIELDED : COMPLETE,
    series: { name: show.name, episode: subtitle === undefined ? null : `第${number}話「${subtitle}」` },
    watchedAt: index % 3 === 0 ? startAt + 5 * HOUR : null,
    resumeMs: index % 8 === 1 ? Math.round((show.minutes * MINUTE) / 3) : null,
    protected: index % 23 === 2,
    ...special(index, fill.now),
  };
}

/** Special states: of a hundred recordings some failed and some are in the bin. */
function special(index: number, now: number): Partial<RecordingRow> {
  if (index % 29 === 13) {
    return { state: 'failed', reason: 'チューナーを確保できませんでした', verdict: LOST, content: null };
  }
  if (index % 31 === 17) return { state: 'failed', reason: '受信が途切れました', verdict: LOST };
  return index % 19 === 7 ? { binnedAt: now - (index % 40) * HOUR } : {};
}

/** The programme on air now, which began half an hour ago. */
function runningRow(fill: RecordingFill): RecordingRow {
  const station = stationOf(fill, 0);
  return {
    station: station.id,
    serviceName: station.name,
    name: '[生]真夜中の音楽堂[字]',
    description: '生放送でお送りする音楽番組。',
    genres: [{ lv1: 4, lv2: 0 }],
    startAt: fill.now - HOUR / 2,
    endAt: fill.now + HOUR / 2,
    state: 'recording',
    series: { name: '真夜中の音楽堂', episode: null },
  };
}

/** @returns ids, newest programme of each show first; the last one is in progress */
export function fillRecordings(database: Database, fill: RecordingFill): number[] {
  const ids: number[] = [];
  const put = database.transaction((from: number, to: number) => {
    for (let index = from; index < to; index++)
      ids.push(putRecording(database, rowOf(index, fill), fill.folder));
  });
  for (let from = 0; from < fill.count; from += 2000) put.immediate(from, Math.min(fill.count, from + 2000));
  ids.push(putRecording(database, runningRow(fill), fill.folder));
  indexAllPending(database);
  return ids;
}
