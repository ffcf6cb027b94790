/**
 * Names of response headers from `wire/api.ts`: typed by them, repeated so that the validators beside them stay out of
 * the bundle.
 */
import type { MIME_HEADER as Mime, NOTICE_HEADER as Notice, TOTAL_HEADER as Total } from '../../wire/api.ts';
import type { OFFSET_HEADER as Offset, RECORDED_HEADER as Recorded } from '../../wire/playback.ts';

export const NOTICE_HEADER: typeof Notice = 'x-svc-notice';
export const MIME_HEADER: typeof Mime = 'x-svc-mime';
export const TOTAL_HEADER: typeof Total = 'x-svc-total';
export const OFFSET_HEADER: typeof Offset = 'x-svc-offset';
export const RECORDED_HEADER: typeof Recorded = 'x-svc-recorded';
