/** The encode queue and its history. A recording has at most one waiting or running row. */
import type { Database } from 'bun:sqlite';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import { namesOf } from '../../lib/wire/fields.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { ENCODE_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type { JobState } from '../../lib/wire/vocabulary.ts';
import { ENCODE_REASONS, type EncodeReason } from '../model/encode-reason.ts';
import type { EncodeJob, EncodeResult, EncodeWish } from '../model/encoding.ts';
import { execute, exists, idsOf } from './query.ts';
import { readList, readObject } from './stored-json.ts';
import {
  columnsOf,
  defineTable,
  flagColumn,
  json,
  named,
  plain,
  type Row,
  selected,
  textColumn,
} from './table.ts';
import { atomically } from './transaction.ts';

/** A job with the fields of its recording that lists show. */
export interface ListedEncode extends EncodeJob {
  name: string;
  serviceName: string;
  /** Epoch ms, of the programme. */
  startAt: BroadcastMs;
  /** Of the original stream; null: unknown. */
  durationMs: number | null;
  /** Neither in the bin nor deleted, and its original stream exists. */
  isReady: boolean;
  /** Its recording is deleted, not only in the bin. */
  isDeleted: boolean;
  /** Its poster and previews, which need the original, have been made. */
  hasPictures: boolean;
}

export interface EncodeLogRow {
  state: JobState;
  reason: EncodeReason | null;
  log: string;
  createdAt: WallMs;
  startedAt: WallMs | null;
  endedAt: WallMs | null;
}

type EncodeSelection =
  | { readonly ids: readonly RecordingId[] }
  | { readonly series: string }
  /** Programmes that began before this, epoch ms. */
  | { readonly before: BroadcastMs };

const OPEN = `e.state IN ('waiting', 'running')`;
/** Finished, with its original stream, not in the bin. */
const ENCODABLE = `r.shelf = 1 AND r.state <> 'recording'
  AND EXISTS (SELECT 1 FROM recording_files AS f WHERE f.recording_id = r.id AND f.source = 'ts')`;

/** Number of ended jobs in lists. */
const RECENT = 30;
/** Limit of recordings queued at once. */
const MAX_SELECTED = 5_000;
/** Number of results to average. */
const MEASURED = 200;

/** Unreadable values, or those of a later version, are passed on as text. */
function readReason(text: string | null): EncodeReason | null {
  if (text === null) return null;
  const { code, text: sentence } = readObject<{ code: unknown; text: unknown }>(text) ?? {};
  const known = ENCODE_REASONS.find((one) => one === code);
  if (known !== undefined) return { code: known };
  return { code: 'text', text: typeof sentence === 'string' ? sentence : text };
}

function storedReason(reason: EncodeReason | null): string | null {
  return reason === null ? null : JSON.stringify(reason);
}

const JOBS = defineTable<EncodeJob>({
  id: plain(),
  recordingId: plain(),
  state: plain(),
  position: plain(),
  ...columnsOf(ENCODE_OPTIONS),
  automatic: flagColumn(),
  attempts: plain(),
  readyAt: plain(),
  reason: named('message', json(readReason, storedReason)),
  results: json((stored) => readList<EncodeResult>(stored)),
  createdAt: plain(),
  startedAt: plain(),
  endedAt: plain(),
});
const LISTED = JOBS.with<ListedEncode>({
  name: selected('r.name', textColumn()),
  serviceName: selected('r.service_name', textColumn()),
  startAt: selected('r.start_at', plain()),
  durationMs: selected('r.duration_ms', plain()),
  isReady: selected(`(${ENCODABLE})`, flagColumn()),
  isDeleted: selected('r.deleted_at IS NOT NULL', flagColumn()),
  hasPictures: selected('r.pictures', flagColumn()),
});
const LOGS = JOBS.pick(['state', 'reason', 'createdAt', 'startedAt', 'endedAt']).with<EncodeLogRow>({
  log: plain(),
});
const OPTIONS = namesOf(ENCODE_OPTIONS);

export class EncodeStore {
  constructor(private readonly database: Database) {}

