/** A rule: its conditions for automatic reservations, and their options. Its fields are in `lib/wire/rule-fields.ts`. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { ValuesOf } from '../../lib/wire/fields.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import type { RULE_ACTIONS, RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import type { RuleFault } from './rule-fault.ts';

export type RuleConditions = ValuesOf<typeof RULE_CONDITIONS>;
export type RuleGenre = RuleConditions['genres'][number];

/** The fields of a rule that users set. */
export interface RuleDraft extends ValuesOf<typeof RULE_ACTIONS> {
  conditions: RuleConditions;
}

export interface Rule extends RuleDraft {
  id: RuleId;
  /** Why the service disabled it; null: it did not. */
  disabledReason: RuleFault | null;
  createdAt: BroadcastMs;
  updatedAt: BroadcastMs;
}
