/** Files of an original stream: parts in order, the joined file, and seams; writes that wait for the write lock. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../lib/host/clock.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import type { RecordingPart, RecordingSeam } from '../model/recording.ts';
import type { RecordingReason } from '../model/recording-reason.ts';
import { execute } from './query.ts';
import { storedReason } from './recording-json.ts';
import { atomically, isLocked, whenWritable } from './transaction.ts';

/** Tables that list the files of recordings by `recording_id` and `path`. */
export const FILE_TABLES = ['recording_files', 'recording_parts', 'recording_data'] as const;

/** Number of the joined part; its sources have lower numbers. */
export const JOINING = 0;

/**
 * Limit per recording, in case a programme table changes with every packet. 1,000 changes of layout are one every few
 * seconds for an hour; the first ones are kept, so that a player can still jump to the nearest.
 */
const MAX_SEAMS = 1_000;

/** The original was joined or encoded without its missing parts: they no longer belong to it. */
export function giveUpMissingParts(database: Database, id: RecordingId): void {
  execute(
    database,
    `UPDATE missing_files SET part = NULL, file = iif(file ->> 'source' = 'ts', NULL, file) WHERE recording_id = $id`,
    { id },
  );
}

export interface StoredFile {
  recordingId: RecordingId;
  path: string;
}

export class RecordingPartRows {
  protected readonly deferred: DeferredWrites;

  constructor(
    protected readonly database: Database,
    options: DeferredWritesOptions = { onRefused: () => {} },
  ) {
    this.deferred = new DeferredWrites(database, options);
  }

  parts(id: RecordingId): RecordingPart[] {
    return this.database
      .query<RecordingPart, { id: RecordingId }>(
        'SELECT path, bytes FROM recording_parts WHERE recording_id = $id AND part > 0 ORDER BY part',
      )
      .all({ id });
  }

  seam(id: RecordingId, { path, position, kind, at }: RecordingSeam): void {
    this.deferred.write(`seam ${id} ${path} ${position}`, () =>
      this.database
        .query(
          `INSERT OR REPLACE INTO recording_seams SELECT $id, $path, $position, $kind, $at
           WHERE (SELECT count(*) FROM recording_seams WHERE recording_id = $id) < ${MAX_SEAMS}`,
        )
        .run({ id, path, position, kind, at }),
    );
  }

  /** In order, part by part. */
  seams(id: RecordingId): RecordingSeam[] {
    return this.database
      .query<RecordingSeam, { id: RecordingId }>(
        `SELECT s.path, s.position, s.kind, s.at FROM recording_seams s
         JOIN recording_parts p ON p.recording_id = s.recording_id AND p.path = s.path AND p.part > 0
         WHERE s.recording_id = $id ORDER BY p.part, s.position`,
      )
      .all({ id });
  }

