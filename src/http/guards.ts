/** Checks before any route: the cross-site form guard and the size of the body. */
import type { LetIn } from '../model/requester.ts';
import { problem } from './route/problems.ts';
import { PEER_POST_PATH } from './route/server-interfaces.ts';

/** Rules, settings and tuner definitions are a few KB; the service accepts nothing larger. */
const MAX_BODY_BYTES = 1_048_576;
/** Limit for unauthenticated clients: a device's name or its code. Thousands of connections may each hold this much. */
const MAX_OPEN_BODY_BYTES = 16_384;
/** Of a longer body this much is read so that a response can be sent; beyond it the connection is closed. */
const MAX_DRAINED_BYTES = 32 * MAX_BODY_BYTES;
/** A megabyte over a line of 0.3 Mbit/s. */
const BODY_TIME_MS = 30_000;

/** Maximum size of a request's body, in octets. */
export function bodyLimit({ by }: LetIn): number {
  return by === 'open' ? MAX_OPEN_BODY_BYTES : MAX_BODY_BYTES;
}

const WRITING_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const NOT_JSON =
  'Content-Type: application/json のない書き込み要求は受け付けません。\n' +
  'POST, PUT, PATCH and DELETE need Content-Type: application/json.\n';

/** `/device` checks the origin and its own token; `server.ts` demands an own Origin for the other. */
const FORM_PATHS: ReadonlySet<string> = new Set(['/device', PEER_POST_PATH]);
const FORM_TYPE = 'application/x-www-form-urlencoded';

function isTakenType(path: string, contentType: string | null): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json' || (type === FORM_TYPE && FORM_PATHS.has(path))) return true;
  return path === PEER_POST_PATH && type?.startsWith('text/') === true;
}

/**
 * A form on another site can send a cookie and a POST, but not this content type without a preflight request of the
 * browser, which is never answered.
 * @param path normalised @param limit of the body, octets @returns the refusal, undefined to proceed
 */
export function refuseRequest(request: Request, path: string, limit: number): Response | undefined {
  if (WRITING_METHODS.has(request.method) && !isTakenType(path, request.headers.get('content-type'))) {
    return new Response(NOT_JSON, {
      status: 403,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    });
  }
  const length = declaredLength(request);
  if (length !== undefined && length > limit) return bodyTooLarge(limit);
  return undefined;
}

/** Undefined: not declared, or sent in chunks. */
function declaredLength({ headers }: Request): number | undefined {
  const length = headers.get('content-length');
  return length === null || headers.has('transfer-encoding') ? undefined : Number(length);
}

/** The length of a body was not declared and exceeds the limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  constructor(readonly limit: number) {
    super();
  }
}

/** A body as passed to routes. */
export type RequestBody = ArrayBuffer | ReadableStream<Uint8Array> | null;

/**
 * The body for routes. If its length is declared, the runtime collects it, up to the checked length: a body that
 * arrives slowly on thousands of connections costs this process nothing until it is complete.
 * @returns 'gone': the client disconnected, or exceeded the time limit
 */
export async function readBody(
  request: Request,
  limit: number,
  timeMs = BODY_TIME_MS,
): Promise<RequestBody | 'gone'> {
  if (request.body === null) return null;
  if (declaredLength(request) === undefined) return boundedBody(request.body, limit);
  const late = Promise.withResolvers<'gone'>();
  const timer = setTimeout(() => late.resolve('gone'), timeMs);
  try {
    return await Promise.race([request.arrayBuffer(), late.promise]);
  } catch {
    return 'gone';
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Errors at its end if it exceeds the limit without a declared length. The rest is read and dropped first, because a
 * client that is still sending when the connection closes sees an aborted connection instead of the 413.
 */
function boundedBody(body: ReadableStream<Uint8Array>, limit: number): ReadableStream<Uint8Array> {
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > MAX_DRAINED_BYTES) controller.error(new BodyTooLarge(limit));
      else if (bytes <= limit) controller.enqueue(chunk);
    },
    flush: (controller) => {
      if (bytes > limit) controller.error(new BodyTooLarge(limit));
    },
  });
  return body.pipeThrough(bound);
}

export function bodyTooLarge(limit: number): Response {
  return problem('bad_request', `送信データが大きすぎます（上限 ${limit} バイト）。`, { status: 413 });
}

export function bodyTooSlow(): Response {
  return problem('bad_request', '送信データが届きませんでした。', {
    status: 408,
    headers: { connection: 'close' },
  });
}
