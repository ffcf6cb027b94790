/** Headers with which a route controls how the server sends a stream, and the frame streams of captions. */
import { Type as t } from '@sinclair/typebox';

/** Headers of an endless stream: a buffering front proxy would delay it, or spool it for a slow client. */
export const ENDLESS = { 'cache-control': 'no-store', 'x-accel-buffering': 'no' } as const;

/**
 * Replaced by `Content-Length` when sent: for HEAD the framework would count the body itself, and read a file of
 * gigabytes to do so.
 */
export const LENGTH_HEADER = 'x-svc-length';
/** Value of `LENGTH_HEADER` for a HEAD of a body without length, such as a live stream: no length is sent. */
export const NO_LENGTH = 'none';

/** Of captions of stations and recordings. */
export const CAPTION_STREAM_HEADERS = { 'content-type': 'application/octet-stream', ...ENDLESS } as const;

/** Query parameter `language`. */
export const LANGUAGE = t.Optional(
  t.String({
    pattern: '^[1-8]$',
    description: '1 to 8, default 1; if the programme does not have the language, the first one is sent',
  }),
);

export function readLanguage(value: string | undefined): number {
  return value === undefined ? 1 : Number(value);
}

export function captionStreamResponse(headers: Record<string, object> = {}) {
  return {
    description:
      'Frames, big-endian: length of the rest (4 octets), kind (1), time of 90 kHz (8), payload. Kind 0x22: a caption ' +
      'page as JSON, which replaces the previous one; 0x23: the same for superimposed text; 0x40: a notice as JSON, ' +
      '`{type: "captions", tracks, track, languages?, language?}` and every 20 s `{type: "ping"}`.',
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { 'application/octet-stream': { schema: { type: 'string' as const, format: 'binary' } } },
  };
}
