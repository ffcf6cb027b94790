/** Rows of reservations. A plan is applied completely, and only if its inputs have not changed in the meantime. */
import type { Database } from 'bun:sqlite';
import type { ProgramId, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import { type RecordingId, reservationId } from '../model/ids.ts';
import { type Cancellation, MANUAL_PRIORITY, type ReservationId } from '../model/reservation.ts';
import type { ReservationNote } from '../model/reservation-reason.ts';
import type { RuleId } from '../model/rule.ts';
import { CancellationStore, type CancelledAiring } from './cancellation-store.ts';
import { tableStamp } from './change-counters.ts';
import { storedReservationNote } from './reservation-json.ts';
import {
  COLUMNS,
  choiceValues,
  type ListedReservation,
  type ListedRow,
  type PlannedRow,
  plannedValues,
  type RecordingChoice,
  type Row,
  type StoredReservation,
  toListed,
  toReservation,
} from './reservation-row.ts';
import { atomically } from './transaction.ts';

export interface OfferedProgram {
  id: ProgramId;
  serviceName: string;
  name: string;
  /** Epoch ms. */
  startAt: BroadcastMs;
  endAt: BroadcastMs;
}

/** Request for a manual reservation. */
export interface ManualReservation extends RecordingChoice {
  programId: ProgramId;
  stationId: StationId;
  name: string;
  description: string;
  /** Epoch ms. */
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

/** With the last recording that is not in the bin. */
const LISTED = `SELECT ${COLUMNS}, s.name AS service_name, s.type, s.channel,
    (SELECT max(c.id) FROM recordings AS c
     WHERE c.program_id = r.program_id AND c.reservation_id = r.id AND c.deleted_at IS NULL AND c.binned_at IS NULL)
      AS recording_id,
    (SELECT CASE WHEN c.state = 'failed' THEN 'lost'
       WHEN json_valid(c.verdict) THEN json_extract(c.verdict, '$.level') END FROM recordings AS c
     WHERE c.program_id = r.program_id AND c.reservation_id = r.id AND c.deleted_at IS NULL AND c.binned_at IS NULL
     ORDER BY c.id DESC LIMIT 1) AS verdict
  FROM reservations AS r JOIN stations AS s ON s.id = r.station_id`;

/** Condition of past and of upcoming ones; both lists are read completely. */
const OVER = `r.state IN ('finished', 'missed', 'cancelled') OR (r.state = 'skipped' AND r.end_at <= $now)`;

/** Tables that users change and plans depend on. */
const PLANNED_FROM = ['rules', 'reservations', 'cancellations'] as const;

type Values = Record<string, string | number | null>;

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

  /** Upcoming, running and conflicting ones, sorted by start. @param now epoch ms */
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

  listed(id: ReservationId): ListedReservation | undefined {
    return this.#list('WHERE r.id = $id', { id })[0];
  }

  /**
   * Books a programme without an active reservation manually.
   * @returns its id
   */
  book(wanted: ManualReservation, now: BroadcastMs): ReservationId {
    const { programId, stationId, name, description, startAt, endAt, note, repeats } = wanted;
    const row = atomically(this.database, () =>
      this.database
        .query<{ id: number }, Values>(
          `INSERT INTO reservations (program_id, station_id, state, priority, name, description, start_at, end_at,
             margin_before, margin_after, encode, keep_ts, commercials, note, repeats, created_at, updated_at)
           VALUES ($programId, $stationId, 'scheduled', ${MANUAL_PRIORITY}, $name, $description, $startAt, $endAt,
             $marginBefore, $marginAfter, $encode, $keepTs, $commercials, $note, $repeats, $now, $now)
           ON CONFLICT (program_id) DO UPDATE SET rule_id = NULL, relay_of = NULL, state = excluded.state, reason = NULL,
             priority = excluded.priority, name = excluded.name, description = excluded.description,
             start_at = excluded.start_at, end_at = excluded.end_at, margin_before = excluded.margin_before,
             margin_after = excluded.margin_after, encode = excluded.encode, keep_ts = excluded.keep_ts,
             commercials = excluded.commercials, note = excluded.note, repeats = excluded.repeats, tuner_type = NULL, tuner_rank = NULL, blockers = '[]',
             alternatives = '[]', created_at = excluded.created_at, updated_at = excluded.updated_at
           RETURNING id`,
        )
        .get({
          programId,
          stationId,
          name,
          description,
          startAt,
          endAt,
          note: storedReservationNote(note),
          repeats,
          ...choiceValues(wanted),
          now,
        }),
    );
    if (row === null) throw new Error('a reservation was not stored');
    return reservationId(row.id);
  }

  /** Sets recording options, unless it is already running. */
  choose(id: ReservationId, choice: Partial<RecordingChoice>, now: BroadcastMs): void {
    atomically(this.database, () => {
      const known = this.find(id);
      if (known === undefined || known.state === 'recording') return;
      this.database
        .query(
          `UPDATE reservations SET margin_before = $marginBefore, margin_after = $marginAfter, encode = $encode,
             keep_ts = $keepTs, commercials = $commercials, updated_at = $now
           WHERE id = $id`,
        )
        .run({ id, ...choiceValues({ ...known, ...choice }), now });
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

  /**
   * Restores a cancelled one. The next plan decides on it. A running programme is recorded from now on only.
   */
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
        .query('UPDATE reservations SET repeats = $repeats, note = $note, updated_at = $now WHERE id = $id')
        .run({ id, repeats, note: storedReservationNote(note), now }),
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

  /**
   * Applies a plan, completely or not at all.
   * @returns false if its inputs have changed; nothing was stored
   */
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
        `UPDATE OR IGNORE reservations SET program_id = $programId, station_id = $stationId, matched_at = CASE
             WHEN $ruleId IS NULL THEN NULL WHEN rule_id IS $ruleId THEN matched_at ELSE $startAt END,
           rule_id = $ruleId, relay_of = $relayOf, state = $state,
           reason = $reason, priority = $priority, name = $name, description = $description, start_at = $startAt,
           end_at = $endAt, tuner_type = $tunerType, tuner_rank = $tunerRank, alternatives = $alternatives,
           updated_at = $now
         WHERE id = $id`,
      )
      .run({ id, ...plannedValues(to), now });
    if (choice === null) return;
    this.database
      .query(
        `UPDATE reservations SET margin_before = $marginBefore, margin_after = $marginAfter, encode = $encode,
           keep_ts = $keepTs, commercials = $commercials
         WHERE id = $id`,
      )
      .run({ id, ...choiceValues(choice) });
  }

  #create(planned: PlannedChanges['create'][number], now: BroadcastMs): void {
    const { note, repeats } = planned;
    this.database
      .query(
        `INSERT OR IGNORE INTO reservations (program_id, station_id, rule_id, relay_of, state, reason, priority, name, description,
           start_at, end_at, matched_at, tuner_type, tuner_rank, alternatives, margin_before, margin_after, encode,
           keep_ts, commercials, note, repeats, created_at, updated_at)
         VALUES ($programId, $stationId, $ruleId, $relayOf, $state, $reason, $priority, $name, $description, $startAt, $endAt,
           CASE WHEN $ruleId IS NOT NULL THEN $startAt END, $tunerType, $tunerRank, $alternatives, $marginBefore, $marginAfter, $encode,
           $keepTs, $commercials, $note, $repeats, $now, $now)`,
      )
      .run({
        ...plannedValues(planned),
        ...choiceValues(planned),
        note: storedReservationNote(note),
        repeats,
        now,
      });
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
      .query<Row, Values>(`SELECT ${COLUMNS} FROM reservations AS r ${where}`)
      .all(values)
      .map(toReservation);
  }

  #list(where: string, values: Values): ListedReservation[] {
    return this.database.query<ListedRow, Values>(`${LISTED} ${where}`).all(values).map(toListed);
  }
}
