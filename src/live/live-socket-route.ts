/**
 * `/api/live/socket` for requests other than a handshake, and its description: the server answers handshakes itself.
 */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { LiveMessageSchema, LiveRequestSchema } from '../../wire/live.ts';
import { LIVE_SOCKET_PATH } from '../../wire/live-frames.ts';
import { jsonAnswer, problemResponse } from '../route/described-responses.ts';
import { problem } from '../route/problems.ts';

const DESCRIPTION =
  'A WebSocket for one viewer, opened with a ticket (`POST /api/live/ticket`; a bad or used one: 403). ' +
  'A native client sends no `Origin`. Binary ' +
  'messages in both directions: channel (1 octet), time of 90 kHz (8 octets, big-endian), payload. Channels: 0x00 ' +
  'initialisation segment, 0x01 media segment, 0x02 original packets, 0x22 caption page, 0x23 page of superimposed text, ' +
  '0x30 data broadcast, 0x40 control as JSON: the client sends `request`, the service `message` of ' +
  'the 101 answer. Times are those of the media segments; with `raw` those of the broadcast. The connection is closed ' +
  'with 1000 after `lost`, `restart` and `stop`. Unknown channels, types and fields are to be ignored.';

export function addLiveSocketRoute(app: Elysia): void {
  app.get(
    LIVE_SOCKET_PATH,
    () =>
      problem('bad_request', 'WebSocket で接続してください。', {
        status: 426,
        headers: { upgrade: 'websocket', connection: 'upgrade' },
      }),
    {
      query: t.Object({ ticket: t.Optional(t.String({ description: 'works once, within 30 s' })) }),
      detail: {
        summary: 'Watch over one connection: video, audio, captions, control',
        description: DESCRIPTION,
        tags: ['stations'],
        responses: {
          101: jsonAnswer(
            'the WebSocket is open; payloads of channel 0x40 by direction',
            t.Object({ request: LiveRequestSchema, message: LiveMessageSchema }),
          ),
          403: problemResponse('the ticket is unknown, used or older than 30 s; a foreign `Origin`'),
          426: problemResponse('the request is no handshake of a WebSocket'),
        },
      },
    },
  );
}
