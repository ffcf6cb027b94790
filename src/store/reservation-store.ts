/** Rows of reservations. A plan is applied completely, and only if its inputs have not changed in the meantime. */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { type RecordingId, type ReservationId, type RuleId, reservationId } from '../../lib/wire/ids.ts';
import { type Cancellation, MANUAL_PRIORITY, type RecordingChoice } from '../model/reservation.ts';
import type { ReservationNote } from '../model/reservation-reason.ts';
import { CancellationStore, type CancelledAiring } from './cancellation-store.ts';
import { tableStamp } from './change-counters.ts';
import {
  LISTED,
  type ListedReservation,
  OPTIONS,
  PLANNED,
  type PlannedRow,
  RESERVATIONS,
  type StoredReservation,
} from './reservation-row.ts';
import type { Row, Values } from './table.ts';
import { atomically } from './transaction.ts';

export interface OfferedProgram {
  id: ProgramId;
  serviceName: string;
  name: string;
  startAt: BroadcastMs;
  endAt: BroadcastMs;
}

/** Request for a manual reservation. */
export interface ManualReservation extends RecordingChoice {
  programId: ProgramId;
  stationId: StationId;
  name: string;
  description: string;
  startAt: BroadcastMs;
  endAt: BroadcastMs;
  note: ReservationNote | null;
  repeats: RecordingId | null;
}

export interface PlannedChanges {
  /** Version of the plan's inputs (`stamp`). */
  stamp: string;
  /** In the order of their numbers. */
  create: readonly (PlannedRow &
    RecordingChoice & { note: ReservationNote | null; repeats: RecordingId | null })[];
  update: readonly { id: ReservationId; to: PlannedRow; choice: RecordingChoice | null }[];
  remove: readonly ReservationId[];
}

/** Condition of past and of upcoming ones; both lists are read completely. */
const OVER = `r.state IN ('finished', 'missed', 'cancelled') OR (r.state = 'skipped' AND r.end_at <= $now)`;

/** Tables that users change and plans depend on. */
const PLANNED_FROM = ['rules', 'reservations', 'cancellations'] as const;

/** Of a reservation that a plan adds. */
const CREATED = RESERVATIONS.pick([...PLANNED.fields, ...OPTIONS.fields, 'note', 'repeats']);
/** Of one that a user books, also of a row that its programme already has. */
const BOOKED = RESERVATIONS.pick([
  ...([
    'ruleId',
    'relayOf',
    'state',
    'reason',
    'priority',
    'name',
    'description',
    'startAt',
    'endAt',
  ] as const),
  ...OPTIONS.fields,
  ...(['note', 'repeats', 'tuner', 'blockers', 'alternatives'] as const),
]);

export class ReservationStore {
  readonly #cancellations: CancellationStore;

  constructor(private readonly database: Database) {
    this.#cancellations = new CancellationStore(database);
  }

  /** Changes with every user-changed input of a plan, by any connection. */
  stamp(): string {
    return tableStamp(this.database, PLANNED_FROM);
  }

  all(): StoredReservation[] {
    return this.#select('ORDER BY r.id', {});
  }

  /** Scheduled and running reservations. */
  wanted(): StoredReservation[] {
    return this.#select(`WHERE r.state IN ('scheduled', 'recording') ORDER BY r.start_at, r.id`, {});
  }

  find(id: ReservationId): StoredReservation | undefined {
    return this.#select('WHERE r.id = $id', { id })[0];
  }

  ofProgram(program: ProgramId): StoredReservation | undefined {
    return this.#select('WHERE r.program_id = $program', { program })[0];
  }

  /** Reservations without a tuner in the plan. */
  conflicting(): ReadonlySet<ReservationId> {
    const rows = this.database
      .query<{ id: ReservationId }, []>(`SELECT id FROM reservations WHERE state = 'conflict'`)
      .all();
    return new Set(rows.map(({ id }) => id));
  }

  /** Upcoming, running and conflicting ones, sorted by start. */
  coming(now: BroadcastMs): ListedReservation[] {
    return this.#list(`WHERE NOT (${OVER}) ORDER BY r.start_at, r.id`, { now });
  }

  /** Completed ones, latest first. */
  completed(now: BroadcastMs): ListedReservation[] {
    return this.#list(`WHERE ${OVER} ORDER BY r.start_at DESC, r.id DESC`, { now });
  }

