/**
 * The inner application: routes, validation and the OpenAPI description. It runs behind the access decision of
 * `server.ts` and never by itself.
 */
import type { ValueError } from '@sinclair/typebox/errors';
import { Elysia, ValidationError } from 'elysia';
import type { Log } from '../../lib/host/log.ts';
import { LOGIN_CALLBACK } from '../access/login-routes.ts';
import { describeMismatch } from '../model/schema-mismatch.ts';
import { databaseFailure } from '../store/database-error.ts';
import { BodyTooLarge, bodyTooLarge } from './guards.ts';
import { describeApi } from './openapi.ts';
import { escapeHtml, htmlPage, PAGE_FONTS } from './route/page.ts';
import { etagOf, polledJson } from './route/polled-answer.ts';
import { failureResponse, internalProblem, problem } from './route/problems.ts';
import type { AddRoutes } from './route/server-interfaces.ts';

interface Operation {
  readonly summary?: string;
  readonly tags?: readonly string[];
}

/** The part of the OpenAPI description that the page shows. */
interface DescribedRoutes {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

function routesByTag({ paths }: DescribedRoutes): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { summary = '', tags = [] }] of Object.entries(operations)) {
      const tag = tags[0] ?? '';
      const route = escapeHtml(`${method.toUpperCase()} ${path}`);
      const entry = `<li><code>${route}</code><br><small>${escapeHtml(summary)}</small></li>`;
      groups.set(tag, [...(groups.get(tag) ?? []), entry]);
    }
  }
  return groups;
}

/**
 * `/api/docs`: a list of the HTTP interface's routes for people with a browser. Programs read the OpenAPI
 * description.
 * Its links are relative, so that they work behind a front proxy with a path prefix.
 */
function apiPage(description: DescribedRoutes): Response {
  const lists = [...routesByTag(description)].map(
    ([tag, entries]) => `<h2>${escapeHtml(tag)}</h2>\n<ul>\n${entries.join('\n')}\n</ul>`,
  );
  const body = [
    '<p>このサービスを外部のプログラムから使うための窓口です。引数と応答の形は ' +
      '<a href="openapi.json">openapi.json</a>（OpenAPI 3.1）にあります。</p>',
    ...lists,
    '<p><a href="../">テレビの画面に戻る</a></p>',
  ].join('\n');
  return htmlPage({ status: 200, title: 'HTTP API', body, fonts: `../${PAGE_FONTS}` });
}

const OPENAPI_PATH = '/api/openapi.json';
const PAGE_PATH = '/api/docs';

interface Route {
  method: string;
  path: string;
}

/** Methods of a path, HEAD with GET; empty if the path is unknown. */
function methodsOf(routes: readonly Route[], path: string): string[] {
  const segments = path.split('/');
  const methods = new Set<string>();
  for (const route of routes) {
    const wanted = route.path.split('/');
    const matches =
      wanted.length === segments.length &&
      wanted.every(
        (part, index) => part === segments[index] || (part.startsWith(':') && segments[index] !== ''),
      );
    if (!matches) continue;
    methods.add(route.method);
    if (route.method === 'GET') methods.add('HEAD');
  }
  return [...methods].sort();
}

function unknownRoute(routes: readonly Route[], request: Request): Response {
  const allowed = methodsOf(routes, new URL(request.url).pathname);
  if (allowed.length === 0) return problem('not_found', 'この API はありません。');
  return problem('bad_request', `この API では ${request.method} は使えません。`, {
    status: 405,
    headers: { allow: allowed.join(', ') },
  });
}

/** A validation error of a query, an address or a body. */
function invalidField({ valueError, type }: ValidationError): Response {
  const mismatch = valueError === undefined ? undefined : describeMismatch(valueError as ValueError);
  const path = mismatch === undefined || mismatch.path === '' ? type : mismatch.path;
  return problem('bad_request', mismatch?.message ?? '要求の形が正しくありません。', { path });
}

