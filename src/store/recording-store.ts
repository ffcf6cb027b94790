/**
 * Rows of recordings and of their files. A file name is durable before the file is created (`Commits`): a power cut
 * leaves no file without a row.
 */
import { dirname } from 'node:path';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import { namesOf } from '../../lib/wire/fields.ts';
import { type RecordingId, type ReservationId, recordingId } from '../../lib/wire/ids.ts';
import { CONVERSION_OPTIONS } from '../../lib/wire/rule-fields.ts';
import type { RecordingState } from '../../lib/wire/vocabulary.ts';
import type {
  NewRecording,
  RecordingEnding,
  RecordingPart,
  RecordingRecord,
  RecordingTexts,
} from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { type Measured, nothingMeasured, type Verdict } from '../model/verdict.ts';
import { execute, exists, idsOf } from './query.ts';
import { readMeasured, storedMeasured, storedReason, storedVerdict } from './recording-json.ts';
import { giveUpMissingParts, JOINING, RecordingPartRows, type StoredFile } from './recording-part-rows.ts';
import { RECORDINGS } from './recording-row.ts';
import { indexRecording } from './search-index.ts';
import type { Row, Values } from './table.ts';
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

const TEXTS = [
  ...(['name', 'description', 'extended', 'genres', 'audios'] as const),
  ...(['videoType', 'videoResolution', 'isFree', 'series'] as const),
] satisfies (keyof RecordingTexts)[];
const REQUESTED = [
  ...(['reservationId', 'ruleId', 'programId', 'stationId', 'serviceName', ...TEXTS] as const),
  ...(['startAt', 'endAt', 'closeAt', 'wantedFrom'] as const),
  ...namesOf(CONVERSION_OPTIONS),
] satisfies (keyof NewRecording)[];
/** What may change while it runs. */
const FOLLOWED = [
  ...(['programId', 'startAt', 'endAt', 'closeAt', 'holdUntil'] as const),
  ...namesOf(CONVERSION_OPTIONS),
] as const;
const OUTCOME = ['state', 'reason', 'verdict', 'durationMs', 'startAt', 'endAt'] as const;

