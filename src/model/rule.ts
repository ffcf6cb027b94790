/** A rule: its conditions for automatic reservations, and their options. */

import type { BroadcastType, StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { CommercialHandling } from './encoding.ts';

export type { RuleId } from './ids.ts';

import type { RuleId } from './ids.ts';
import type { RuleFault } from './rule-fault.ts';

/** Texts in which the words of a rule are searched. */
const KEYWORD_FIELDS = ['title', 'description', 'extended'] as const;
type KeywordField = (typeof KEYWORD_FIELDS)[number];

const ENCODE_CHOICES = ['none', 'av1', 'h264', 'both'] as const;
export type EncodeChoice = (typeof ENCODE_CHOICES)[number];

/** Content descriptor, ARIB STD-B10 Part 2, Annex H; without `lv2` the complete major genre. */
export interface RuleGenre {
  lv1: number;
  lv2: number | null;
}

/** All conditions that are set must hold. An empty list, an empty text and null mean not set. */
export interface RuleConditions {
  /** Words that must all be found; `"a phrase"`, `-without`, `a|b`. With `regex` one regular expression. */
  keyword: string;
  /** Never empty. */
  keywordIn: readonly KeywordField[];
  regex: boolean;
  /** Words of which none may occur, in the same fields. */
  excludeKeyword: string;
  stationIds: readonly StationId[];
  types: readonly BroadcastType[];
  genres: readonly RuleGenre[];
  /** 0 Sunday to 6, of the broadcast day: it begins at 05:00, Japan Standard Time. */
  weekdays: readonly number[];
  /**
   * A programme begins at or after `timeFrom` and before `timeTo`, minutes of the day (0 to 1440), Japan Standard
   * Time. If `timeFrom` is after `timeTo`, the period crosses midnight; if only one is set, it extends to the
   * beginning or the end of the day.
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

/** The fields of a rule that users set. */
export interface RuleDraft {
  name: string;
  enabled: boolean;
  priority: number;
  /** Record only the first airing of an episode. */
  dedupe: boolean;
  conditions: RuleConditions;
  /** ms; null = the setting, also for the next four. */
  marginBefore: number | null;
  marginAfter: number | null;
  encode: EncodeChoice | null;
  keepTs: boolean | null;
  commercials: CommercialHandling | null;
  /** Number of recordings to keep; null = all, also for the next. */
  keepNewest: number | null;
  /** Days to keep recordings. */
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
