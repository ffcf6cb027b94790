/** Headers that many answers share: security headers on all of them, those of endless streams. */
import { createHash } from 'node:crypto';
import { CORP_HEADER } from '../../lib/host/host-check.ts';
import { PAGE_STYLE } from './route/page.ts';
import { LENGTH_HEADER, NO_LENGTH } from './route/stream-response.ts';

/**
 * Of the container of AIT-controlled applications (`/api/bml/hybrid`): no origin, no navigation, no forms; scripts, styles,
 * pictures and sounds only as they were made inside; no connection. What no policy covers (WebRTC) is taken away by the
 * container's script, also from documents within the container.
 */
export const CONTAINER_CSP = [
  'sandbox allow-scripts',
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  "style-src 'unsafe-inline' blob:",
  'img-src blob: data:',
  'media-src blob:',
  "connect-src 'none'",
].join('; ');

/**
 * For the UI: scripts only from the service; WASM decoders and workers; MSE needs blob: media. No inline script;
 * inline styles only on the server's own pages: the UI sets styles by script, not by attribute.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  `style-src 'self' 'sha256-${createHash('sha256').update(PAGE_STYLE).digest('base64')}'`,
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');

/** The runtime sets a length for every HEAD except that of a stream; this one is cancelled without being read. */
function withoutLength({ status, headers }: Response): Response {
  headers.delete(LENGTH_HEADER);
  headers.delete('content-length');
  return new Response(new ReadableStream({ pull: () => {} }, { highWaterMark: 0 }), { status, headers });
}

export function addSecurityHeaders(given: Response): Response {
  const response = given.headers.get(LENGTH_HEADER) === NO_LENGTH ? withoutLength(given) : given;
  const { headers } = response;
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'same-origin');
  headers.set(CORP_HEADER.name, CORP_HEADER.value);
  const length = headers.get(LENGTH_HEADER);
  if (length !== null) {
    headers.delete(LENGTH_HEADER);
    headers.set('content-length', length);
  }
  if (headers.get('content-type')?.startsWith('text/html') === true) {
    // The container has a stricter one of its own.
    if (headers.get('content-security-policy') !== CONTAINER_CSP)
      headers.set('content-security-policy', CONTENT_SECURITY_POLICY);
    headers.set('x-frame-options', 'SAMEORIGIN');
  }
  return response;
}
