/**
 * Reads of the guide for screens: time windows, one programme with all details, the time of the next programme
 * change, and change stamps.
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { GUIDE_DESCRIPTION_LENGTH, type ReservationState } from '../../lib/wire/api.ts';
import type { ReservationId } from '../../lib/wire/ids.ts';
import { type CountedTable, tableStamp } from './change-counters.ts';
import { LONGEST_MS, ORDINARY_MS } from './program-row.ts';
import { IS_OF_PROGRAM } from './reservation-row.ts';

/**
 * Fields for the guide screen: id, name, start, end, open end, genres (JSON), free, copy never, reservation, summary.
 */
export type WindowRow = [
  id: number,
  name: string,
  startAt: BroadcastMs,
  endAt: BroadcastMs,
  openEnd: number,
  genres: string,
  isFree: number,
  copyNever: number,
  reservationId: ReservationId | null,
  reservationState: string | null,
  description: string,
];

interface Reserved {
  id: ReservationId;
  state: ReservationState;
}

interface OtherAiring {
  id: ProgramId;
  service_name: string;
  start_at: BroadcastMs;
  end_at: BroadcastMs;
}

/** More airings of one title than a screen shows. */
const MAX_OTHERS = 20;

const WINDOW = `
  SELECT p.id, p.name, p.start_at, p.end_at, p.open_end, p.genres, p.is_free, p.copy_never, r.id, r.state,
    substr(p.description, 1, ${GUIDE_DESCRIPTION_LENGTH})
  FROM (
    SELECT id FROM programs INDEXED BY programs_of_station
    WHERE station_id = $station AND start_at < $to AND start_at >= $from - ${ORDINARY_MS} AND end_at > $from
    UNION ALL
    SELECT id FROM programs INDEXED BY programs_long
    WHERE station_id = $station AND start_at < $from - ${ORDINARY_MS} AND start_at > $from - ${LONGEST_MS}
      AND end_at > $from AND end_at - start_at > ${ORDINARY_MS}
  ) AS wanted CROSS JOIN programs AS p ON p.id = wanted.id LEFT JOIN reservations AS r ON ${IS_OF_PROGRAM}
  WHERE p.hidden = 0 ORDER BY p.start_at, p.id`;

const NEXT_CHANGE = `
  SELECT min(at) AS at FROM (
    SELECT (SELECT min(start_at) FROM programs INDEXED BY programs_of_station
            WHERE station_id = wanted.value AND start_at > $now) AS at
    FROM json_each($stations) AS wanted
    UNION ALL
    SELECT min(end_at) FROM programs INDEXED BY programs_by_start
    WHERE start_at <= $now AND start_at > $now - ${ORDINARY_MS} AND end_at > $now
    UNION ALL
    SELECT min(end_at) FROM programs INDEXED BY programs_long
    WHERE end_at - start_at > ${ORDINARY_MS} AND end_at > $now
  )`;

const OTHERS = `
  SELECT p.id, s.name AS service_name, p.start_at, p.end_at
  FROM program_documents AS this
    JOIN program_documents AS d ON d.title = this.title AND d.title <> ''
    JOIN programs AS p ON p.id = d.program_id
    JOIN stations AS s ON s.id = p.station_id
  WHERE this.program_id = $id AND p.id <> $id AND p.end_at > $now AND p.hidden = 0 AND s.hidden = 0
  ORDER BY p.start_at, p.id LIMIT ${MAX_OTHERS}`;

export class GuideWindowStore {
  constructor(private readonly database: Database) {}

  /** Changes with every change of one of the tables by any connection; differs between databases. */
  stamp(...tables: CountedTable[]): string {
    return tableStamp(this.database, tables);
  }

  /** Programmes of a station that overlap the window, sorted by start. */
  ofStation(station: StationId, from: BroadcastMs, to: BroadcastMs): WindowRow[] {
    return this.database
      .query<unknown, { station: StationId; from: BroadcastMs; to: BroadcastMs }>(WINDOW)
      .values({ station, from, to }) as WindowRow[];
  }

  /** Names of stations, listed or not. */
  stationNames(ids: readonly number[]): Map<number, string> {
    const rows = this.database
      .query<{ id: number; name: string }, { ids: string }>(
        'SELECT s.id, s.name FROM json_each($ids) AS wanted JOIN stations AS s ON s.id = wanted.value',
      )
      .all({ ids: JSON.stringify(ids) });
    return new Map(rows.map((row) => [row.id, row.name]));
  }

  /** Airings of the same title that have not ended, sorted by start. */
  others(id: ProgramId, now: BroadcastMs): OtherAiring[] {
    return this.database.query<OtherAiring, { id: number; now: BroadcastMs }>(OTHERS).all({ id, now });
  }

  reservationOf(id: ProgramId): Reserved | null {
    return this.database
      .query<Reserved, { id: number }>(
        `SELECT r.id, r.state FROM programs AS p JOIN reservations AS r ON ${IS_OF_PROGRAM} WHERE p.id = $id`,
      )
      .get({ id });
  }

  /** Scheduled or running reservations by programme. */
  reserved(programs: Iterable<ProgramId>): Map<ProgramId, ReservationState> {
    const rows = this.database
      .query<{ id: ProgramId; state: ReservationState }, { programs: string }>(
        `SELECT r.program_id AS id, r.state FROM json_each($programs) AS wanted
           JOIN reservations AS r ON r.program_id = wanted.value
         WHERE r.state IN ('scheduled', 'recording')`,
      )
      .all({ programs: JSON.stringify([...programs]) });
    return new Map(rows.map((row) => [row.id, row.state]));
  }

  /** Next known programme change on one of the stations; undefined: unknown. */
  nextChange(stations: Iterable<StationId>, now: BroadcastMs): BroadcastMs | undefined {
    const row = this.database
      .query<{ at: BroadcastMs | null }, { stations: string; now: BroadcastMs }>(NEXT_CHANGE)
      .get({ stations: JSON.stringify([...stations]), now });
    return row?.at ?? undefined;
  }

  countPrograms(): number {
    return this.database.query<{ n: number }, []>('SELECT count(*) AS n FROM programs').get()?.n ?? 0;
  }
}
