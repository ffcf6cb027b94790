/** Conversion between the contents of the rule form and the request body, without loss in both directions. */
import { BROADCAST_TYPES, type StationId } from '../../lib/arib/ids.ts';
import { complete, valuesBy } from '../../lib/wire/fields.ts';
import { RULE_FIELDS } from '../../lib/wire/rule-fields.ts';
import type { RuleBody, RuleItem } from '../../lib/wire/schedule.ts';
import { type FormOf, InvalidInput, inputOf, readInput } from './field-input.ts';
import { DAY_MINUTES } from './time-text.ts';

export type CompleteBody = Required<RuleBody>;
export type RuleForm = FormOf<typeof RULE_FIELDS>;
export type FieldName = keyof RuleForm;

/** An invalid field, and why. */
export interface FieldFault {
  readonly path: FieldName;
  readonly message: string;
}

export function formOf(body: RuleBody): RuleForm {
  const values = complete(RULE_FIELDS, body);
  return valuesBy(RULE_FIELDS, (name, { type }) => inputOf(type, values[name])) as RuleForm;
}

/** The request body, and the invalid fields (null or the default in the body). */
export function readForm(form: RuleForm): { body: CompleteBody; faults: readonly FieldFault[] } {
  const faults: FieldFault[] = [];
  const values = valuesBy(RULE_FIELDS, (path, { type }) => {
    const value = readInput(type, form[path]);
    if (!(value instanceof InvalidInput)) return value;
    faults.push({ path, message: value.message });
    return null;
  });
  return { body: complete(RULE_FIELDS, values as RuleBody), faults };
}

/** The body of a rule as the service sent it, without what the service adds. */
export function bodyOfRule(rule: RuleItem): CompleteBody {
  return readForm(formOf(rule)).body;
}

/** Whether any condition is set: without one the rule would match every programme. */
export function isLimited(body: CompleteBody): boolean {
  if (body.keyword !== '') return true;
  if ([body.stationIds, body.types, body.genres, body.weekdays].some((list) => list.length > 0)) return true;
  return [body.timeFrom, body.timeTo, body.durationMin, body.durationMax].some((value) => value !== null);
}

export function sameForm(one: RuleForm, other: RuleForm): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

const WORD_SIGNS = /["|＂“”〝〟｜]/gu;
const SIGN_BEFORE = /(^|[\s\u3000])[-－−‐]/u;

/** A keyword that matches the title literally: operators are escaped. */
export function keywordFor(title: string): string {
  const plain = title.replace(WORD_SIGNS, ' ').replace(/\s+/gu, ' ').trim();
  return SIGN_BEFORE.test(plain) ? `"${plain}"` : plain;
}

function numbers(query: URLSearchParams, name: string, most: number): number[] {
  return query
    .getAll(name)
    .flatMap((text) => text.split(','))
    .filter((text) => /^\d{1,15}$/u.test(text))
    .map(Number)
    .filter((value) => value <= most);
}

/** `7` of a major genre, `7-0` of a part of it. */
function genresIn(query: URLSearchParams): { lv1: number; lv2: number | null }[] {
  return query.getAll('genre').flatMap((text) => {
    const found = /^(\d{1,2})(?:-(\d{1,2}))?$/u.exec(text);
    const [lv1, lv2] = [Number(found?.[1]), found?.[2] === undefined ? null : Number(found[2])];
    return found === null || lv1 > 15 || (lv2 ?? 0) > 15 ? [] : [{ lv1, lv2 }];
  });
}

/** `1140-1380`, minutes of the day. */
function timesIn(query: URLSearchParams): { timeFrom?: number; timeTo?: number } {
  const found = /^(\d{1,4})-(\d{1,4})$/u.exec(query.get('time') ?? '');
  const [timeFrom, timeTo] = [Number(found?.[1]), Number(found?.[2])];
  return found === null || timeFrom >= DAY_MINUTES || timeTo > DAY_MINUTES ? {} : { timeFrom, timeTo };
}

/** The household's default retention of new rules. */
interface Kept {
  readonly keepNewest?: number;
  readonly keepDays?: number;
}

/** The form of a new rule as an address fills it: `keyword`, `name`, `stationId`, `type`, `genre`, `weekday`, `time`. */
export function formOfQuery(query: URLSearchParams, kept: Kept = {}): RuleForm {
  return formOf({
    // 0 is all, as null is in a rule.
    keepNewest: kept.keepNewest || null,
    keepDays: kept.keepDays || null,
    keyword: query.get('keyword') ?? '',
    name: query.get('name') ?? '',
    stationIds: [...new Set(numbers(query, 'stationId', Number.MAX_SAFE_INTEGER))] as StationId[],
    types: BROADCAST_TYPES.filter((type) => query.getAll('type').includes(type)),
    genres: genresIn(query),
    ...timesIn(query),
    weekdays: [...new Set(numbers(query, 'weekday', 6))].sort((a, b) => a - b),
  });
}
