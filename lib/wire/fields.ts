/**
 * Fields of an entity as plain data: type, limits, default, description and label are stated once, and the rest
 * derives from them: TypeScript types (here), validation and OpenAPI (`field-schemas.ts`), columns
 * (`columnsOf` in `src/store/table.ts`) and forms (`web/rules/field-input.ts`). Browsers load it: no validators here.
 */
declare const VALUE: unique symbol;
declare const SENT: unique symbol;

/** @template V a complete value @template S a value as clients may send it; nothing of them exists at run time */
interface Typed<V, S = V> {
  readonly [VALUE]?: V;
  readonly [SENT]?: S;
  readonly description?: string;
}

interface TextType extends Typed<string> {
  readonly kind: 'text';
  readonly maxLength: number;
}

export interface FlagType extends Typed<boolean> {
  readonly kind: 'flag';
  /** Japanese names of its values, where they are a choice of two. */
  readonly words?: Readonly<Record<'yes' | 'no', string>>;
}

/** Times are epoch ms; at the end of a period a day without a time of day is included. */
type Unit = 'count' | 'ms' | 'minuteOfDay' | 'time' | 'endTime';

/** @template V a branded number */
export interface IntegerType<V extends number = number> extends Typed<V> {
  readonly kind: 'integer';
  readonly unit: Unit;
  readonly minimum: number;
  readonly maximum: number;
}

export interface ChoiceType<C extends string = string> extends Typed<C> {
  readonly kind: 'choice';
  /** Every value with its Japanese name. */
  readonly words: Readonly<Record<C, string>>;
}

interface ListType<O = ValueType, V = unknown, S = unknown> extends Typed<readonly V[], readonly S[]> {
  readonly kind: 'list';
  readonly of: O;
  readonly maxItems: number;
  /** Duplicates are rejected; otherwise they are dropped. */
  readonly uniqueItems?: true;
}

type Members = Readonly<Record<string, ValueType>>;

/** Members that may be null may also be absent in a request. */
interface ObjectType<V = unknown, S = unknown> extends Typed<V, S> {
  readonly kind: 'object';
  readonly members: Members;
}

export interface NullableType<O = ValueType, V = unknown, S = unknown> extends Typed<V | null, S | null> {
  readonly kind: 'nullable';
  readonly of: O;
}

export type ValueType = TextType | FlagType | IntegerType | ChoiceType | ListType | ObjectType | NullableType;

export type ValueOf<T> = T extends { readonly [VALUE]?: infer V } ? V : never;
export type SentOf<T> = T extends { readonly [SENT]?: infer S } ? S : never;

type Nullable<M> = { [K in keyof M]: M[K] extends NullableType ? K : never }[keyof M];
type ObjectOf<M> = { readonly [K in keyof M]: ValueOf<M[K]> };
type SentObject<M> = Omit<ObjectOf<M>, Nullable<M>> & Partial<Pick<ObjectOf<M>, Nullable<M>>>;

interface AnyField {
  readonly type: ValueType;
  /** Japanese. */
  readonly label: string;
  /** Label where its group is named. */
  readonly short: string;
  /** Default of an absent value. */
  readonly fallback: unknown;
}

interface Field<T extends ValueType> extends AnyField {
  readonly type: T;
  readonly fallback: ValueOf<T>;
}

export type Fields = Readonly<Record<string, AnyField>>;
export type ValuesOf<F extends Fields> = { -readonly [K in keyof F]: ValueOf<F[K]['type']> };
export type BodyOf<F extends Fields> = { -readonly [K in keyof F]?: SentOf<F[K]['type']> };

export function text(limits: Pick<TextType, 'maxLength' | 'description'>): TextType {
  return { kind: 'text', ...limits };
}

export function flag(more: Pick<FlagType, 'words' | 'description'> = {}): FlagType {
  return { kind: 'flag', ...more };
}

