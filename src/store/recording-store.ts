/**
 * Rows of recordings and of their files. A file name is durable before the file is created (`Commits`): a power cut
 * leaves no file without a row.
 */
import { dirname } from 'node:path';
import type { BroadcastMs } from '../../arib/time.ts';
import type { WallMs } from '../../host/clock.ts';
import { type RecordingId, type ReservationId, recordingId } from '../model/ids.ts';
import type {
  NewRecording,
  RecordingEnding,
  RecordingPart,
  RecordingRecord,
  RecordingState,
  RecordingTexts,
} from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { type Measured, nothingMeasured, type Verdict } from '../model/verdict.ts';
import { readMeasured, storedMeasured, storedReason, storedVerdict } from './recording-json.ts';
import { JOINING, RecordingPartRows, type StoredFile } from './recording-part-rows.ts';
import {
  RECORDING_COLUMNS as COLUMNS,
  type RecordingRow as Row,
  toRecordingRecord,
} from './recording-row.ts';
import { indexRecording } from './search-index.ts';
import { atomically, isLocked } from './transaction.ts';

interface Finish {
  state: Extract<RecordingState, 'recorded' | 'failed'>;
  reason: RecordingReason | null;
  verdict: Verdict;
  durationMs: number;
  /** The programme's actual times, epoch ms. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  /** The file to watch; null: none. */
  file: RecordingPart | null;
  /** The parts that were joined to `file`, in order; empty if it is a part itself. */
  joined: readonly RecordingPart[];
  /** Its episode may be booked again. */
  released: boolean;
}

type Texts = Omit<RecordingTexts, 'series'>;

function columnsOf(texts: Texts) {
  const { name, description, extended, genres, audios, videoType, videoResolution, isFree } = texts;
  return {
    ...{ name, description, videoType, videoResolution },
    extended: extended === null ? null : JSON.stringify(extended),
    genres: JSON.stringify(genres),
    audios: JSON.stringify(audios),
    isFree: isFree ? 1 : 0,
  };
}

function seriesColumns(series: RecordingTexts['series']) {
  return {
    seriesKey: series?.key ?? null,
    seriesName: series?.name ?? null,
    episode: series?.episode ?? null,
  };
}

/** Reservations that a recording may begin for. */
const BEGINNABLE = `state IN ('scheduled', 'conflict', 'missed')`;

/** Recordings whose files are read at once: takes 1 ms. */
const FILES_A_PAGE = 500;

export class RecordingStore extends RecordingPartRows {
  /** Last id given to a row that waits for the write lock; only this store creates recordings. */
  #lastId = 0;

