/** Three-way merge of a rule under edit with its stored version: one-sided changes are taken over, others are conflicts. */
import type { StationId } from '../../arib/ids.ts';
import type { FieldName, RuleForm } from './form.ts';
import type { Moment } from './moments.ts';
import { TEXTS } from './texts.ts';
import { CONVERSION_WORDS, genreName, KEYWORD_FIELDS, TYPE_CHOICES, weekdaysText } from './words.ts';

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

interface Merged {
  readonly form: RuleForm;
  /** Fields changed differently on both sides: the form keeps the local value. */
  readonly conflicts: readonly FieldName[];
}

/**
 * @param base the common origin
 * @param here the local version
 * @param there the stored version
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
  name: TEXTS.name,
  enabled: TEXTS.use,
  keyword: TEXTS.keyword,
  regex: TEXTS.useRegex,
  keywordIn: TEXTS.keywordIn,
  excludeKeyword: TEXTS.exclude,
  stationIds: TEXTS.station,
  types: TEXTS.types,
  genres: TEXTS.genres,
  weekdays: TEXTS.weekdays,
  timeFrom: TEXTS.beginsFromName,
  timeTo: TEXTS.beginsToName,
  durationMin: TEXTS.shortestName,
  durationMax: TEXTS.longestName,
  freeOnly: TEXTS.freeOnly,
  periodFrom: TEXTS.periodFromName,
  periodTo: TEXTS.periodToName,
  priority: TEXTS.priority,
  dedupe: TEXTS.dedupe,
  marginBefore: TEXTS.marginBefore,
  marginAfter: TEXTS.marginAfter,
  encode: TEXTS.conversion,
  keepTs: TEXTS.originalAfter,
  commercials: TEXTS.commercials,
  keepNewest: TEXTS.keepNewest,
  keepDays: TEXTS.keepDays,
};

const NOTHING = TEXTS.notSet;
const orNothing = (text: string): string => (text === '' ? NOTHING : text);
const momentText = ({ date, time }: Moment): string => orNothing(`${date} ${time}`.trim());

/** Name and value of a field in words. @param nameOf undefined for a station that is not received */
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
      return form[name] ? TEXTS.yes : TEXTS.no;
    case 'keywordIn':
      return KEYWORD_FIELDS.filter(({ value }) => form.keywordIn.includes(value))
        .map(({ label }) => label)
        .join('・');
    case 'stationIds':
      return orNothing(form.stationIds.map((id) => nameOf(id) ?? TEXTS.notReceived).join('・'));
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
