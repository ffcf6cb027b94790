/** Responses shared by many routes, as named in the OpenAPI description. */
import { type TSchema, Type as t } from '@sinclair/typebox';
import { AccessErrorSchema } from '../../../lib/wire/api.ts';

export function problemResponse(description: string) {
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

const CLOSED = 'no login method is configured, or the client address cannot be read; the reason as text';

/** Responses that every protected route may give before it is reached: for routes with response schemas. */
export const REFUSAL_SCHEMAS = { 401: AccessErrorSchema, 403: t.String({ description: CLOSED }) };

/** The same for routes that describe their responses themselves. */
export const REFUSALS = {
  401: {
    description: AccessErrorSchema.description ?? '',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/AccessError' } } },
  },
  403: {
    description: `${CLOSED}; \`forbidden\`: an access token may not do this`,
    content: {
      'text/plain': { schema: { type: 'string' as const } },
      'application/json': { schema: { $ref: '#/components/schemas/Problem' } },
    },
  },
};

/**
 * A JSON body, for the description only. Routes read it with `readAs`: the framework's own validation takes minutes
 * for a body that is nested a hundred thousand times.
 */
export function jsonBody(schema: TSchema) {
  return {
    required: true,
    content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
  };
}

/** A JSON response that is described, not validated. */
export function describedJson(description: string, schema: TSchema) {
  return {
    description,
    content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
  };
}