  /**
   * Also sets its reservation to `recording`. Does not wait for a write lock that another program holds: its row and
   * all its changes are then stored later. @param now by the machine's clock
   * @returns its id; undefined if its reservation was removed
   */
  create(recording: NewRecording, now: WallMs): RecordingId | undefined {
    const { reservationId } = recording;
    if (!this.deferred.isWaiting) {
      try {
        return atomically(this.database, () => {
          if (reservationId !== null && !this.#reserve(reservationId, now)) return undefined;
          const id = this.#insert(recording, null, now);
          indexRecording(this.database, id);
          return id;
        });
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    if (reservationId !== null && !this.#mayBegin(reservationId)) return undefined;
    const id = this.#nextId();
    this.deferred.write(`create ${id}`, () => {
      if (reservationId !== null) this.#reserve(reservationId, now);
      this.#insert(recording, id, now);
      indexRecording(this.database, id);
    });
    return id;
  }

  #nextId(): RecordingId {
    const row = this.database
      .query<{ seq: number }, []>(`SELECT seq FROM sqlite_sequence WHERE name = 'recordings'`)
      .get();
    this.#lastId = Math.max(this.#lastId, row?.seq ?? 0) + 1;
    return recordingId(this.#lastId);
  }

  #mayBegin(reservationId: ReservationId): boolean {
    return (
      this.database
        .query(`SELECT 1 FROM reservations WHERE id = $reservationId AND ${BEGINNABLE}`)
        .get({ reservationId }) !== null
    );
  }

  #reserve(reservationId: ReservationId, now: WallMs): boolean {
    return (
      this.database
        .query(
          `UPDATE reservations SET state = 'recording', reason = NULL, updated_at = $now
           WHERE id = $reservationId AND ${BEGINNABLE}`,
        )
        .run({ reservationId, now }).changes > 0
    );
  }

  /** @param id null: the next one */
  #insert({ series, ...recording }: NewRecording, id: RecordingId | null, now: WallMs): RecordingId {
    const row = this.database
      .query<{ id: RecordingId }, Record<string, string | number | null>>(
        `INSERT INTO recordings (id, reservation_id, rule_id, program_id, station_id, service_name, state, name,
           description, extended, genres, audios, video_type, video_resolution, is_free, start_at, end_at, close_at,
           wanted_from, series_key, series_name, episode, encode, keep_ts, commercials, created_at, updated_at)
         VALUES ($id, $reservationId, $ruleId, $programId, $stationId, $serviceName, 'recording', $name, $description,
           $extended, $genres, $audios, $videoType, $videoResolution, $isFree, $startAt, $endAt, $closeAt,
           $wantedFrom, $seriesKey, $seriesName, $episode, $encode, $keepTs, $commercials, $now, $now)
         RETURNING id`,
      )
      .get({
        ...recording,
        ...columnsOf(recording),
        ...seriesColumns(series),
        id,
        keepTs: recording.keepTs ? 1 : 0,
        now,
      });
    if (row === null) throw new Error('a recording was not stored');
    return row.id;
  }

  find(id: RecordingId): RecordingRecord | undefined {
    const row = this.database
      .query<Row, { id: RecordingId }>(
        `SELECT ${COLUMNS} FROM recordings WHERE id = $id AND deleted_at IS NULL`,
      )
      .get({ id });
    return row === null ? undefined : toRecordingRecord(row);
  }

  /** Begun and not ended, including those of a killed process. */
  unfinished(): RecordingId[] {
    return this.database
      .query<{ id: RecordingId }, []>(`SELECT id FROM recordings WHERE state = 'recording' ORDER BY id`)
      .all()
      .map(({ id }) => id);
  }

  /** Marks one as failed that can be neither resumed nor concluded. @param now by the machine's clock */
  giveUp(id: RecordingId, reason: RecordingReason, now: WallMs): void {
    atomically(this.database, () => {
      this.database
        .query(
          `UPDATE recordings SET state = 'failed', reason = $reason, ended_as = NULL, ended_at = NULL, updated_at = $now
           WHERE id = $id AND state = 'recording'`,
        )
        .run({ id, reason: storedReason(reason), now });
      this.#finishReservation(id, now);
    });
  }

  #finishReservation(id: RecordingId, now: WallMs): void {
    this.database
      .query(
        `UPDATE reservations SET state = 'finished', updated_at = $now
         WHERE id = (SELECT reservation_id FROM recordings WHERE id = $id) AND state = 'recording'`,
      )
      .run({ id, now });
  }

  /** Stores changed times, or that it is held open. @param now by the machine's clock */
  moveTimes(
    id: RecordingId,
    {
      programId,
      startAt,
      endAt,
      closeAt,
      holdUntil,
    }: Pick<RecordingRecord, 'programId' | 'startAt' | 'endAt' | 'closeAt' | 'holdUntil'>,
    now: WallMs,
  ): void {
    this.deferred.write(`times ${id}`, () =>
      this.database
        .query(
          `UPDATE recordings SET program_id = $programId, start_at = $startAt, end_at = $endAt, close_at = $closeAt,
             hold_until = $holdUntil, updated_at = $now
           WHERE id = $id`,
        )
        .run({ id, programId, startAt, endAt, closeAt, holdUntil, now }),
    );
  }

  /** Stores updated texts of its programme. */
  describe(id: RecordingId, { series, ...texts }: RecordingTexts, now: WallMs): void {
    this.deferred.write(`texts ${id}`, () => {
      this.database
        .query(
          `UPDATE recordings SET name = $name, description = $description, extended = $extended, genres = $genres,
             audios = $audios, video_type = $videoType, video_resolution = $videoResolution, is_free = $isFree,
             series_key = $seriesKey, series_name = $seriesName, episode = $episode, updated_at = $now
           WHERE id = $id`,
        )
        .run({ id, ...columnsOf(texts), ...seriesColumns(series), now });
      indexRecording(this.database, id);
    });
  }

  /** Stores its end, before its verdict. @param at by the broadcast's clock @param now by the machine's */
  ended(id: RecordingId, as: RecordingEnding, at: BroadcastMs, now: WallMs): void {
    this.deferred.write(`ended ${id}`, () =>
      this.database
        .query('UPDATE recordings SET ended_as = $as, ended_at = $at, updated_at = $now WHERE id = $id')
        .run({ id, as, at, now }),
    );
  }

