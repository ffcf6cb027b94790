/** Validates external values (bodies, files) against the schemas of `lib/wire/`, with messages that name the field. */
import { Kind, type Static, type TSchema } from '@sinclair/typebox';
import { Value, type ValueError } from '@sinclair/typebox/value';

/** The path has the form `[3].types[0]`, and is empty for the complete value; the message is for display. */
export class BadValue extends Error {
  override readonly name = 'BadValue';
  constructor(
    readonly path: string,
    readonly problem: string,
  ) {
    super(path === '' ? problem : `${path}: ${problem}`);
  }
}

/** The value without fields that the schema does not have. @throws BadValue for the first invalid field */
export function parseAs<S extends TSchema>(schema: S, value: unknown): Static<S> {
  const error = Value.Errors(schema, value).First();
  if (error !== undefined) throw new BadValue(fieldPath(error.path), problemOf(error));
  return Value.Clean(schema, structuredClone(value)) as Static<S>;
}

/** `/3/types/0` as `[3].types[0]`. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
}

function problemOf(error: ValueError): string {
  if (error.value === undefined) return '必須です';
  return `${expectationOf(error.schema)}にしてください`;
}

/** Describes the values that a schema accepts; the schemas of the agent use only these kinds. */
function expectationOf(schema: TSchema): string {
  switch (schema[Kind]) {
    case 'Union':
      return (schema.anyOf as TSchema[]).map(expectationOf).join(', ').concat(' のいずれか');
    case 'Literal':
      return String(schema.const);
    case 'Null':
      return 'null';
    case 'Boolean':
      return 'true か false';
    case 'Integer':
      return `整数${range(schema.minimum, schema.maximum)}`;
    case 'String':
      return `文字列${range(schema.minLength, schema.maxLength, ' 文字')}`;
    case 'Array':
      return `${schema.uniqueItems === true ? '重複のない' : ''}配列${range(schema.minItems, schema.maxItems, ' 件')}`;
    default:
      return 'オブジェクト';
  }
}

function range(minimum: unknown, maximum: unknown, unit = ''): string {
  if (minimum === undefined && maximum === undefined) return '';
  return ` (${minimum ?? ''}〜${maximum ?? ''}${unit})`;
}