  /**
   * Appends a job, unless one of that recording is waiting or running: a waiting one gets the new options.
   * @returns whether a job was added
   */
  enqueue(
    recordingId: RecordingId,
    options: EncodeWish,
    { automatic, readyAt }: { automatic: boolean; readyAt: WallMs },
    now: WallMs,
  ): boolean {
    const values = { ...JOBS.parameters(options, OPTIONS), recordingId, readyAt };
    return atomically(this.database, () => {
      const changed = this.database
        .query(
          `UPDATE encodes SET ${JOBS.assigned(OPTIONS)}, ready_at = min(ready_at, $readyAt)
           WHERE recording_id = $recordingId AND state = 'waiting'`,
        )
        .run(values);
      if (changed.changes > 0) return false;
      const inserted = this.database
        .query(
          `INSERT INTO encodes (recording_id, state, position, ${JOBS.names(OPTIONS)}, automatic, ready_at, created_at)
           SELECT $recordingId, 'waiting', coalesce((SELECT max(position) FROM encodes AS e WHERE ${OPEN}), 0) + 1,
             ${JOBS.placeholders(OPTIONS)}, $automatic, $readyAt, $now
           WHERE NOT EXISTS (SELECT 1 FROM encodes AS e WHERE e.recording_id = $recordingId AND ${OPEN})`,
        )
        .run({ ...values, automatic: automatic ? 1 : 0, now });
      return inserted.changes > 0;
    });
  }

  /** Ids of a selection that can be encoded, oldest first. */
  encodable(selection: EncodeSelection): RecordingId[] {
    const rows = (where: string, values: Record<string, string | number>): RecordingId[] =>
      idsOf<RecordingId>(
        this.database,
        `SELECT r.id FROM recordings AS r WHERE ${where} AND ${ENCODABLE} ORDER BY r.start_at, r.id LIMIT ${MAX_SELECTED}`,
        values,
      );
    if ('ids' in selection) {
      return rows('r.id IN (SELECT value FROM json_each($ids))', { ids: JSON.stringify(selection.ids) });
    }
    const unencoded = `NOT EXISTS (SELECT 1 FROM encoded_files AS x WHERE x.recording_id = r.id)`;
    if ('series' in selection)
      return rows(`r.series_key = $series AND ${unencoded}`, { series: selection.series });
    return rows(`r.start_at < $before AND ${unencoded}`, { before: selection.before });
  }

  /** Running and waiting jobs, in order. */
  queue(): ListedEncode[] {
    return this.#listed(`${OPEN} ORDER BY e.state = 'running' DESC, e.position, e.id`);
  }

  /** The last ended jobs, newest first. */
  recent(): ListedEncode[] {
    return this.#listed(`e.ended_at IS NOT NULL ORDER BY e.ended_at DESC, e.id DESC LIMIT ${RECENT}`);
  }

  openOf(recordingId: RecordingId): EncodeJob | undefined {
    const row = this.database
      .query<Row, { recordingId: RecordingId }>(
        `SELECT ${JOBS.columns('e')} FROM encodes AS e WHERE e.recording_id = $recordingId AND ${OPEN}`,
      )
      .get({ recordingId });
    return row === null ? undefined : JOBS.read(row);
  }

  /** Of the last encode of a recording; undefined if there was none. */
  log(recordingId: RecordingId): EncodeLogRow | undefined {
    const row = this.database
      .query<Row, { recordingId: RecordingId }>(
        `SELECT ${LOGS.columns()} FROM encodes WHERE recording_id = $recordingId ORDER BY id DESC LIMIT 1`,
      )
      .get({ recordingId });
    return row === null ? undefined : LOGS.read(row);
  }

