/** `/api/services/<id>/live`: a station as an HTTP stream; the description of the live socket's route. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { StationId } from '../../lib/arib/ids.ts';
import { LIVE_CODECS, LIVE_QUALITIES, MIME_HEADER, NOTICE_HEADER } from '../../lib/wire/api.ts';
import { LiveMessageSchema, LiveRequestSchema } from '../../lib/wire/live.ts';
import { LIVE_SOCKET_PATH } from '../../lib/wire/live-frames.ts';
import { describedJson, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readStationId, unknownStation } from '../http/route/path-ids.ts';
import { problem } from '../http/route/problems.ts';
import {
  CAPTION_STREAM_HEADERS,
  captionStreamResponse,
  ENDLESS,
  LANGUAGE,
  LENGTH_HEADER,
  NO_LENGTH,
  readLanguage,
} from '../http/route/stream-response.ts';
import type { StationRecord } from '../model/station.ts';
import type { LiveService } from './live-service.ts';

export interface LiveRouteNeeds {
  stations: { find(id: StationId): StationRecord | undefined };
  live: Pick<LiveService, 'open'>;
}

interface LiveCaptionRouteNeeds {
  stations: LiveRouteNeeds['stations'];
  live: { captions(id: StationId, language: number, signal: AbortSignal): ReadableStream<Uint8Array> };
}

const LIVE_QUERY = t.Object({
  codec: t.Optional(t.Union(LIVE_CODECS.map((codec) => t.Literal(codec)))),
  quality: t.Optional(
    t.Union(
      LIVE_QUALITIES.map((quality) => t.Literal(quality)),
      { description: 'bandwidth of the encoded stream; ignored by `raw` and `audio=only`' },
    ),
  ),
  audio: t.Optional(
    t.String({
      maxLength: 64,
      description:
        '`only` for AAC alone (overrides `codec`), or the id of an Audio option; an unknown id selects the ' +
        'main audio; ignored by `raw`',
    }),
  ),
});

const LIVE_RESPONSES = {
  ...REFUSALS,
  200: {
    description:
      'An endless stream. It ends cleanly when its layout changed or a recording took the tuner (ask again; the event ' +
      '`yielded` names the recording), and breaks off when the reception failed.',
    headers: {
      [MIME_HEADER]: { schema: { type: 'string' as const }, description: 'RFC 6381 type with codecs' },
      [NOTICE_HEADER]: {
        schema: { type: 'string' as const },
        description: 'comma-separated: why another encoder, codec or audio than requested is used',
      },
    },
    content: {
      'video/mp4': { schema: { type: 'string' as const, format: 'binary' } },
      'video/mp2t': { schema: { type: 'string' as const, format: 'binary' } },
      'audio/mp4': { schema: { type: 'string' as const, format: 'binary' } },
    },
  },
  400: problemResponse('malformed id, unknown codec'),
  404: problemResponse('unknown station'),
  500: problemResponse('the stream could not be started'),
  503: problemResponse(
    '`no_tuner`: all tuners are in use; `no_signal`: the station is not received; `agent_unavailable`: the agent does ' +
      'not answer; `agent_misconfigured`: its configuration is wrong; `card_unavailable`: scrambled, and ' +
      'the agent has no keys; `not_subscribed`: scrambled, without a contract; `ffmpeg_unavailable`',
  ),
};

/** The content type that a live stream will have, known before it is opened. */
function liveContentType(codec: string, audio: string | undefined): string {
  if (audio === 'only') return 'audio/mp4';
  return codec === 'raw' ? 'video/mp2t' : 'video/mp4';
}

export function addLiveRoutes(app: Elysia, parts: LiveRouteNeeds): void {
  app.get(
    '/api/services/:id/live',
    async ({ params, query, request }) => {
      const id = readStationId(params.id);
      if (parts.stations.find(id) === undefined) throw unknownStation();
      const codec = query.codec ?? 'h264';
      if (request.method === 'HEAD') {
        return new Response(null, {
          headers: {
            'content-type': liveContentType(codec, query.audio),
            ...ENDLESS,
            [LENGTH_HEADER]: NO_LENGTH,
          },
        });
      }
      try {
        const feed = await parts.live.open(
          { stationId: id, codec, audio: query.audio, quality: query.quality },
          request.signal,
          true,
        );
        const headers = new Headers({
          'content-type': feed.contentType,
          ...ENDLESS,
          [MIME_HEADER]: feed.mime,
        });
        if (feed.notices.length > 0) headers.set(NOTICE_HEADER, feed.notices.join(','));
        return new Response(feed.body, { headers });
      } catch (error) {
        // The client has disconnected and reads no response.
        if (request.signal.aborted) return new Response(null, { status: 499 });
        throw error;
      }
    },
    {
      params: t.Object({ id: t.String({ description: 'station id' }) }),
      query: LIVE_QUERY,
      detail: {
        summary: 'Watch a station',
        description: 'Without `codec` the stream is `h264`, without `quality` it is `high`.',
        tags: ['stations'],
        responses: LIVE_RESPONSES,
      },
    },
  );
}

/** The captions for `codec=raw`. */
export function addLiveCaptionRoutes(app: Elysia, { stations, live }: LiveCaptionRouteNeeds): void {
  app.get(
    '/api/services/:id/captions',
    async ({ params, query, request }) => {
      const id = readStationId(params.id);
      if (stations.find(id) === undefined) throw unknownStation();
      const body = live.captions(id, readLanguage(query.language), request.signal);
      if (request.method !== 'HEAD') return new Response(body, { headers: CAPTION_STREAM_HEADERS });
      await body.cancel();
      return new Response(null, { headers: { ...CAPTION_STREAM_HEADERS, [LENGTH_HEADER]: NO_LENGTH } });
    },
    {
      params: t.Object({ id: t.String({ description: 'station id' }) }),
      query: t.Object({ language: LANGUAGE }),
      detail: {
        summary: 'Captions of a station that is being watched',
        description:
          'Beside the original stream (`live?codec=raw`), and ends with it. Times are those of its PTS. The current ' +
          'page comes first.',
        tags: ['stations'],
        responses: {
          ...REFUSALS,
          200: captionStreamResponse(),
          400: problemResponse('malformed id, a language that is none'),
          404: problemResponse('unknown station, or its original stream is not being watched'),
        },
      },
    },
  );
}

const DESCRIPTION =
  'A WebSocket for one viewer, opened with a ticket (`POST /api/live/ticket`; a bad or used one: 403). ' +
  'A native client sends no `Origin`. Binary ' +
  'messages in both directions: channel (1 octet), time of 90 kHz (8 octets, big-endian), payload. Channels: 0x00 ' +
  'initialisation segment, 0x01 media segment, 0x02 original packets, 0x22 caption page, 0x23 page of superimposed text, ' +
  '0x30 data broadcast, 0x40 control as JSON: the client sends `request`, the service `message` of ' +
  'the 101 answer. Times are those of the media segments; with `raw` those of the broadcast. The connection is closed ' +
  'with 1000 after `lost`, `restart` and `stop`. Unknown channels, types and fields are to be ignored.';

/**
 * `/api/live/socket` for requests other than a handshake, and its description: the server answers handshakes itself.
 */
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
          101: describedJson(
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
