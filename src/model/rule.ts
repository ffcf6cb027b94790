/** A rule: what it books by itself, and how. */

import type { BroadcastType, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { CommercialHandling } from './encoding.ts';

export type { RuleId } from './ids.ts';

import type { RuleId } from './ids.ts';
import type { RuleFault } from './rule-fault.ts';

/** Where the words of a rule are looked for. */
const KEYWORD_FIELDS = ['title', 'description', 'extended'] as const;
type KeywordField = (typeof KEYWORD_FIELDS)[number];

const ENCODE_CHOICES = ['none', 'av1', 'h264', 'both'] as const;
export type EncodeChoice = (typeof ENCODE_CHOICES)[number];

/** Content descriptor, ARIB STD-B10 Part 2, Annex H; without `lv2` the whole major genre. */
export interface RuleGenre {
  lv1: number;
  lv2: number | null;
}

/** All that are set must hold. An empty list, an empty text and null set nothing. */
export interface RuleConditions {
  /** Words that must all be found; `"a phrase"`, `-without`, `a|b`. With `regex` one regular expression. */
  keyword: string;
  /** Never empty. */
  keywordIn: readonly KeywordField[];
  regex: boolean;
  /** Words of which none may be found, in the same fields. */
  excludeKeyword: string;
  stationIds: readonly StationId[];
  types: readonly BroadcastType[];
  genres: readonly RuleGenre[];
  /** 0 Sunday to 6, of the broadcast day: it begins at 05:00, Japan Standard Time. */
  weekdays: readonly number[];
  /**
   * A programme begins at or after `timeFrom` and before `timeTo`, minutes of the day (0 to 1440), Japan Standard
   * Time. With `timeFrom` after `timeTo` the stretch crosses midnight; one alone reaches to the end of the day.
   */
  timeFrom: number | null;
  timeTo: number | null;
  /** Minutes, inclusive. */
  durationMin: number | null;
  durationMax: number | null;
  freeOnly: boolean;
  /** Epoch ms; a programme begins at or after `periodFrom` and before `periodTo`. */
  periodFrom: BroadcastMs | null;
  periodTo: BroadcastMs | null;
}

/** What a person decides about a rule. */
export interface RuleDraft {
  name: string;
  enabled: boolean;
  priority: number;
  /** Of the same episode only the first airing. */
  dedupe: boolean;
  conditions: RuleConditions;
  /** ms; null = the setting, as for the next four. */
  marginBefore: number | null;
  marginAfter: number | null;
  encode: EncodeChoice | null;
  keepTs: boolean | null;
  commercials: CommercialHandling | null;
  /** Recordings that are kept; null = all, as for the next. */
  keepNewest: number | null;
  /** Days that recordings are kept. */
  keepDays: number | null;
}

export interface Rule extends RuleDraft {
  id: RuleId;
  /** Why the service disabled it; null: it did not. */
  disabledReason: RuleFault | null;
  /** Epoch ms. */
  createdAt: BroadcastMs;
  updatedAt: BroadcastMs;
}

export const RULE_PRIORITY = 1;
