/**
 * Validates a value against a JSON Schema like a client's own validator, independently of the library with
 * which the service writes and validates its schemas. Supports only the keywords that the description uses;
 * any other is an error.
 */

export type JsonSchema = { [keyword: string]: unknown };

interface Mismatch {
  /** Such as `0.now.title`. */
  path: string;
  what: string;
}

/** Keywords that do not restrict a value. */
const ANNOTATIONS = new Set(['$id', 'title', 'description', 'default', 'format', 'examples', 'readOnly']);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: Number.isSafeInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
};

type Keyword = (rule: unknown, value: unknown, schema: JsonSchema, at: Place) => Mismatch[];

interface Place {
  path: string;
  /** Definitions for `$ref`. */
  definitions: JsonSchema;
}

const entries = (value: unknown): [string, unknown][] =>
  TYPES.object?.(value) === true ? Object.entries(value as object) : [];

const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function inside(at: Place, step: string): Place {
  return { ...at, path: at.path === '' ? step : `${at.path}.${step}` };
}

/** A limit that applies to one type of value only. */
function bound(
  measure: (value: unknown) => number | undefined,
  fits: (size: number, rule: number) => boolean,
) {
  return (rule: unknown, value: unknown, _schema: JsonSchema, { path }: Place): Mismatch[] => {
    const size = measure(value);
    return size === undefined || fits(size, rule as number)
      ? []
      : [{ path, what: `${size} is beyond ${rule}` }];
  };
}

const sizeOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const lengthOf = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);
const atLeast = (size: number, rule: number) => size >= rule;
const atMost = (size: number, rule: number) => size <= rule;

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  $ref: (rule, value, _schema, at) => {
    const found = String(rule)
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((place, step) => (place as JsonSchema | undefined)?.[step], at.definitions);
    if (found === undefined) return [{ path: at.path, what: `${rule} does not exist` }];
    return mismatches(found as JsonSchema, value, at);
  },
  type: (rule, value, _schema, { path }) =>
    TYPES[String(rule)]?.(value) === true ? [] : [{ path, what: `${JSON.stringify(value)} is no ${rule}` }],
  const: (rule, value, _schema, { path }) =>
    rule === value ? [] : [{ path, what: `${JSON.stringify(value)} is not ${JSON.stringify(rule)}` }],
  enum: (rule, value, _schema, { path }) =>
    items(rule).includes(value) ? [] : [{ path, what: `${JSON.stringify(value)} is none of ${rule}` }],
  anyOf: (rule, value, _schema, at) => {
    const all = items(rule).map((one) => mismatches(one as JsonSchema, value, at));
    if (all.some((one) => one.length === 0)) return [];
    return [{ path: at.path, what: `fits none: ${all.map(([first]) => JSON.stringify(first)).join(' | ')}` }];
  },
  properties: (rule, value, _schema, at) =>
    entries(rule).flatMap(([name, schema]) => {
      const found = entries(value).find(([key]) => key === name);
      return found === undefined ? [] : mismatches(schema as JsonSchema, found[1], inside(at, name));
    }),
  required: (rule, value, _schema, at) =>
    items(rule)
      .filter((name) => TYPES.object?.(value) === true && !Object.hasOwn(value as object, String(name)))
      .map((name) => ({ path: inside(at, String(name)).path, what: 'is missing' })),
  patternProperties: (rule, value, _schema, at) =>
    entries(value).flatMap(([name, one]) =>
      entries(rule)
        .filter(([pattern]) => new RegExp(pattern, 'u').test(name))
        .flatMap(([, schema]) => mismatches(schema as JsonSchema, one, inside(at, name))),
    ),
  additionalProperties: (rule, value, schema, at) => {
    if (rule !== false) return [];
    const known = new Set(entries(schema.properties).map(([name]) => name));
    const patterns = entries(schema.patternProperties).map(([pattern]) => new RegExp(pattern, 'u'));
    return entries(value)
      .filter(([name]) => !known.has(name) && !patterns.some((pattern) => pattern.test(name)))
      .map(([name]) => ({ path: inside(at, name).path, what: 'is not allowed' }));
  },
  items: (rule, value, _schema, at) =>
    items(value).flatMap((one, index) => mismatches(rule as JsonSchema, one, inside(at, String(index)))),
  uniqueItems: (rule, value, _schema, { path }) => {
    const texts = items(value).map((one) => JSON.stringify(one));
    return rule !== true || new Set(texts).size === texts.length ? [] : [{ path, what: 'repeats itself' }];
  },
  pattern: (rule, value, _schema, { path }) =>
    typeof value !== 'string' || new RegExp(String(rule), 'u').test(value)
      ? []
      : [{ path, what: `${JSON.stringify(value)} does not match ${rule}` }],
  minItems: bound(sizeOf, atLeast),
  maxItems: bound(sizeOf, atMost),
  minLength: bound(lengthOf, atLeast),
  maxLength: bound(lengthOf, atMost),
  minimum: bound(numberOf, atLeast),
  maximum: bound(numberOf, atMost),
  exclusiveMinimum: bound(numberOf, (size, rule) => size > rule),
};

function mismatches(schema: JsonSchema, value: unknown, at: Place): Mismatch[] {
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    const check = KEYWORDS[keyword];
    if (check === undefined) return [{ path: at.path, what: `keyword ${keyword} is not supported` }];
    return check(rule, value, schema, at);
  });
}

/**
 * @param definitions the document that `$ref` refers to @returns the places where the value does not match
 */
export function schemaMismatches(
  schema: JsonSchema,
  value: unknown,
  definitions: JsonSchema = {},
): Mismatch[] {
  return mismatches(schema, value, { path: '', definitions });
}
