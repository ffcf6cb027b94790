/**
 * Lists of recordings for screens: pages, series, details. A page of an unfiltered list is read from one covering index,
 * behind a cursor without the rows before it; its total is kept by triggers. The ids of a filtered list are read completely, and cached until members or order of
 * lists change. A page reads only its own rows.
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import type { RecordingFile, RecordingShow, RecordingSort, RecordingState } from '../../lib/wire/api.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import type { AudioComponent } from '../model/audio.ts';
import type { Genre } from '../model/program.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import type { CutList } from '../model/recording-time.ts';
import type { Damage, Verdict } from '../model/verdict.ts';
import { type Shelf, shelfCount, tableStamp } from './change-counters.ts';
import { idListOf } from './query.ts';
import { readCuts, readMeasured } from './recording-json.ts';
import {
  among,
  cursorColumns,
  keyTitles,
  orderIndex,
  orderName,
  orderTerms,
  type RecordingCursor,
  segmentsBehind,
} from './recording-order.ts';
import { RECORDINGS } from './recording-row.ts';
import { RecordingTextIndex } from './recording-texts.ts';
import { readObject, storedText } from './stored-json.ts';
import { defineTable, flagColumn, json, nullableColumn, plain, type Row, selected } from './table.ts';

/** A recording that is not deleted. */
export interface ListedRecording {
  id: RecordingId;
  name: string;
  stationId: StationId;
  serviceName: string;
  /** Epoch ms, of the programme. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** Of the original stream; null while recording, except if it was interrupted: its length so far. */
  durationMs: number | null;
  /** In the time of the original stream. */
  resumeMs: number | null;
  /** Epoch ms, like the next field. */
  watchedAt: BroadcastMs | null;
  /** When its poster was made; null: there is none. */
  posterAt: WallMs | null;
  state: RecordingState;
  reason: RecordingReason | null;
  programId: ProgramId | null;
  ruleId: RuleId | null;
  genres: Genre[];
  audios: AudioComponent[];
  verdict: Verdict | null;
  cmReliable: boolean;
  series: { key: string; name: string; episode: string | null } | null;
  bytes: number;
  protected: boolean;
  binnedAt: BroadcastMs | null;
  files: ListedFile[];
}

export interface ListedFile {
  source: RecordingFile['source'];
  codec: RecordingFile['codec'];
  path: string;
  /** null while it grows. */
  durationMs: number | null;
  /** Of an encoded file: the parts of the original stream that it contains. */
  cuts: CutList;
}

export interface RecordingQuestion {
  show: RecordingShow | null;
  sort: RecordingSort;
  /** In normal form; all must be contained. */
  words: readonly string[];
  unwatched: boolean;
  series: string | null;
  ruleId: RuleId | null;
  stationId: StationId | null;
  /** content_nibble_level_1; 15 includes recordings without genre. */
  genre: number | null;
}

interface RecordingPage {
  /** Of the complete list. */
  total: number;
  rows: ListedRecording[];
  /** Of the last row; undefined: the list ends with it. */
  next: RecordingCursor | undefined;
}

/** A part of a list: from an offset, or behind a cursor. */
interface Part {
  readonly from: number | RecordingCursor;
  readonly limit: number;
}

export interface SeriesRow {
  key: string;
  name: string;
  count: number;
  unwatched: number;
  /** With this verdict. */
  damaged: number;
  lost: number;
  newest: ListedRecording;
}

/**
 * Condition of each list; `shelf` if it is all of its condition, `index` if there is a more selective index than that of
 * the order.
 */
const SHOWN: Readonly<Record<RecordingShow | 'watchable', { where: string; shelf?: Shelf; index?: string }>> =
  {
    watchable: { where: 'shelf = 1', shelf: 1 },
    recording: { where: "state = 'recording' AND shelf = 1", index: 'recordings_unfinished' },
    failed: { where: 'shelf = 0', shelf: 0 },
    bin: { where: 'shelf = 2', shelf: 2 },
    protected: { where: 'protected = 1 AND shelf IN (0, 1)', index: 'recordings_protected' },
    resume: { where: 'resume_ms IS NOT NULL AND shelf = 1', index: 'recordings_resumed' },
  };

