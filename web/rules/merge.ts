/** Two people change one rule: what only one of them changed is taken over, the rest is to be chosen. */
import type { StationId } from '../../arib/ids.ts';
import type { FieldName, RuleForm } from './form.ts';
import type { Moment } from './moments.ts';
import { CONVERSION_WORDS, genreName, KEYWORD_FIELDS, TYPE_CHOICES, weekdaysText } from './words.ts';

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

interface Merged {
  readonly form: RuleForm;
  /** Fields that both changed, each in another way: the form has what was written here. */
  readonly conflicts: readonly FieldName[];
}

/**
 * @param base what both began with
 * @param here as it is written here
 * @param there as it is stored now
 */
export function mergeForms(base: RuleForm, here: RuleForm, there: RuleForm): Merged {
  const names = Object.keys(here) as FieldName[];
  const taken = names.filter((name) => isSame(here[name], base[name]));
  const form = { ...here, ...Object.fromEntries(taken.map((name) => [name, there[name]])) };
  const conflicts = names.filter(
    (name) => !isSame(there[name], base[name]) && !isSame(form[name], there[name]),
  );
  return { form, conflicts };
}

const LABELS: Readonly<Record<FieldName, string>> = {
  name: 'ルールの名前',
  enabled: 'このルールを使う',
  keyword: 'キーワード',
  regex: '正規表現を使う',
  keywordIn: '検索対象',
  excludeKeyword: '除外キーワード',
  stationIds: '局',
  types: '放送の種類',
  genres: 'ジャンル',
  weekdays: '曜日',
  timeFrom: '始まる時刻（から）',
  timeTo: '始まる時刻（まで）',
  durationMin: '番組の長さ（最短）',
  durationMax: '番組の長さ（最長）',
  freeOnly: '無料番組だけ',
  periodFrom: '期間（はじめ）',
  periodTo: '期間（おわり）',
  priority: '優先度',
  dedupe: '同じ回は1度だけ録画する',
  marginBefore: '開始前のマージン',
  marginAfter: '終了後のマージン',
  encode: '録画後の変換',
  keepTs: '変換後の元の録画',
  commercials: 'CMの扱い',
  keepNewest: '残す件数',
  keepDays: '残す日数',
};

const NOTHING = '指定なし';
const orNothing = (text: string): string => (text === '' ? NOTHING : text);
const momentText = ({ date, time }: Moment): string => orNothing(`${date} ${time}`.trim());

/** A field for a person. @param nameOf undefined for a station that is not received */
export function fieldInWords(
  name: FieldName,
  form: RuleForm,
  nameOf: (id: StationId) => string | undefined,
): { readonly label: string; readonly value: string } {
  return { label: LABELS[name], value: valueInWords(name, form, nameOf) };
}

function valueInWords(
  name: FieldName,
  form: RuleForm,
  nameOf: (id: StationId) => string | undefined,
): string {
  switch (name) {
    case 'enabled':
    case 'regex':
    case 'freeOnly':
    case 'dedupe':
      return form[name] ? 'はい' : 'いいえ';
    case 'keywordIn':
      return KEYWORD_FIELDS.filter(({ value }) => form.keywordIn.includes(value))
        .map(({ label }) => label)
        .join('・');
    case 'stationIds':
      return orNothing(form.stationIds.map((id) => nameOf(id) ?? '受信していない局').join('・'));
    case 'types':
      return orNothing(
        TYPE_CHOICES.filter(({ value }) => form.types.includes(value))
          .map(({ label }) => label)
          .join('・'),
      );
    case 'genres':
      return orNothing(form.genres.map(genreName).join(' / '));
    case 'weekdays':
      return orNothing(weekdaysText(form.weekdays));
    case 'periodFrom':
    case 'periodTo':
      return momentText(form[name]);
    case 'encode':
      return CONVERSION_WORDS.encode[form.encode];
    case 'keepTs':
      return CONVERSION_WORDS.keepTs[form.keepTs];
    case 'commercials':
      return CONVERSION_WORDS.commercials[form.commercials];
    default:
      return orNothing(form[name]);
  }
}
