/**
 * The OpenAPI 3.1 description, generated from the schemas that routes validate with. Routes without a response schema
 * describe the response in `detail`.
 */
import type { Elysia } from 'elysia';
import { AccessErrorSchema, ProblemSchema } from '../../lib/wire/api.ts';

type Json = { [key: string]: unknown };

/** The fields of a route that are described. */
interface Hooks {
  detail?: Json & { hide?: boolean; responses?: Json };
  params?: Json;
  query?: Json;
  body?: Json;
  response?: Json;
}

const DESCRIPTION = [
  'Watching and recording television in one household.',
  'Clients in a trusted network need no credentials; others get 401 `{"error":"unauthorized"}`.',
  'POST, PUT, PATCH and DELETE need `Content-Type: application/json`, otherwise 403 with a plain reason.',
  'Errors are `{message, code, path?}`: a Japanese sentence for users, a stable code for programs, the invalid field. ' +
    'Every route may answer so with 405 (the method is not known there), 413 (the body is larger than 1 MiB) and 500.',
  'GET routes answer HEAD too. Unknown fields, query parameters and event names are to be ignored.',
].join('\n\n');

/** Flattens nested unions without a description of their own. */
function kindsOf(one: Json): Json[] {
  const inner = Object.keys(one).join() === 'anyOf' ? (one.anyOf as Json[]) : [one];
  return inner.length === 1 ? inner : inner.flatMap(kindsOf);
}

/** `const` and `null` alternatives become an `enum`: shorter, and understood by client generators. */
function readable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(readable);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, ...rest } = value as Json;
  const all = Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, readable(one)]));
  if (!Array.isArray(anyOf)) return all;
  const kinds = anyOf.flatMap(kindsOf);
  const isOne = (one: Json) => Object.hasOwn(one, 'const') || one.type === 'null';
  if (!kinds.every(isOne)) return { ...all, anyOf: kinds.map(readable) };
  return { ...all, enum: kinds.map((one) => (Object.hasOwn(one, 'const') ? one.const : null)) };
}

/** A schema as plain JSON Schema, without its library's symbols. */
function plainSchema(schema: object): Json {
  return readable(JSON.parse(JSON.stringify(schema))) as Json;
}

function parametersOf(place: 'path' | 'query', schema: Json | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = plainSchema(schema) as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Json;
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  });
}

function content(schema: Json): Json {
  return { [schema.type === 'string' ? 'text/plain' : 'application/json']: { schema } };
}

function responsesOf(response: Json | undefined): Json {
  return Object.fromEntries(
    Object.entries(response ?? {}).map(([status, schema]) => {
      const plain = plainSchema(schema as object);
      const { description = Number(status) < 300 ? 'done' : 'refused' } = plain;
      return [status, { description, content: content(plain) }];
    }),
  );
}

const BUSY = '`busy`: the database could not store the change in time';
const RETRY_AFTER = { 'Retry-After': { schema: { type: 'integer' }, description: 'of `busy`: s' } };

/** Every change is stored before it is answered (`api.ts`), so every writing operation may be refused as busy. */
function withBusy(method: string, responses: Json): Json {
  if (method === 'GET' || method === 'HEAD') return responses;
  const { description = '', ...other } = (responses[503] ?? {}) as Json & { description?: string };
  const reasons = [description, ...(description.includes('`busy`') ? [] : [BUSY])].filter(
    (one) => one !== '',
  );
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Problem' } } };
  return { ...responses, 503: { description: reasons.join('; '), headers: RETRY_AFTER, content, ...other } };
}

function operationOf(method: string, path: string, { detail, params, query, body, response }: Hooks): Json {
  const { responses, ...described } = detail ?? {};
  const parameters = [...parametersOf('path', params), ...parametersOf('query', query)];
  const id = path.replace(/[^a-zA-Z]+(.)?/g, (_, letter: string | undefined) => letter?.toUpperCase() ?? '');
  return {
    ...(body === undefined ? {} : { requestBody: { required: true, content: content(plainSchema(body)) } }),
    ...(readable(described) as Json),
    ...(parameters.length === 0 ? {} : { parameters }),
    operationId: `${method.toLowerCase()}${id}`,
    responses: withBusy(method, {
      ...responsesOf(response),
      ...(readable(responses) as Json | undefined),
    }),
  };
}

/** @param app with its routes */
export function describeApi(app: Pick<Elysia, 'routes'>, version: string): Json {
  const paths: Record<string, Json> = {};
  for (const { method, path, hooks } of app.routes) {
    if ((hooks as Hooks).detail?.hide === true) continue;
    const template = path.replace(/:([^/]+)/g, '{$1}');
    paths[template] = {
      ...paths[template],
      [method.toLowerCase()]: operationOf(method, path, hooks as Hooks),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version, description: DESCRIPTION },
    servers: [{ url: '..', description: 'the address under which the service was opened' }],
    security: [{}, { token: [] }],
    paths,
    components: {
      schemas: { Problem: plainSchema(ProblemSchema), AccessError: plainSchema(AccessErrorSchema) },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: '`svc_…` access token' } },
    },
  };
}
