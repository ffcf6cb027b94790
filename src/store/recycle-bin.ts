/**
 * Recordings after their end: watched marks, recycle bin, deletion. The deletion mark is durable before any file is
 * removed, and the row is deleted after the last file; a step that a crash prevented is repeated. Changes by users are
 * durable when answered, except resume positions. In the bin, a recording counts as deleted for everything but its list.
 */
import type { Database } from 'bun:sqlite';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import type { RecordingState } from '../../lib/wire/vocabulary.ts';
import { tableStamp } from './change-counters.ts';
import { execute, idsOf } from './query.ts';
import { FILE_TABLES } from './recording-part-rows.ts';
import { defineTable, flagColumn, named, plain, type Row } from './table.ts';
import { atomically } from './transaction.ts';

/** Any row, including deleted ones. */
export interface StoredStatus {
  state: RecordingState;
  ruleId: RuleId | null;
  /** Epoch ms, as the next. */
  binnedAt: BroadcastMs | null;
  deletedAt: BroadcastMs | null;
}

/** A recording that is neither deleted nor in the bin. */
export interface KeptRow {
  id: RecordingId;
  ruleId: RuleId;
  name: string;
  /** Epoch ms, as the next two. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  watchedAt: BroadcastMs | null;
  isProtected: boolean;
  state: RecordingState;
  bytes: number;
}

interface KeepingRule {
  id: RuleId;
  keepNewest: number | null;
  keepDays: number | null;
}

/** A file to be removed. */
export interface Leftover {
  recordingId: RecordingId;
  path: string;
  /** Prefix of its name; null: none. */
  stem: string | null;
}

const KEPT = defineTable<KeptRow>({
  id: plain(),
  ruleId: plain(),
  name: plain(),
  startAt: plain(),
  endAt: plain(),
  watchedAt: plain(),
  isProtected: named('protected', flagColumn()),
  state: plain(),
  bytes: plain(),
});

export class RecycleBin {
  constructor(private readonly database: Database) {}

  /** Changes with every change of a recording or a rule. */
  stamp(): string {
    return tableStamp(this.database, ['recordings', 'rules']);
  }

  find(id: RecordingId): StoredStatus | undefined {
    const row = this.database
      .query<StoredStatus, { id: RecordingId }>(
        `SELECT state, rule_id AS ruleId, binned_at AS binnedAt, deleted_at AS deletedAt
         FROM recordings WHERE id = $id`,
      )
      .get({ id });
    return row ?? undefined;
  }

  /** @param resumeMs in the time of the original stream @param watchedAt epoch ms; undefined: unchanged */
  putResume(
    id: RecordingId,
    resumeMs: number | null,
    watchedAt: BroadcastMs | undefined,
    now: BroadcastMs,
  ): void {
    this.#write(
      `UPDATE recordings SET resume_ms = $resumeMs, resumed_at = $now,
           watched_at = coalesce($watchedAt, watched_at), updated_at = $now
         WHERE id = $id AND (resume_ms IS NOT $resumeMs OR $watchedAt IS NOT NULL)`,
      { id, resumeMs, watchedAt: watchedAt ?? null, now },
    );
  }

