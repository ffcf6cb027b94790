/**
 * The fields of a rule, and the recording options that it shares with reservations. A further field is declared here,
 * gets its column in `src/store/migrations.ts`, and its control in `web/rules`.
 */
import type { BroadcastType, StationId } from '../arib/ids.ts';
import type { BroadcastMs } from '../arib/time.ts';
import { choice, field, flag, integer, list, object, orNull, text, type ValuesOf } from './fields.ts';
import {
  type CommercialHandling,
  type EncodeChoice,
  type EncodeQuality,
  KEYWORD_FIELDS,
  type KeywordField,
} from './vocabulary.ts';

/** Limit of margins, ms: a longer one is probably a wrong unit. */
export const MAX_MARGIN_MS = 3_600_000;
const DAY_MINUTES = 24 * 60;
const MAX_MINUTES = 7 * DAY_MINUTES;
const MAX_KEYWORD_LENGTH = 1000;
const MAX_NAME_LENGTH = 200;
const MAX_LIST = 512;
/** Limit of the number of recordings, or of days, that are kept. */
export const MAX_KEPT = 100_000;
/** Covers every possible network and service number. */
const MAX_STATION_ID = 65_535 * 100_000 + 65_535;
/** The end of the broadcast day 9999-12-31: calendars do not support later days. */
const MAX_PERIOD_MS = 253_402_286_400_000;

const AS_SET = 'null = the setting';
const MARGIN = orNull(
  integer({ minimum: 0, maximum: MAX_MARGIN_MS, description: 'ms before a programme' }, 'ms'),
  `ms; ${AS_SET}`,
);
const ENCODE = choice<EncodeChoice>({ none: 'しない', av1: 'AV1', h264: 'H.264', both: 'AV1 と H.264' });
const KEEP_TS = flag({ words: { yes: '残す', no: '削除する' } });
const COMMERCIALS = choice<CommercialHandling>({
  chapters: 'チャプターを付ける',
  cut: 'カット',
  none: '検出しない',
});

/** How one programme is recorded; null: as in the settings of the same names. */
export const RECORDING_OPTIONS = {
  marginBefore: field(MARGIN, '開始前のマージン', { short: '前' }),
  marginAfter: field(MARGIN, '終了後のマージン', { short: '後' }),
  encode: field(orNull(ENCODE, AS_SET), '録画後の変換', { short: '形式' }),
  keepTs: field(orNull(KEEP_TS, AS_SET), '変換後の元の録画', { short: '元の録画' }),
  commercials: field(orNull(COMMERCIALS, AS_SET), 'CMの扱い'),
} as const;

/** Of these, what a recording keeps for its conversion, with the settings at its end applied. */
export const CONVERSION_OPTIONS = {
  encode: field(ENCODE, '録画後の変換'),
  keepTs: field(KEEP_TS, '変換後の元の録画'),
  /** The setting is applied when it is converted. */
  commercials: RECORDING_OPTIONS.commercials,
} as const;
export type ConversionOptions = ValuesOf<typeof CONVERSION_OPTIONS>;

/** Of one conversion, all settings applied. */
export const ENCODE_OPTIONS = {
  codecs: field(
    choice<Exclude<EncodeChoice, 'none'>>({ av1: 'AV1', h264: 'H.264', both: 'AV1 と H.264' }),
    '形式',
  ),
  keepTs: CONVERSION_OPTIONS.keepTs,
  commercials: field(COMMERCIALS, 'CMの扱い'),
  quality: field(choice<EncodeQuality>({ small: '小さめ', standard: '標準', fine: '高画質' }), '画質'),
} as const;

/** What a rule does with the programmes that it matches. */
export const RULE_ACTIONS = {
  name: field(text({ maxLength: MAX_NAME_LENGTH, description: 'default: the keyword' }), 'ルールの名前'),
  enabled: field(flag(), 'このルールを使う', { fallback: true }),
  priority: field(integer({ minimum: 0, maximum: 100, description: 'default 1' }), '優先度', { fallback: 1 }),
  dedupe: field(
    flag({ description: 'only the first airing of an episode; default true' }),
    '同じ回は1度だけ録画する',
    { fallback: true },
  ),
  ...RECORDING_OPTIONS,
  keepNewest: field(orNull(integer({ minimum: 1, maximum: MAX_KEPT }), 'recordings; null = all'), '残す件数'),
  keepDays: field(orNull(integer({ minimum: 1, maximum: MAX_KEPT }), 'null = for ever'), '残す日数'),
} as const;

