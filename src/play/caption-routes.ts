/** Captions of recordings: as a file, and as a frame stream beside the original stream. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { type CaptionsFile, CaptionsFileSchema } from '../../lib/wire/caption.ts';
import type { RecordingId } from '../../lib/wire/ids.ts';
import { ORIGIN_HEADER } from '../../lib/wire/vocabulary.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import { etagOf, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import {
  CAPTION_STREAM_HEADERS,
  captionStreamResponse,
  LANGUAGE,
  LENGTH_HEADER,
  NO_LENGTH,
  readLanguage,
} from '../http/route/stream-response.ts';
import { captionsFrom, encodedCaptions } from '../media/captions.ts';
import { Failure } from '../model/failure.ts';
import type { EncodedFileStore } from '../store/encoded-file-store.ts';
import type { ListedRecording, RecordingListStore } from '../store/recording-list-store.ts';
import type { CaptionFiles } from './caption-files.ts';
import type { CaptionStreams } from './caption-streams.ts';
import { FROM, readFrom } from './play-position.ts';

interface CaptionRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  captionFiles: Pick<CaptionFiles, 'json'>;
  captionStreams: Pick<CaptionStreams, 'open' | 'origin'>;
  encodedFiles: Pick<EncodedFileStore, 'captions'>;
  /** A recording is being watched. */
  seen(id: RecordingId): void;
}

/** @throws Failure not_found without an original stream */
function withOriginal(parts: CaptionRouteNeeds, id: string): ListedRecording {
  const recording = findRecording(parts.recordingList, id);
  if (recording.files.some(({ source }) => source === 'ts')) return recording;
  throw new Failure('not_found', 'この録画の放送ストリームはありません。');
}

/** On the playback scale; null if there are none. @throws Failure busy */
async function captionsOf(
  { captionFiles, encodedFiles }: CaptionRouteNeeds,
  recording: ListedRecording,
  from: number,
): Promise<string | null> {
  const encoded = recording.files.find(({ source }) => source !== 'ts');
  const kept = encoded === undefined ? undefined : encodedFiles.captions(recording.id);
  const hasOriginal = recording.files.some(({ source }) => source === 'ts');
  const text =
    kept !== undefined
      ? new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(kept)))
      : hasOriginal
        ? await captionFiles.json(recording, from)
        : null;
  const cuts = encoded?.cuts ?? null;
  // For a running recording the reader has already left out earlier pages.
  if (text === null || (cuts === null && (from === 0 || recording.state === 'recording'))) return text;
  const file = JSON.parse(text) as CaptionsFile;
  const moved = cuts === null ? file : encodedCaptions(file, cuts);
  return JSON.stringify(from > 0 ? captionsFrom(moved, from) : moved);
}

export function addCaptionRoutes(app: Elysia, parts: CaptionRouteNeeds): void {
  const tags = ['recordings'];

  app.get(
    '/api/recordings/:id/captions.json',
    async ({ params, query, request }) => {
      const from = readFrom(query.from);
      const recording = findRecording(parts.recordingList, params.id);
      const body = await captionsOf(parts, recording, from);
      if (body === null) throw new Failure('not_found', 'この録画に字幕はありません。');
      return polledJson(request, { body, etag: etagOf(body) });
    },
    {
      params: ID_PARAMS,
      query: t.Object({ from: FROM }),
      detail: {
        summary: 'The captions of a recording',
        description:
          'Read from the original stream on the first request. For a running recording the captions so far; with ' +
          '`from` the page that is shown at that time and later ones, for clients that have the earlier ones.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          ...polledResponses('the pages of all languages', CaptionsFileSchema),
          400: problemResponse('malformed id, or a time that is none; `path` names the field'),
          404: problemResponse('no such recording, it is in the bin, or it has no captions'),
          503: problemResponse('`busy`: they are being read, ask again; or the folder does not answer'),
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/captions',
    async ({ params, query, request }) => {
      const from = readFrom(query.from);
      const language = readLanguage(query.language);
      const recording = withOriginal(parts, params.id);
      if (request.method === 'HEAD') {
        const origin = String(await parts.captionStreams.origin(recording, from));
        const headers = { ...CAPTION_STREAM_HEADERS, [ORIGIN_HEADER]: origin, [LENGTH_HEADER]: NO_LENGTH };
        return new Response(null, { headers });
      }
      const { body, origin } = await parts.captionStreams.open(recording, { from, language }, request.signal);
      parts.seen(recording.id);
      return new Response(body, { headers: { ...CAPTION_STREAM_HEADERS, [ORIGIN_HEADER]: String(origin) } });
    },
    {
      params: ID_PARAMS,
      query: t.Object({
        from: FROM,
        language: LANGUAGE,
      }),
      detail: {
        summary: 'The captions of a recording beside its original stream',
        description:
          'Times are those of its PTS. Pages up to 10 s before `from` are sent at once, later ones at most twice as fast as ' +
          'broadcast. Follows a recording in progress and ends with it. The oldest of more than 3 streams of one ' +
          'recording is closed.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          200: captionStreamResponse({
            [ORIGIN_HEADER]: {
              schema: { type: 'integer' },
              description: 'PTS of time 0 of the playback scale, in the stretch of `from`',
            },
          }),
          400: problemResponse('malformed id, a time or a language that is none; `path` names the field'),
          404: problemResponse('no such recording, it is in the bin, or it has no original stream'),
          503: problemResponse('`busy`: its folder does not answer'),
        },
      },
    },
  );
}