const LISTED = RECORDINGS.pick([
  ...([
    'id',
    'name',
    'stationId',
    'serviceName',
    'startAt',
    'endAt',
    'durationMs',
    'state',
    'reason',
  ] as const),
  ...(['programId', 'ruleId', 'genres', 'audios', 'verdict', 'series'] as const),
]).with<Omit<ListedRecording, 'files'>>({
  resumeMs: plain(),
  watchedAt: plain(),
  posterAt: plain(),
  cmReliable: flagColumn(),
  bytes: plain(),
  protected: flagColumn(),
  binnedAt: plain(),
});

const FILES = defineTable<ListedFile & { recordingId: RecordingId }>({
  recordingId: selected('f.recording_id', plain()),
  source: plain(),
  codec: plain(),
  path: plain(),
  durationMs: plain(),
  cuts: selected('x.cuts', nullableColumn(json(readCuts))),
});

/** Recorded length so far of interrupted recordings: the time since their start would be too long. */
const LENGTHS = `
  SELECT r.id, (SELECT sum(json_extract(s.value, '$.to') - json_extract(s.value, '$.from'))
    FROM json_each(m.measured, '$.stretches') AS s) AS length
  FROM json_each($ids) AS wanted CROSS JOIN recordings AS r ON r.id = wanted.value
    JOIN recording_measurements AS m ON m.recording_id = r.id
  WHERE r.state = 'recording' AND CASE WHEN json_valid(m.measured) THEN json_array_length(m.measured, '$.stretches') END > 1`;

interface RecordingDetailRow {
  name: string;
  description: string;
  extended: Record<string, string>;
  /** Of the programme, epoch ms. */
  startAt: BroadcastMs;
  /** Windows in which packets were damaged. */
  damaged: readonly Damage[];
}

interface Selection {
  /** SQL, beside what the question says. */
  readonly where?: string;
  readonly values?: Record<string, string | number | null>;
  /** null: by id. Default: that of the order. */
  readonly index?: string | null;
  /** Default: none, as -1. */
  readonly limit?: number;
  readonly offset?: number;
  readonly backwards?: boolean;
}

/** With fewer hits than this, sorting them takes less time than reading the complete order again after a change. */
const FEW = 1_000;
/** Number of cached orders: 160 KB each for 40,000 recordings. */
const MAX_KEPT = 16;

export class RecordingListStore {
  #stamp = '';
  readonly #orders = new Map<string, Int32Array>();
  #series: Omit<SeriesRow, 'newest'>[] | undefined;

  readonly #texts: RecordingTextIndex;

  constructor(private readonly database: Database) {
    this.#texts = new RecordingTextIndex(database);
    keyTitles(this.database);
  }

  /** Changes with every change of a recording or of its files, by any connection; differs between databases. */
  stamp(): string {
    keyTitles(this.database);
    return tableStamp(this.database, ['recordings']);
  }

  /** @param from an offset, or a cursor of the list's order (`orderName`), whatever its filters are */
  page(question: RecordingQuestion, from: number | RecordingCursor, limit: number): RecordingPage {
    keyTitles(this.database);
    // One more row says whether the list continues.
    return this.database.transaction(() => {
      const { total, ids } = this.#part(question, { from, limit: limit + 1 });
      const last = ids.length > limit ? ids[limit - 1] : undefined;
      return {
        total,
        rows: this.#rows(ids.subarray(0, limit)),
        next: last === undefined ? undefined : this.#cursor(question, last),
      };
    })();
  }

