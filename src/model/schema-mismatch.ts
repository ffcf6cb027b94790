/**
 * Describes a value that does not match its schema for users, in Japanese: the field, and the values that it accepts.
 * Pure.
 */
import { type Static, type TSchema, Type as t } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import { Failure } from './failure.ts';

export interface SchemaMismatch {
  /** Fields by dots, `genres.0.lv1`; '' for the value itself. */
  path: string;
  message: string;
}

/** A field name sent by a client may be of any length. */
const MAX_PATH_LENGTH = 64;
/** Limit of listed values: longer lists do not help. */
const MAX_WORDS = 8;

function bounds({ minimum, maximum }: TSchema): string {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} から ${maximum} までの`;
  if (minimum !== undefined) return `${minimum} 以上の`;
  return maximum === undefined ? '' : `${maximum} 以下の`;
}

/** Patterns of the API with their descriptions for users. */
const PATTERNS: ReadonlyMap<string, string> = new Map([
  ['^([0-9]|1[0-5])$', '0 から 15 までの整数'],
  ['^([0-9]{7})?$', '7 桁の数字、または空の文字列'],
  ['^[1-8]$', '1 から 8 までの整数'],
  ['^/[^\\u0000]*$', '/ で始まるパス'],
]);

function textOf({ minLength, maxLength, pattern }: TSchema): string {
  const known = PATTERNS.get(String(pattern));
  if (known !== undefined) return known;
  const digits = /^\^\[0-9\]\{1,(\d+)\}\$$/.exec(String(pattern))?.[1];
  if (digits !== undefined) return `${digits} 桁までの 0 以上の整数`;
  // A regular expression is not for users.
  if (pattern !== undefined) return '正しい形の文字列';
  if (maxLength === undefined) return '文字列';
  return minLength === undefined
    ? `${maxLength} 文字までの文字列`
    : `${minLength} から ${maxLength} 文字の文字列`;
}

function listOf({ maxItems, uniqueItems }: TSchema): string {
  const few = maxItems === undefined ? '' : `${maxItems} 件までの`;
  return `${few}${uniqueItems === true ? '重複のない' : ''}配列`;
}

/** The alternatives of a union, including those of nested unions. */
function kindsOf(schema: TSchema): TSchema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as TSchema[]).flatMap(kindsOf) : [schema];
}

function eachOf(schemas: readonly TSchema[]): string {
  const words = schemas.filter((one) => Object.hasOwn(one, 'const')).map((one) => JSON.stringify(one.const));
  const others = schemas.filter((one) => !Object.hasOwn(one, 'const')).map(wanted);
  const few = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), '…'] : words;
  return `${[...few, ...others].join('、')} のいずれか`;
}

/** The values that a schema accepts. */
function wanted(schema: TSchema): string {
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const);
  if (Array.isArray(schema.anyOf)) return eachOf(kindsOf(schema));
  switch (schema.type) {
    case 'integer':
      return `${bounds(schema)}整数`;
    case 'number':
      return `${bounds(schema)}数`;
    case 'boolean':
      return 'true か false';
    case 'null':
      return 'null';
    case 'string':
      return textOf(schema);
    case 'array':
      return listOf(schema);
    default:
      return 'オブジェクト';
  }
}

function noJson({ type }: TSchema): string {
  return `送信データは JSON の${type === 'array' ? '配列' : 'オブジェクト'}にしてください。`;
}

/** @param error the first error of the schema for a value @param of owner of the field, such as `予約の` */
export function describeMismatch({ type, path: pointer, schema }: ValueError, of = ''): SchemaMismatch {
  const path = pointer.slice(1).replaceAll('/', '.').slice(0, MAX_PATH_LENGTH);
  const name = `${of}「${path}」`;
  if (path === '') return { path, message: noJson(schema) };
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return { path, message: `${name}という項目はありません。名前を確認してください。` };
  const missing =
    type === ValueErrorType.ObjectRequiredProperty ? 'がありません。' : 'の値が正しくありません。';
  const what = wanted(schema);
  // A blank between letters of two scripts.
  const space = /[ -~]$/.test(what) ? ' ' : '';
  return { path, message: `${name}${missing}${what}${space}を指定してください。` };
}

/**
 * Of a union of objects the one that a value is meant for: a field that is a constant in each of them, such as `kind`,
 * selects it. Only that field, if it has none of the constants.
 */
function meantFor(schema: TSchema, value: unknown): TSchema {
  const kinds = kindsOf(schema).filter(({ type }) => type === 'object');
  const [first] = kinds;
  if (first === undefined || kinds.length < 2 || typeof value !== 'object' || value === null) return schema;
  const wordOf = (kind: TSchema, field: string): unknown => kind.properties[field]?.const;
  const field = Object.keys(first.properties).find((name) =>
    kinds.every((kind) => wordOf(kind, name) !== undefined),
  );
  if (field === undefined) return first;
  const word: unknown = Reflect.get(value, field);
  const meant = kinds.find((kind) => wordOf(kind, field) === word);
  return meant ?? t.Object({ [field]: t.Union(kinds.map(({ properties }) => properties[field])) });
}

/** @returns undefined if the value matches */
export function findMismatch(schema: TSchema, value: unknown, of?: string): SchemaMismatch | undefined {
  if (Value.Check(schema, value)) return undefined;
  const error = Value.Errors(meantFor(schema, value), value).First();
  return error === undefined ? undefined : describeMismatch(error, of);
}

export function mismatchFailure({ path, message }: SchemaMismatch): Failure {
  return new Failure('bad_request', message, path === '' ? {} : { path });
}

/** @throws Failure bad_request naming the first invalid field */
export function readAs<T extends TSchema>(schema: T, value: unknown, of = ''): Static<T> {
  if (Value.Check(schema, value)) return value;
  throw mismatchFailure(findMismatch(schema, value, of) ?? { path: '', message: noJson(schema) });
}
