/** Reading rows of programmes; `program-writer.ts` writes them. */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import { type BroadcastMs, plusMs } from '../../lib/arib/time.ts';
import type { ProgramRecord } from '../model/program.ts';
import { sameOnMain } from './program-copies.ts';
import { LONGEST_MS, PROGRAMS } from './program-row.ts';
import type { Row } from './table.ts';

/** Epoch ms, end exclusive. */
export interface Span {
  stationId: StationId;
  startAt: BroadcastMs;
  endAt: BroadcastMs;
}

/** Fields of a programme for lists of stations. */
const AIRING = PROGRAMS.pick(['id', 'stationId', 'eventId', 'startAt', 'endAt', 'name', 'audios', 'groups']);
/** `sameOn`: the main station that has it by the same name and times. */
interface Repeated {
  readonly sameOn?: StationId;
}
export type AiringProgram = ReturnType<typeof AIRING.read> & Repeated;

const SHARING = PROGRAMS.pick(['stationId', 'groups']);
type SharingProgram = ReturnType<typeof SHARING.read> & Repeated;

type SameRow = Row & { same_on: StationId | null };

function repeated({ same_on }: SameRow): Repeated {
  return same_on === null ? {} : { sameOn: same_on };
}

export class ProgramStore {
  constructor(private readonly database: Database) {}

  /**
   * The programme of each station at `now`; if programmes overlap, the one that present/following listed, else the
   * one that began last.
   */
  airing(stations: Iterable<StationId>, now: BroadcastMs): Map<StationId, AiringProgram> {
    // One index look-up per station, in one statement: eight times faster than separate statements.
    const rows = this.database
      .query<SameRow, { stations: string; now: BroadcastMs; since: BroadcastMs }>(
        `SELECT ${AIRING.columns('p')}, ${sameOnMain('p')} AS same_on
         FROM json_each($stations) AS wanted CROSS JOIN programs AS p
         WHERE p.id = (SELECT id FROM programs
           WHERE station_id = wanted.value AND start_at <= $now AND start_at > $since AND end_at > $now
             AND hidden = 0
           ORDER BY on_air DESC, start_at DESC LIMIT 1)`,
      )
      .all({ stations: JSON.stringify([...stations]), now, since: plusMs(now, -LONGEST_MS) });
    const programs = rows.map((row): AiringProgram => ({ ...AIRING.read(row), ...repeated(row) }));
    return new Map(programs.map((program) => [program.stationId, program]));
  }

  /**
   * Shared and repeated programmes of each station in the window; absent: stations with a programme of their own, or
   * without programmes.
   * @param to exclusive
   */
  sharing(
    stations: Iterable<StationId>,
    from: BroadcastMs,
    to: BroadcastMs,
  ): Map<StationId, SharingProgram[]> {
    const rows = this.database
      .query<SameRow, { stations: string; from: BroadcastMs; to: BroadcastMs; since: BroadcastMs }>(
        `SELECT ${SHARING.columns('p')}, ${sameOnMain('p')} AS same_on
         FROM json_each($stations) AS wanted CROSS JOIN programs AS p
         WHERE p.station_id = wanted.value AND p.start_at < $to AND p.start_at > $since AND p.end_at > $from
           AND p.hidden = 0
           AND NOT EXISTS (SELECT 1 FROM programs AS own
             WHERE own.station_id = wanted.value AND own.start_at < $to AND own.start_at > $since
               AND own.end_at > $from AND own.hidden = 0 AND own.groups = '[]'
               AND ${sameOnMain('own')} IS NULL)`,
      )
      .all({ stations: JSON.stringify([...stations]), from, to, since: plusMs(from, -LONGEST_MS) });
    const programs = rows.map((row): SharingProgram => ({ ...SHARING.read(row), ...repeated(row) }));
    return Map.groupBy(programs, ({ stationId }) => stationId);
  }

  /** The programme of one station at `now`. */
  airingOn(station: StationId, now: BroadcastMs): AiringProgram | undefined {
    return this.airing([station], now).get(station);
  }

  /**
   * The announced programme of a station at a time after a given programme, whatever is on now; undefined: nothing is
   * announced.
   */
  followingOn(
    station: StationId,
    at: BroadcastMs,
    program: ProgramId | null,
  ): Pick<ProgramRecord, 'id' | 'startAt'> | undefined {
    const row = this.database
      .query<{ id: ProgramId; startAt: BroadcastMs }, Record<'station' | 'at' | 'since' | 'program', number>>(
        `SELECT id, start_at AS startAt FROM programs
         WHERE station_id = $station AND start_at <= $at AND start_at > $since AND end_at > $at
           AND hidden = 0 AND id <> $program
         ORDER BY start_at DESC LIMIT 1`,
      )
      .get({ station, at, since: at - LONGEST_MS, program: program ?? -1 });
    return row ?? undefined;
  }

  /** Includes hidden ones. */
  find(id: ProgramId): ProgramRecord | undefined {
    const row = this.database
      .query<Row, { id: number }>(`SELECT ${PROGRAMS.columns()} FROM programs WHERE id = $id`)
      .get({ id });
    return row === null ? undefined : PROGRAMS.read(row);
  }

  /** Programmes of a station that end after `from`, sorted by start; includes hidden ones. */
  ofStation(station: StationId, from: BroadcastMs): ProgramRecord[] {
    return this.database
      .query<Row, { station: StationId; from: BroadcastMs }>(
        `SELECT ${PROGRAMS.columns()} FROM programs WHERE station_id = $station AND end_at > $from ORDER BY start_at, id`,
      )
      .all({ station, from })
      .map(PROGRAMS.read);
  }

  /** Shown programmes of a station that end after `from`, sorted by start. */
  shown(station: StationId, from: BroadcastMs): ProgramRecord[] {
    return this.database
      .query<Row, { station: StationId; from: BroadcastMs }>(
        `SELECT ${PROGRAMS.columns()} FROM programs
         WHERE station_id = $station AND end_at > $from AND hidden = 0 ORDER BY start_at, id`,
      )
      .all({ station, from })
      .map(PROGRAMS.read);
  }

  /** Start and end of the stations' shown programmes that overlap the window, sorted by station and start. */
  spans(stations: Iterable<StationId>, from: BroadcastMs, to: BroadcastMs): Span[] {
    return this.database
      .query<Span, { stations: string; from: BroadcastMs; to: BroadcastMs; since: BroadcastMs }>(
        `SELECT p.station_id AS stationId, p.start_at AS startAt, p.end_at AS endAt
         FROM json_each($stations) AS wanted CROSS JOIN programs AS p
         WHERE p.station_id = wanted.value AND p.start_at < $to AND p.start_at > $since AND p.end_at > $from
           AND p.hidden = 0
         ORDER BY p.station_id, p.start_at`,
      )
      .all({ stations: JSON.stringify([...stations]), from, to, since: plusMs(from, -LONGEST_MS) });
  }
}
