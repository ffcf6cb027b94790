/** Japanese sentences for the codes of faults of rules. */
import { Failure } from '../model/failure.ts';
import type { RuleConditions } from '../model/rule.ts';
import type { RuleFault } from '../model/rule-fault.ts';
import { checkExpression } from './expression/expression.ts';

/** @param conditions of the faulty rule */
export function ruleFaultText(fault: RuleFault, { keyword }: Pick<RuleConditions, 'keyword'>): string {
  switch (fault.code) {
    case 'no_conditions':
      return '条件がないため、ルールを無効にしました。条件を少なくともひとつ指定してください。';
    case 'too_costly':
      return '正規表現の処理に時間がかかりすぎるため、ルールを無効にしました。書き方を簡単にしてください。';
    case 'bad_expression':
      return expressionFault(keyword);
    case 'text':
      return fault.text;
  }
}

function expressionFault(keyword: string): string {
  try {
    checkExpression(keyword);
  } catch (error) {
    if (error instanceof Failure) return error.message;
    throw error;
  }
  return '正規表現を使えません。';
}
