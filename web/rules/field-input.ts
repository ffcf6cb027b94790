/** What the rule form holds of each kind of field, its reading, and its words. */
import type { BroadcastMs } from '../../lib/arib/time.ts';
import type {
  ChoiceType,
  Fields,
  FlagType,
  IntegerType,
  NullableType,
  ValueOf,
  ValueType,
} from '../../lib/wire/fields.ts';
import { TEXTS } from './texts.ts';
import {
  countText,
  DAY_MINUTES,
  type DateTime,
  dateTimeOf,
  minuteText,
  readCount,
  readDateTime,
  readMinute,
  readSeconds,
  secondsInput,
} from './time-text.ts';

/** Numbers and times as typed: invalid input is kept for correction. Empty or `setting` for null. */
type InputOf<T> =
  T extends NullableType<infer O>
    ? O extends IntegerType<BroadcastMs>
      ? DateTime
      : O extends ChoiceType<infer C>
        ? C | 'setting'
        : O extends FlagType
          ? 'yes' | 'no' | 'setting'
          : InputOf<O>
    : T extends IntegerType
      ? string
      : ValueOf<T>;

export type FormOf<F extends Fields> = { readonly [K in keyof F]: InputOf<F[K]['type']> };

interface NumberInput {
  readonly show: (value: number | null) => string;
  /** Undefined: not such a number. */
  readonly read: (text: string, type: IntegerType) => number | undefined;
  readonly fault: (type: IntegerType) => string;
}

const NUMBERS: Readonly<Record<'count' | 'ms' | 'minuteOfDay', NumberInput>> = {
  count: {
    show: countText,
    read: readCount,
    fault: ({ minimum, maximum }) => TEXTS.faultCount(minimum, maximum.toLocaleString('ja')),
  },
  ms: { show: secondsInput, read: readSeconds, fault: ({ maximum }) => TEXTS.faultSeconds(maximum / 1000) },
  minuteOfDay: {
    show: (minute) => (minute === null ? '' : minuteText(minute)),
    read: (text, { maximum }) => readMinute(text, maximum === DAY_MINUTES),
    fault: () => TEXTS.faultClock,
  },
};

/** A type without null, and whether null is allowed. */
function typeParts(type: ValueType): { of: ValueType; isNullable: boolean } {
  return type.kind === 'nullable' ? { of: type.of, isNullable: true } : { of: type, isNullable: false };
}

/** What the form shows of a complete value. */
export function inputOf(type: ValueType, value: unknown): unknown {
  const { of, isNullable } = typeParts(type);
  if (of.kind === 'integer') {
    const { unit } = of;
    if (unit === 'time' || unit === 'endTime')
      return dateTimeOf(value as BroadcastMs | null, unit === 'endTime');
    return NUMBERS[unit].show(value as number | null);
  }
  if (!isNullable) return value;
  if (value === null) return 'setting';
  return of.kind === 'flag' ? (value === true ? 'yes' : 'no') : value;
}

/** A message instead of a value. */
export class InvalidInput {
  constructor(readonly message: string) {}
}

function readNumber(type: IntegerType, input: unknown): number | null | InvalidInput {
  const { unit, minimum, maximum } = type;
  if (unit === 'time' || unit === 'endTime') {
    const at = readDateTime(input as DateTime, unit === 'endTime');
    return at !== undefined && (at === null || at >= minimum) ? at : new InvalidInput(TEXTS.faultDate);
  }
  const text = (input as string).trim();
  if (text === '') return null;
  const value = NUMBERS[unit].read(text, type);
  const isValid = value !== undefined && value >= minimum && value <= maximum;
  return isValid ? value : new InvalidInput(NUMBERS[unit].fault(type));
}

/** The value of an input; null for none. */
export function readInput(type: ValueType, input: unknown): unknown {
  const { of, isNullable } = typeParts(type);
  if (of.kind === 'integer') return readNumber(of, input);
  if (!isNullable) return input;
  if (input === 'setting') return null;
  return of.kind === 'flag' ? input === 'yes' : input;
}

/** The Japanese names of a field's values, with that of null. */
export function wordsOf({ of }: { readonly of: ChoiceType | FlagType }): Readonly<Record<string, string>> {
  return { setting: TEXTS.asSet, ...of.words };
}

/** Values with their Japanese names, in declared order. */
export function choicesOf<C extends string>({
  words,
}: ChoiceType<C>): readonly { value: C; label: string }[] {
  return (Object.entries(words) as [C, string][]).map(([value, label]) => ({ value, label }));
}

/** Empty for none. Stations, genres and weekdays have words of their own. */
export function inputInWords(type: ValueType, input: unknown): string {
  const { of } = typeParts(type);
  if (typeof input === 'boolean') return input ? TEXTS.yes : TEXTS.no;
  if (typeof input === 'string')
    return of.kind === 'choice' || of.kind === 'flag' ? (wordsOf({ of })[input] ?? '') : input;
  if (of.kind === 'list' && of.of.kind === 'choice') {
    const chosen = choicesOf(of.of).filter(({ value }) => (input as readonly string[]).includes(value));
    return chosen.map(({ label }) => label).join('・');
  }
  const { date, time } = input as DateTime;
  return `${date} ${time}`.trim();
}
