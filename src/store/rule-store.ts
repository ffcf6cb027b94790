/** Rows of rules, and their results. */
import type { Database } from 'bun:sqlite';
import type { ProgramId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { defaultsOf } from '../../lib/wire/fields.ts';
import { type ReservationId, type RuleId, ruleId } from '../../lib/wire/ids.ts';
import { RULE_ACTIONS, RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import type { ReservationState } from '../../lib/wire/vocabulary.ts';
import type { Rule, RuleConditions, RuleDraft } from '../model/rule.ts';
import type { RuleFault } from '../model/rule-fault.ts';
import { OPTIONS } from './reservation-row.ts';
import { readObject } from './stored-json.ts';
import { columnsOf, defineTable, json, nullableColumn, plain, type Row, type Values } from './table.ts';
import { atomically } from './transaction.ts';

/** Conditions unknown to an earlier version are unset; the plan disables a rule without any. */
const NO_CONDITIONS: RuleConditions = {
  ...defaultsOf(RULE_CONDITIONS),
  keywordIn: ['title', 'description'],
};

/** Unreadable values, or those of a later version, are passed on as text, so that a disabled rule is visible. */
function readFault(text: string | null): RuleFault | null {
  if (text === null) return null;
  const { code, text: sentence } = readObject<{ code: unknown; text: unknown }>(text) ?? {};
  if (code === 'no_conditions' || code === 'too_costly' || code === 'bad_expression') return { code };
  return { code: 'text', text: typeof sentence === 'string' ? sentence : text };
}

const DRAFT = defineTable<RuleDraft>({
  ...columnsOf(RULE_ACTIONS),
  conditions: json((text) => ({ ...NO_CONDITIONS, ...readObject<Partial<RuleConditions>>(text) })),
});
const RULES = DRAFT.with<Rule>({
  id: plain(),
  disabledReason: nullableColumn(json(readFault)),
  createdAt: plain(),
  updatedAt: plain(),
});

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
    return this.database
      .query<Row, []>(`SELECT ${RULES.columns()} FROM rules ORDER BY id`)
      .all()
      .map(RULES.read);
  }

  find(id: RuleId): Rule | undefined {
    const row = this.database
      .query<Row, { id: number }>(`SELECT ${RULES.columns()} FROM rules WHERE id = $id`)
      .get({ id });
    return row === null ? undefined : RULES.read(row);
  }

  /** @param now epoch ms, also in the other methods */
  create(draft: RuleDraft, now: BroadcastMs): Rule {
    const row = atomically(this.database, () =>
      this.database
        .query<Row, Values>(
          `INSERT INTO rules ${DRAFT.inserted(DRAFT.fields, { created_at: '$now', updated_at: '$now' })}
           RETURNING ${RULES.columns()}`,
        )
        .get({ ...DRAFT.parameters(draft), now }),
    );
    if (row === null) throw new Error('a rule was not stored');
    return RULES.read(row);
  }

  /**
   * Changes a rule: its reservations that have not begun get the new settings. If enabled, a disabling fault is
   * cleared.
   */
  update(id: RuleId, draft: RuleDraft, now: BroadcastMs): Rule | undefined {
    atomically(this.database, () => {
      this.database
        .query(
          `UPDATE rules SET ${DRAFT.assigned()}, updated_at = $now,
             disabled_reason = CASE WHEN $enabled = 1 THEN NULL ELSE disabled_reason END
           WHERE id = $id`,
        )
        .run({ id, ...DRAFT.parameters(draft), now });
      this.database
        .query(
          `UPDATE reservations SET ${OPTIONS.assigned()}, updated_at = $now
           WHERE rule_id = $id AND state IN ('scheduled', 'conflict', 'skipped')
             AND (${OPTIONS.names()}) IS NOT (${OPTIONS.placeholders()})`,
        )
        .run({ id, ...OPTIONS.parameters(draft), now });
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
