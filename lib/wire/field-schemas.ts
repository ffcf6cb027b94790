/** Validation and API description of declared fields (`fields.ts`). */
import { type TOptional, type TSchema, type TUnsafe, Type as t } from '@sinclair/typebox';
import { type Fields, type SentOf, type ValueType, valuesBy } from './fields.ts';

/** Properties of a type that have the same name there. */
const IN_JSON_SCHEMA = new Set(['maxLength', 'minimum', 'maximum', 'maxItems', 'uniqueItems', 'description']);

function schemaOf(type: ValueType): TSchema {
  const options = Object.fromEntries(Object.entries(type).filter(([key]) => IN_JSON_SCHEMA.has(key)));
  switch (type.kind) {
    case 'text':
      return t.String(options);
    case 'flag':
      return t.Boolean(options);
    case 'integer':
      return t.Integer(options);
    case 'choice':
      return t.Union(Object.keys(type.words).map((value) => t.Literal(value)));
    case 'list':
      return t.Array(schemaOf(type.of), options);
    case 'nullable':
      return t.Union([schemaOf(type.of), t.Null()], options);
    case 'object': {
      const schemas = Object.entries(type.members).map(([name, member]) => {
        const schema = schemaOf(member);
        return [name, member.kind === 'nullable' ? t.Optional(schema) : schema];
      });
      // An unknown member would be a typing error.
      return t.Object(Object.fromEntries(schemas), { additionalProperties: false });
    }
  }
}

type Schemas<F extends Fields> = { [K in keyof F]: TUnsafe<SentOf<F[K]['type']>> };
type OptionalSchemas<F extends Fields> = { [K in keyof F]: TOptional<TUnsafe<SentOf<F[K]['type']>>> };

/** Of a response: every field is there. */
export function schemasOf<F extends Fields>(fields: F): Schemas<F> {
  return valuesBy(fields, (_, { type }) => schemaOf(type)) as Schemas<F>;
}

/** Of a request: absent fields have their defaults. */
export function optionalSchemasOf<F extends Fields>(fields: F): OptionalSchemas<F> {
  return valuesBy(fields, (_, { type }) => t.Optional(schemaOf(type))) as OptionalSchemas<F>;
}
