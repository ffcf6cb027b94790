/**
 * Which data folder a database belongs to. A copied database lists the recording files of its original, by absolute
 * paths. While the original exists, the copy must not serve, append to or delete those files: their rows are disabled
 * when the copy is opened, and enabled once the original no longer exists. A folder that was moved or restored keeps
 * its rows.
 */
import type { Database } from 'bun:sqlite';
import { realpathSync, statSync } from 'node:fs';
import type { RecordingReason } from '../model/recording-reason.ts';
import { codeOf } from './database-error.ts';
import { storedReason } from './recording-json.ts';
import { atomically } from './transaction.ts';

const COPIED: RecordingReason = { code: 'copied' };

/** Recordings whose files belong to another existing database. */
export interface CopiedRecordings {
  /** Path of that database. */
  original: string;
  recordings: number;
}

/** Whether another file exists at the path. Assumed when it cannot be examined. */
function isAnother(original: string, own: string): boolean {
  try {
    const [a, b] = [statSync(original, { bigint: true }), statSync(own, { bigint: true })];
    return a.dev !== b.dev || a.ino !== b.ino;
  } catch (error) {
    const code = codeOf(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/** The path at which this database was last opened; undefined: unknown. */
function lastPath(database: Database): string | undefined {
  return database.query<{ path: string }, []>('SELECT path FROM data_folder').get()?.path;
}

/**
 * Must run before anything else reads recordings. @param path of the database file
 * @returns rows that stay disabled @throws the database's or the file system's error
 */
export function setCopiedAside(database: Database, path: string): CopiedRecordings[] {
  const own = realpathSync(path);
  const last = lastPath(database);
  const isCopy = last !== undefined && last !== own && isAnother(last, own);
  const gone = originals(database).filter(({ original }) => !isAnother(original, own));
  if (last !== own || gone.length > 0) {
    atomically(database, () => {
      for (const { original } of gone) putBack(database, original);
      if (isCopy) setAside(database, last);
      database.run('DELETE FROM data_folder');
      database.query('INSERT INTO data_folder VALUES ($own)').run({ own });
    });
  }
  return originals(database);
}

/** The same without changes, for a database of any version. */
export function findCopied(database: Database, path: string): CopiedRecordings[] {
  const table = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'copied_recordings'").get();
  if (table === null) return [];
  const own = realpathSync(path);
  const last = lastPath(database);
  const known = originals(database).filter(({ original }) => isAnother(original, own));
  if (last === undefined || last === own || !isAnother(last, own)) return known;
  const row = database
    .query<{ n: number }, []>(
      `SELECT count(*) AS n FROM recordings
       WHERE id IN (SELECT recording_id FROM recording_files UNION SELECT recording_id FROM recording_parts)`,
    )
    .get();
  const recordings = row?.n ?? 0;
  return recordings === 0 ? known : [...known, { original: last, recordings }];
}

function originals(database: Database): CopiedRecordings[] {
  return database
    .query<CopiedRecordings, []>(
      'SELECT original, count(*) AS recordings FROM copied_recordings GROUP BY original ORDER BY original',
    )
    .all();
}

function setAside(database: Database, original: string): void {
  const reason = storedReason(COPIED);
  database
    .query(
      `INSERT INTO copied_recordings (recording_id, original, state, reason, files, parts, data)
       SELECT id, $original, state, reason,
         (SELECT json_group_array(json_object('source', source, 'path', path, 'codec', codec, 'bytes', bytes,
            'durationMs', duration_ms, 'createdAt', created_at))
          FROM recording_files WHERE recording_id = recordings.id),
         (SELECT json_group_array(json_object('part', part, 'path', path, 'bytes', bytes))
          FROM recording_parts WHERE recording_id = recordings.id),
         (SELECT json_object('path', path, 'bytes', bytes, 'complete', complete)
          FROM recording_data WHERE recording_id = recordings.id)
       FROM recordings
       WHERE id IN (SELECT recording_id FROM recording_files UNION SELECT recording_id FROM recording_parts)
       ON CONFLICT (recording_id) DO NOTHING`,
    )
    .run({ original });
  database
    .query(
      `UPDATE recordings SET state = 'failed', reason = $reason
       WHERE id IN (SELECT recording_id FROM copied_recordings WHERE original = $original)`,
    )
    .run({ original, reason });
  database.run('DELETE FROM recording_files');
  database.run('DELETE FROM recording_parts');
  database.run('DELETE FROM recording_data');
  database.run('DELETE FROM missing_files');
  // The original sends what waited when it was copied.
  database.run('DELETE FROM notice_deliveries');
  database.run('UPDATE notices SET queued = 1 WHERE queued = 0');
}

function putBack(database: Database, original: string): void {
  database
    .query(
      `INSERT OR IGNORE INTO recording_parts
       SELECT recording_id, value ->> 'part', value ->> 'path', value ->> 'bytes'
       FROM copied_recordings, json_each(parts) WHERE original = $original`,
    )
    .run({ original });
  database
    .query(
      `INSERT OR IGNORE INTO recording_data
       SELECT recording_id, data ->> 'path', data ->> 'bytes', data ->> 'complete'
       FROM copied_recordings WHERE original = $original AND data IS NOT NULL`,
    )
    .run({ original });
  database
    .query(
      `UPDATE recordings SET state = copied.state, reason = copied.reason
       FROM (SELECT * FROM copied_recordings WHERE original = $original) AS copied WHERE id = copied.recording_id`,
    )
    .run({ original });
  database
    .query(
      `INSERT OR IGNORE INTO recording_files
       SELECT recording_id, value ->> 'source', value ->> 'path', value ->> 'codec', value ->> 'bytes',
         value ->> 'durationMs', value ->> 'createdAt'
       FROM copied_recordings, json_each(files) WHERE original = $original`,
    )
    .run({ original });
  database.query('DELETE FROM copied_recordings WHERE original = $original').run({ original });
}
