/** Answers that many routes share, as the OpenAPI description names them. */
import { type TSchema, Type as t } from '@sinclair/typebox';
import { AccessErrorSchema } from '../../wire/api.ts';

export function problemResponse(description: string) {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

const CLOSED = 'no login method is configured, or the client address cannot be read; the reason as text';

/** What every route but the open ones may answer before it is reached: for routes that name their schemas. */
export const REFUSAL_SCHEMAS = { 401: AccessErrorSchema, 403: t.String({ description: CLOSED }) };

/** The same for routes that describe their answers themselves. */
export const REFUSALS = {
  401: {
    description: AccessErrorSchema.description ?? '',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AccessError' } } },
  },
  403: { description: CLOSED, content: { 'text/plain': { schema: { type: 'string' as const } } } },
};

/**
 * A JSON body, for the description alone. Routes read it with `readAs`: the framework's own validation looks for minutes
 * at a body that is nested a hundred thousand times.
 */
export function jsonBody(schema: TSchema) {
  return {
    required: true,
    content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
  };
}

/** A JSON answer that is described, not validated. */
export function jsonAnswer(description: string, schema: TSchema) {
  return {
    description,
    content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
  };
}
