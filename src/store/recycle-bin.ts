/**
 * Recordings after their end: watched marks, recycle bin, deletion. The deletion mark is durable before any file is
 * removed, and the row is deleted after the last file. Changes by users are durable when answered, except resume
 * positions.
 */
import type { Database } from 'bun:sqlite';
import type { BroadcastMs } from '../../arib/time.ts';
import type { RecordingId } from '../model/ids.ts';
import type { RecordingState } from '../model/recording.ts';
import type { RuleId } from '../model/rule.ts';
import { tableStamp } from './change-counters.ts';
import { atomically } from './transaction.ts';

/** Any row, including deleted ones. */
export interface ShelfRow {
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

interface StoredKept extends Omit<KeptRow, 'isProtected'> {
  isProtected: number;
}

const KEPT = `SELECT id, rule_id AS ruleId, name, start_at AS startAt, end_at AS endAt, watched_at AS watchedAt,
  protected AS isProtected, state, bytes FROM recordings WHERE rule_id = $ruleId AND shelf IN (0, 1)`;

export class RecycleBin {
  constructor(private readonly database: Database) {}

  /** Changes with every change of a recording or a rule. */
  stamp(): string {
    return tableStamp(this.database, ['recordings', 'rules']);
  }

  find(id: RecordingId): ShelfRow | undefined {
    const row = this.database
      .query<ShelfRow, { id: RecordingId }>(
        `SELECT state, rule_id AS ruleId, binned_at AS binnedAt, deleted_at AS deletedAt
         FROM recordings WHERE id = $id`,
      )
      .get({ id });
    return row ?? undefined;
  }

  /**
   * @param resumeMs in the time of the original stream
   * @param watchedAt epoch ms; undefined: unchanged
   */
  putResume(
    id: RecordingId,
    resumeMs: number | null,
    watchedAt: BroadcastMs | undefined,
    now: BroadcastMs,
  ): void {
    atomically(this.database, () =>
      this.database
        .query(
          `UPDATE recordings SET resume_ms = $resumeMs, resumed_at = $now,
           watched_at = coalesce($watchedAt, watched_at), updated_at = $now
         WHERE id = $id AND (resume_ms IS NOT $resumeMs OR $watchedAt IS NOT NULL)`,
        )
        .run({ id, resumeMs, watchedAt: watchedAt ?? null, now }),
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
    return this.database
      .query<{ id: RecordingId }, { at: BroadcastMs; limit: number }>(
        `SELECT id FROM recordings WHERE binned_at <= $at AND deleted_at IS NULL ORDER BY binned_at LIMIT $limit`,
      )
      .all({ at, limit })
      .map(({ id }) => id);
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
           JOIN recording_parts AS p ON p.recording_id = r.id WHERE r.deleted_at IS NOT NULL`,
      )
      .all();
  }

  /** The files no longer exist. */
  forgetFiles(files: readonly Leftover[]): void {
    const tables = ['recording_files', 'recording_parts'] as const;
    atomically(this.database, () => {
      for (const table of tables) {
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
    return atomically(
      this.database,
      () =>
        this.database
          .query(
            `DELETE FROM recordings WHERE deleted_at <= $deletedUntil AND start_at <= $begunUntil
           AND NOT EXISTS (SELECT 1 FROM recording_files AS f WHERE f.recording_id = recordings.id)
           AND NOT EXISTS (SELECT 1 FROM recording_parts AS p WHERE p.recording_id = recordings.id)`,
          )
          .run({ deletedUntil, begunUntil }).changes,
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
      .query<StoredKept, { ruleId: RuleId }>(KEPT)
      .all({ ruleId })
      .map((row) => ({ ...row, isProtected: row.isProtected === 1 }));
  }

  /** @returns number of changed rows */
  #write(sql: string, values: Record<string, string | number | null>): number {
    return atomically(this.database, () => this.database.query(sql).run(values).changes);
  }
}
