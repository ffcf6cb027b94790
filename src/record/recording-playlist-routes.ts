/** Recordings as playlists, for players that open a URL. */
import type { Elysia } from 'elysia';
import { RECORDING_LIMIT, type Recording } from '../../lib/wire/api.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING, unknownRecording } from '../http/route/path-ids.ts';
import { publicBase } from '../http/route/request.ts';
import { toRecording } from './recording-answers.ts';
import {
  LIST_QUERY,
  type RecordingRouteNeeds,
  readPage,
  readQuestion,
  readStart,
} from './recording-routes.ts';

interface PlaylistEntry {
  title: string;
  /** null: unknown, for instance of a running recording. */
  durationMs: number | null;
  /** Relative to the service's address. */
  url: string;
}

/** A title is one line; a comma would end the attributes before it. */
function lineOf(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
}

/** Undefined if there is nothing to play. A running recording is followed while it grows. */
function playlistEntry(recording: Recording): PlaylistEntry | undefined {
  const { title, serviceName, durationMs, chase, files } = recording;
  const url = recording.recording && chase !== null ? `${chase}?codec=raw` : files[0]?.url;
  if (url === undefined) return undefined;
  return { title: `${title} - ${serviceName}`, durationMs: recording.recording ? null : durationMs, url };
}

/** @param base the address of the service, with a slash at its end */
export function playlist(name: string, entries: readonly PlaylistEntry[], base: string): string {
  const lines = entries.flatMap(({ title, durationMs, url }) => [
    `#EXTINF:${durationMs === null ? -1 : Math.round(durationMs / 1000)},${lineOf(title)}`,
    new URL(url, base).href,
  ]);
  return `${['#EXTM3U', `#PLAYLIST:${lineOf(name)}`, ...lines].join('\n')}\n`;
}

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
      const { limit } = readPage(query, RECORDING_LIMIT.maximum);
      const question = readQuestion(query);
      const { rows } = parts.recordingList.page(question, readStart(query, question), limit);
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
