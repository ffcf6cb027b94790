/** Rows of rules, and their results. */

import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { ReservationState } from '../../wire/guide.ts';
import type { CommercialHandling } from '../model/encoding.ts';
import { type ReservationId, ruleId } from '../model/ids.ts';
import type { EncodeChoice, Rule, RuleConditions, RuleDraft, RuleId } from '../model/rule.ts';
import type { RuleFault } from '../model/rule-fault.ts';
import { readObject, readText } from './stored-json.ts';
import { atomically } from './transaction.ts';

interface Row {
  id: number;
  name: string;
  enabled: number;
  disabled_reason: string | null;
  priority: number;
  dedupe: number;
  conditions: string;
  margin_before: number | null;
  margin_after: number | null;
  encode: string | null;
  keep_ts: number | null;
  commercials: string | null;
  keep_newest: number | null;
  keep_days: number | null;
  created_at: BroadcastMs;
  updated_at: BroadcastMs;
}

const COLUMNS = `id, name, enabled, disabled_reason, priority, dedupe, conditions, margin_before, margin_after, encode,
  keep_ts, commercials, keep_newest, keep_days, created_at, updated_at`;

/** Conditions unknown to an earlier version are unset; the plan disables a rule without any. */
const NO_CONDITIONS: RuleConditions = {
  keyword: '',
  keywordIn: ['title', 'description'],
  regex: false,
  excludeKeyword: '',
  stationIds: [],
  types: [],
  genres: [],
  weekdays: [],
  timeFrom: null,
  timeTo: null,
  durationMin: null,
  durationMax: null,
  freeOnly: true,
  periodFrom: null,
  periodTo: null,
};

/** Unreadable values, or those of a later version, are passed on as text, so that a disabled rule is visible. */
function readFault(text: string | null): RuleFault | null {
  if (text === null) return null;
  const { code, text: sentence } = readObject<{ code: unknown; text: unknown }>(text) ?? {};
  if (code === 'no_conditions' || code === 'too_costly' || code === 'bad_expression') return { code };
  return { code: 'text', text: typeof sentence === 'string' ? sentence : text };
}