const INSERT = `INSERT INTO recordings ${RECORDINGS.inserted(REQUESTED, {
  ...{ id: '$id', state: "'recording'", created_at: '$now', updated_at: '$now' },
})} RETURNING id`;

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
    return exists(this.database, `SELECT 1 FROM reservations WHERE id = $reservationId AND ${BEGINNABLE}`, {
      reservationId,
    });
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
  #insert(recording: NewRecording, id: RecordingId | null, now: WallMs): RecordingId {
    const row = this.database
      .query<{ id: RecordingId }, Values>(INSERT)
      .get({ ...RECORDINGS.parameters(recording, REQUESTED), id, now });
    if (row === null) throw new Error('a recording was not stored');
    return row.id;
  }

  find(id: RecordingId): RecordingRecord | undefined {
    const row = this.database
      .query<Row, { id: RecordingId }>(
        `SELECT ${RECORDINGS.columns()} FROM recordings WHERE id = $id AND deleted_at IS NULL`,
      )
      .get({ id });
    return row === null ? undefined : RECORDINGS.read(row);
  }

  /** Begun and not ended, including those of a killed process. */
  unfinished(): RecordingId[] {
    return idsOf<RecordingId>(
      this.database,
      `SELECT id FROM recordings WHERE state = 'recording' ORDER BY id`,
    );
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

  /** Stores changed times and conversion, or that it is held open. @param now by the machine's clock */
  follow(id: RecordingId, followed: Pick<RecordingRecord, (typeof FOLLOWED)[number]>, now: WallMs): void {
    const values = RECORDINGS.parameters(followed, FOLLOWED);
    this.deferred.write(`followed ${id}`, () =>
      this.database
        .query(`UPDATE recordings SET ${RECORDINGS.assigned(FOLLOWED)}, updated_at = $now WHERE id = $id`)
        .run({ id, ...values, now }),
    );
  }

  /** Stores updated texts of its programme. */
  describe(id: RecordingId, texts: RecordingTexts, now: WallMs): void {
    const values = RECORDINGS.parameters(texts, TEXTS);
    this.deferred.write(`texts ${id}`, () => {
      this.database
        .query(`UPDATE recordings SET ${RECORDINGS.assigned(TEXTS)}, updated_at = $now WHERE id = $id`)
        .run({ id, ...values, now });
      indexRecording(this.database, id);
    });
  }

  /** Stores its end, before its verdict. @param at by the broadcast's clock @param now by the machine's */
  ended(id: RecordingId, as: RecordingEnding, at: BroadcastMs, now: WallMs): void {
    this.deferred.write(`ended ${id}`, () =>
      this.database
        .query(`UPDATE recordings SET ${RECORDINGS.assigned(['ended'])}, updated_at = $now WHERE id = $id`)
        .run({ id, ...RECORDINGS.parameters({ ended: { as, at } }), now }),
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
    const { file, joined: sources, released } = finish;
    atomically(this.database, () => {
      this.database
        .query(
          `UPDATE recordings SET ${RECORDINGS.assigned(OUTCOME)}, folder = coalesce($folder, folder),
             released = $released, ended_as = NULL, ended_at = NULL, updated_at = $now
           WHERE id = $id`,
        )
        .run({
          ...RECORDINGS.parameters(finish, OUTCOME),
          ...{ id, now, released: released ? 1 : 0, folder: file === null ? null : dirname(file.path) },
        });
      this.#finishReservation(id, now);
      this.database
        .query(`DELETE FROM recording_parts WHERE recording_id = $id AND part = ${JOINING}`)
        .run({ id });
      if (file !== null) this.joinSeams(id, file.path, sources);
      this.putParts(id, parts);
      this.putJoined(id, sources);
      this.#putFile(id, file, now, finish.durationMs);
    });
  }

  /** Ended recordings that have several parts, and are not being encoded. */
  inParts(): RecordingId[] {
    return idsOf<RecordingId>(
      this.database,
      `SELECT r.id FROM recordings r
         WHERE EXISTS (SELECT 1 FROM recording_parts p WHERE p.recording_id = r.id AND p.part > 1)
           AND r.state IN ('recorded', 'available', 'failed') AND r.deleted_at IS NULL
           AND NOT EXISTS (SELECT 1 FROM encodes e WHERE e.recording_id = r.id AND e.state = 'running')`,
    );
  }

  /** The parts of an ended recording were joined. @param now by the machine's clock */
  joinedLater(id: RecordingId, file: RecordingPart, joined: readonly RecordingPart[], now: WallMs): void {
    atomically(this.database, () => {
      this.notJoined(id);
      giveUpMissingParts(this.database, id);
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
  *filePages(): Generator<StoredFile[]> {
    const bound = this.database.query<{ last: number | null }, { after: number }>(
      `SELECT max(id) AS last FROM (SELECT id FROM recordings WHERE id > $after ORDER BY id LIMIT ${FILES_A_PAGE})`,
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
       UNION
       SELECT d.recording_id, d.path FROM recording_data d JOIN recordings r ON r.id = d.recording_id
       WHERE d.bytes > 0 AND r.id > $after AND r.id <= $last
         AND r.state IN ('recorded', 'available', 'failed') AND r.deleted_at IS NULL
       ORDER BY 1`,
    );
    for (let after = 0; ; ) {
      const last = bound.get({ after })?.last ?? null;
      if (last === null) return;
      yield page.all({ after, last });
      after = last;
    }
  }

  /** Stores another verdict after files were lost. */
  replaceVerdict(
    id: RecordingId,
    { verdict, durationMs }: Pick<Finish, 'verdict' | 'durationMs'>,
    now: WallMs,
  ): void {
    execute(
      this.database,
      'UPDATE recordings SET verdict = $verdict, duration_ms = $durationMs, updated_at = $now WHERE id = $id',
      { id, verdict: storedVerdict(verdict), durationMs, now },
    );
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
