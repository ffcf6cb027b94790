/** The parts of the rule screen, encoded in the query of one address. */
import type { StationId } from '../../lib/arib/ids.ts';
import { type RuleId, ruleId } from '../../lib/wire/ids.ts';

export type RuleView =
  | { readonly kind: 'list' }
  | { readonly kind: 'page'; readonly id: RuleId }
  | { readonly kind: 'edit'; readonly id: RuleId }
  | { readonly kind: 'copy'; readonly id: RuleId }
  | { readonly kind: 'new' };

const ID = /^\d{1,15}$/u;

/** The parameters that say which part; others of them fill the form of a new rule. */
export function viewOf(query: URLSearchParams): RuleView {
  if (query.has('new')) return { kind: 'new' };
  for (const [name, kind] of [
    ['edit', 'edit'],
    ['copy', 'copy'],
    ['rule', 'page'],
  ] as const) {
    const id = query.get(name);
    if (id !== null && ID.test(id)) return { kind, id: ruleId(Number(id)) };
  }
  return { kind: 'list' };
}

export const rulePage = (id: RuleId): string => `rules?rule=${id}`;
export const ruleEditor = (id: RuleId): string => `rules?edit=${id}`;
export const ruleCopy = (id: RuleId): string => `rules?copy=${id}`;

/** The editor with the words filled in, and only programmes of this station. */
export function newRule({ keyword, stationId }: { keyword: string; stationId?: StationId }): string {
  const query = new URLSearchParams({ keyword });
  if (stationId !== undefined) query.set('stationId', String(stationId));
  return `rules?new&${query}`;
}
