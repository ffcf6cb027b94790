/** A rule's conditions and actions as a person would say them. */
import type { StationId } from '../../lib/arib/ids.ts';
import type { BroadcastMs } from '../../lib/arib/time.ts';
import { RECORDING_OPTIONS, RULE_CONDITIONS } from '../../lib/wire/rule-fields.ts';
import type { RuleItem } from '../../lib/wire/schedule.ts';
import { genreText, majorGenreName } from '../words/genre.ts';
import { WEEKDAYS } from '../words/time.ts';
import { choicesOf, wordsOf } from './field-input.ts';
import type { CompleteBody } from './form.ts';
import { dateTimeOf, minuteText } from './time-text.ts';

/** Weeks begin on Monday, so that the weekend is one range. */
const FROM_MONDAY = [1, 2, 3, 4, 5, 6, 0] as const;
export const WEEKDAY_CHOICES = FROM_MONDAY.map((day) => ({ day, name: WEEKDAYS[day] }));

const LEAST_RANGE = 3;

/** `月〜金`, `土日`, `月・水・金`; empty for no and for every day. */
export function weekdaysText(days: readonly number[]): string {
  const set = FROM_MONDAY.map((day) => days.includes(day));
  if (set.every((on) => on) || !set.some((on) => on)) return '';
  const ranges: string[][] = [];
  for (const [index, on] of set.entries()) {
    if (!on) continue;
    const name = WEEKDAYS[FROM_MONDAY[index] ?? 0];
    const before = ranges.at(-1);
    if (before !== undefined && set[index - 1] === true) before.push(name);
    else ranges.push([name]);
  }
  const parts = ranges.map((names) =>
    names.length >= LEAST_RANGE ? `${names[0]}〜${names.at(-1)}` : names.join(''),
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
  const { date, time } = dateTimeOf(at, end);
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

export const KEYWORD_FIELD_WORDS = choicesOf(RULE_CONDITIONS.keywordIn.type.of);

function keywordPlaces(places: CompleteBody['keywordIn']): string {
  if (places.length === 0 || places.length === KEYWORD_FIELD_WORDS.length) return '';
  return KEYWORD_FIELD_WORDS.filter(({ value }) => places.includes(value))
    .map(({ label }) => label)
    .join('・')
    .concat('に');
}

export const TYPE_CHOICES = choicesOf(RULE_CONDITIONS.types.type.of);

const MOST_NAMES = 3;

/** Genre names contain dots, so they need another separator. */
function few(names: readonly string[], between: string, unit: string): string {
  if (names.length <= MOST_NAMES) return names.join(between);
  return `${names.slice(0, MOST_NAMES).join(between)} ほか${names.length - MOST_NAMES}${unit}`;
}

type Conditions = Pick<CompleteBody | RuleItem, keyof typeof RULE_CONDITIONS>;

function wordsText({ keyword, regex, keywordIn, excludeKeyword }: Conditions): string[] {
  const found: string[] = [];
  const place = keywordPlaces(keywordIn);
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

/** What a rule records, in one sentence. @param nameOf as above */
export function ruleSentence(rule: Conditions, nameOf: (id: StationId) => string | undefined): string {
  const words = wordsText(rule);
  // Paid programmes are said last: they narrow nothing.
  const rest = conditionsInWords({ ...rule, freeOnly: true }, nameOf).filter((text) => !words.includes(text));
  const linked = words.map((text, index) =>
    index + 1 === words.length ? text : text.replace(/む$/u, 'み').replace(/う$/u, 'い'),
  );
  const where = rest.length === 0 ? '' : `${rest.join('、')}の`;
  const comma = where === '' || linked.length === 0 ? '' : '、';
  return `${where}${comma}${linked.join('、')}番組${rule.freeOnly ? '' : '（有料番組も）'}を録画します。`;
}

function conversionInWords({ encode, keepTs, commercials }: CompleteBody | RuleItem): string[] {
  const { words: codecs } = RECORDING_OPTIONS.encode.type.of;
  const { words: handled } = RECORDING_OPTIONS.commercials.type.of;
  const kept = wordsOf(RECORDING_OPTIONS.keepTs.type);
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

const QUOTES = /[＂“”〝〟]/gu;
const MINUS = /^[-－−‐]/u;
/** Terms separated by blanks. */
const GROUP = /(?:"[^"]*"?|[^\s"])+/gu;
/** Alternatives separated by bars. */
const OPTION = /(?:"[^"]*"?|[^"|])+/gu;

/** Blanks beside a bar are ignored outside of quotation marks. */
function withoutBlanksAtBars(text: string): string {
  return text
    .split('"')
    .map((part, index) => (index % 2 === 0 ? part.replace(/\s*\|\s*/gu, '|') : part))
    .join('"');
}

/**
 * Words of a keyword to highlight in matched titles: the required and the optional ones. None for a regular expression:
 * only the service evaluates those, with a time limit.
 */
export function markedWords(keyword: string, regex: boolean): string[] {
  if (regex) return [];
  const text = withoutBlanksAtBars(keyword.replace(QUOTES, '"').replaceAll('｜', '|'));
  const found = new Set<string>();
  for (const [group] of text.matchAll(GROUP)) {
    if (MINUS.test(group)) continue;
    const options = [...group.matchAll(OPTION)].map(([option]) => option);
    // Of a term that contains quotations, each part is highlighted.
    const pieces = options.length === 1 ? options.flatMap((option) => option.split('"')) : options;
    for (const piece of pieces) found.add(piece.replaceAll('"', '').trim());
  }
  found.delete('');
  return [...found];
}
