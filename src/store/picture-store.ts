/** Which recordings still need pictures, and when their posters were made. The files are in a cache (`play`). */
import type { Database } from 'bun:sqlite';
import { type BroadcastMs, broadcastMs } from '../../lib/arib/time.ts';
import type { WallMs } from '../../lib/host/clock.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { type Excluded, execute, idListOf, idsOf } from './query.ts';

export class PictureStore {
  constructor(private readonly database: Database) {}

  /** The newest finished recording without pictures that is not excluded. */
  missing(excluded: Excluded<RecordingId> = new Set()): RecordingId | undefined {
    const open =
      'recordings AS r INDEXED BY recordings_without_pictures WHERE r.pictures = 0 AND r.shelf = 1';
    return firstFinished(this.database, `${open} ORDER BY r.start_at DESC`, excluded);
  }

  putPoster(id: RecordingId, at: WallMs): void {
    execute(this.database, 'UPDATE recordings SET poster_at = $at WHERE id = $id', { id, at });
  }

  /** All its pictures are made. */
  putDone(id: RecordingId): void {
    execute(this.database, 'UPDATE recordings SET pictures = 1 WHERE id = $id', { id });
  }

  /** Pages of recordings whose original stream no longer exists, so that no picture can be made. */
  withoutOriginal(): Generator<RecordingId[]> {
    return recordingsWithoutOriginal(this.database, 'pictures');
  }

  /** All their pictures are made. */
  putAllDone(ids: readonly RecordingId[]): void {
    execute(
      this.database,
      'UPDATE recordings SET pictures = 1 WHERE id IN (SELECT value FROM json_each($ids))',
      { ids: JSON.stringify(ids) },
    );
  }

  /** Its pictures were lost. */
  putLost(id: RecordingId): void {
    execute(this.database, 'UPDATE recordings SET pictures = 0, poster_at = NULL WHERE id = $id', { id });
  }

  /** Recordings with a poster. */
  withPoster(): RecordingId[] {
    return idsOf<RecordingId>(
      this.database,
      `SELECT id FROM recordings INDEXED BY recordings_with_poster
         WHERE poster_at IS NOT NULL AND deleted_at IS NULL`,
    );
  }

  /** Those of the recordings that are not deleted. */
  existing(ids: readonly RecordingId[]): Set<RecordingId> {
    return new Set(
      idsOf<RecordingId>(
        this.database,
        `SELECT r.id FROM json_each($ids) AS wanted CROSS JOIN recordings AS r ON r.id = wanted.value
           WHERE r.deleted_at IS NULL`,
        { ids: JSON.stringify(ids) },
      ),
    );
  }
}

/** Most often one of the first is next. */
const FIRST = 100;
const ROWS = 1_000;

/**
 * The first finished recording with files of a list. Tens of thousands may be excluded, because their disk is absent, and
 * their rows are large: the list is read from its index alone, and only the rows of the others are looked at.
 * @param list the table `recordings AS r` with index, condition and order @param where of the row
 */
export function firstFinished(
  database: Database,
  list: string,
  excluded: Excluded<RecordingId>,
  where = 'true',
): RecordingId | undefined {
  const finished = database.query<{ id: number }, { ids: string }>(
    `SELECT r.id FROM json_each($ids) AS wanted CROSS JOIN recordings AS r ON r.id = wanted.value
     WHERE r.state <> 'recording' AND r.files > 0 AND ${where} ORDER BY wanted.key LIMIT 1`,
  );
  for (const limit of [FIRST, -1]) {
    const all = idListOf(database, `SELECT r.id FROM ${list} LIMIT $limit`, { limit });
    const ids = all.filter((id) => !excluded.has(recordingId(id)));
    for (let at = 0; at < ids.length; at += ROWS) {
      const found = finished.get({ ids: JSON.stringify(ids.slice(at, at + ROWS)) });
      if (found !== null) return recordingId(found.id);
    }
    if (all.length < FIRST) return undefined;
  }
  return undefined;
}

/** Kinds of pending work: recordings without pictures, or without a detection of commercials. */
const OPEN = {
  pictures: { index: 'recordings_without_pictures', where: 'pictures = 0' },
  commercials: { index: 'recordings_undetected', where: 'detected = 0' },
} as const;

/** Each is a write of its row: a page takes some milliseconds. */
const PAGE = 100;

interface Row {
  id: number;
  startAt: BroadcastMs;
  isLacking: number;
}

/**
 * Finished recordings without original stream, for instance after an import of encoded files: nothing can be derived
 * from them. Found by the indexes of pending work, without reading their texts. Pages of ids, some of them empty, oldest
 * recordings first; recordings may be changed between two pages.
 */
export function* recordingsWithoutOriginal(
  database: Database,
  open: keyof typeof OPEN,
): Generator<RecordingId[]> {
  const { index, where } = OPEN[open];
  const query = database.query<Row, { startAt: BroadcastMs; id: number }>(
    `SELECT id, start_at AS startAt,
       NOT EXISTS (SELECT 1 FROM recording_files WHERE recording_id = r.id AND source = 'ts')
         AND NOT EXISTS (SELECT 1 FROM recording_parts WHERE recording_id = r.id AND part > 0)
         AND r.id NOT IN (SELECT id FROM recordings INDEXED BY recordings_unfinished WHERE state = 'recording')
         AS isLacking
     FROM recordings AS r INDEXED BY ${index}
     WHERE ${where} AND shelf = 1 AND (start_at, id) > ($startAt, $id) ORDER BY start_at, id LIMIT ${PAGE}`,
  );
  for (let last = { startAt: broadcastMs(Number.MIN_SAFE_INTEGER), id: 0 }; ; ) {
    const rows = query.all({ startAt: last.startAt, id: last.id });
    const end = rows.at(-1);
    if (end === undefined) return;
    last = end;
    yield rows.filter(({ isLacking }) => isLacking === 1).map(({ id }) => recordingId(id));
  }
}
