/** The length of the original streams of recordings that have ended, as they can be played. */
import type { Database } from 'bun:sqlite';
import type { RecordingId } from '../model/ids.ts';
import { atomically } from './transaction.ts';

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