  /** @param at of the first packet, by the broadcast's clock @param now by the machine's */
  began(id: RecordingId, at: BroadcastMs, now: WallMs): void {
    this.deferred.write(`began ${id}`, () =>
      this.database
        .query('UPDATE recordings SET began_at = $at, updated_at = $now WHERE id = $id AND began_at IS NULL')
        .run({ id, at, now }),
    );
  }

  /**
   * Stores the file names of a running recording; the first can be watched meanwhile.
   * @param now by the machine's clock
   */
  placed(
    id: RecordingId,
    parts: readonly RecordingPart[],
    place: { folder: string; stem: string } | null,
    now: WallMs,
  ): void {
    atomically(this.database, () => {
      this.putParts(id, parts);
      this.database
        .query('UPDATE recordings SET folder = $folder, stem = $stem, updated_at = $now WHERE id = $id')
        .run({ id, folder: place?.folder ?? null, stem: place?.stem ?? null, now });
      this.#putFile(id, parts[0] === undefined ? null : { path: parts[0].path, bytes: null }, now);
    });
  }

  /** null: the stored value is damaged. */
  measured(id: RecordingId): Measured | null {
    const row = this.database
      .query<{ measured: string }, { id: RecordingId }>(
        'SELECT measured FROM recording_measurements WHERE recording_id = $id',
      )
      .get({ id });
    return row === null ? nothingMeasured() : readMeasured(row.measured);
  }

  /** Not shown in lists: does not change their counters. */
  saveMeasured(id: RecordingId, measured: Measured, parts: readonly RecordingPart[]): void {
    this.deferred.write(`measured ${id}`, () => {
      this.database
        .query(
          `INSERT INTO recording_measurements VALUES ($id, $measured)
             ON CONFLICT (recording_id) DO UPDATE SET measured = excluded.measured`,
        )
        .run({ id, measured: storedMeasured(measured) });
      const put = this.database.query(
        'UPDATE recording_parts SET bytes = $bytes WHERE recording_id = $id AND path = $path',
      );
      for (const { path, bytes } of parts) put.run({ id, path, bytes });
    });
  }

  /**
   * Stores the verdict, and sets its reservation to `finished`.
   * @param parts the remaining files of its original stream @param now by the machine's clock
   */
  finish(id: RecordingId, finish: Finish, parts: readonly RecordingPart[], now: WallMs): void {
    const { file, verdict, joined, released, ...values } = finish;
    atomically(this.database, () => {
      this.database
        .query(
          `UPDATE recordings SET state = $state, reason = $reason, verdict = $verdict, duration_ms = $durationMs,
             start_at = $startAt, end_at = $endAt, folder = coalesce($folder, folder), released = $released,
             ended_as = NULL, ended_at = NULL, updated_at = $now
           WHERE id = $id`,
        )
        .run({
          id,
          now,
          folder: file === null ? null : dirname(file.path),
          verdict: storedVerdict(verdict),
          released: released ? 1 : 0,
          ...values,
          reason: storedReason(values.reason),
        });
      this.#finishReservation(id, now);
      this.database
        .query(`DELETE FROM recording_parts WHERE recording_id = $id AND part = ${JOINING}`)
        .run({ id });
      if (file !== null) this.joinSeams(id, file.path, joined);
      this.putParts(id, parts);
      this.putJoined(id, joined);
      this.#putFile(id, file, now, values.durationMs);
    });
  }

  /** Ended recordings that have several parts, and are not being encoded. */
  inParts(): RecordingId[] {
    return this.database
      .query<{ id: RecordingId }, []>(
        `SELECT r.id FROM recordings r
         WHERE EXISTS (SELECT 1 FROM recording_parts p WHERE p.recording_id = r.id AND p.part > 1)
           AND r.state IN ('recorded', 'available', 'failed') AND r.deleted_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM encodes e WHERE e.recording_id = r.id AND e.state = 'running')`,
      )
      .all()
      .map(({ id }) => id);
  }

