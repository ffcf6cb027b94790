/** Changes of tables, by the counters that triggers keep: an unchanged list is recognized without reading it. */
import type { Database } from 'bun:sqlite';
import type { StationId } from '../../lib/arib/ids.ts';
import { idsOf } from './query.ts';

/** Tables whose changes are counted; `recording_lists`: only changes of members or order of lists of recordings. */
export type CountedTable =
  | 'programs'
  | 'stations'
  | 'rules'
  | 'reservations'
  | 'recordings'
  | 'recording_lists'
  | 'recording_documents'
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

/** A list of recordings (`shelf` in `schema.ts`): failed, watchable, recycle bin. */
export type Shelf = 0 | 1 | 2;

/** Number of recordings in these lists; triggers keep it. */
export function shelfCount(
  database: Database,
  shelves: readonly Shelf[],
  { unwatched }: { unwatched: boolean } = { unwatched: false },
): number {
  const names = shelves.flatMap((shelf) => [`shelf_${shelf}_0`, ...(unwatched ? [] : [`shelf_${shelf}_1`])]);
  const row = database
    .query<{ count: number }, { names: string }>(
      'SELECT sum(value) AS count FROM counters WHERE name IN (SELECT value FROM json_each($names))',
    )
    .get({ names: JSON.stringify(names) });
  return row?.count ?? 0;
}

export class GuideChanges {
  constructor(private readonly database: Database) {}

  /** Counts changes of programmes; 0 in a database without any. */
  get version(): number {
    const row = this.database
      .query<{ value: number }, []>(`SELECT value FROM counters WHERE name = 'programs'`)
      .get();
    return row?.value ?? 0;
  }

  /** Stations whose programmes changed since a version; may include some that did not. */
  since(version: number): StationId[] {
    return idsOf<StationId>(
      this.database,
      'SELECT station_id AS id FROM guide_changes WHERE value >= $version',
      { version },
    );
  }
}
