/** Checks before any route: the cross-site form guard and the size of the body. */
import type { LetIn } from '../model/requester.ts';
import { problem } from '../route/problems.ts';

/** Rules, settings and tuner definitions are a few KB; nothing that the service takes is larger. */
const MAX_BODY_BYTES = 1_048_576;
/** Of whom nothing is known: a device's name or its code. Thousands of connections may hold as much each. */
const MAX_OPEN_BODY_BYTES = 16_384;
/** Of a longer body so much is read to be able to answer; beyond it the connection is closed. */
const MAX_DRAINED_BYTES = 32 * MAX_BODY_BYTES;
/** A megabyte over a line of 0.3 Mbit/s. */
const BODY_TIME_MS = 30_000;

/** How large the body of a request may be, in octets. */
export function bodyLimit({ by }: LetIn): number {
  return by === 'open' ? MAX_OPEN_BODY_BYTES : MAX_BODY_BYTES;
}

const WRITING_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

const NOT_JSON =
  'Content-Type: application/json のない書き込み要求は受け付けません。\n' +
  'POST, PUT, PATCH and DELETE need Content-Type: application/json.\n';

/** Pages whose own form is sent to them: they check its origin and a token of their own. */
const FORM_PATHS: ReadonlySet<string> = new Set(['/device']);
const FORM_TYPE = 'application/x-www-form-urlencoded';

function isTakenType(path: string, contentType: string | null): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' || (type === FORM_TYPE && FORM_PATHS.has(path));
}

/**
 * A form on another site can send a cookie and a POST, but not this content type without the browser asking
 * first, and that question is never answered.
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

/** A body's length was not declared and is beyond the bound. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
  constructor(readonly limit: number) {
    super();
  }
}

/** A body as it is handed on. */
export type RequestBody = ArrayBuffer | ReadableStream<Uint8Array> | null;

/**
 * The body as routes read it. Of declared length it is collected by the runtime, within the length that was checked:
 * what arrives an octet at a time on thousands of connections costs this process nothing until it is there.
 * @returns 'gone': the client left, or takes longer than it may
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
 * In error at its end when it was larger than it may be: its length was not declared. The rest is read and dropped
 * first, because a client that is still sending when the connection closes sees a cut connection instead of the 413.
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
