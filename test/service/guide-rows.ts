/**
 * Writes rows of the guide from another connection: responses must not depend on the connection that wrote
 * them.
 */
import type { Database } from 'bun:sqlite';
import { indexAllPending } from '../../src/store/search-index.ts';

export interface ProgramRow {
  station: number;
  event: number;
  startAt: number;
  endAt: number;
  name: string;
  description?: string;
  extended?: Record<string, string>;
  genres?: { lv1: number; lv2: number }[];
  audios?: unknown[];
  groups?: unknown[];
  series?: unknown;
  openEnd?: boolean;
  isFree?: boolean;
  copyNever?: boolean;
  hidden?: boolean;
}

export function programIdOf(row: Pick<ProgramRow, 'station' | 'event'>): number {
  return row.station * 100_000 + row.event;
}

/** @returns their ids */
export function putPrograms(database: Database, rows: readonly ProgramRow[]): number[] {
  const insert = database.query(
    `INSERT OR REPLACE INTO programs (id, station_id, event_id, start_at, end_at, open_end, name, description, extended,
       genres, audios, groups, series, is_free, copy_never, hidden, updated_at)
     VALUES ($id, $station, $event, $startAt, $endAt, $openEnd, $name, $description, $extended, $genres, $audios,
       $groups, $series, $isFree, $copyNever, $hidden, 0)`,
  );
  database
    .transaction(() => {
      for (const row of rows) {
        insert.run({
          id: programIdOf(row),
          station: row.station,
          event: row.event,
          startAt: row.startAt,
          endAt: row.endAt,
          openEnd: row.openEnd === true ? 1 : 0,
          name: row.name,
          description: row.description ?? '',
          extended: row.extended === undefined ? null : JSON.stringify(row.extended),
          genres: JSON.stringify(row.genres ?? []),
          audios: JSON.stringify(row.audios ?? []),
          groups: JSON.stringify(row.groups ?? []),
          series: row.series === undefined ? null : JSON.stringify(row.series),
          isFree: row.isFree === false ? 0 : 1,
          copyNever: row.copyNever === true ? 1 : 0,
          hidden: row.hidden === true ? 1 : 0,
        });
      }
    })
    .immediate();
  indexAllPending(database);
  return rows.map(programIdOf);
}

export function putReservation(
  database: Database,
  row: Pick<ProgramRow, 'station' | 'event' | 'startAt' | 'endAt' | 'name'> & { state: string },
): number {
  const { station, startAt, endAt, name, state } = row;
  const inserted = database
    .query<{ id: number }, { [key: string]: string | number }>(
      `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
         created_at, updated_at)
       VALUES ($program, $station, $state, 2, $name, '', $startAt, $endAt, 0, 0) RETURNING id`,
    )
    .get({ program: programIdOf(row), station, startAt, endAt, name, state });
  return inserted?.id ?? -1;
}