  /** The parts of an ended recording were joined. @param now by the machine's clock */
  joinedLater(id: RecordingId, file: RecordingPart, joined: readonly RecordingPart[], now: WallMs): void {
    atomically(this.database, () => {
      this.notJoined(id);
      this.joinSeams(id, file.path, joined);
      this.putParts(id, [file]);
      this.putJoined(id, joined);
      this.database
        .query(
          `UPDATE recording_files SET path = $path, bytes = $bytes WHERE recording_id = $id AND source = 'ts'`,
        )
        .run({ id, ...file });
      this.database
        .query('UPDATE recordings SET folder = $folder, updated_at = $now WHERE id = $id')
        .run({ id, folder: dirname(file.path), now });
    });
  }

  /**
   * Expected files of ended recordings that can be watched, including further parts. Each page is a separate query:
   * all of 40,000 recordings at once would block the thread for 70 ms.
   */
  *filePages(recordings = FILES_A_PAGE): Generator<StoredFile[]> {
    const bound = this.database.query<{ last: number | null }, { after: number; recordings: number }>(
      'SELECT max(id) AS last FROM (SELECT id FROM recordings WHERE id > $after ORDER BY id LIMIT $recordings)',
    );
    const page = this.database.query<StoredFile, { after: number; last: number }>(
      `SELECT f.recording_id AS recordingId, f.path FROM recording_files f
       JOIN recordings r ON r.id = f.recording_id
       WHERE r.id > $after AND r.id <= $last
         AND r.state IN ('recorded', 'available', 'failed') AND r.deleted_at IS NULL
       UNION
       SELECT p.recording_id, p.path FROM recording_parts p JOIN recordings r ON r.id = p.recording_id
       WHERE p.part > ${JOINING} AND r.id > $after AND r.id <= $last
         AND r.state IN ('recorded', 'available', 'failed') AND r.deleted_at IS NULL
       ORDER BY 1`,
    );
    for (let after = 0; ; ) {
      const last = bound.get({ after, recordings })?.last ?? null;
      if (last === null) return;
      yield page.all({ after, last });
      after = last;
    }
  }

  /** Stores another verdict after files were lost. @param now epoch ms */
  replaceVerdict(
    id: RecordingId,
    { verdict, durationMs }: Pick<Finish, 'verdict' | 'durationMs'>,
    now: WallMs,
  ): void {
    atomically(this.database, () =>
      this.database
        .query(
          'UPDATE recordings SET verdict = $verdict, duration_ms = $durationMs, updated_at = $now WHERE id = $id',
        )
        .run({ id, verdict: storedVerdict(verdict), durationMs, now }),
    );
  }

  /**
   * A file is missing. A recording without any file has failed, unless it is deleted. @param now by the machine's
   * clock
   * @param reason the failure reason in that case
   */
  forgetFile({ recordingId: id, path }: StoredFile, reason: RecordingReason, now: WallMs): void {
    atomically(this.database, () => {
      this.database
        .query('DELETE FROM recording_files WHERE recording_id = $id AND path = $path')
        .run({ id, path });
      this.database
        .query('DELETE FROM recording_parts WHERE recording_id = $id AND path = $path')
        .run({ id, path });
      this.showAnother(id, now);
      this.database
        .query(
          `UPDATE recordings SET state = 'failed', reason = $reason, updated_at = $now
             WHERE id = $id AND state IN ('recorded', 'available') AND deleted_at IS NULL
               AND NOT EXISTS (SELECT 1 FROM recording_files WHERE recording_id = $id)`,
        )
        .run({ id, reason: storedReason(reason), now });
      this.database
        .query(
          `UPDATE recordings SET state = 'recorded', updated_at = $now
             WHERE id = $id AND state = 'available'
               AND NOT EXISTS (SELECT 1 FROM recording_files WHERE recording_id = $id AND source <> 'ts')`,
        )
        .run({ id, now });
    });
  }

  #putFile(
    id: RecordingId,
    file: { path: string; bytes: number | null } | null,
    now: WallMs,
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

  /** See `DurableStore`: acts are methods of this store, or of others of the same database. */
  together(next: () => (() => void) | undefined, failed: (act: () => void, error: unknown) => void): void {
    // Waiting writes come first; they must not be rolled back with this transaction.
    this.deferred.flush();
    atomically(this.database, () => {
      for (let act = next(); act !== undefined; act = next()) {
        try {
          this.database.transaction(act)();
        } catch (error) {
          // A full disk rolls the complete transaction back.
          if (!this.database.inTransaction) throw error;
          failed(act, error);
        }
      }
    });
  }
}
