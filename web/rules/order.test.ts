import { expect, test } from 'bun:test';
import type { ProgramId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import type { RuleItem } from '../../lib/wire/api.ts';
import { reservationId, ruleId } from '../../lib/wire/ids.ts';
import { formOf, readForm } from './form.ts';
import { ordered, RULE_ORDERS, searched } from './order.ts';

function rule(id: number, name: string, more: Partial<RuleItem> = {}): RuleItem {
  const { body } = readForm(formOf({ name, keyword: name }));
  return { ...body, id: ruleId(id), disabledReason: null, next: null, ...more };
}

function next(startAt: number): NonNullable<RuleItem['next']> {
  const ids = { reservationId: reservationId(1), programId: 1 as ProgramId };
  return { ...ids, title: '', serviceName: '', startAt: broadcastMs(startAt), state: 'scheduled' };
}

const RULES = [
  rule(1, 'うみ', { next: next(300), priority: 1 }),
  rule(2, 'あさ10', { priority: 5 }),
  rule(3, 'あさ9', { next: next(100), priority: 1 }),
  rule(4, 'いし', { disabledReason: '遅すぎます。', enabled: false }),
];
const ids = (rules: readonly RuleItem[]) => rules.map(({ id }) => id);

test('rules that need attention come first, then the chosen order, then the name', () => {
  expect(ids(ordered(RULES, 'next'))).toEqual<unknown>([4, 3, 1, 2]);
  expect(ids(ordered(RULES, 'name'))).toEqual<unknown>([4, 3, 2, 1]);
  expect(ids(ordered(RULES, 'priority'))).toEqual<unknown>([4, 2, 3, 1]);
  expect(ids(ordered(RULES, 'newest'))).toEqual<unknown>([4, 3, 2, 1]);
  for (const { value } of RULE_ORDERS) {
    expect(ids(ordered([...RULES].reverse(), value))).toEqual(ids(ordered(RULES, value)));
  }
});

test('all search words must occur on the card, in full or half width', () => {
  const words = ({ id, name }: RuleItem) => `${name} 月〜金 NHK総合 ${id}`;
  expect(ids(searched(RULES, 'ｎｈｋ あさ', words))).toEqual<unknown>([2, 3]);
  expect(ids(searched(RULES, ' ', words))).toEqual<unknown>([1, 2, 3, 4]);
  expect(searched(RULES, 'やま', words)).toEqual([]);
});
