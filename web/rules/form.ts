/** Conversion between the contents of the rule form and the request body, without loss in both directions. */

import type { StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { RuleBody, RuleItem } from '../../wire/schedule.ts';
import {
  countText,
  type Moment,
  minuteText,
  momentOf,
  readCount,
  readMinute,
  readMoment,
  readSeconds,
  secondsText,
} from './moments.ts';
import { TEXTS } from './texts.ts';

export type CompleteBody = Required<RuleBody>;
type KeywordField = CompleteBody['keywordIn'][number];

/** Numbers and times as typed: invalid input is kept for correction. */
export interface RuleForm {
  readonly name: string;
  readonly enabled: boolean;
  readonly keyword: string;
  readonly regex: boolean;
  readonly keywordIn: readonly KeywordField[];
  readonly excludeKeyword: string;
  readonly stationIds: readonly StationId[];
  readonly types: CompleteBody['types'];
  readonly genres: readonly { readonly lv1: number; readonly lv2: number | null }[];
  readonly weekdays: readonly number[];
  readonly timeFrom: string;
  readonly timeTo: string;
  /** Minutes. */
  readonly durationMin: string;
  readonly durationMax: string;
  readonly freeOnly: boolean;
  readonly periodFrom: Moment;
  readonly periodTo: Moment;
  readonly priority: string;
  readonly dedupe: boolean;
  /** Seconds; empty for the setting. */
  readonly marginBefore: string;
  readonly marginAfter: string;
  readonly encode: NonNullable<CompleteBody['encode']> | 'setting';
  readonly keepTs: 'yes' | 'no' | 'setting';
  readonly commercials: NonNullable<CompleteBody['commercials']> | 'setting';
  /** Empty for all. */
  readonly keepNewest: string;
  readonly keepDays: string;
}

export type FieldName = keyof RuleForm;

/** An invalid field, and why. */
export interface FieldFault {
  readonly path: FieldName;
  readonly message: string;
}

const FIELDS_SEARCHED: readonly KeywordField[] = ['title', 'description', 'extended'];
/** Default priority of a rule. */
const PRIORITY = 1;
const MAX_PRIORITY = 100;
const MAX_MARGIN_MS = 3_600_000;
const MAX_LENGTH_MINUTES = 7 * 24 * 60;
const MAX_KEPT = 100_000;
const DAY_MINUTES = 1440;

const minuteField = (minute: number | null | undefined): string => (minute == null ? '' : minuteText(minute));

export function formOf(body: RuleBody): RuleForm {
  const { keepTs, keywordIn = [] } = body;
  return {
    name: body.name ?? '',
    enabled: body.enabled ?? true,
    keyword: body.keyword ?? '',
    regex: body.regex ?? false,
    keywordIn: keywordIn.length === 0 ? FIELDS_SEARCHED : keywordIn,
    excludeKeyword: body.excludeKeyword ?? '',
    stationIds: body.stationIds ?? [],
    types: body.types ?? [],
    genres: (body.genres ?? []).map(({ lv1, lv2 }) => ({ lv1, lv2: lv2 ?? null })),
    weekdays: body.weekdays ?? [],
    timeFrom: minuteField(body.timeFrom),
    timeTo: minuteField(body.timeTo),
    durationMin: countText(body.durationMin ?? null),
    durationMax: countText(body.durationMax ?? null),
    freeOnly: body.freeOnly ?? true,
    periodFrom: momentOf(body.periodFrom ?? null, false),
    periodTo: momentOf(body.periodTo ?? null, true),
    priority: countText(body.priority ?? PRIORITY),
    dedupe: body.dedupe ?? true,
    marginBefore: secondsText(body.marginBefore ?? null),
    marginAfter: secondsText(body.marginAfter ?? null),
    encode: body.encode ?? 'setting',
    keepTs: keepTs == null ? 'setting' : keepTs ? 'yes' : 'no',
    commercials: body.commercials ?? 'setting',
    keepNewest: countText(body.keepNewest ?? null),
    keepDays: countText(body.keepDays ?? null),
  };
}

/** Reads fields and collects their errors. */
class FieldReader {
  readonly faults: FieldFault[] = [];

  constructor(readonly form: RuleForm) {}

  #fault(path: FieldName, message: string): null {
    this.faults.push({ path, message });
    return null;
  }

  minute(path: 'timeFrom' | 'timeTo'): number | null {
    const text = this.form[path].trim();
    if (text === '') return null;
    return readMinute(text, path === 'timeTo') ?? this.#fault(path, TEXTS.faultClock);
  }

  count(
    path: 'durationMin' | 'durationMax' | 'keepNewest' | 'keepDays' | 'priority',
    [least, most]: readonly [number, number],
  ): number | null {
    const text = this.form[path].trim();
    if (text === '') return null;
    const count = readCount(text);
    if (count !== undefined && count >= least && count <= most) return count;
    return this.#fault(path, TEXTS.faultCount(least, most.toLocaleString('ja')));
  }

  margin(path: 'marginBefore' | 'marginAfter'): number | null {
    const text = this.form[path].trim();
    if (text === '') return null;
    const ms = readSeconds(text);
    if (ms !== undefined && ms <= MAX_MARGIN_MS) return ms;
    return this.#fault(path, TEXTS.faultSeconds(MAX_MARGIN_MS / 1000));
  }

  moment(path: 'periodFrom' | 'periodTo'): BroadcastMs | null {
    const at = readMoment(this.form[path], path === 'periodTo');
    if (at !== undefined && (at === null || at >= 0)) return at;
    return this.#fault(path, TEXTS.faultDate);
  }
}

/** The request body, and the invalid fields (null or the default in the body). */
export function readForm(form: RuleForm): { body: CompleteBody; faults: readonly FieldFault[] } {
  const read = new FieldReader(form);
  const length = [0, MAX_LENGTH_MINUTES] as const;
  const body: CompleteBody = {
    name: form.name.trim(),
    enabled: form.enabled,
    keyword: form.keyword.trim(),
    regex: form.regex,
    keywordIn: [...form.keywordIn],
    excludeKeyword: form.excludeKeyword.trim(),
    stationIds: [...form.stationIds],
    types: [...form.types],
    genres: form.genres.map((genre) => ({ ...genre })),
    weekdays: [...form.weekdays],
    timeFrom: read.minute('timeFrom'),
    timeTo: read.minute('timeTo'),
    durationMin: read.count('durationMin', length),
    durationMax: read.count('durationMax', length),
    freeOnly: form.freeOnly,
    periodFrom: read.moment('periodFrom'),
    periodTo: read.moment('periodTo'),
    priority: read.count('priority', [0, MAX_PRIORITY]) ?? PRIORITY,
    dedupe: form.dedupe,
    marginBefore: read.margin('marginBefore'),
    marginAfter: read.margin('marginAfter'),
    encode: form.encode === 'setting' ? null : form.encode,
    keepTs: form.keepTs === 'setting' ? null : form.keepTs === 'yes',
    commercials: form.commercials === 'setting' ? null : form.commercials,
    keepNewest: read.count('keepNewest', [1, MAX_KEPT]),
    keepDays: read.count('keepDays', [1, MAX_KEPT]),
  };
  return { body, faults: read.faults };
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

const TYPES = ['GR', 'BS', 'CS'] as const;

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
    types: TYPES.filter((type) => query.getAll('type').includes(type)),
    genres: genresIn(query),
    ...timesIn(query),
    weekdays: [...new Set(numbers(query, 'weekday', 6))].sort((a, b) => a - b),
  });
}
