/** Rules: create, change, delete, preview. A change is stored and, if that is quick, planned before the response. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type { RuleId } from '../../lib/wire/ids.ts';
import type { Retiring } from '../../lib/wire/recordings.ts';
import type { RuleItem, RulePreview } from '../../lib/wire/schedule.ts';
import { Failure } from '../model/failure.ts';
import type { Rule, RuleDraft } from '../model/rule.ts';
import { checkExpression } from '../schedule/expression/expression.ts';
import { readRule } from '../schedule/rule-body.ts';
import { ruleFaultText } from '../schedule/rule-fault-text.ts';
import type { ReservationStore } from '../store/reservation-store.ts';
import type { RuleStore } from '../store/rule-store.ts';
import type { PlanningWorkerClient } from './planning-worker-client.ts';
import type { PlanOrder } from './planning-worker-messages.ts';
import { previewItem, ruleWithFacts } from './reservation-items.ts';

interface RuleServiceOptions {
  rules: RuleStore;
  reservations: Pick<ReservationStore, 'dropOfRule'>;
  plans: Pick<PlanningWorkerClient, 'preview'>;
  /** Inputs of a preview. */
  order: () => PlanOrder;
  stationName: (id: StationId) => string;
  /** Number of a rule's programmes that are booked later. */
  leftOf: (id: RuleId) => number;
  /** Recordings that the rule's settings would move to the bin; undefined if unknown. */
  retiring: ((rule: RuleId | null, draft: RuleDraft) => Retiring) | undefined;
  settle: () => Promise<boolean>;
  /** Requests a plan soon. */
  wake: () => void;
  changed: () => void;
  now: () => BroadcastMs;
}

const PREVIEW_LIMIT = 200;
/** Retries of a deletion while the rule is changed concurrently. */
const REMOVALS = 3;

function unknownRule(): Failure {
  return new Failure('not_found', 'ルールが見つかりません。');
}

export class RuleService {
  /** Last change of each rule, or its deletion. */
  readonly #hands = new Map<RuleId, symbol>();

  constructor(private readonly options: RuleServiceOptions) {}

  list(): RuleItem[] {
    const { rules, leftOf } = this.options;
    const facts = rules.facts();
    return rules.all().map((rule) => ruleWithFacts(rule, facts.get(rule.id), leftOf(rule.id)));
  }

  /** @throws Failure not_found */
  get(id: RuleId): RuleItem {
    const { rules, leftOf } = this.options;
    return ruleWithFacts(this.#find(id), rules.facts().get(id), leftOf(id));
  }

  /** @throws Failure bad_request naming the field */
  async create(body: unknown): Promise<RuleItem> {
    const { rules, now } = this.options;
    const { id } = rules.create(readRule(body, checkExpression), now());
    await this.#settle();
    return this.get(id);
  }

  /** @throws Failure not_found, bad_request naming the field */
  async update(id: RuleId, body: unknown): Promise<RuleItem> {
    const { rules, now } = this.options;
    rules.update(id, readRule(body, checkExpression, this.#find(id)), now());
    this.#hands.set(id, Symbol('update'));
    await this.#settle();
    return this.get(id);
  }

  /** @throws Failure not_found */
  async remove(id: RuleId): Promise<void> {
    const { rules, reservations, now } = this.options;
    this.#find(id);
    let isPlanned = false;
    for (let attempt = 0; attempt < REMOVALS && !isPlanned; attempt += 1) {
      const hand = Symbol('remove');
      this.#hands.set(id, hand);
      // Reservations that other rules match are transferred to them; the plan removes the rest.
      rules.disable(id, null, now());
      if (!(await this.#settle())) break;
      // If it was enabled again in between, it has booked: those reservations would be orphaned.
      isPlanned = this.#hands.get(id) === hand;
    }
    if (!isPlanned) reservations.dropOfRule(id);
    rules.remove(id);
    this.#hands.delete(id);
    this.options.changed();
    this.options.wake();
  }

  /**
   * What a rule would book now.
   * @param replaces the rule that is being changed
   * @throws Failure not_found, bad_request naming the field, busy
   */
  async preview(body: unknown, replaces: RuleId | null): Promise<RulePreview> {
    const { plans, order, stationName, retiring } = this.options;
    const before = replaces === null ? undefined : this.#find(replaces);
    const draft = readRule(body, checkExpression, before);
    const { total, programs, fault } = await plans.preview({
      ...order(),
      draft,
      replaces,
      limit: PREVIEW_LIMIT,
    });
    return {
      total,
      programs: programs.map((row) => previewItem(row, stationName)),
      fault: fault === null ? null : ruleFaultText(fault, draft.conditions),
      ...(retiring === undefined ? {} : { retiring: retiring(replaces, draft) }),
    };
  }

  #find(id: RuleId): Rule {
    const rule = this.options.rules.find(id);
    if (rule === undefined) throw unknownRule();
    return rule;
  }

  #settle(): Promise<boolean> {
    this.options.changed();
    return this.options.settle();
  }
}
