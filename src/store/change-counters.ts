/** Change stamps of tables: triggers count every change, so an unchanged list is recognized without reading it. */
import type { Database } from 'bun:sqlite';

/** Tables whose changes are counted. */
export type CountedTable =
  | 'programs'
  | 'stations'
  | 'rules'
  | 'reservations'
  | 'recordings'
  | 'cancellations';

/** Changes with every change of one of the tables by any connection; differs between databases. */
export function tableStamp(database: Database, tables: readonly CountedTable[]): string {
  const rows = database
    .query<{ value: number }, { names: string }>(
      `SELECT c.value FROM json_each($names) AS wanted JOIN counters AS c ON c.name = wanted.value
       ORDER BY wanted.key`,
    )
    .all({ names: JSON.stringify(['origin', ...tables]) });
  return rows.map((row) => row.value.toString(36)).join('.');
}