  /** Programmes that conflicts could record instead, if the guide still has them. */
  offers(programs: readonly ProgramId[]): Map<ProgramId, OfferedProgram> {
    if (programs.length === 0) return new Map();
    const rows = this.database
      .query<OfferedProgram, { programs: string }>(
        `SELECT p.id, s.name AS serviceName, p.name, p.start_at AS startAt, p.end_at AS endAt
         FROM json_each($programs) AS wanted JOIN programs AS p ON p.id = wanted.value
           JOIN stations AS s ON s.id = p.station_id`,
      )
      .all({ programs: JSON.stringify(programs) });
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * The next airings of a title that may be recorded and are not booked, sorted by start.
   * @param titles in normal form (`titleText`). @param now epoch ms. @returns at most `most` of each title
   */
  nextAirings(titles: readonly string[], now: BroadcastMs, most: number): Map<string, OfferedProgram[]> {
    const found = new Map<string, OfferedProgram[]>();
    const query = this.database.query<OfferedProgram, { title: string; now: BroadcastMs; most: number }>(
      `SELECT p.id, s.name AS serviceName, p.name, p.start_at AS startAt, p.end_at AS endAt
       FROM program_documents AS d JOIN programs AS p ON p.id = d.program_id JOIN stations AS s ON s.id = p.station_id
         LEFT JOIN reservations AS r ON r.program_id = p.id AND r.state IN ('scheduled', 'recording', 'conflict')
       WHERE d.title = $title AND p.start_at > $now AND p.copy_never = 0 AND p.hidden = 0 AND s.hidden = 0
         AND r.id IS NULL
       ORDER BY p.start_at, p.id LIMIT $most`,
    );
    for (const title of new Set(titles)) if (title !== '') found.set(title, query.all({ title, now, most }));
    return found;
  }

  /** Whether an airing of a title that begins later is booked. @param title in normal form (`titleText`) */
  isTitleBooked(title: string, now: BroadcastMs): boolean {
    const row = this.database
      .query<object, { title: string; now: BroadcastMs }>(
        `SELECT 1 FROM program_documents AS d JOIN reservations AS r ON r.program_id = d.program_id
         WHERE d.title = $title AND r.start_at > $now AND r.state IN ('scheduled', 'recording') LIMIT 1`,
      )
      .get({ title, now });
    return row !== null;
  }

  listed(id: ReservationId): ListedReservation | undefined {
    return this.#list('WHERE r.id = $id', { id })[0];
  }

  /** Books a programme without an active reservation manually. @returns its id */
  book(wanted: ManualReservation, now: BroadcastMs): ReservationId {
    const { programId, stationId } = wanted;
    const times = { created_at: '$now', updated_at: '$now' };
    const booked = {
      ...wanted,
      ...({
        ruleId: null,
        relayOf: null,
        state: 'scheduled',
        reason: null,
        priority: MANUAL_PRIORITY,
      } as const),
      ...{ tuner: null, blockers: [], alternatives: [] },
    };
    const row = atomically(this.database, () =>
      this.database
        .query<{ id: number }, Values>(
          `INSERT INTO reservations
             ${BOOKED.inserted(BOOKED.fields, { program_id: '$programId', station_id: '$stationId', ...times })}
           ON CONFLICT (program_id) DO UPDATE SET ${BOOKED.excluded()},
             created_at = excluded.created_at, updated_at = excluded.updated_at
           RETURNING id`,
        )
        .get({ programId, stationId, ...BOOKED.parameters(booked), now }),
    );
    if (row === null) throw new Error('a reservation was not stored');
    return reservationId(row.id);
  }

  /** Sets recording options; of a running recording those of its conversion, as its times are settled. */
  choose(id: ReservationId, choice: Partial<RecordingChoice>, now: BroadcastMs): void {
    atomically(this.database, () => {
      const known = this.find(id);
      if (known === undefined) return;
      const { marginBefore, marginAfter } = known;
      const settled = known.state === 'recording' ? { marginBefore, marginAfter } : {};
      this.database
        .query(`UPDATE reservations SET ${OPTIONS.assigned()}, updated_at = $now WHERE id = $id`)
        .run({ id, ...OPTIONS.parameters({ ...known, ...choice, ...settled }), now });
    });
  }

  /** By a user; a running recording continues until the recorder ends it. */
  cancel(id: ReservationId, memory: Omit<Cancellation, 'id'> | null, now: BroadcastMs): void {
    atomically(this.database, () => {
      if (memory !== null) {
        this.#cancellations.remove(memory);
        this.#cancellations.add(memory);
      }
      this.#cancel(id, `state IN ('scheduled', 'conflict', 'skipped')`, now);
    });
  }

  /** Cancels reservations in state `recording` without a running recording. */
  cancelLost(id: ReservationId, now: BroadcastMs): void {
    atomically(this.database, () => this.#cancel(id, `state = 'recording'`, now));
  }

  #cancel(id: ReservationId, condition: string, now: BroadcastMs): void {
    this.database
      .query(
        `UPDATE reservations SET state = 'cancelled', reason = NULL, tuner_type = NULL, tuner_rank = NULL,
           blockers = '[]', alternatives = '[]', updated_at = $now
         WHERE id = $id AND ${condition}`,
      )
      .run({ id, now });
  }

  /** Restores a cancelled one. The next plan decides on it. A running programme is recorded from now on only. */
  restore(id: ReservationId, airing: CancelledAiring | null, now: BroadcastMs): void {
    atomically(this.database, () => {
      if (airing !== null) this.#cancellations.remove(airing);
      this.database
        .query(
          `UPDATE reservations SET state = 'scheduled', reason = NULL, updated_at = $now,
             created_at = CASE WHEN start_at < $now THEN $now ELSE created_at END
           WHERE id = $id AND state = 'cancelled'`,
        )
        .run({ id, now });
    });
  }

  /** The next airing after a damaged recording, if it is already booked. */
  repeat(id: ReservationId, repeats: RecordingId, note: ReservationNote, now: BroadcastMs): void {
    atomically(this.database, () =>
      this.database
        .query(
          `UPDATE reservations SET ${RESERVATIONS.assigned(['repeats', 'note'])}, updated_at = $now WHERE id = $id`,
        )
        .run({ id, ...RESERVATIONS.parameters({ repeats, note }), now }),
    );
  }

  /** Deletes a rule's reservations that have not begun, if there is no plan that assigns them to another rule. */
  dropOfRule(rule: RuleId): void {
    atomically(this.database, () =>
      this.database
        .query(
          `DELETE FROM reservations WHERE rule_id = $rule AND state IN ('scheduled', 'conflict', 'skipped')`,
        )
        .run({ rule }),
    );
  }

  /**
   * Ends past ones in state `recording` without a running recording, which would occupy a tuner forever.
   * @param before epoch ms of ends @returns their number
   */
  endLost(running: readonly ReservationId[], before: number, now: BroadcastMs): number {
    return atomically(
      this.database,
      () =>
        this.database
          .query(
            `UPDATE reservations SET state = 'finished', updated_at = $now
         WHERE state = 'recording' AND end_at < $before
           AND id NOT IN (SELECT value FROM json_each($running))`,
          )
          .run({ running: JSON.stringify(running), before, now }).changes,
    );
  }

  /** Deletes completed ones that ended before. @returns their number */
  purge(before: BroadcastMs): number {
    return atomically(
      this.database,
      () =>
        this.database
          .query(
            `DELETE FROM reservations
         WHERE end_at < $before AND state IN ('cancelled', 'missed', 'skipped', 'finished')`,
          )
          .run({ before }).changes,
    );
  }

  /** Applies a plan, completely or not at all. @returns false if its inputs have changed; nothing was stored */
  apply({ stamp, create, update, remove }: PlannedChanges, now: BroadcastMs): boolean {
    return atomically(this.database, () => {
      if (this.stamp() !== stamp) return false;
      const drop = this.database.query('DELETE FROM reservations WHERE id = $id');
      for (const id of remove) drop.run({ id });
      for (const { id, to, choice } of update) this.#update(id, to, choice, now);
      for (const planned of create) this.#create(planned, now);
      // Last, because now all of them have numbers.
      for (const { id, to } of update) this.#block(id, to.blockers);
      for (const { programId, blockers } of create) {
        const id = blockers.length === 0 ? undefined : this.ofProgram(programId)?.id;
        if (id !== undefined) this.#block(id, blockers);
      }
      return true;
    });
  }

  #update(id: ReservationId, to: PlannedRow, choice: RecordingChoice | null, now: BroadcastMs): void {
    this.database
      .query(
        // A programme with another row must not prevent storing the rest.
        `UPDATE OR IGNORE reservations SET ${PLANNED.assigned()}, matched_at = CASE
             WHEN $ruleId IS NULL THEN NULL WHEN rule_id IS $ruleId THEN matched_at ELSE $startAt END,
           updated_at = $now
         WHERE id = $id`,
      )
      .run({ id, ...PLANNED.parameters(to, PLANNED.fields), now });
    if (choice === null) return;
    this.database
      .query(`UPDATE reservations SET ${OPTIONS.assigned()} WHERE id = $id`)
      .run({ id, ...OPTIONS.parameters(choice) });
  }

