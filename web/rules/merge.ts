/** Three-way merge of a rule under edit with its stored version: one-sided changes are taken over, others are conflicts. */
import type { StationId } from '../../lib/arib/ids.ts';
import { RULE_FIELDS } from '../../lib/wire/rule-fields.ts';
import { inputInWords } from './field-input.ts';
import type { FieldName, RuleForm } from './form.ts';
import { TEXTS } from './texts.ts';
import { genreName, weekdaysText } from './words.ts';

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

interface Merged {
  readonly form: RuleForm;
  /** Fields changed differently on both sides: the form keeps the local value. */
  readonly conflicts: readonly FieldName[];
}

/** @param base the common origin @param here the local version @param there the stored version */
export function mergeForms(base: RuleForm, here: RuleForm, there: RuleForm): Merged {
  const names = Object.keys(here) as FieldName[];
  const taken = names.filter((name) => isSame(here[name], base[name]));
  const form = { ...here, ...Object.fromEntries(taken.map((name) => [name, there[name]])) };
  const conflicts = names.filter(
    (name) => !isSame(there[name], base[name]) && !isSame(form[name], there[name]),
  );
  return { form, conflicts };
}

const orNothing = (text: string): string => (text === '' ? TEXTS.notSet : text);

/** Name and value of a field in words. @param nameOf undefined for a station that is not received */
export function fieldInWords(
  name: FieldName,
  form: RuleForm,
  nameOf: (id: StationId) => string | undefined,
): { readonly label: string; readonly value: string } {
  return { label: RULE_FIELDS[name].label, value: orNothing(valueInWords(name, form, nameOf)) };
}

function valueInWords(
  name: FieldName,
  form: RuleForm,
  nameOf: (id: StationId) => string | undefined,
): string {
  switch (name) {
    case 'stationIds':
      return form.stationIds.map((id) => nameOf(id) ?? TEXTS.notReceived).join('・');
    case 'genres':
      return form.genres.map(genreName).join(' / ');
    case 'weekdays':
      return weekdaysText(form.weekdays);
    default:
      return inputInWords(RULE_FIELDS[name].type, form[name]);
  }
}