  begin(id: number, now: WallMs): void {
    this.#write(`UPDATE encodes SET state = 'running', started_at = $now, message = NULL WHERE id = $id`, {
      id,
      now,
    });
  }

  /** Files about to be created; `[]` when they are in place or removed. */
  putWork(id: number, paths: readonly string[]): void {
    this.#write('UPDATE encodes SET work = $work WHERE id = $id', { id, work: JSON.stringify(paths) });
  }

  /** Puts a job back into the queue. @param readyAt epoch ms @param why undefined: the service stops */
  postpone(
    id: number,
    readyAt: WallMs,
    why: { reason: EncodeReason; log: string; isFailure: boolean } | undefined,
  ): void {
    this.#write(
      `UPDATE encodes SET state = 'waiting', started_at = NULL, ready_at = $readyAt,
         attempts = attempts + $failed, message = coalesce($message, message), log = coalesce($log, log)
       WHERE id = $id`,
      {
        ...{ id, readyAt, failed: why?.isFailure === true ? 1 : 0 },
        message: storedReason(why?.reason ?? null),
        log: why?.log ?? null,
      },
    );
  }

  /** What it waited for is there. @returns whether it waited for a later time */
  resume(id: number, now: WallMs): boolean {
    const sql = `UPDATE encodes SET ready_at = $now, message = NULL
       WHERE id = $id AND state = 'waiting' AND ready_at > $now`;
    return this.#write(sql, { id, now }) > 0;
  }

  end(
    id: number,
    {
      reason,
      ...end
    }: {
      state: 'done' | 'failed' | 'cancelled';
      reason: EncodeReason | null;
      log: string;
      results: readonly EncodeResult[];
    },
    now: WallMs,
  ): void {
    this.#write(
      `UPDATE encodes SET state = $state, message = $message, log = $log, results = $results, ended_at = $now
       WHERE id = $id`,
      {
        ...{ id, now, ...end, results: JSON.stringify(end.results) },
        message: storedReason(reason),
      },
    );
  }

  /** Ends waiting jobs. */
  cancel(ids: readonly number[], reason: EncodeReason, now: WallMs): void {
    this.#write(
      `UPDATE encodes SET state = 'cancelled', message = $reason, ended_at = $now
       WHERE id IN (SELECT value FROM json_each($ids)) AND state = 'waiting'`,
      { ids: JSON.stringify(ids), reason: storedReason(reason), now },
    );
  }

  /** Cancels a waiting job. @returns whether there was one */
  cancelWaiting(recordingId: RecordingId, now: WallMs): boolean {
    return (
      this.#write(
        `UPDATE encodes SET state = 'cancelled', message = $reason, ended_at = $now
         WHERE recording_id = $recordingId AND state = 'waiting'`,
        { recordingId, now, reason: storedReason({ code: 'stopped' }) },
      ) > 0
    );
  }

  /** Orders waiting jobs; jobs that are not listed keep their order after these. @returns whether any is waiting */
  reorder(recordingIds: readonly RecordingId[]): boolean {
    return atomically(this.database, () => {
      const waiting = this.database
        .query<{ id: number; recordingId: RecordingId }, []>(
          `SELECT id, recording_id AS recordingId FROM encodes WHERE state = 'waiting' ORDER BY position, id`,
        )
        .all();
      const rank = new Map(recordingIds.map((id, index) => [id, index]));
      const place = (id: RecordingId): number => rank.get(id) ?? recordingIds.length;
      const put = this.database.query('UPDATE encodes SET position = $position WHERE id = $id');
      // The sort is stable.
      const sorted = [...waiting].sort((a, b) => place(a.recordingId) - place(b.recordingId));
      for (const [index, { id }] of sorted.entries()) put.run({ id, position: index + 1 });
      return waiting.length > 0;
    });
  }

  get isPaused(): boolean {
    return exists(this.database, 'SELECT 1 FROM encode_queue WHERE paused = 1');
  }

  pause(isPaused: boolean): void {
    this.#write('INSERT OR REPLACE INTO encode_queue VALUES (1, $paused)', {
      paused: isPaused ? 1 : 0,
    });
  }

  /** Files of a job that are not in place yet. */
  leftovers(id: number): string[] {
    return this.database
      .query<{ path: string }, { id: number }>(
        `SELECT w.value AS path FROM encodes AS e, json_each(iif(json_valid(e.work), e.work, '[]')) AS w
         WHERE e.id = $id AND NOT EXISTS
           (SELECT 1 FROM recording_files AS f WHERE f.recording_id = e.recording_id AND f.path = w.value)`,
      )
      .all({ id })
      .map(({ path }) => path);
  }

  /** Jobs with stored file names, with the path of the original stream; null: no row lists one. */
  working(): { id: number; original: string | null }[] {
    return this.database
      .query<{ id: number; original: string | null }, []>(
        `SELECT e.id, f.path AS original FROM encodes AS e
           LEFT JOIN recording_files AS f ON f.recording_id = e.recording_id AND f.source = 'ts'
         WHERE e.work <> '[]'`,
      )
      .all();
  }

  /** Its file does not replace the original stream, even when another process resumes the job. */
  keepOriginal(id: number): void {
    this.#write('UPDATE encodes SET keep_ts = 1 WHERE id = $id', { id });
  }

  /**
   * Recordings that ended recently and were never queued, because the process was killed in between. @param since
   * epoch ms
   */
  forgotten(since: WallMs): RecordingId[] {
    return idsOf<RecordingId>(
      this.database,
      `SELECT r.id FROM recordings AS r WHERE r.start_at >= $since AND r.state = 'recorded' AND r.encode <> 'none'
           AND ${ENCODABLE} AND NOT EXISTS (SELECT 1 FROM encodes AS e WHERE e.recording_id = r.id)
         ORDER BY r.start_at LIMIT ${MAX_SELECTED}`,
      { since },
    );
  }

  /** Puts jobs that were running when the process ended back into the queue. */
  recover(): void {
    this.#write(`UPDATE encodes SET state = 'waiting', started_at = NULL WHERE state = 'running'`, {});
  }

  /** @param endedUntil epoch ms; the latest job of each recording stays */
  purge(endedUntil: WallMs): void {
    this.#write(
      `DELETE FROM encodes WHERE ended_at <= $endedUntil AND work = '[]'
         AND id <> (SELECT max(id) FROM encodes AS e WHERE e.recording_id = encodes.recording_id)`,
      { endedUntil },
    );
  }

  /** Results of the last finished encodes. */
  results(): EncodeResult[] {
    return this.database
      .query<{ results: string }, []>(
        `SELECT results FROM encodes WHERE state = 'done' ORDER BY ended_at DESC LIMIT ${MEASURED}`,
      )
      .all()
      .flatMap(({ results }) => readList<EncodeResult>(results));
  }

  /** Trial results of each codec and quality. */
  trials(): EncodeResult[] {
    return this.database
      .query<EncodeResult, []>(
        `SELECT codec, quality, encoder, length_ms AS lengthMs, bytes, took_ms AS tookMs FROM encode_trials
         ORDER BY codec, quality`,
      )
      .all();
  }

  putTrial({ codec, quality, encoder, lengthMs, bytes, tookMs }: EncodeResult, now: WallMs): void {
    this.database
      .query(
        `INSERT OR REPLACE INTO encode_trials
         VALUES ($codec, $quality, $encoder, $lengthMs, $bytes, $tookMs, $now)`,
      )
      .run({ codec, quality, encoder, lengthMs, bytes, tookMs, now });
  }

  /** The recording that began last, among those that can be encoded. */
  newestOriginal(leastMs: number): RecordingId | undefined {
    const row = this.database
      .query<{ id: RecordingId }, { leastMs: number }>(
        `SELECT r.id FROM recordings AS r WHERE ${ENCODABLE} AND r.duration_ms >= $leastMs
         ORDER BY r.start_at DESC, r.id DESC LIMIT 1`,
      )
      .get({ leastMs });
    return row?.id;
  }

  #listed(where: string): ListedEncode[] {
    return this.database
      .query<Row, []>(
        `SELECT ${LISTED.columns('e')}
         FROM encodes AS e CROSS JOIN recordings AS r ON r.id = e.recording_id WHERE ${where}`,
      )
      .all()
      .map(LISTED.read);
  }

  /** @returns number of changed rows */
  #write(sql: string, values: Record<string, string | number | null>): number {
    return execute(this.database, sql, values);
  }
}