  #create(planned: PlannedChanges['create'][number], now: BroadcastMs): void {
    const matchedAt = 'CASE WHEN $ruleId IS NOT NULL THEN $startAt END';
    const times = { matched_at: matchedAt, created_at: '$now', updated_at: '$now' };
    this.database
      .query(`INSERT OR IGNORE INTO reservations ${CREATED.inserted(CREATED.fields, times)}`)
      .run({ ...CREATED.parameters(planned, CREATED.fields), now });
  }

  #block(id: ReservationId, blockers: readonly ProgramId[]): void {
    this.database
      .query(
        `UPDATE reservations SET blockers = (
           SELECT json_group_array(r.id ORDER BY wanted.key)
           FROM json_each($programs) AS wanted JOIN reservations AS r ON r.program_id = wanted.value)
         WHERE id = $id`,
      )
      .run({ id, programs: JSON.stringify(blockers) });
  }

  #select(where: string, values: Values): StoredReservation[] {
    return this.database
      .query<Row, Values>(`SELECT ${RESERVATIONS.columns('r')} FROM reservations AS r ${where}`)
      .all(values)
      .map(RESERVATIONS.read);
  }

  #list(where: string, values: Values): ListedReservation[] {
    return this.database
      .query<Row, Values>(
        `SELECT ${LISTED.columns('r')} FROM reservations AS r JOIN stations AS s ON s.id = r.station_id ${where}`,
      )
      .all(values)
      .map(LISTED.read);
  }
}