/** The response for an error that a route did not handle. Bugs are logged, never described to the client. */
function errorResponse(
  app: Elysia,
  options: ApiOptions,
  code: unknown,
  error: unknown,
  request: Request,
): Response {
  const failure = failureResponse(error);
  if (failure !== undefined) return failure;
  const tooLarge = tooLargeBody(error);
  if (tooLarge !== undefined) return bodyTooLarge(tooLarge.limit);
  switch (code) {
    case 'NOT_FOUND':
      return unknownRoute(app.routes, request);
    case 'PARSE':
      return problem('bad_request', '送信データを JSON として読めません。');
    case 'VALIDATION':
      // A response that does not match its own schema is a bug of the service.
      if (error instanceof ValidationError && error.type !== 'response') return invalidField(error);
  }
  const refused = databaseFailure(error);
  if (refused !== undefined) options.databaseFailed(error);
  options.log.error('request failed', {
    method: request.method,
    path: new URL(request.url).pathname,
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  });
  return (refused === undefined ? undefined : failureResponse(refused)) ?? internalProblem();
}

/** Errors of reading the body are wrapped. */
function tooLargeBody(error: unknown): BodyTooLarge | undefined {
  if (error instanceof BodyTooLarge) return error;
  return error instanceof Error && error.cause instanceof BodyTooLarge ? error.cause : undefined;
}

interface ApiOptions {
  version: string;
  log: Log;
  databaseFailed(error: unknown): void;
  /** Routes of each feature; the description lists them in this order. */
  routes: readonly AddRoutes[];
}

/** Paths outside `/api` that features handle; none of them has parameters. */
export function pathsOutsideApi(app: Pick<Elysia, 'routes'>): ReadonlySet<string> {
  return new Set(app.routes.map(({ path }) => path).filter((path) => !path.startsWith('/api/')));
}

export function createApi(options: ApiOptions): Elysia {
  const app = new Elysia();
  app.onError({ as: 'global' }, ({ code, error, request }) =>
    errorResponse(app, options, code, error, request),
  );
  for (const add of options.routes) add(app);
  // Copied before the framework prepares its schemas for validation, which modifies them; the description is built on
  // first request.
  const routes = JSON.stringify(app.routes.map(({ method, path, hooks }) => ({ method, path, hooks })));
  let description: { body: string; etag: string } | undefined;
  const describe = () => {
    if (description !== undefined) return description;
    const body = JSON.stringify(describeApi({ routes: JSON.parse(routes) }, options.version));
    description = { body, etag: etagOf(body) };
    return description;
  };
  app.get(OPENAPI_PATH, ({ request }) => polledJson(request, describe()), {
    detail: { hide: true },
  });
  app.get(PAGE_PATH, () => apiPage(JSON.parse(describe().body) as DescribedRoutes), {
    detail: { hide: true },
  });
  return app;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

interface Storing {
  /** Answers when the database can be written, or after some seconds all the same. */
  admitted: (answer: () => Response | Promise<Response>) => Promise<Response>;
  /** Resolves when everything that was committed before is on disk; throws Failure. */
  stored: () => Promise<void>;
}

/**
 * Requests of users that change something: they wait for the database without blocking others, and are answered when
 * the change is on disk, so that a power cut loses nothing that was confirmed.
 */
export function answeredOnceStored(
  handle: (request: Request) => Response | Promise<Response>,
  { admitted, stored }: Storing,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (isReading(request)) return handle(request);
    const response = await admitted(() => handle(request));
    // A redirect confirms as well.
    if (response.status >= 400) return response;
    try {
      await stored();
      return response;
    } catch (error) {
      await response.body?.cancel();
      const failure = failureResponse(error);
      if (failure === undefined) throw error;
      return failure;
    }
  };
}

/** The provider sends the browser back by GET, and that logs it in. */
function isReading({ method, url }: Request): boolean {
  return READING.has(method) && !(method === 'GET' && new URL(url).pathname === LOGIN_CALLBACK);
}
