/** Rows of settings: what differs from the defaults. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../host/clock.ts';
import { atomically } from './transaction.ts';

export class SettingStore {
  constructor(private readonly database: Database) {}

  /** Values as they were stored, by key; text that is no JSON is left out (`integrity-check.ts` tells of it). */
  all(): Map<string, unknown> {
    const rows = this.database
      .query<{ key: string; value: string }, []>('SELECT key, value FROM settings WHERE json_valid(value)')
      .all();
    return new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as unknown]));
  }

  /** Stores all or none. @param changes null takes a key back to its default */
  put(changes: ReadonlyMap<string, unknown>, now: WallMs): void {
    const remove = this.database.query('DELETE FROM settings WHERE key = $key');
    const upsert = this.database.query(
      `INSERT INTO settings (key, value, updated_at) VALUES ($key, $value, $now)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`,
    );
    atomically(this.database, () => {
      for (const [key, value] of changes) {
        if (value === null) remove.run({ key });
        else upsert.run({ key, value: JSON.stringify(value), now });
      }
    });
  }
}
