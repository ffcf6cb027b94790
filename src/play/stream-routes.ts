/** `/stream` and `/chase`: recordings from any position on, finished or running. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import {
  LIVE_CODECS,
  type LiveCodec,
  MIME_HEADER,
  NOTICE_HEADER,
  OFFSET_HEADER,
  ORIGIN_HEADER,
  RECORDED_HEADER,
  START_HEADER,
  STREAM_CODECS,
} from '../../lib/wire/api.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS } from '../http/route/path-ids.ts';
import { ENDLESS, LENGTH_HEADER, NO_LENGTH } from '../http/route/stream-response.ts';
import { Failure } from '../model/failure.ts';
import type { EncodedStreamRequest, EncodedStreams } from './encoded-streams.ts';
import { finishedRecording, type PlaybackRouteNeeds } from './playback-routes.ts';
import type { RecordingStreamRequest, RecordingStreams } from './recording-streams.ts';

interface StreamRouteNeeds extends PlaybackRouteNeeds {
  encodedStreams: Pick<EncodedStreams, 'start'>;
  streams: Pick<RecordingStreams, 'check' | 'start'>;
  /** A recording is being watched. */
  seen(id: RecordingId): void;
}

/** A century: longer than any recording. */
const MAX_SECONDS = 3_155_760_000;

/** @throws Failure bad_request for an invalid position */
function readPosition(text: string | undefined): number {
  if (text === undefined) return 0;
  const seconds = /^\d{1,15}(\.\d{1,15})?(e\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(seconds)) {
    throw new Failure('bad_request', '再生位置は 0 以上の秒数で指定してください。', { path: 'from' });
  }
  return Math.min(seconds, MAX_SECONDS);
}

const FROM = t.Optional(
  t.String({ description: 's on the playback scale, 0 by default; beyond the end: its end' }),
);
const AUDIO = t.Optional(
  t.String({ maxLength: 64, description: 'id of an Audio option; an unknown one selects the main audio' }),
);

const header = (description: string) => ({ schema: { type: 'string' as const }, description });
const binary = { schema: { type: 'string' as const, format: 'binary' } };
const STREAM_HEADERS = {
  [MIME_HEADER]: header('RFC 6381 type with codecs'),
  [NOTICE_HEADER]: header('comma-separated: why another encoder or codec than asked for is used'),
  [START_HEADER]: header('s on the playback scale of the first picture'),
  [OFFSET_HEADER]: header('s to add to the times of fragments for the playback scale'),
  [ORIGIN_HEADER]: header(
    'of original packets: PTS (90 kHz) that corresponds to second 0 of the playback scale',
  ),
};
const CONTENT = { 'video/mp4': binary, 'video/mp2t': binary, 'audio/mp4': binary };
const BUSY = problemResponse(
  '`busy`: all conversion slots are in use, the encoder started too slowly twice, or the folder does not answer ' +
    '(`Retry-After`); `ffmpeg_unavailable`',
);

function contentType(codec: LiveCodec): string {
  return codec === 'raw' ? 'video/mp2t' : 'video/mp4';
}

async function answer(
  { streams, seen }: StreamRouteNeeds,
  asked: RecordingStreamRequest,
  request: Request,
): Promise<Response> {
  if (request.method === 'HEAD') {
    await streams.check(asked, request.signal);
    const headers = { 'content-type': contentType(asked.codec), ...ENDLESS, [LENGTH_HEADER]: NO_LENGTH };
    return new Response(null, { headers });
  }
  seen(asked.recording.id);
  try {
    const stream = await streams.start(asked, request.signal);
    const headers = new Headers({
      'content-type': stream.mime.replace(/;.*$/, ''),
      ...ENDLESS,
      [MIME_HEADER]: stream.mime,
      [START_HEADER]: stream.start.toFixed(6),
    });
    if (stream.notices.length > 0) headers.set(NOTICE_HEADER, stream.notices.join(','));
    if (asked.codec === 'raw') headers.set(ORIGIN_HEADER, String(stream.origin));
    else headers.set(OFFSET_HEADER, stream.offset.toFixed(6));
    if (asked.isChase) headers.set(RECORDED_HEADER, stream.recorded.toFixed(3));
    return new Response(stream.body, { headers });
  } catch (error) {
    // The client has disconnected and reads no response.
    if (request.signal.aborted) return new Response(null, { status: 499 });
    throw error;
  }
}

async function answerEncoded(
  { encodedStreams, seen }: StreamRouteNeeds,
  asked: EncodedStreamRequest,
  request: Request,
): Promise<Response> {
  if (request.method === 'HEAD') {
    const headers = { 'content-type': contentType(asked.codec), ...ENDLESS, [LENGTH_HEADER]: NO_LENGTH };
    return new Response(null, { headers });
  }
  seen(asked.recording.id);
  try {
    const { mime, start, notices, body } = await encodedStreams.start(asked, request.signal);
    const headers = new Headers({
      'content-type': mime.replace(/;.*$/, ''),
      ...ENDLESS,
      [MIME_HEADER]: mime,
      [START_HEADER]: start.toFixed(6),
      [OFFSET_HEADER]: (0).toFixed(6),
    });
    if (notices.length > 0) headers.set(NOTICE_HEADER, notices.join(','));
    return new Response(body, { headers });
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 });
    throw error;
  }
}

