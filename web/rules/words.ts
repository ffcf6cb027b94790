/** A rule's conditions and actions as a person would say them. */

import type { StationId } from '../../arib/ids.ts';
import type { BroadcastMs } from '../../arib/time.ts';
import type { RuleItem } from '../../wire/schedule.ts';
import { genreText, majorGenreName } from '../words/genre.ts';
import type { CompleteBody } from './form.ts';
import { minuteText, momentOf } from './moments.ts';

const WEEKDAYS = ['日', '月', '火', '水', '木', '金', '土'] as const;
/** Weeks begin on Monday, so that the weekend is one range. */
const FROM_MONDAY = [1, 2, 3, 4, 5, 6, 0] as const;
export const WEEKDAY_CHOICES = FROM_MONDAY.map((day) => ({ day, name: WEEKDAYS[day] }));

const LEAST_STRETCH = 3;

/** `月〜金`, `土日`, `月・水・金`; empty for no and for every day. */
export function weekdaysText(days: readonly number[]): string {
  const set = FROM_MONDAY.map((day) => days.includes(day));
  if (set.every((on) => on) || !set.some((on) => on)) return '';
  const stretches: string[][] = [];
  for (const [index, on] of set.entries()) {
    if (!on) continue;
    const name = WEEKDAYS[FROM_MONDAY[index] ?? 0];
    const before = stretches.at(-1);
    if (before !== undefined && set[index - 1] === true) before.push(name);
    else stretches.push([name]);
  }
  const parts = stretches.map((names) =>
    names.length >= LEAST_STRETCH ? `${names[0]}〜${names.at(-1)}` : names.join(''),
  );
  return parts.join('・');
}

/** `19:00〜22:00`, `23:00〜翌1:00`, `21:00以降`. */
export function timeText(from: number | null, to: number | null): string {
  if (from === null && to === null) return '';
  if (from === null) return `${minuteText(to ?? 0)}まで`;
  if (to === null) return `${minuteText(from)}以降`;
  return `${minuteText(from)}〜${from > to ? '翌' : ''}${minuteText(to)}`;
}

export function durationText(least: number | null, most: number | null): string {
  if (least === null && most === null) return '';
  if (least === null) return `${most}分以下`;
  if (most === null) return `${least}分以上`;
  return least === most ? `${least}分` : `${least}〜${most}分`;
}

function dayText(at: BroadcastMs | null, end: boolean): string {
  const { date, time } = momentOf(at, end);
  if (date === '') return '';
  const [year, month, day] = date.split('-').map(Number);
  return `${year}/${month}/${day}${time === '' ? '' : ` ${time.replace(/^0/u, '')}`}`;
}

export function periodText(from: BroadcastMs | null, to: BroadcastMs | null): string {
  const begin = dayText(from, false);
  const end = dayText(to, true);
  if (begin !== '' && end !== '') return `${begin}〜${end}`;
  if (begin !== '') return `${begin}から`;
  return end === '' ? '' : `${end}まで`;
}

export function genreName({ lv1, lv2 }: { lv1: number; lv2?: number | null }): string {
  if (lv2 == null) return majorGenreName(lv1);
  return genreText(lv1, lv2) ?? `${majorGenreName(lv1)}（${lv1}-${lv2}）`;
}

export const KEYWORD_FIELDS = [
  { value: 'title', label: '番組名' },
  { value: 'description', label: '番組の説明' },
  { value: 'extended', label: '詳しい説明' },
] as const;

function placeText(places: CompleteBody['keywordIn']): string {
  if (places.length === 0 || places.length === KEYWORD_FIELDS.length) return '';
  return KEYWORD_FIELDS.filter(({ value }) => places.includes(value))
    .map(({ label }) => label)
    .join('・')
    .concat('に');
}

export const TYPE_CHOICES = [
  { value: 'GR', label: '地デジ' },
  { value: 'BS', label: 'BS' },
  { value: 'CS', label: 'CS' },
] as const;

const MOST_NAMES = 3;

