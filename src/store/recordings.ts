/**
 * Rows of recordings and of their files. What names a file is on disk before the file is made: a power cut leaves no
 * file that no row knows.
 */
import type { Database } from 'bun:sqlite';
import { dirname } from 'node:path';
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { NewRecording, RecordingPart, RecordingRecord, RecordingState } from '../model/recording.ts';
import type { EncodeChoice } from '../model/rule.ts';
import { type Measured, nothingMeasured, type Verdict } from '../model/verdict.ts';
import { type ContentRow, contentOf } from './program-row.ts';

interface Row extends ContentRow {
  id: number;
  reservation_id: number | null;
  rule_id: number | null;
  program_id: number | null;
  station_id: number;
  service_name: string;
  state: string;
  reason: string | null;
  start_at: number;
  end_at: number;
  began_at: number | null;
  duration_ms: number | null;
  folder: string | null;
  stem: string | null;
  encode: string;
  keep_ts: number;
  verdict: string | null;
}

const COLUMNS = `id, reservation_id, rule_id, program_id, station_id, service_name, state, reason, name, description,
  extended, genres, audios, video_type, video_resolution, is_free, start_at, end_at, began_at, duration_ms, folder,
  stem, encode, keep_ts, verdict`;

/** A part that is being put together out of the others. */
const JOINING = 0;

export interface Finish {
  state: Extract<RecordingState, 'recorded' | 'failed'>;
  /** Why it failed, for people. */
  reason: string | null;
  verdict: Verdict;
  durationMs: number;
  /** The programme's real times, epoch ms. */
  startAt: number;
  endAt: number;
  /** What there is to watch; null: nothing. */
  file: RecordingPart | null;
}

export interface StoredFile {
  recordingId: number;
  path: string;
}

export class RecordingStore {
  constructor(private readonly database: Database) {}

  /** @param now epoch ms @returns its id */
  create(recording: NewRecording, now: number): number {
    const row = this.database
      .query<{ id: number }, Record<string, string | number | null>>(
        `INSERT INTO recordings (reservation_id, rule_id, program_id, station_id, service_name, state, name,
           description, extended, genres, audios, video_type, video_resolution, is_free, start_at, end_at, encode,
           keep_ts, created_at, updated_at)
         VALUES ($reservationId, $ruleId, $programId, $stationId, $serviceName, 'recording', $name, $description,
           $extended, $genres, $audios, $videoType, $videoResolution, $isFree, $startAt, $endAt, $encode, $keepTs,
           $now, $now)
         RETURNING id`,
      )
      .get({
        ...recording,
        extended: recording.extended === null ? null : JSON.stringify(recording.extended),
        genres: JSON.stringify(recording.genres),
        audios: JSON.stringify(recording.audios),
        isFree: recording.isFree ? 1 : 0,
        keepTs: recording.keepTs ? 1 : 0,
        now,
      });
    if (row === null) throw new Error('a recording was not stored');
    return row.id;
  }

  find(id: number): RecordingRecord | undefined {
    const row = this.database
      .query<Row, { id: number }>(`SELECT ${COLUMNS} FROM recordings WHERE id = $id AND deleted_at IS NULL`)
      .get({ id });
    return row === null ? undefined : toRecord(row);
  }

  /** Those that were begun and not ended, as a killed process leaves them too. */
  unfinished(): RecordingRecord[] {
    return this.database
      .query<Row, []>(`SELECT ${COLUMNS} FROM recordings WHERE state = 'recording' ORDER BY id`)
      .all()
      .map(toRecord);
  }

  /** The programme moved. @param now epoch ms */
  moveTimes(id: number, startAt: number, endAt: number, now: number): void {
    this.database
      .query('UPDATE recordings SET start_at = $startAt, end_at = $endAt, updated_at = $now WHERE id = $id')
      .run({ id, startAt, endAt, now });
  }