  /** Stores the name of the joined file before it is created. */
  joining(id: RecordingId, path: string): void {
    execute(
      this.database,
      `INSERT INTO recording_parts VALUES ($id, ${JOINING}, $path, 0)
           ON CONFLICT (recording_id, part) DO UPDATE SET path = excluded.path`,
      { id, path },
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

  /**
   * Files that were joined to one, or encoded, and must be removed. `instead`: the newest file that replaced them;
   * null: no row lists one.
   */
  joined(): (StoredFile & { instead: string | null })[] {
    return this.database
      .query<StoredFile & { instead: string | null }, []>(
        `SELECT p.recording_id AS recordingId, p.path,
           (SELECT f.path FROM recording_files AS f WHERE f.recording_id = p.recording_id
            ORDER BY f.created_at DESC LIMIT 1) AS instead
         FROM recording_parts AS p WHERE p.part < ${JOINING}`,
      )
      .all();
  }

  /** The files no longer exist. */
  forgetJoined(id: RecordingId, paths: readonly string[]): void {
    execute(
      this.database,
      `DELETE FROM recording_parts WHERE recording_id = $id AND part < ${JOINING}
             AND path IN (SELECT value FROM json_each($paths))`,
      { id, paths: JSON.stringify(paths) },
    );
  }

  /** The joined file does not exist. */
  notJoined(id: RecordingId): void {
    execute(this.database, `DELETE FROM recording_parts WHERE recording_id = $id AND part = ${JOINING}`, {
      id,
    });
  }

  protected joinSeams(id: RecordingId, path: string, parts: readonly RecordingPart[]): void {
    const move = this.database.query(
      `UPDATE recording_seams SET path = $path, position = position + $offset
       WHERE recording_id = $id AND path = $from`,
    );
    let offset = 0;
    for (const part of parts) {
      move.run({ id, path, offset, from: part.path });
      offset += part.bytes;
    }
  }

  /** If the part listed as the original stream is missing, the largest other one replaces it. */
  protected showAnother(id: RecordingId, now: WallMs): void {
    this.database
      .query(
        `INSERT OR IGNORE INTO recording_files (recording_id, source, path, codec, bytes, duration_ms, created_at)
         SELECT p.recording_id, 'ts', p.path, 'mpeg2', p.bytes, r.duration_ms, $now
         FROM recording_parts p JOIN recordings r ON r.id = p.recording_id
         WHERE p.recording_id = $id AND p.part > ${JOINING} AND r.state <> 'recording'
         ORDER BY p.bytes DESC LIMIT 1`,
      )
      .run({ id, now });
  }

  /**
   * A file is missing: its rows are set aside. A recording without any file has failed, unless it is deleted.
   * @param reason the failure reason in that case @param now by the machine's clock
   */
  forgetFile({ recordingId: id, path }: StoredFile, reason: RecordingReason, now: WallMs): void {
    atomically(this.database, () => {
      this.database
        .query(
          `INSERT OR REPLACE INTO missing_files
           SELECT $id, $path, reason,
             (SELECT json_object('source', source, 'codec', codec, 'bytes', bytes, 'durationMs', duration_ms,
                'createdAt', created_at)
              FROM recording_files WHERE recording_id = $id AND path = $path),
             (SELECT json_object('part', part, 'bytes', bytes)
              FROM recording_parts WHERE recording_id = $id AND path = $path AND part > ${JOINING}),
             (SELECT json_object('bytes', bytes, 'complete', complete)
              FROM recording_data WHERE recording_id = $id AND path = $path)
           FROM recordings WHERE id = $id AND deleted_at IS NULL`,
        )
        .run({ id, path });
      for (const table of FILE_TABLES)
        execute(this.database, `DELETE FROM ${table} WHERE recording_id = $id AND path = $path`, {
          id,
          path,
        });
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

  /** Those that may come back, of recordings that are not deleted. */
  missingFiles(): StoredFile[] {
    return this.database
      .query<StoredFile, []>(
        `SELECT m.recording_id AS recordingId, m.path FROM missing_files AS m
         JOIN recordings AS r ON r.id = m.recording_id
         WHERE r.deleted_at IS NULL AND coalesce(m.file, m.part, m.data) IS NOT NULL`,
      )
      .all();
  }

  /** Missing files of a recording, also those that cannot come back. */
  missingPaths(id: RecordingId): string[] {
    return this.database
      .query<StoredFile, { id: RecordingId }>('SELECT path FROM missing_files WHERE recording_id = $id')
      .all({ id })
      .map(({ path }) => path);
  }

  /** A missing file is back. @param missing the reason that `forgetFile` stored @param now by the machine's clock */
  fileReturned({ recordingId: id, path }: StoredFile, missing: RecordingReason, now: WallMs): void {
    const of = 'FROM missing_files WHERE recording_id = $id AND path = $path';
    atomically(this.database, () => {
      for (const sql of [
        `INSERT OR IGNORE INTO recording_parts
         SELECT recording_id, part ->> 'part', path, part ->> 'bytes' ${of} AND part IS NOT NULL`,
        `INSERT OR IGNORE INTO recording_data
         SELECT recording_id, path, data ->> 'bytes', data ->> 'complete' ${of} AND data IS NOT NULL`,
        `INSERT OR IGNORE INTO recording_files
         SELECT recording_id, file ->> 'source', path, file ->> 'codec', file ->> 'bytes', file ->> 'durationMs',
           file ->> 'createdAt' ${of} AND file IS NOT NULL`,
      ])
        execute(this.database, sql, { id, path });
      this.showAnother(id, now);
      this.database
        .query(
          `UPDATE recordings SET updated_at = $now,
             state = CASE
               WHEN state = 'failed' AND reason IS NOT $missing THEN state
               WHEN EXISTS (SELECT 1 FROM recording_files WHERE recording_id = $id AND source <> 'ts') THEN 'available'
               ELSE 'recorded' END,
             reason = iif(reason IS $missing, (SELECT reason ${of}), reason)
           WHERE id = $id AND state <> 'recording'
             AND EXISTS (SELECT 1 FROM recording_files WHERE recording_id = $id)`,
        )
        .run({ id, path, missing: storedReason(missing), now });
      execute(this.database, `DELETE ${of}`, { id, path });
    });
  }

  /** Marks them for removal. */
  protected putJoined(id: RecordingId, parts: readonly RecordingPart[]): void {
    const put = this.database.query(
      'INSERT OR REPLACE INTO recording_parts VALUES ($id, $part, $path, $bytes)',
    );
    for (const [index, { path, bytes }] of parts.entries()) put.run({ id, part: -1 - index, path, bytes });
  }

  protected putParts(id: RecordingId, parts: readonly RecordingPart[]): void {
    this.database
      .query(`DELETE FROM recording_parts WHERE recording_id = $id AND part > ${JOINING}`)
      .run({ id });
    const put = this.database.query('INSERT INTO recording_parts VALUES ($id, $part, $path, $bytes)');
    for (const [index, { path, bytes }] of parts.entries()) put.run({ id, part: index + 1, path, bytes });
  }
}

/** The length of the original streams of recordings that have ended, as they can be played. */
export class RecordingLengthStore {
  constructor(private readonly database: Database) {}

  put(id: RecordingId, durationMs: number): void {
    atomically(this.database, () => {
      this.database
        .query(`UPDATE recordings SET duration_ms = $durationMs WHERE id = $id AND state <> 'recording'`)
        .run({ id, durationMs });
      this.database
        .query(
          `UPDATE recording_files SET duration_ms = $durationMs WHERE recording_id = $id AND source = 'ts'`,
        )
        .run({ id, durationMs });
    });
  }
}

const RETRY_MS = 100;
const MAX_WAITING = 10_000;

interface DeferredWritesOptions {
  /** A deferred write failed for another reason than the lock; it is lost. */
  onRefused: (error: unknown) => void;
}

/**
 * Ordered writes that must not be lost, but must not wait for the write lock: rows of recordings. They run at once
 * while the lock is free. While it is held they are kept in memory and stored when it is free again; a write
 * replaces a waiting one with the same key.
 *
 * Memory: a recording has one waiting write per key (its row, times, texts, measurements, end) and one per seam; with
 * `MAX_WAITING` some megabytes.
 */
class DeferredWrites {
  readonly #waiting = new Map<string, () => void>();
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: DeferredWritesOptions,
  ) {}

  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** @throws SQLite's error other than SQLITE_BUSY, of a write that runs at once */
  write(key: string, act: () => void): void {
    if (!this.isWaiting) {
      try {
        atomically(this.database, act);
        return;
      } catch (error) {
        if (!isLocked(error)) throw error;
      }
    }
    if (this.#waiting.size < MAX_WAITING || this.#waiting.has(key)) this.#waiting.set(key, act);
    else this.options.onRefused(new Error(`${MAX_WAITING} writes wait for the database`));
    this.#arm();
  }

  /** Runs waiting writes. @throws SQLite's error: all of them stay queued */
  flush(): void {
    if (!this.isWaiting) return;
    const refused: unknown[] = [];
    atomically(this.database, () => {
      for (const act of this.#waiting.values()) {
        try {
          this.database.transaction(act)();
        } catch (error) {
          // A full disk rolls the complete transaction back.
          if (!this.database.inTransaction) throw error;
          refused.push(error);
        }
      }
    });
    this.#waiting.clear();
    clearTimeout(this.#retry);
    for (const error of refused) this.options.onRefused(error);
  }

  #arm(): void {
    this.#retry ??= setTimeout(() => void this.#retryWhenFree(), RETRY_MS);
    this.#retry.unref();
  }

  /** Does not block while the lock is held. */
  async #retryWhenFree(): Promise<void> {
    try {
      await whenWritable(this.database, () => this.flush());
    } catch {
      // All of them stay queued.
    }
    this.#retry = undefined;
    if (this.isWaiting) this.#arm();
  }
}
