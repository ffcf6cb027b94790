/** Common parts of the caption frame stream responses of stations and recordings. */
import { Type as t } from '@sinclair/typebox';
import { ENDLESS } from './stream-headers.ts';

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
