/** Names of rules, for reservations that only contain ids. */
import { computed } from '@preact/signals';
import type { RuleId } from '../../lib/wire/ids.ts';
import { RULES } from './queries.ts';
import { entryOf, useQuery } from './use-query.ts';

const names = computed(() => new Map(entryOf(RULES).answer.value.value?.map(({ id, name }) => [id, name])));

/** Undefined while it is not known, or when it is gone. */
const ruleName = (id: RuleId): string | undefined => names.value.get(id);

/** Who booked it: `手動`, `ルール「音楽番組」`. */
export function originText(ruleId: RuleId | null): string {
  if (ruleId === null) return '手動';
  const name = ruleName(ruleId) ?? '';
  return name === '' ? 'ルール' : `ルール「${name}」`;
}

/** Reads the names while the component is mounted; until then reservations show a rule without a name. */
export function useRuleNames(): void {
  useQuery(RULES);
}
