/** What a request must satisfy before any route sees it: the cross-site form guard and the size of its body. */
import { problem } from '../route/problems.ts';

/** Rules, settings and tuner definitions are a few KB; nothing that the service takes is larger. */
const MAX_BODY_BYTES = 1_048_576;
/** Of a longer body so much is read to be able to answer; beyond it the connection is closed. */
const MAX_DRAINED_BYTES = 32 * MAX_BODY_BYTES;

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
 * @param path normalised. @returns the refusal, undefined to go on
 */
export function refuseRequest(request: Request, path: string): Response | undefined {
  if (WRITING_METHODS.has(request.method) && !isTakenType(path, request.headers.get('content-type'))) {
    return new Response(NOT_JSON, {
      status: 403,
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    });
  }
  const length = request.headers.get('content-length');
  if (length !== null && Number(length) > MAX_BODY_BYTES) return bodyTooLarge();
  return undefined;
}

/** A body's length was not declared and is beyond the bound. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * The body, in error at its end when it was larger than it may be: its length need not have been declared. The rest is
 * read and dropped first, because a client that is still sending when the connection closes sees a cut connection
 * instead of the 413.
 */
export function boundedBody(body: ReadableStream<Uint8Array> | null): ReadableStream<Uint8Array> | null {
  if (body === null) return null;
  let bytes = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes > MAX_DRAINED_BYTES) controller.error(new BodyTooLarge());
      else if (bytes <= MAX_BODY_BYTES) controller.enqueue(chunk);
    },
    flush: (controller) => {
      if (bytes > MAX_BODY_BYTES) controller.error(new BodyTooLarge());
    },
  });
  return body.pipeThrough(bound);
}

export function bodyTooLarge(): Response {
  return problem('bad_request', `送信データが大きすぎます(上限 ${MAX_BODY_BYTES} バイト)。`, { status: 413 });
}
