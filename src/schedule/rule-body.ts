/** Validation of a rule's body: the result needs no further checks. */
import { plainName } from '../../lib/host/plain-name.ts';
import { complete } from '../../lib/wire/fields.ts';
import { RULE_ACTIONS, RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import { type RuleBody, RuleBodySchema, type RuleItem } from '../../lib/wire/schedule.ts';
import { Failure } from '../model/failure.ts';
import type { Rule, RuleConditions, RuleDraft } from '../model/rule.ts';
import { readAs } from '../model/schema-mismatch.ts';
import { isLimited } from './match/limited-conditions.ts';
import { ruleFaultText } from './rule-fault-text.ts';

const NAMELESS = '名前のないルール';
const EVERYTHING = 'すべての番組が対象になります。条件を少なくともひとつ指定してください。';

function bad(path: string, message: string): Failure {
  return new Failure('bad_request', message, { path });
}

function readConditions(body: RuleBody): RuleConditions {
  const conditions = complete(RULE_CONDITIONS, body);
  return { ...conditions, weekdays: conditions.weekdays.toSorted((a, b) => a - b) };
}

/** Contradictory conditions never match: rejected at once. */
function checkSense(conditions: RuleConditions): void {
  const { durationMin, durationMax, periodFrom, periodTo, timeFrom, timeTo } = conditions;
  if (durationMin !== null && durationMax !== null && durationMin > durationMax)
    throw bad('durationMax', '番組の長さは「以上」を「以下」より短くしてください。');
  if (periodFrom !== null && periodTo !== null && periodFrom >= periodTo)
    throw bad('periodTo', '期間の終わりは始まりより後にしてください。');
  if (timeFrom !== null && timeFrom === timeTo) throw bad('timeTo', '時間帯の始まりと終わりが同じです。');
  if (!isLimited(conditions)) throw bad('keyword', EVERYTHING);
}

/**
 * @param before the replaced rule, whose `dedupe` is the default
 * @param checkExpression throws a Failure for an unusable regular expression; returns false if it matches every text
 * @throws Failure bad_request naming the field
 */
export function readRule(
  body: unknown,
  checkExpression: (expression: string) => unknown,
  before?: Pick<Rule, 'dedupe'>,
): RuleDraft {
  const given = readAs(RuleBodySchema, body, 'ルールの');
  const conditions = readConditions(given);
  checkSense(conditions);
  const hasEffect =
    !conditions.regex || conditions.keyword === '' || checkExpression(conditions.keyword) !== false;
  if (!hasEffect && !isLimited({ ...conditions, keyword: '' })) throw bad('keyword', EVERYTHING);
  const dedupe = given.dedupe ?? before?.dedupe;
  const actions = complete(RULE_ACTIONS, { ...given, ...(dedupe !== undefined && { dedupe }) });
  return { ...actions, name: plainName(actions.name) || conditions.keyword || NAMELESS, conditions };
}

/** A rule in the format of the API. */
export function ruleItem({
  conditions,
  createdAt: _,
  updatedAt: __,
  disabledReason,
  ...rule
}: Rule): RuleItem {
  const reason = disabledReason === null ? null : ruleFaultText(disabledReason, conditions);
  return { ...rule, ...conditions, disabledReason: reason };
}
