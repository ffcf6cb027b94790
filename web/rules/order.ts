/** Order and search of the rules list. */
import type { RuleItem } from '../../lib/wire/api.ts';
import { TEXTS } from './texts.ts';

export const RULE_ORDERS = [
  { value: 'next', label: TEXTS.byNext },
  { value: 'name', label: TEXTS.byName },
  { value: 'priority', label: TEXTS.byPriority },
  { value: 'newest', label: TEXTS.byAge },
] as const;
type RuleOrder = (typeof RULE_ORDERS)[number]['value'];

const COLLATOR = new Intl.Collator('ja', { numeric: true });

function nextAt({ next }: RuleItem): number {
  return next?.startAt ?? Number.POSITIVE_INFINITY;
}

const COMPARE: Readonly<Record<RuleOrder, (a: RuleItem, b: RuleItem) => number>> = {
  // Infinity minus Infinity is NaN: two rules without a next airing are equal.
  next: (a, b) => nextAt(a) - nextAt(b) || 0,
  name: (a, b) => COLLATOR.compare(a.name, b.name),
  priority: (a, b) => b.priority - a.priority,
  newest: (a, b) => b.id - a.id,
};

/** Rules that need attention come first; equal ones are ordered by name. */
export function ordered(rules: readonly RuleItem[], order: RuleOrder): RuleItem[] {
  const trouble = (rule: RuleItem): number => (rule.disabledReason === null ? 1 : 0);
  return [...rules].sort(
    (a, b) =>
      trouble(a) - trouble(b) || COMPARE[order](a, b) || COLLATOR.compare(a.name, b.name) || a.id - b.id,
  );
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

/** @param wordsOf text of a rule's card */
export function searched(
  rules: readonly RuleItem[],
  search: string,
  wordsOf: (rule: RuleItem) => string,
): RuleItem[] {
  const wanted = plain(search)
    .split(/\s+/u)
    .filter((word) => word !== '');
  return rules.filter((rule) => {
    const text = plain(wordsOf(rule));
    return wanted.every((word) => text.includes(word));
  });
}