const MINUTE_OF_DAY = {
  minimum: 0,
  maximum: DAY_MINUTES - 1,
  description: 'minutes of the day, Japan Standard Time',
};
const MINUTES = orNull(integer({ minimum: 0, maximum: MAX_MINUTES, description: 'minutes' }));
const PERIOD = { minimum: 0, maximum: MAX_PERIOD_MS, description: 'epoch ms' };
/** Content descriptor, ARIB STD-B10 Part 2, Annex H; without `lv2` the complete major genre. */
const GENRE = object({
  lv1: integer({ minimum: 0, maximum: 15 }),
  lv2: orNull(integer({ minimum: 0, maximum: 15 })),
});

/** All conditions that are set must hold. An empty list, an empty text and null mean not set. */
export const RULE_CONDITIONS = {
  keyword: field(
    text({
      maxLength: MAX_KEYWORD_LENGTH,
      description:
        'words that must all be found; `"a phrase"`, `-without`, `a|b`; with `regex` an expression',
    }),
    'キーワード',
  ),
  /** Never empty. */
  keywordIn: field(
    list(choice<KeywordField>({ title: '番組名', description: '番組の説明', extended: '詳しい説明' }), {
      maxItems: 3,
      uniqueItems: true,
      description: 'default all three',
    }),
    '検索対象',
    { fallback: [...KEYWORD_FIELDS] },
  ),
  regex: field(flag(), '正規表現を使う'),
  /** In the same texts. */
  excludeKeyword: field(
    text({ maxLength: MAX_KEYWORD_LENGTH, description: 'words of which none may be found' }),
    '除外キーワード',
  ),
  stationIds: field(
    list(integer<StationId>({ minimum: 0, maximum: MAX_STATION_ID }), { maxItems: MAX_LIST }),
    '局',
  ),
  types: field(
    list(choice<BroadcastType>({ GR: '地デジ', BS: 'BS', CS: 'CS' }), { maxItems: 3 }),
    '放送の種類',
  ),
  genres: field(list(GENRE, { maxItems: 256 }), 'ジャンル'),
  weekdays: field(
    list(integer({ minimum: 0, maximum: 6 }), {
      maxItems: 7,
      description: '0 Sunday to 6, of the broadcast day that begins at 05:00',
    }),
    '曜日',
  ),
  /**
   * A programme begins at or after `timeFrom` and before `timeTo`. If `timeFrom` is after `timeTo`, the period crosses
   * midnight; if only one is set, it extends to the beginning or the end of the day.
   */
  timeFrom: field(orNull(integer(MINUTE_OF_DAY, 'minuteOfDay')), '始まる時刻（から）'),
  timeTo: field(
    orNull(integer({ ...MINUTE_OF_DAY, maximum: DAY_MINUTES }, 'minuteOfDay')),
    '始まる時刻（まで）',
  ),
  /** Inclusive. */
  durationMin: field(MINUTES, '番組の長さ（最短）', { short: '最短' }),
  durationMax: field(MINUTES, '番組の長さ（最長）', { short: '最長' }),
  freeOnly: field(flag({ description: 'default true' }), '無料番組だけ', { fallback: true }),
  /** A programme begins at or after `periodFrom` and before `periodTo`. */
  periodFrom: field(orNull(integer<BroadcastMs>(PERIOD, 'time')), '期間（はじめ）', { short: 'はじめ' }),
  periodTo: field(orNull(integer<BroadcastMs>(PERIOD, 'endTime')), '期間（おわり）', { short: 'おわり' }),
} as const;

/** Everything that users set. */
export const RULE_FIELDS = { ...RULE_CONDITIONS, ...RULE_ACTIONS } as const;