/** Genre names contain dots, so they need another separator. */
function few(names: readonly string[], between: string, unit: string): string {
  if (names.length <= MOST_NAMES) return names.join(between);
  return `${names.slice(0, MOST_NAMES).join(between)} ほか${names.length - MOST_NAMES}${unit}`;
}

type Conditions = Pick<
  CompleteBody | RuleItem,
  | 'keyword'
  | 'keywordIn'
  | 'regex'
  | 'excludeKeyword'
  | 'stationIds'
  | 'types'
  | 'genres'
  | 'weekdays'
  | 'timeFrom'
  | 'timeTo'
  | 'durationMin'
  | 'durationMax'
  | 'freeOnly'
  | 'periodFrom'
  | 'periodTo'
>;

function wordsText({ keyword, regex, keywordIn, excludeKeyword }: Conditions): string[] {
  const found: string[] = [];
  const place = placeText(keywordIn);
  if (keyword !== '' && regex) found.push(`${place.replace(/に$/u, 'が')}正規表現「${keyword}」に合う`);
  if (keyword !== '' && !regex) found.push(`${place}「${keyword}」を含む`);
  if (excludeKeyword !== '') found.push(`「${excludeKeyword}」を含まない`);
  return found;
}

/** One phrase per condition. @param nameOf undefined for a station that is not received */
export function conditionsInWords(rule: Conditions, nameOf: (id: StationId) => string | undefined): string[] {
  const when = [weekdaysText(rule.weekdays), timeText(rule.timeFrom, rule.timeTo)];
  const stations = rule.stationIds.map((id) => nameOf(id) ?? '受信していない局');
  const types = TYPE_CHOICES.filter(({ value }) => rule.types.includes(value)).map(({ label }) => label);
  return [
    ...wordsText(rule),
    when.filter((text) => text !== '').join(' '),
    few(stations, '・', '局'),
    types.length === TYPE_CHOICES.length ? '' : types.join('・'),
    few(rule.genres.map(genreName), ' / ', '種類'),
    durationText(rule.durationMin, rule.durationMax),
    rule.freeOnly ? '' : '有料番組も',
    periodText(rule.periodFrom, rule.periodTo),
  ].filter((text) => text !== '');
}

const AS_SET = '設定どおり';

/** How recordings are converted; the words of the settings screen. */
export const CONVERSION_WORDS = {
  encode: { setting: AS_SET, none: 'しない', av1: 'AV1', h264: 'H.264', both: 'AV1 と H.264' },
  keepTs: { setting: AS_SET, yes: '残す', no: '削除する' },
  commercials: { setting: AS_SET, chapters: 'チャプターを付ける', cut: 'カット', none: '検出しない' },
} as const;

function conversionInWords({ encode, keepTs, commercials }: CompleteBody | RuleItem): string[] {
  const { encode: codecs, keepTs: kept, commercials: handled } = CONVERSION_WORDS;
  return [
    encode == null ? '' : encode === 'none' ? '変換しない' : `${codecs[encode]} に変換`,
    keepTs == null ? '' : `元の録画を${kept[keepTs ? 'yes' : 'no']}`,
    commercials == null ? '' : `CMは${handled[commercials]}`,
  ];
}

/** Actions that differ from the defaults, one phrase each. */
export function actionsInWords(rule: CompleteBody | RuleItem): string[] {
  const margins = [
    rule.marginBefore === null ? '' : `前 ${rule.marginBefore / 1000}秒`,
    rule.marginAfter === null ? '' : `後 ${rule.marginAfter / 1000}秒`,
  ].filter((text) => text !== '');
  return [
    rule.dedupe ? '' : '同じ回も毎回録画',
    margins.length === 0 ? '' : `録画マージン ${margins.join('・')}`,
    rule.keepNewest === null ? '' : `新しい${rule.keepNewest}件だけ残す`,
    rule.keepDays === null ? '' : `${rule.keepDays}日で消す`,
    ...conversionInWords(rule),
  ].filter((text) => text !== '');
}
