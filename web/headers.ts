/**
 * Names of response headers of a live stream, as `NOTICE_HEADER` and `MIME_HEADER` of `wire/api.ts`: typed by
 * them, repeated so that the validators beside them stay out of the bundle.
 */
import type { MIME_HEADER as Mime, NOTICE_HEADER as Notice } from '../wire/api.ts';

export const NOTICE_HEADER: typeof Notice = 'x-svc-notice';
export const MIME_HEADER: typeof Mime = 'x-svc-mime';
