/**
 * The planning worker's own connection to the service's database. Inputs of a plan are read in one transaction,
 * so that they are consistent; unchanged data is not read again.
 */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RecordingId, RuleId } from '../../lib/wire/ids.ts';
import type { Cancellation } from '../model/reservation.ts';
import type { Rule } from '../model/rule.ts';
import type { KnownStation } from '../model/station.ts';
import { CancellationStore } from './cancellation-store.ts';
import { type CountedTable, GuideChanges, tableStamp } from './change-counters.ts';
import { openWriter } from './connection.ts';
import { RECORDINGS } from './recording-row.ts';
import type { StoredReservation } from './reservation-row.ts';
import { ReservationStore } from './reservation-store.ts';
import { RuleStore } from './rule-store.ts';
import { StationStore } from './station-store.ts';
import { readObject, storedText } from './stored-json.ts';
import { defineTable, flagColumn, joined, plain, type Row, textColumn } from './table.ts';

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

export interface ExtendedRow {
  readonly id: ProgramId;
  /** JSON. */
  readonly extended: string | null;
}

const PROGRAMS = defineTable<StoredProgram>({
  id: plain(),
  stationId: plain(),
  startAt: plain(),
  endAt: plain(),
  openEnd: flagColumn(),
  name: textColumn(),
  description: textColumn(),
  genres: plain(),
  groups: plain(),
  isFree: flagColumn(),
  copyNever: flagColumn(),
  // Of the extended text, which is long, only the digest is read.
  mark: joined(['extended_digest'], markOf, () => []),
});

/** 52 bits of a hash of the row: a change is missed once in a million years. */
function markOf(row: Row): number {
  const { start_at, end_at, open_end, name, description, extended_digest, genres, is_free } = row;
  const numbers = [start_at, end_at, open_end, is_free, row.copy_never, extended_digest].join(' ');
  const hash = Bun.hash([numbers, name, description, genres, row.groups].join('\0'));
  return Number(BigInt(hash) & 0xfffffffffffffn);
}

/** A recording, for detecting recorded episodes. */
export interface RecordedRow {
  id: RecordingId;
  programId: ProgramId;
  ruleId: RuleId | null;
  name: string;
  description: string;
  extended: Record<string, string> | null;
  startAt: BroadcastMs;
  /** Damaged, so that its episode may be booked again. */
  released: boolean;
}

const RECORDED_ROWS = RECORDINGS.pick([
  'id',
  'ruleId',
  'name',
  'description',
  'extended',
  'startAt',
]).with<RecordedRow>({
  programId: plain(),
  released: flagColumn(),
});

/** Failed ones count if they are to be repeated. */
const RECORDED = `
  SELECT ${RECORDED_ROWS.columns('r')}
  FROM recordings AS r
  WHERE r.start_at >= $since AND r.program_id IS NOT NULL AND (r.state <> 'failed' OR r.released = 1)
  ORDER BY r.id`;

export class PlanningDatabase {
  readonly #database: Database;
  readonly #reservations: ReservationStore;
  readonly #rules: RuleStore;
  readonly #cancellations: CancellationStore;
  readonly #stations: StationStore;
  readonly #changes: GuideChanges;

  /** @throws as `openWriter` */
  constructor(path: string) {
    const database = openWriter(path);
    this.#database = database;
    this.#reservations = new ReservationStore(database);
    this.#rules = new RuleStore(database);
    this.#cancellations = new CancellationStore(database);
    this.#stations = new StationStore(database);
    this.#changes = new GuideChanges(database);
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
    return this.#changes.version;
  }

  /** As `GuideChanges`. */
  changedSince(version: number): StationId[] {
    return this.#changes.since(version);
  }

  /** Shown programmes of a station. */
  programs(station: StationId): StoredProgram[] {
    return this.#database
      .query<Row, { station: number }>(
        `SELECT ${PROGRAMS.columns()} FROM programs WHERE station_id = $station AND hidden = 0`,
      )
      .all({ station })
      .map(PROGRAMS.read);
  }

  /** Undefined if its station does not show it. */
  program(id: ProgramId): StoredProgram | undefined {
    const row = this.#database
      .query<Row, { id: number }>(`SELECT ${PROGRAMS.columns()} FROM programs WHERE id = $id AND hidden = 0`)
      .get({ id });
    return row === null ? undefined : PROGRAMS.read(row);
  }

  /** Empty texts for a programme that no longer exists. */
  texts(id: ProgramId): ShortTexts {
    const row = this.#database
      .query<ShortTexts, { id: number }>('SELECT name, description FROM programs WHERE id = $id')
      .get({ id });
    return { name: storedText(row?.name), description: storedText(row?.description) };
  }

  /** null also for a programme that no longer exists. */
  extended(id: ProgramId): Record<string, string> | null {
    const row = this.#database
      .query<{ extended: string | null }, { id: number }>('SELECT extended FROM programs WHERE id = $id')
      .get({ id });
    return readObject<Record<string, string>>(row?.extended ?? null);
  }

  /** Names and descriptions of many programmes: a quarter of the time of a query for each. */
  textsOf(ids: readonly ProgramId[]): (ShortTexts & { readonly id: ProgramId })[] {
    return this.#ofPrograms<ShortTexts & { readonly id: ProgramId }>('name, description', ids).map(
      ({ id, name, description }) => ({ id, name: storedText(name), description: storedText(description) }),
    );
  }

  extendedOf(ids: readonly ProgramId[]): ExtendedRow[] {
    return this.#ofPrograms<ExtendedRow>('extended', ids);
  }

  #ofPrograms<T>(columns: string, ids: readonly ProgramId[]): T[] {
    return this.#database
      .query<T, { ids: string }>(
        `SELECT id, ${columns} FROM programs WHERE id IN (SELECT value FROM json_each($ids))`,
      )
      .all({ ids: JSON.stringify(ids) });
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
    return this.#database.query<Row, { since: BroadcastMs }>(RECORDED).all({ since }).map(RECORDED_ROWS.read);
  }

  /** Releases the page cache. */
  shrink(): void {
    this.#database.run('PRAGMA shrink_memory');
  }

  close(): void {
    this.#database.close();
  }
}