  /** @param at epoch ms of the first packet */
  began(id: number, at: number): void {
    this.database
      .query('UPDATE recordings SET began_at = $at, updated_at = $at WHERE id = $id AND began_at IS NULL')
      .run({ id, at });
  }

  parts(id: number): RecordingPart[] {
    return this.database
      .query<RecordingPart, { id: number }>(
        'SELECT path, bytes FROM recording_parts WHERE recording_id = $id AND part > 0 ORDER BY part',
      )
      .all({ id });
  }

  /**
   * Names the files of a recording under way; the first is what can be watched meanwhile. On disk when it returns.
   * @param now epoch ms
   */
  placed(
    id: number,
    parts: readonly RecordingPart[],
    place: { folder: string; stem: string } | null,
    now: number,
  ): void {
    this.#durably(() => {
      this.#putParts(id, parts);
      this.database
        .query('UPDATE recordings SET folder = $folder, stem = $stem, updated_at = $now WHERE id = $id')
        .run({ id, folder: place?.folder ?? null, stem: place?.stem ?? null, now });
      this.#putFile(id, parts[0] === undefined ? null : { path: parts[0].path, bytes: null }, now);
    });
  }

  measured(id: number): Measured {
    const row = this.database
      .query<{ measured: string }, { id: number }>(
        'SELECT measured FROM recording_measurements WHERE recording_id = $id',
      )
      .get({ id });
    return row === null ? nothingMeasured() : (JSON.parse(row.measured) as Measured);
  }

  /** No list shows this: their counters do not move. */
  saveMeasured(id: number, measured: Measured, parts: readonly RecordingPart[]): void {
    this.database
      .transaction(() => {
        this.database
          .query(
            `INSERT INTO recording_measurements VALUES ($id, $measured)
             ON CONFLICT (recording_id) DO UPDATE SET measured = excluded.measured`,
          )
          .run({ id, measured: JSON.stringify(measured) });
        const put = this.database.query(
          'UPDATE recording_parts SET bytes = $bytes WHERE recording_id = $id AND path = $path',
        );
        for (const { path, bytes } of parts) put.run({ id, path, bytes });
      })
      .immediate();
  }

  /** A file is about to be made out of the parts. On disk when it returns. */
  joining(id: number, path: string): void {
    this.#durably(() =>
      this.database
        .query(
          `INSERT INTO recording_parts VALUES ($id, ${JOINING}, $path, 0)
           ON CONFLICT (recording_id, part) DO UPDATE SET path = excluded.path`,
        )
        .run({ id, path }),
    );
  }

  /** Files that were being made out of parts when the process ended. */
  unjoined(): StoredFile[] {
    return this.database
      .query<StoredFile, []>(
        `SELECT recording_id AS recordingId, path FROM recording_parts WHERE part = ${JOINING}`,
      )
      .all();
  }

  /** The file that was being made is not there. */
  notJoined(id: number): void {
    this.database
      .query(`DELETE FROM recording_parts WHERE recording_id = $id AND part = ${JOINING}`)
      .run({ id });
  }

  /** @param parts what is left of its original stream @param now epoch ms */
  finish(id: number, finish: Finish, parts: readonly RecordingPart[], now: number): void {
    const { file, verdict, ...values } = finish;
    this.#durably(() => {
      this.database
        .query(
          `UPDATE recordings SET state = $state, reason = $reason, verdict = $verdict, duration_ms = $durationMs,
             start_at = $startAt, end_at = $endAt, folder = coalesce($folder, folder), updated_at = $now
           WHERE id = $id`,
        )
        .run({
          id,
          now,
          folder: file === null ? null : dirname(file.path),
          verdict: JSON.stringify(verdict),
          ...values,
        });
      this.database
        .query(`DELETE FROM recording_parts WHERE recording_id = $id AND part = ${JOINING}`)
        .run({ id });
      this.#putParts(id, parts);
      this.#putFile(id, file, now, values.durationMs);
    });
  }

  /** Of ended recordings that can be watched: what has to be there. */
  files(): StoredFile[] {
    return this.database
      .query<StoredFile, []>(
        `SELECT f.recording_id AS recordingId, f.path FROM recording_files f
         JOIN recordings r ON r.id = f.recording_id
         WHERE r.state IN ('recorded', 'available', 'failed') AND r.deleted_at IS NULL ORDER BY f.recording_id`,
      )
      .all();
  }

  /** Of deleted recordings: what must not be there any more. */
  leftovers(): StoredFile[] {
    return this.database
      .query<StoredFile, []>(
        `SELECT recording_id AS recordingId, path FROM recording_files
           WHERE recording_id IN (SELECT id FROM recordings WHERE deleted_at IS NOT NULL)
         UNION
         SELECT recording_id, path FROM recording_parts
           WHERE recording_id IN (SELECT id FROM recordings WHERE deleted_at IS NOT NULL)`,
      )
      .all();
  }

  /**
   * A file is not there. A recording without any has failed, unless it is deleted. @param now epoch ms
   * @param reason why it failed then, for people
   */
  forgetFile({ recordingId: id, path }: StoredFile, reason: string, now: number): void {
    this.database
      .transaction(() => {
        this.database
          .query('DELETE FROM recording_files WHERE recording_id = $id AND path = $path')
          .run({ id, path });
        this.database
          .query('DELETE FROM recording_parts WHERE recording_id = $id AND path = $path')
          .run({ id, path });
        this.database
          .query(
            `UPDATE recordings SET state = 'failed', reason = $reason, updated_at = $now
             WHERE id = $id AND state IN ('recorded', 'available') AND deleted_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM recording_files WHERE recording_id = $id)`,
          )
          .run({ id, reason, now });
      })
      .immediate();
  }

  #putParts(id: number, parts: readonly RecordingPart[]): void {
    this.database
      .query(`DELETE FROM recording_parts WHERE recording_id = $id AND part > ${JOINING}`)
      .run({ id });
    const put = this.database.query('INSERT INTO recording_parts VALUES ($id, $part, $path, $bytes)');
    for (const [index, { path, bytes }] of parts.entries()) put.run({ id, part: index + 1, path, bytes });
  }

  #putFile(
    id: number,
    file: { path: string; bytes: number | null } | null,
    now: number,
    durationMs: number | null = null,
  ): void {
    if (file === null) {
      this.database
        .query(`DELETE FROM recording_files WHERE recording_id = $id AND source = 'ts'`)
        .run({ id });
      return;
    }
    this.database
      .query(
        `INSERT INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
         VALUES ($id, 'ts', $path, 'mpeg2', $bytes, $durationMs, $now)
         ON CONFLICT (recording_id, source) DO UPDATE SET path = excluded.path, bytes = excluded.bytes,
           duration_ms = excluded.duration_ms`,
      )
      .run({ id, ...file, durationMs, now });
  }

  /** One transaction that is on disk when it returns: WAL alone may lose the last ones to a power cut. */
  #durably(act: () => void): void {
    this.database.run('PRAGMA synchronous = FULL');
    try {
      this.database.transaction(act).immediate();
    } finally {
      this.database.run('PRAGMA synchronous = NORMAL');
    }
  }
}

function toRecord(row: Row): RecordingRecord {
  return {
    id: row.id,
    reservationId: row.reservation_id,
    ruleId: row.rule_id,
    programId: row.program_id as ProgramId | null,
    stationId: row.station_id as StationId,
    serviceName: row.service_name,
    state: row.state as RecordingState,
    reason: row.reason,
    ...contentOf(row),
    startAt: row.start_at,
    endAt: row.end_at,
    beganAt: row.began_at,
    durationMs: row.duration_ms,
    folder: row.folder,
    stem: row.stem,
    encode: row.encode as EncodeChoice,
    keepTs: row.keep_ts === 1,
    verdict: row.verdict === null ? null : (JSON.parse(row.verdict) as Verdict),
  };
}