  /** Also removes the position. @param watchedAt epoch ms; null: not watched */
  putWatched(id: RecordingId, watchedAt: BroadcastMs | null, now: BroadcastMs): void {
    this.#write(
      'UPDATE recordings SET watched_at = $watchedAt, resume_ms = NULL, updated_at = $now WHERE id = $id',
      { id, watchedAt, now },
    );
  }

  putProtected(id: RecordingId, isProtected: boolean, now: BroadcastMs): void {
    this.#write('UPDATE recordings SET protected = $isProtected, updated_at = $now WHERE id = $id', {
      id,
      isProtected: isProtected ? 1 : 0,
      now,
    });
  }

  /** Moves finished recordings that are not in the bin yet. @returns their number */
  bin(ids: readonly RecordingId[], now: BroadcastMs): number {
    return this.#write(
      `UPDATE recordings SET binned_at = $now, updated_at = $now
       WHERE id IN (SELECT value FROM json_each($ids)) AND state <> 'recording' AND binned_at IS NULL
         AND deleted_at IS NULL`,
      { ids: JSON.stringify(ids), now },
    );
  }

  restore(id: RecordingId, now: BroadcastMs): void {
    this.#write(
      'UPDATE recordings SET binned_at = NULL, updated_at = $now WHERE id = $id AND deleted_at IS NULL',
      { id, now },
    );
  }

  /** Recordings in the bin since then or longer, at most `limit`. */
  binnedUntil(at: BroadcastMs, limit: number): RecordingId[] {
    return idsOf<RecordingId>(
      this.database,
      `SELECT id FROM recordings WHERE binned_at <= $at AND deleted_at IS NULL ORDER BY binned_at LIMIT $limit`,
      { at, limit },
    );
  }

  /** What is in the bin. */
  binned(): { count: number; bytes: number } {
    return (
      this.database
        .query<{ count: number; bytes: number }, []>(
          `SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM recordings
           WHERE binned_at IS NOT NULL AND deleted_at IS NULL`,
        )
        .get() ?? { count: 0, bytes: 0 }
    );
  }

  /** Marks them as deleted: their files must be removed from now on. @returns number of marked rows */
  markDeleted(ids: readonly RecordingId[], now: BroadcastMs): number {
    return this.#write(
      `UPDATE recordings SET deleted_at = $now, updated_at = $now
       WHERE id IN (SELECT value FROM json_each($ids)) AND state <> 'recording' AND deleted_at IS NULL`,
      { ids: JSON.stringify(ids), now },
    );
  }

  /** Files of deleted recordings. */
  leftovers(): Leftover[] {
    return this.database
      .query<Leftover, []>(
        `SELECT r.id AS recordingId, f.path, r.stem FROM recordings AS r INDEXED BY recordings_deleted
           JOIN recording_files AS f ON f.recording_id = r.id WHERE r.deleted_at IS NOT NULL
         UNION
         SELECT r.id, p.path, r.stem FROM recordings AS r INDEXED BY recordings_deleted
           JOIN recording_parts AS p ON p.recording_id = r.id WHERE r.deleted_at IS NOT NULL
         UNION
         SELECT r.id, d.path, coalesce(r.stem, 'r' || r.id) FROM recordings AS r INDEXED BY recordings_deleted
           JOIN recording_data AS d ON d.recording_id = r.id WHERE r.deleted_at IS NOT NULL`,
      )
      .all();
  }

  /** The files no longer exist. */
  forgetFiles(files: readonly Leftover[]): void {
    atomically(this.database, () => {
      for (const table of FILE_TABLES) {
        const forget = this.database.query(
          `DELETE FROM ${table} WHERE recording_id = $recordingId AND path = $path`,
        );
        for (const { recordingId, path } of files) forget.run({ recordingId, path });
      }
    });
  }

  /**
   * Deletes rows of deleted recordings without files.
   * @param begunUntil younger ones are kept, to know which episodes were recorded
   */
  purge(deletedUntil: BroadcastMs, begunUntil: BroadcastMs): number {
    return this.#write(
      `DELETE FROM recordings WHERE deleted_at <= $deletedUntil AND start_at <= $begunUntil
           AND NOT EXISTS (SELECT 1 FROM recording_files AS f WHERE f.recording_id = recordings.id)
           AND NOT EXISTS (SELECT 1 FROM recording_parts AS p WHERE p.recording_id = recordings.id)
           AND NOT EXISTS (SELECT 1 FROM recording_data AS d WHERE d.recording_id = recordings.id)`,
      { deletedUntil, begunUntil },
    );
  }

  /** Enabled rules that do not keep everything. */
  keepingRules(): KeepingRule[] {
    return this.database
      .query<KeepingRule, []>(
        `SELECT id, keep_newest AS keepNewest, keep_days AS keepDays FROM rules
         WHERE enabled = 1 AND (keep_newest IS NOT NULL OR keep_days IS NOT NULL) ORDER BY id`,
      )
      .all();
  }

  keptBy(ruleId: RuleId): KeptRow[] {
    return this.database
      .query<Row, { ruleId: RuleId }>(
        `SELECT ${KEPT.columns()} FROM recordings INDEXED BY recordings_of_rule WHERE rule_id = $ruleId AND shelf IN (0, 1)`,
      )
      .all({ ruleId })
      .map(KEPT.read);
  }

  /** @returns number of changed rows */
  #write(sql: string, values: Record<string, string | number | null>): number {
    return execute(this.database, sql, values);
  }
}