function toRule(row: Row): Rule {
  return {
    id: ruleId(row.id),
    name: readText(row.name),
    enabled: row.enabled === 1,
    disabledReason: readFault(row.disabled_reason),
    priority: row.priority,
    dedupe: row.dedupe === 1,
    conditions: { ...NO_CONDITIONS, ...readObject<Partial<RuleConditions>>(row.conditions) },
    marginBefore: row.margin_before,
    marginAfter: row.margin_after,
    encode: row.encode as EncodeChoice | null,
    keepTs: row.keep_ts === null ? null : row.keep_ts === 1,
    commercials: row.commercials as CommercialHandling | null,
    keepNewest: row.keep_newest,
    keepDays: row.keep_days,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function values(draft: RuleDraft) {
  return {
    name: draft.name,
    enabled: draft.enabled ? 1 : 0,
    priority: draft.priority,
    dedupe: draft.dedupe ? 1 : 0,
    conditions: JSON.stringify(draft.conditions),
    marginBefore: draft.marginBefore,
    marginAfter: draft.marginAfter,
    encode: draft.encode,
    keepTs: draft.keepTs === null ? null : Number(draft.keepTs),
    commercials: draft.commercials,
    keepNewest: draft.keepNewest,
    keepDays: draft.keepDays,
  };
}

/** Results of a rule. */
export interface RuleFacts {
  /** Scheduled or running reservations. */
  booked: number;
  /** Those of them without a tuner. */
  conflicts: number;
  /** Recordings that can be watched. */
  recorded: number;
  /** The next programme that it books; null: none. */
  next: {
    reservationId: ReservationId;
    programId: ProgramId;
    name: string;
    serviceName: string;
    startAt: BroadcastMs;
    state: ReservationState;
  } | null;
}

interface NextRow {
  rule_id: RuleId;
  id: ReservationId;
  program_id: ProgramId;
  name: string;
  service_name: string;
  start_at: BroadcastMs;
  state: string;
}

/** Of reservations that are not over, sorted by start. */
const COMING = `
  SELECT r.rule_id, r.id, r.program_id, r.name, s.name AS service_name, r.start_at, r.state
  FROM reservations AS r JOIN stations AS s ON s.id = r.station_id
  WHERE r.rule_id IS NOT NULL AND r.state IN ('scheduled', 'conflict', 'recording')
  ORDER BY r.start_at, r.id`;

/** Watchable recordings of each rule, without running ones: uses an index only, 3 ms for 40,000 recordings. */
const RECORDED = `
  SELECT rule_id AS id, count(*) AS count FROM recordings INDEXED BY recordings_of_rule
  WHERE rule_id IS NOT NULL AND shelf = 1 AND state <> 'recording'
  GROUP BY rule_id`;

export class RuleStore {
  constructor(private readonly database: Database) {}

  all(): Rule[] {
    return this.database.query<Row, []>(`SELECT ${COLUMNS} FROM rules ORDER BY id`).all().map(toRule);
  }

  find(id: RuleId): Rule | undefined {
    const row = this.database
      .query<Row, { id: number }>(`SELECT ${COLUMNS} FROM rules WHERE id = $id`)
      .get({ id });
    return row === null ? undefined : toRule(row);
  }

  /** @param now epoch ms, also in the other methods */
  create(draft: RuleDraft, now: BroadcastMs): Rule {
    const row = atomically(this.database, () =>
      this.database
        .query<Row, Record<string, string | number | null>>(
          `INSERT INTO rules (name, enabled, priority, dedupe, conditions, margin_before, margin_after, encode, keep_ts,
             commercials, keep_newest, keep_days, created_at, updated_at)
           VALUES ($name, $enabled, $priority, $dedupe, $conditions, $marginBefore, $marginAfter, $encode, $keepTs,
             $commercials, $keepNewest, $keepDays, $now, $now)
           RETURNING ${COLUMNS}`,
        )
        .get({ ...values(draft), now }),
    );
    if (row === null) throw new Error('a rule was not stored');
    return toRule(row);
  }

  /**
   * Changes a rule: its reservations that have not begun get the new settings. If enabled, a disabling fault is
   * cleared.
   */
  update(id: RuleId, draft: RuleDraft, now: BroadcastMs): Rule | undefined {
    atomically(this.database, () => {
      this.database
        .query(
          `UPDATE rules SET name = $name, enabled = $enabled, priority = $priority, dedupe = $dedupe,
             conditions = $conditions, margin_before = $marginBefore, margin_after = $marginAfter, encode = $encode,
             keep_ts = $keepTs, commercials = $commercials, keep_newest = $keepNewest, keep_days = $keepDays,
             updated_at = $now,
             disabled_reason = CASE WHEN $enabled = 1 THEN NULL ELSE disabled_reason END
           WHERE id = $id`,
        )
        .run({ id, ...values(draft), now });
      const { marginBefore, marginAfter, encode, keepTs, commercials } = values(draft);
      this.database
        .query(
          `UPDATE reservations SET margin_before = $marginBefore, margin_after = $marginAfter, encode = $encode,
             keep_ts = $keepTs, commercials = $commercials, updated_at = $now
           WHERE rule_id = $id AND state IN ('scheduled', 'conflict', 'skipped')
             AND (margin_before, margin_after, encode, keep_ts, commercials)
               IS NOT ($marginBefore, $marginAfter, $encode, $keepTs, $commercials)`,
        )
        .run({ id, marginBefore, marginAfter, encode, keepTs, commercials, now });
    });
    return this.find(id);
  }

  /** @param reason why the service disables it; null: a user does */
  disable(id: RuleId, reason: RuleFault | null, now: BroadcastMs): void {
    atomically(this.database, () =>
      this.database
        .query(
          'UPDATE rules SET enabled = 0, disabled_reason = $reason, updated_at = $now WHERE id = $id AND enabled = 1',
        )
        .run({ id, reason: reason === null ? null : JSON.stringify(reason), now }),
    );
  }

  /** With its cancellations; reservations of this rule alone must be removed before. */
  remove(id: RuleId): void {
    atomically(this.database, () => {
      // The next airing of its damaged recordings is no longer awaited.
      this.database
        .query('UPDATE recordings SET released = 0 WHERE rule_id = $id AND released = 1')
        .run({ id });
      // Cancellations of its reservations were only for this rule: another rule that matches the same books it.
      this.database.query(`DELETE FROM reservations WHERE rule_id = $id AND state = 'cancelled'`).run({ id });
      this.database.query('DELETE FROM rules WHERE id = $id').run({ id });
    });
  }

  /** Results of every rule that has any. */
  facts(): Map<RuleId, RuleFacts> {
    const facts = new Map<RuleId, RuleFacts>();
    const of = (id: RuleId): RuleFacts => {
      const known = facts.get(id) ?? { booked: 0, conflicts: 0, recorded: 0, next: null };
      facts.set(id, known);
      return known;
    };
    for (const row of this.database.query<NextRow, []>(COMING).all()) {
      const fact = of(ruleId(row.rule_id));
      fact.booked += 1;
      if (row.state === 'conflict') fact.conflicts += 1;
      fact.next ??= {
        reservationId: row.id,
        programId: row.program_id,
        name: row.name,
        serviceName: row.service_name,
        startAt: row.start_at,
        state: row.state as ReservationState,
      };
    }
    for (const { id, count } of this.database.query<{ id: number; count: number }, []>(RECORDED).all())
      of(ruleId(id)).recorded = count;
    return facts;
  }
}