export function integer<V extends number = number>(
  limits: Pick<IntegerType, 'minimum' | 'maximum' | 'description'>,
  unit: Unit = 'count',
): IntegerType<V> {
  return { kind: 'integer', unit, ...limits };
}

export function choice<C extends string>(words: Readonly<Record<C, string>>): ChoiceType<C> {
  return { kind: 'choice', words };
}

export function list<O extends ValueType>(
  of: O,
  limits: Pick<ListType, 'maxItems' | 'uniqueItems' | 'description'>,
): ListType<O, ValueOf<O>, SentOf<O>> {
  return { kind: 'list', of, ...limits };
}

export function object<M extends Members>(members: M): ObjectType<ObjectOf<M>, SentObject<M>> {
  return { kind: 'object', members };
}

export function orNull<O extends ValueType>(
  of: O,
  description?: string,
): NullableType<O, ValueOf<O>, SentOf<O>> {
  return { kind: 'nullable', of, ...(description !== undefined && { description }) };
}

const EMPTY = { nullable: null, text: '', list: [], flag: false } as const;

function emptyOf(type: ValueType): unknown {
  if (type.kind === 'integer') return type.minimum;
  if (type.kind === 'choice') return Object.keys(type.words)[0];
  return type.kind === 'object' ? completeObject(type, {}) : EMPTY[type.kind];
}

/** @param more `fallback`: the default of absent values, otherwise null, empty, false, the least or the first */
export function field<T extends ValueType>(
  type: T,
  label: string,
  more: { readonly fallback?: ValueOf<T>; readonly short?: string } = {},
): Field<T> {
  return { type, label, short: label, fallback: emptyOf(type) as ValueOf<T>, ...more };
}

export function namesOf<F extends Fields>(fields: F): readonly (keyof F & string)[] {
  return Object.keys(fields);
}

/** One value for each field. */
export function valuesBy<F extends Fields>(
  fields: F,
  value: (name: keyof F & string, field: AnyField) => unknown,
): Record<keyof F, unknown> {
  const entries = Object.entries(fields).map(([name, one]) => [name, value(name, one)]);
  return Object.fromEntries(entries) as Record<keyof F, unknown>;
}

/** These fields of an entity that has more. */
export function pick<F extends Fields, E extends { readonly [K in keyof F]: unknown }>(
  fields: F,
  entity: E,
): Pick<E, keyof F & keyof E> {
  return valuesBy(fields, (name) => entity[name]) as Pick<E, keyof F & keyof E>;
}

function completeObject(type: ObjectType, value: Readonly<Record<string, unknown>>): unknown {
  const members = Object.entries(type.members);
  return Object.fromEntries(members.map(([name, member]) => [name, value[name] ?? emptyOf(member)]));
}

function completeValue(type: ValueType, value: unknown): unknown {
  if (value === null) return null;
  if (type.kind === 'nullable') return completeValue(type.of, value);
  if (type.kind === 'text') return (value as string).trim();
  if (type.kind === 'object') return completeObject(type, value as Readonly<Record<string, unknown>>);
  if (type.kind !== 'list') return value;
  return [...new Set((value as readonly unknown[]).map((one) => completeValue(type.of, one)))];
}

/**
 * A valid request with every field: absent ones and empty lists have their defaults, texts are trimmed, lists contain
 * no number or word twice.
 */
export function complete<F extends Fields>(fields: F, body: Readonly<BodyOf<F>>): ValuesOf<F> {
  const sent: Readonly<Record<string, unknown>> = body;
  return valuesBy(fields, (name, { type, fallback }) => {
    const value = completeValue(type, sent[name] ?? fallback);
    return Array.isArray(value) && value.length === 0 ? fallback : value;
  }) as ValuesOf<F>;
}

export function defaultsOf<F extends Fields>(fields: F): ValuesOf<F> {
  return complete(fields, {} as Readonly<BodyOf<F>>);
}
