/** The number of recordings, cached until they change: health is polled often and by any client. */
import type { Database } from 'bun:sqlite';
import { tableStamp } from './change-counters.ts';

export class RecordingCount {
  #stamp = '';
  #count = 0;

  constructor(private readonly database: Database) {}

  /** Those that are not deleted. */
  count(): number {
    const stamp = tableStamp(this.database, ['recordings']);
    if (stamp !== this.#stamp) {
      const row = this.database
        .query<{ n: number }, []>(
          'SELECT count(*) AS n FROM recordings WHERE binned_at IS NULL AND deleted_at IS NULL',
        )
        .get();
      this.#count = row?.n ?? 0;
      this.#stamp = stamp;
    }
    return this.#count;
  }
}