export function addStreamRoutes(app: Elysia, parts: StreamRouteNeeds): void {
  const tags = ['recordings'];

  app.get(
    '/api/recordings/:id/stream',
    ({ params, query, request }) => {
      const codec = STREAM_CODECS.find((one) => one === query.codec);
      if (codec === undefined) {
        throw new Failure('bad_request', 'codec は h264、av1、mpeg2 のどれかを指定してください。', {
          path: 'codec',
        });
      }
      const from = readPosition(query.from);
      const recording = finishedRecording(parts, params.id);
      const asked = { recording, from, audio: query.audio, isChase: false };
      const files = parts.encodedFiles.of(recording.id);
      const hasOriginal = recording.files.some(({ source }) => source === 'ts');
      const isCut = files.some(({ cuts }) => cuts !== null);
      if (codec === 'mpeg2' && (isCut || !hasOriginal)) {
        throw new Failure('not_found', 'この録画は元の放送のままでは再生できません。');
      }
      // Without cuts the original has the same times, and better quality to convert from.
      const isMade = recording.files.some((file) => file.codec === codec);
      if (codec !== 'mpeg2' && files.length > 0 && (isMade || isCut || !hasOriginal)) {
        return answerEncoded(parts, { ...asked, files, codec }, request);
      }
      return answer(parts, { ...asked, codec: codec === 'mpeg2' ? 'raw' : codec }, request);
    },
    {
      params: ID_PARAMS,
      query: t.Object({
        codec: t.Optional(t.String({ description: `required: ${STREAM_CODECS.join(', ')}` })),
        from: FROM,
        audio: AUDIO,
      }),
      detail: {
        summary: 'Watch a finished recording from any position on',
        description:
          'Fragments have their times on the playback scale. A conversion begins at a key frame at least 1 s before ' +
          '`from`. The codec of an encoded file is only remuxed, from the key frame before `from`, and needs no slot. The ' +
          'stream ends cleanly at the end of the recording, and at a change of its codec (request it again); a failure ' +
          'aborts it. `mpeg2` is the original transport stream; after a gap its times are shifted, so that the origin ' +
          'stays valid. A stream whose client reads nothing for 5 minutes is stopped.',
        tags,
        responses: {
          ...REFUSALS,
          200: { description: 'the recording to its end', headers: STREAM_HEADERS, content: CONTENT },
          400: problemResponse('malformed id, `codec` missing or unknown, `from` no number of seconds'),
          404: problemResponse(
            'no such recording, it is being recorded, it cannot be played, or the codec is not among its offers',
          ),
          500: problemResponse('the conversion could not be started'),
          503: BUSY,
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/chase',
    ({ params, query, request }) => {
      const from = readPosition(query.from);
      const recording = findRecording(parts.recordingList, params.id);
      const { codec = 'h264', audio } = query;
      return answer(parts, { recording, from, codec, audio, isChase: true }, request);
    },
    {
      params: ID_PARAMS,
      query: t.Object({
        codec: t.Optional(t.Union(LIVE_CODECS.map((codec) => t.Literal(codec)))),
        from: FROM,
        audio: AUDIO,
      }),
      detail: {
        summary: 'Watch a running recording',
        description:
          'Without `codec` it is `h264`. The first pictures of a recording that has just begun are awaited for 4 s. Begins ' +
          'at least 5 s before the writing position. The first 20 s come at once, as a buffer; then it is read at up to ' +
          'twice real time, also after a pause of the client (at most 20 s at once). It waits for new data, and ends after ' +
          'the end of the recording. A conversion also ends where the layout ' +
          '(PMT) changes: play what was received, then ask again from there; up to 15 s after the change it begins at ' +
          'the change. Times of fragments begin near ' +
          `0: \`${OFFSET_HEADER}\` gives their place on the playback scale.`,
        tags,
        responses: {
          ...REFUSALS,
          200: {
            description: 'the recording, as it grows',
            headers: { ...STREAM_HEADERS, [RECORDED_HEADER]: header('s recorded when the answer began') },
            content: CONTENT,
          },
          400: problemResponse('malformed id, unknown codec, `from` no number of seconds'),
          404: problemResponse(
            'no such recording, nothing of it can be played yet, or this machine does not encode AV1 in real time ' +
              '(`path` is `codec`: ask for `h264`)',
          ),
          500: problemResponse('the conversion could not be started'),
          503: BUSY,
        },
      },
    },
  );
}
