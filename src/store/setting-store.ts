/** Rows of settings that differ from the defaults. */
import type { Database } from 'bun:sqlite';
import type { WallMs } from '../../lib/host/clock.ts';
import { atomically } from './transaction.ts';

export class SettingStore {
  constructor(private readonly database: Database) {}

  /** Stored values by key; text that is not JSON is left out (reported by `integrity-check.ts`). */
  all(): Map<string, unknown> {
    const rows = this.database
      .query<{ key: string; value: string }, []>('SELECT key, value FROM settings WHERE json_valid(value)')
      .all();
    return new Map<string, unknown>(rows.map(({ key, value }) => [key, JSON.parse(value)]));
  }

  /** Stores all or none. @param changes null resets a key to its default */
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
