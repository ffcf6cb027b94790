/** Recordings as playlists, for players that open a URL. */
import type { Elysia } from 'elysia';
import { RECORDING_LIMIT } from '../../wire/api.ts';
import { problemResponse, REFUSALS } from '../route/described-responses.ts';
import { publicBase } from '../route/public-base.ts';
import { findRecording, ID_PARAMS, NO_RECORDING, unknownRecording } from '../route/recording-id.ts';
import { toRecording } from './recording-answers.ts';
import { playlist, playlistEntry } from './recording-playlist.ts';
import { LIST_QUERY, type RecordingRouteNeeds, readPage, readQuestion } from './recording-routes.ts';

const TYPE = 'audio/x-mpegurl';

function answer(
  name: string,
  file: string,
  recordings: Parameters<typeof playlistEntry>[0][],
  request: Request,
) {
  const entries = recordings.flatMap((one) => playlistEntry(one) ?? []);
  return new Response(playlist(name, entries, publicBase(request)), {
    headers: {
      'content-type': `${TYPE}; charset=utf-8`,
      'content-disposition': `inline; filename="${file}.m3u"`,
      'cache-control': 'private, no-cache',
    },
  });
}

const RESPONSE = {
  description: 'an extended M3U in UTF-8 with absolute addresses',
  content: { [TYPE]: { schema: { type: 'string' as const } } },
};

export function addRecordingPlaylistRoutes(app: Elysia, parts: RecordingRouteNeeds): void {
  const tags = ['recordings'];

  app.get(
    '/api/recordings.m3u',
    ({ query, request }) => {
      const { limit, offset } = readPage(query, RECORDING_LIMIT.maximum);
      const { rows } = parts.recordingList.page(readQuestion(query), offset, limit);
      const running = parts.running();
      const items = rows.map((row) => toRecording(row, running));
      return answer('録画', 'recordings', items, request);
    },
    {
      query: LIST_QUERY,
      detail: {
        summary: 'Recordings as a playlist',
        description: `As \`/api/recordings\`, ${RECORDING_LIMIT.maximum} by default; what has no file is left out.`,
        tags,
        responses: {
          ...REFUSALS,
          200: RESPONSE,
          400: problemResponse('a bad value; `path` names the field'),
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/playlist.m3u',
    ({ params, request }) => {
      const item = toRecording(findRecording(parts.recordingList, params.id), parts.running());
      if (playlistEntry(item) === undefined) throw unknownRecording();
      return answer(item.title, `recording-${item.id}`, [item], request);
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'One recording as a playlist',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          200: RESPONSE,
          404: problemResponse('no such recording, it is in the bin, or it has no file'),
        },
      },
    },
  );
}
