/**
 * Commercials of recordings: detected segments, corrections by users, and the queue of recordings to
 * examine. All times are ms of the original stream's media time. A correction takes precedence over a detection.
 */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../lib/host/clock.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { CommercialHandling } from '../../lib/wire/vocabulary.ts';
import {
  type ChapterSegment,
  DETECTION_FAILURES,
  type DetectedChange,
  type DetectedChapters,
  type DetectionFailure,
} from '../model/chapters.ts';
import { firstFinished, recordingsWithoutOriginal } from './picture-store.ts';
import type { Excluded } from './query.ts';
import { readList } from './stored-json.ts';
import { defineTable, flagColumn, json, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

/** Current chapters of a recording. */
interface StoredChapters {
  /** In order, without gaps; a single `main` segment if nothing was found. */
  readonly segments: readonly ChapterSegment[];
  /** Corrected by a user, or supported by more than silence. */
  readonly reliable: boolean;
  readonly isCorrected: boolean;
  /** Changes with every change of the chapters. */
  readonly version: number;
}

interface Detection {
  /** `waiting`: queued; `cancelled`: not detected until requested. */
  readonly state: 'waiting' | 'done' | 'failed' | 'cancelled';
  readonly reason: DetectionFailure | null;
  /** Attempts since the request. */
  readonly attempts: number;
  /** Of the detection; null: not detected yet. */
  readonly confidence: number | null;
  /** It was requested by a user. */
  readonly isRequested: boolean;
  /** Time of the last change. */
  readonly updatedAt: WallMs;
}

interface ChapterRow {
  version: number;
  /** Empty: nothing yet. */
  detected: ChapterSegment[];
  /** By users; empty: nothing. */
  corrected: ChapterSegment[];
  reliable: boolean;
  state: Detection['state'] | null;
  reason: DetectionFailure | null;
  attempts: number;
  confidence: number | null;
  requestedAt: WallMs | null;
  updatedAt: WallMs;
}

/** null for a code of a later version. */
function oneOf<T extends string>(codes: readonly T[]) {
  return {
    read: (row: Row, name: string): T | null => codes.find((code) => code === row[name]) ?? null,
    write: (code: T | null) => [code],
  };
}

const STATES = ['waiting', 'done', 'failed', 'cancelled'] as const;

const CHAPTERS = defineTable<ChapterRow>({
  version: plain(),
  detected: json(readSegments),
  corrected: json(readSegments),
  reliable: flagColumn(),
  state: oneOf(STATES),
  reason: oneOf(DETECTION_FAILURES),
  attempts: plain(),
  confidence: plain(),
  requestedAt: plain(),
  updatedAt: plain(),
});

export class ChapterStore {
  constructor(private readonly database: Database) {}

  /** Undefined while nothing is known about it. */
  find(id: RecordingId): StoredChapters | undefined {
    const row = this.#row(id);
    if (row === undefined) return undefined;
    const isCorrected = row.corrected.length > 0;
    const segments = isCorrected ? row.corrected : row.detected;
    if (segments.length === 0) return undefined;
    return { segments, reliable: isCorrected || row.reliable, isCorrected, version: row.version };
  }

  /** Undefined: not examined yet, but queued. */
  detection(id: RecordingId): Detection | undefined {
    const row = this.#row(id);
    if (row === undefined || row.state === null) return undefined;
    const { state, reason, attempts, confidence, requestedAt, updatedAt } = row;
    return { state, reason, attempts, confidence, isRequested: requestedAt !== null, updatedAt };
  }

  /** In order. */
  changes(id: RecordingId): DetectedChange[] {
    const row = this.database
      .query<{ changes: string | null }, { id: RecordingId }>(
        'SELECT changes FROM recording_chapters WHERE recording_id = $id',
      )
      .get({ id });
    return readList<DetectedChange>(row?.changes ?? null, isChange);
  }

  /**
   * The next recording to examine: requested ones first, then the newest.
   * @param onlyWanted only those requested by a user, or with commercials enabled by rule or reservation
   */
  next(onlyWanted: boolean, excluded: Excluded<RecordingId> = new Set()): RecordingId | undefined {
    const among = (from: string, order: string, where?: string): RecordingId | undefined => {
      const list = `${from} WHERE r.detected = 0 AND r.shelf = 1 ${order}`;
      return firstFinished(this.database, list, excluded, where);
    };
    const requested = among(
      `recording_chapters AS c INDEXED BY recording_chapters_requested
         CROSS JOIN recordings AS r ON r.id = c.recording_id AND c.requested_at IS NOT NULL`,
      'ORDER BY c.requested_at',
    );
    if (requested !== undefined) return requested;
    const newest = 'ORDER BY r.start_at DESC';
    const isWanted = "r.commercials IS NOT 'none'";
    return onlyWanted
      ? among(
          'recordings AS r INDEXED BY recordings_undetected_wanted',
          `AND r.commercials IS NOT NULL ${newest}`,
          isWanted,
        )
      : among('recordings AS r INDEXED BY recordings_undetected', newest, isWanted);
  }

  /** Option of its rule or reservation; null: none, the setting applies. */
  handling(id: RecordingId): CommercialHandling | null {
    const row = this.database
      .query<{ commercials: CommercialHandling | null }, { id: number }>(
        'SELECT commercials FROM recordings WHERE id = $id',
      )
      .get({ id });
    return row?.commercials ?? null;
  }

  /** Requests another detection, ahead of those that were not requested. */
  request(id: RecordingId, now: WallMs): void {
    this.#put(id, { state: 'waiting', isOpen: true, now }, 'attempts = 0, requested_at = $now');
  }

  /** It is not examined until requested. */
  cancel(id: RecordingId, now: WallMs): void {
    this.#put(id, { state: 'cancelled', isOpen: false, now }, 'requested_at = NULL');
  }

  /**
   * Counts an attempt at its begin, so that one killed with the process counts, too. @returns number of attempts
   * including this one
   */
  begin(id: RecordingId, now: WallMs): number {
    this.#put(id, { state: 'waiting', isOpen: true, now }, 'attempts = attempts + 1');
    return this.detection(id)?.attempts ?? 1;
  }

  /** Uncounts the attempt: the service stops, or the machine is busy. */
  putBack(id: RecordingId, now: WallMs): void {
    this.#put(id, { state: 'waiting', isOpen: true, now }, 'attempts = max(0, attempts - 1)');
  }

  /** Earlier results are kept. */
  putFailed(id: RecordingId, reason: DetectionFailure, now: WallMs): void {
    this.#put(id, { state: 'failed', reason, isOpen: false, now }, 'requested_at = NULL');
  }

  /** Pages of recordings without detection whose original stream no longer exists. */
  withoutOriginal(): Generator<RecordingId[]> {
    return recordingsWithoutOriginal(this.database, 'commercials');
  }

  /** `putFailed` for many. */
  putAllFailed(ids: readonly RecordingId[], reason: DetectionFailure, now: WallMs): void {
    const list = JSON.stringify(ids);
    atomically(this.database, () => {
      this.database
        .query(
          `INSERT INTO recording_chapters (recording_id, version, state, reason, updated_at)
           SELECT value, 0, 'failed', $reason, $now FROM json_each($list) WHERE true
           ON CONFLICT (recording_id) DO UPDATE SET state = excluded.state, reason = excluded.reason,
             requested_at = NULL, updated_at = excluded.updated_at`,
        )
        .run({ list, reason, now });
      this.database
        .query(
          'UPDATE recordings SET detected = 1 WHERE id IN (SELECT value FROM json_each($list)) AND detected = 0',
        )
        .run({ list });
    });
  }

  putDetected(id: RecordingId, found: DetectedChapters, now: WallMs): void {
    atomically(this.database, () => {
      this.#put(id, { state: 'done', isOpen: false, now }, 'requested_at = NULL, version = version + 1');
      this.database
        .query(
          `UPDATE recording_chapters SET detected = $detected, reliable = $reliable, confidence = $confidence,
             changes = $changes WHERE recording_id = $id`,
        )
        .run({
          id,
          detected: JSON.stringify(found.segments),
          reliable: found.reliable ? 1 : 0,
          confidence: found.confidence,
          changes: JSON.stringify(found.changes),
        });
      this.#markReliable(id);
    });
  }

  /** Stores a correction. @param segments null: removes it, the detection applies again */
  putCorrected(id: RecordingId, segments: readonly ChapterSegment[] | null, now: WallMs): void {
    atomically(this.database, () => {
      this.database
        .query(
          `INSERT INTO recording_chapters (recording_id, version, state, updated_at, corrected)
           VALUES ($id, 1, 'waiting', $now, $corrected)
           ON CONFLICT (recording_id) DO UPDATE SET corrected = excluded.corrected, version = version + 1,
             updated_at = excluded.updated_at`,
        )
        .run({ id, now, corrected: segments === null ? null : JSON.stringify(segments) });
      this.#markReliable(id);
    });
  }

  #row(id: RecordingId): ChapterRow | undefined {
    const row = this.database
      .query<Row, { id: RecordingId }>(
        `SELECT ${CHAPTERS.columns()} FROM recording_chapters WHERE recording_id = $id`,
      )
      .get({ id });
    return row === null ? undefined : CHAPTERS.read(row);
  }

  /** @param also further assignments; they may use `$now` */
  #put(
    id: RecordingId,
    { state, reason = null, isOpen, now }: ChapterState & { isOpen: boolean; now: WallMs },
    also: string,
  ): void {
    atomically(this.database, () => {
      this.database
        .query(
          `INSERT OR IGNORE INTO recording_chapters (recording_id, version, state, updated_at)
           SELECT id, 0, 'waiting', $now FROM recordings WHERE id = $id`,
        )
        .run({ id, now });
      this.database
        .query(
          `UPDATE recording_chapters SET state = $state, reason = $reason, updated_at = $now, ${also}
           WHERE recording_id = $id`,
        )
        .run({ id, state, reason, now });
      this.database
        .query('UPDATE recordings SET detected = $detected WHERE id = $id AND detected <> $detected')
        .run({ id, detected: isOpen ? 0 : 1 });
    });
  }

  /** The list of recordings depends on it. */
  #markReliable(id: RecordingId): void {
    const reliable = this.find(id)?.reliable === true ? 1 : 0;
    this.database
      .query('UPDATE recordings SET cm_reliable = $reliable WHERE id = $id AND cm_reliable <> $reliable')
      .run({ id, reliable });
  }
}

interface ChapterState {
  state: Detection['state'];
  reason?: DetectionFailure | null;
}

/** Empty when damaged: a partial list would give wrong segments. */
function readSegments(text: string | null): ChapterSegment[] {
  const list = readList<ChapterSegment>(text);
  return list.every(isSegment) ? list : [];
}

function isSegment({ startMs, endMs, kind }: ChapterSegment): boolean {
  return Number.isFinite(startMs) && Number.isFinite(endMs) && (kind === 'main' || kind === 'cm');
}

function isChange({ atMs, kind }: DetectedChange): boolean {
  return Number.isFinite(atMs) && (kind === 'cut' || kind === 'silence');
}
