/** Which recordings still need pictures, and when their posters were made. The files are in a cache (`play`). */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../host/clock.ts';
import { type RecordingId, recordingId } from '../model/ids.ts';
import { recordingsWithoutOriginal } from './recordings-without-original.ts';
import { atomically } from './transaction.ts';

export class PictureStore {
  constructor(private readonly database: Database) {}

  /** The newest finished recording without pictures that is not in `skip`. */
  missing(skip: readonly RecordingId[] = []): RecordingId | undefined {
    const row = this.database
      .query<{ id: RecordingId }, { skip: string }>(
        `SELECT id FROM recordings INDEXED BY recordings_without_pictures
         WHERE pictures = 0 AND shelf = 1 AND state <> 'recording' AND files > 0
           AND id NOT IN (SELECT value FROM json_each($skip)) ORDER BY start_at DESC LIMIT 1`,
      )
      .get({ skip: JSON.stringify(skip) });
    return row === null ? undefined : recordingId(row.id);
  }

  /** @param at epoch ms */
  putPoster(id: RecordingId, at: WallMs): void {
    atomically(this.database, () =>
      this.database.query('UPDATE recordings SET poster_at = $at WHERE id = $id').run({ id, at }),
    );
  }

  /** All its pictures are made. */
  putDone(id: RecordingId): void {
    atomically(this.database, () =>
      this.database.query('UPDATE recordings SET pictures = 1 WHERE id = $id').run({ id }),
    );
  }

  /** Pages of recordings whose original stream no longer exists, so that no picture can be made. */
  withoutOriginal(): Generator<RecordingId[]> {
    return recordingsWithoutOriginal(this.database, 'pictures');
  }

  /** All their pictures are made. */
  putAllDone(ids: readonly RecordingId[]): void {
    atomically(this.database, () =>
      this.database
        .query('UPDATE recordings SET pictures = 1 WHERE id IN (SELECT value FROM json_each($ids))')
        .run({ ids: JSON.stringify(ids) }),
    );
  }

  /** Its pictures were lost. */
  putLost(id: RecordingId): void {
    atomically(this.database, () =>
      this.database.query('UPDATE recordings SET pictures = 0, poster_at = NULL WHERE id = $id').run({ id }),
    );
  }

  /** Recordings with a poster. */
  withPoster(): RecordingId[] {
    return this.database
      .query<{ id: RecordingId }, []>(
        `SELECT id FROM recordings INDEXED BY recordings_with_poster
         WHERE poster_at IS NOT NULL AND deleted_at IS NULL`,
      )
      .all()
      .map(({ id }) => recordingId(id));
  }

  /** Those of the recordings that are not deleted. */
  existing(ids: readonly RecordingId[]): Set<RecordingId> {
    return new Set(
      this.database
        .query<{ id: RecordingId }, { ids: string }>(
          `SELECT r.id FROM json_each($ids) AS wanted CROSS JOIN recordings AS r ON r.id = wanted.value
           WHERE r.deleted_at IS NULL`,
        )
        .all({ ids: JSON.stringify(ids) })
        .map(({ id }) => recordingId(id)),
    );
  }
}