  #part(question: RecordingQuestion, part: Part): { total: number; ids: Int32Array } {
    const { shelf } = SHOWN[question.show ?? 'watchable'];
    const { from, limit } = part;
    if (shelf !== undefined && isUnfiltered(question)) {
      const total = shelfCount(this.database, [shelf], question);
      return { total, ids: this.#readPart(question, part, total) };
    }
    const order = this.#order(question);
    const total = order.length;
    if (typeof from === 'number') return { total, ids: order.subarray(from, from + limit) };
    // Words and genres are not in the index of the order.
    const isNarrowed = question.words.length > 0 || question.genre !== null;
    const rest = this.#readBehind(question, from, isNarrowed ? -1 : limit);
    return { total, ids: isNarrowed ? among(rest, order).subarray(0, limit) : rest };
  }

  #cursor({ show, sort }: RecordingQuestion, id: number): RecordingCursor | undefined {
    const order = orderName(show, sort);
    const row = this.database
      .query<Omit<RecordingCursor, 'order'>, { id: number }>(
        `SELECT ${cursorColumns(order)} FROM recordings WHERE id = $id`,
      )
      .get({ id });
    return row === null ? undefined : { order, ...row };
  }

  /** Series of watchable or running recordings; the one with the newest recording first. */
  series(offset: number, limit: number): { total: number; rows: SeriesRow[] } {
    this.#renew();
    this.#series ??= this.#readSeries();
    const part = this.#series.slice(offset, offset + limit);
    const newest = this.database.query<{ id: RecordingId }, { key: string }>(
      `SELECT id FROM recordings INDEXED BY recordings_of_series WHERE series_key = $key AND shelf = 1
       ORDER BY start_at DESC, id DESC LIMIT 1`,
    );
    const ids = part.map(({ key }) => newest.get({ key })?.id ?? 0);
    const rows = this.#rows(Int32Array.from(ids));
    return {
      total: this.#series.length,
      rows: part.flatMap((one, index) => {
        const row = rows[index];
        return row === undefined ? [] : [{ ...one, newest: row }];
      }),
    };
  }

  /** Not deleted; recordings in the bin only on request. */
  find(id: RecordingId, { binned }: { binned: boolean } = { binned: false }): ListedRecording | undefined {
    const [row] = this.#rows(Int32Array.of(id));
    return row === undefined || (row.binnedAt !== null && !binned) ? undefined : row;
  }

  /** The files of its original stream, in order; several if no folder had room for all of it. */
  originals(id: RecordingId): string[] {
    return this.database
      .query<{ path: string }, { id: RecordingId }>(
        'SELECT path FROM recording_parts WHERE recording_id = $id AND part > 0 ORDER BY part',
      )
      .all({ id })
      .map(({ path }) => path);
  }

  /** Large fields that lists omit; not for recordings in the bin. */
  detail(id: RecordingId): RecordingDetailRow | undefined {
    const row = this.database
      .query<
        {
          name: string;
          description: string;
          extended: string | null;
          startAt: BroadcastMs;
          measured: string | null;
        },
        { id: RecordingId }
      >(
        `SELECT name, description, extended, start_at AS startAt, measured FROM recordings
           LEFT JOIN recording_measurements ON recording_id = id
         WHERE id = $id AND deleted_at IS NULL AND binned_at IS NULL`,
      )
      .get({ id });
    if (row === null) return undefined;
    return {
      name: storedText(row.name),
      description: storedText(row.description),
      extended: readObject<Record<string, string>>(row.extended) ?? {},
      startAt: row.startAt,
      damaged: row.measured === null ? [] : (readMeasured(row.measured)?.damage ?? []),
    };
  }

  #renew(): void {
    const stamp = tableStamp(this.database, ['recording_lists']);
    if (stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#orders.clear();
    this.#series = undefined;
  }

  /** Ids of a complete list. */
  #order(question: RecordingQuestion): Int32Array {
    // Short, and changes with every position of a viewer.
    if (question.show === 'resume') return this.#readOrder(question);
    this.#renew();
    const key = JSON.stringify(question);
    const order = this.#orders.get(key) ?? this.#readOrder(question);
    this.#orders.delete(key);
    this.#orders.set(key, order);
    const oldest = this.#orders.keys().next();
    if (this.#orders.size > MAX_KEPT && oldest.done !== true) this.#orders.delete(oldest.value);
    return order;
  }

  #readOrder(question: RecordingQuestion): Int32Array {
    const { words, genre } = question;
    if (words.length > 0) {
      const all = { ...question, words: [] };
      const found = this.#texts.matching(words);
      const isKnown = this.#orders.has(JSON.stringify(all));
      if (!isKnown && genre === null && found.length <= FEW) return this.#sort(all, found);
      // Typing the next letter queries the same list with other words, another genre another part of it.
      return among(this.#order(all), found);
    }
    if (genre !== null) return among(this.#order({ ...question, genre: null }), this.#ofGenre(genre));
    return this.#select(question, {});
  }

  /** Those of the recordings that are in a list, in its order. */
  #sort(question: RecordingQuestion, ids: readonly number[]): Int32Array {
    const where = 'id IN (SELECT value FROM json_each($found))';
    return this.#select(question, { where, values: { found: JSON.stringify(ids) }, index: null });
  }

  #ofGenre(genre: number): number[] {
    return idListOf(
      this.database,
      'SELECT id FROM recordings INDEXED BY recordings_of_genre WHERE genre_bits & $bit <> 0',
      {
        bit: 1 << genre,
      },
    );
  }

  /** An offset in the second half is counted from the end: rows that are passed over are read, too. */
  #readPart(question: RecordingQuestion, { from, limit }: Part, total: number): Int32Array {
    if (typeof from !== 'number') return this.#readBehind(question, from, limit);
    if (from < total / 2) return this.#select(question, { limit, offset: from });
    const count = Math.min(limit, total - from);
    if (count <= 0) return new Int32Array();
    return this.#select(question, { limit: count, offset: total - from - count, backwards: true }).reverse();
  }

  /** @param limit -1: all */
  #readBehind(question: RecordingQuestion, cursor: RecordingCursor, limit: number): Int32Array {
    const ids: number[] = [];
    for (const { where, values } of segmentsBehind(cursor)) {
      if (limit >= 0 && ids.length >= limit) break;
      const rest = limit < 0 ? limit : limit - ids.length;
      for (const id of this.#select(question, { where, values, limit: rest })) ids.push(id);
    }
    return Int32Array.from(ids);
  }

  /** Without words and genre. */
  #select(
    question: RecordingQuestion,
    { where, values, index = indexFor(question), limit = -1, offset = 0, backwards }: Selection,
  ): Int32Array {
    const { show, sort, unwatched, series, ruleId, stationId } = question;
    const conditions = [SHOWN[show ?? 'watchable'].where];
    if (unwatched) conditions.push('watched = 0');
    if (series !== null) conditions.push('series_key = $series');
    if (ruleId !== null) conditions.push('rule_id = $ruleId');
    if (stationId !== null) conditions.push('station_id = $stationId');
    if (where !== undefined) conditions.push(where);
    const from = index === null ? 'NOT INDEXED' : `INDEXED BY ${index}`;
    const sql = `SELECT id FROM recordings ${from} WHERE ${conditions.join(' AND ')}
      ORDER BY ${orderTerms(orderName(show, sort), backwards)} LIMIT $limit OFFSET $offset`;
    return Int32Array.from(
      idListOf(this.database, sql, {
        ...(series === null ? {} : { series }),
        ...(ruleId === null ? {} : { ruleId }),
        ...(stationId === null ? {} : { stationId }),
        ...values,
        limit,
        offset,
      }),
    );
  }

  #readSeries(): Omit<SeriesRow, 'newest'>[] {
    const imperfect = this.database
      .query<{ key: string; damaged: number; lost: number }, []>(
        `SELECT series_key AS key, sum(level = 'damaged') AS damaged, sum(level = 'lost') AS lost
         FROM recordings INDEXED BY recordings_imperfect
         WHERE series_key IS NOT NULL AND shelf = 1 AND level <> 'complete' GROUP BY series_key`,
      )
      .all();
    const faults = new Map(imperfect.map(({ key, damaged, lost }) => [key, { damaged, lost }]));
    return this.database
      .query<{ key: string; name: string | null; count: number; unwatched: number }, []>(
        // In a group with max() the other columns come from its greatest row: the newest one's name.
        `SELECT g.series_key AS key, r.series_name AS name, g.count, g.unwatched FROM (
           SELECT series_key, count(*) AS count, sum(1 - watched) AS unwatched, max(start_at) AS newest, id
           FROM recordings INDEXED BY recordings_of_series WHERE series_key IS NOT NULL AND shelf = 1
           GROUP BY series_key) AS g CROSS JOIN recordings AS r ON r.id = g.id
         ORDER BY g.newest DESC, g.series_key`,
      )
      .all()
      .map(({ name, ...row }) => ({
        ...row,
        name: name ?? row.key,
        ...(faults.get(row.key) ?? { damaged: 0, lost: 0 }),
      }));
  }

  /** In the order of the ids; deleted ones are left out. */
  #rows(ids: Int32Array): ListedRecording[] {
    const wanted = { ids: `[${ids.join(',')}]` };
    const files = this.database
      .query<Row, { ids: string }>(
        `SELECT ${FILES.columns('f')}
         FROM json_each($ids) AS wanted CROSS JOIN recording_files AS f ON f.recording_id = wanted.value
           LEFT JOIN encoded_files AS x ON x.recording_id = f.recording_id AND x.source = f.source
         ORDER BY wanted.key, CASE f.source WHEN 'encoded' THEN 0 WHEN 'alt' THEN 1 ELSE 2 END`,
      )
      .all(wanted)
      .map(FILES.read);
    const byRecording = Map.groupBy(files, ({ recordingId }) => recordingId);
    const lengths = this.database
      .query<{ id: RecordingId; length: number }, { ids: string }>(LENGTHS)
      .all(wanted);
    const lengthOf = new Map(lengths.map(({ id, length }) => [id, Math.round(length)]));
    return this.database
      .query<Row, { ids: string }>(
        `SELECT ${LISTED.columns('r')} FROM json_each($ids) AS wanted CROSS JOIN recordings AS r ON r.id = wanted.value
         WHERE r.deleted_at IS NULL ORDER BY wanted.key`,
      )
      .all(wanted)
      .map((row) => {
        const recording = LISTED.read(row);
        const durationMs = recording.durationMs ?? lengthOf.get(recording.id) ?? null;
        const own = byRecording.get(recording.id) ?? [];
        return { ...recording, durationMs, files: own.map(({ recordingId: _, ...file }) => file) };
      });
  }
}

function isUnfiltered({ words, genre, series, ruleId, stationId }: RecordingQuestion): boolean {
  return words.length === 0 && [genre, series, ruleId, stationId].every((filter) => filter === null);
}

/** The most selective index that covers the list; the rows themselves are large. */
function indexFor({ show, sort, unwatched, series, ruleId, stationId }: RecordingQuestion): string {
  const { index } = SHOWN[show ?? 'watchable'];
  if (index !== undefined) return index;
  if (series !== null) return 'recordings_of_series';
  const order = orderIndex(sort);
  const isByTime = order === 'recordings_newest' || order === 'recordings_unwatched';
  if (isByTime && stationId !== null) return 'recordings_of_station';
  if (isByTime && ruleId !== null) return 'recordings_of_rule';
  return isByTime && unwatched ? 'recordings_unwatched' : order;
}
