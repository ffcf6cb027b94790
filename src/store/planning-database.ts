/**
 * The planning worker's own connection to the service's database. Inputs of a plan are read in one transaction,
 * so that they are consistent; unchanged data is not read again.
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { RecordingId, RuleId } from '../model/ids.ts';
import type { Cancellation } from '../model/reservation.ts';
import type { Rule } from '../model/rule.ts';
import type { KnownStation } from '../model/station.ts';
import { CancellationStore } from './cancellation-store.ts';
import { type CountedTable, tableStamp } from './change-counters.ts';
import { openDatabase } from './database.ts';
import type { ProgramRow as StoredRow } from './program-row.ts';
import type { StoredReservation } from './reservation-row.ts';
import { ReservationStore } from './reservation-store.ts';
import { RuleStore } from './rule-store.ts';
import { StationStore } from './station-store.ts';
import { readObject, readText } from './stored-json.ts';

/** A stored programme without its extended text, with a digest of the row. */
export interface StoredProgram {
  id: ProgramId;
  stationId: StationId;
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  openEnd: boolean;
  name: string;
  description: string;
  /** JSON, like the next field. */
  genres: string;
  groups: string;
  isFree: boolean;
  copyNever: boolean;
  /** Changes when any field of the row changes. */
  mark: number;
}

export interface ShortTexts {
  readonly name: string;
  readonly description: string;
}

type ProgramRow = Pick<
  StoredRow,
  'id' | 'station_id' | 'start_at' | 'end_at' | 'open_end' | 'name' | 'description' | 'genres' | 'is_free'
> &
  Pick<StoredRow, 'copy_never' | 'groups'> & {
    /** Digest of the extended text, which is long. */
    extended_digest: number;
  };

const PROGRAMS = `
  SELECT id, station_id, start_at, end_at, open_end, name, description, extended_digest, genres, is_free, copy_never, groups
  FROM programs`;

/** A recording, for detecting recorded episodes. */
export interface RecordedRow {
  id: RecordingId;
  programId: ProgramId;
  ruleId: RuleId | null;
  name: string;
  description: string;
  extended: Record<string, string> | null;
  /** Epoch ms. */
  startAt: BroadcastMs;
  /** Damaged, so that its episode may be booked again. */
  released: boolean;
}

interface RecordedDbRow {
  id: RecordingId;
  program_id: ProgramId;
  rule_id: RuleId | null;
  name: string;
  description: string;
  extended: string | null;
  start_at: BroadcastMs;
  released: number;
}

/** Failed ones count if they are to be repeated. */
const RECORDED = `
  SELECT r.id, r.program_id, r.rule_id, r.name, r.description, r.extended, r.start_at, r.released
  FROM recordings AS r
  WHERE r.start_at >= $since AND r.program_id IS NOT NULL AND (r.state <> 'failed' OR r.released = 1)
  ORDER BY r.id`;

export class PlanningDatabase {
  readonly #database: Database;
  readonly #reservations: ReservationStore;
  readonly #rules: RuleStore;
  readonly #cancellations: CancellationStore;
  readonly #stations: StationStore;

  /** @throws as `openDatabase` */
  constructor(path: string) {
    const database = openDatabase(path);
    this.#database = database;
    this.#reservations = new ReservationStore(database);
    this.#rules = new RuleStore(database);
    this.#cancellations = new CancellationStore(database);
    this.#stations = new StationStore(database);
  }

  /** Runs `act` in one read transaction. */
  reading<T>(act: () => T): T {
    return this.#database.transaction(act).deferred();
  }

  /** Version of the plan's inputs, compared by the reservation store before it applies a plan. */
  get stamp(): string {
    return this.#reservations.stamp();
  }

  stampOf(...tables: CountedTable[]): string {
    return tableStamp(this.#database, tables);
  }

  /** Counts changes of programmes; 0 in a database without any. */
  get guideVersion(): number {
    const row = this.#database
      .query<{ value: number }, []>(`SELECT value FROM counters WHERE name = 'programs'`)
      .get();
    return row?.value ?? 0;
  }

  /** Stations whose programmes changed since a version; may include some that did not. */
  changedSince(version: number): StationId[] {
    return this.#database
      .query<{ id: number }, { version: number }>(
        'SELECT station_id AS id FROM guide_changes WHERE value >= $version',
      )
      .all({ version })
      .map(({ id }) => id as StationId);
  }

  /** Shown programmes of a station. */
  programs(station: StationId): StoredProgram[] {
    return this.#database
      .query<ProgramRow, { station: number }>(`${PROGRAMS} WHERE station_id = $station AND hidden = 0`)
      .all({ station })
      .map(toStored);
  }

  /** Undefined if its station does not show it. */
  program(id: ProgramId): StoredProgram | undefined {
    const row = this.#database
      .query<ProgramRow, { id: number }>(`${PROGRAMS} WHERE id = $id AND hidden = 0`)
      .get({ id });
    return row === null ? undefined : toStored(row);
  }

  /** Empty texts for a programme that no longer exists. */
  texts(id: ProgramId): ShortTexts {
    const row = this.#database
      .query<ShortTexts, { id: number }>('SELECT name, description FROM programs WHERE id = $id')
      .get({ id });
    return { name: readText(row?.name), description: readText(row?.description) };
  }

  /** null also for a programme that no longer exists. */
  extended(id: ProgramId): Record<string, string> | null {
    const row = this.#database
      .query<{ extended: string | null }, { id: number }>('SELECT extended FROM programs WHERE id = $id')
      .get({ id });
    return readObject<Record<string, string>>(row?.extended ?? null);
  }

  reservations(): StoredReservation[] {
    return this.#reservations.all();
  }

  rules(): Rule[] {
    return this.#rules.all();
  }

  cancellations(): Cancellation[] {
    return this.#cancellations.all();
  }

  stations(): KnownStation[] {
    return this.#stations.known();
  }

  /** Recordings of programmes that began at or after, epoch ms; also deleted ones, because they were recorded. */
  recorded(since: BroadcastMs): RecordedRow[] {
    return this.#database
      .query<RecordedDbRow, { since: BroadcastMs }>(RECORDED)
      .all({ since })
      .map((row) => ({
        id: row.id,
        programId: row.program_id as ProgramId,
        ruleId: row.rule_id,
        name: readText(row.name),
        description: readText(row.description),
        extended: readObject<Record<string, string>>(row.extended),
        startAt: row.start_at,
        released: row.released === 1,
      }));
  }

  /** Releases the page cache. */
  shrink(): void {
    this.#database.run('PRAGMA shrink_memory');
  }

  close(): void {
    this.#database.close();
  }
}

function toStored(row: ProgramRow): StoredProgram {
  return {
    id: row.id as ProgramId,
    stationId: row.station_id as StationId,
    startAt: row.start_at as BroadcastMs,
    endAt: row.end_at as BroadcastMs,
    openEnd: row.open_end === 1,
    name: readText(row.name),
    description: readText(row.description),
    genres: row.genres,
    groups: row.groups,
    isFree: row.is_free === 1,
    copyNever: row.copy_never === 1,
    mark: markOf(row),
  };
}

/** 52 bits of a hash of the row: a change is missed once in a million years. */
function markOf(row: ProgramRow): number {
  const { start_at, end_at, open_end, name, description, extended_digest, genres, is_free } = row;
  const numbers = [start_at, end_at, open_end, is_free, row.copy_never, extended_digest].join(' ');
  const hash = Bun.hash([numbers, name, description, genres, row.groups].join('\0'));
  return Number(BigInt(hash) & 0xfffffffffffffn);
}
