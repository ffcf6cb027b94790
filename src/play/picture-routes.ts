/** Posters of recordings and the previews for seeking. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { type Previews, PreviewsSchema } from '../../lib/wire/api.ts';
import { type RecordingId, recordingId } from '../../lib/wire/ids.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { findRecording, ID_PARAMS, NO_RECORDING } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { matchesEtag } from '../http/route/request.ts';
import { Failure } from '../model/failure.ts';
import type { CutList } from '../model/recording-time.ts';
import type { RecordingListStore } from '../store/recording-list-store.ts';
import { POSTER_FILE, PREVIEWS_FILE, type StoredPreviews, sheetFile } from './picture-maker.ts';
import type { RecordingCache } from './recording-cache.ts';

interface PictureRouteNeeds {
  recordingList: Pick<RecordingListStore, 'find'>;
  cache: Pick<RecordingCache, 'read'>;
}

const VERSION = t.Object({
  v: t.Optional(
    t.String({
      maxLength: 32,
      description: 'as in the URL of the list: then it is cached, otherwise revalidated',
    }),
  ),
});

const IMAGE = {
  ...REFUSALS,
  200: {
    description: 'the picture',
    headers: { etag: { schema: { type: 'string' as const }, description: 'changes with the picture' } },
    content: { 'image/jpeg': { schema: { type: 'string' as const, format: 'binary' } } },
  },
  304: { description: 'unchanged since the `If-None-Match` that was sent' },
  400: NO_RECORDING[400],
};

function noPicture(): Failure {
  return new Failure('not_found', 'この録画の画像はまだありません。');
}

/** @param version of the picture; a URL with it always refers to the same picture */
function jpeg(
  request: Request,
  bytes: Uint8Array<ArrayBuffer> | undefined,
  version: string,
  asked: string | undefined,
): Response {
  if (bytes === undefined) throw noPicture();
  const etag = `"${version}"`;
  const keep = asked === version ? 'private, max-age=31536000, immutable' : 'private, no-cache';
  const headers = { etag, 'cache-control': keep };
  if (matchesEtag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(bytes, { headers: { ...headers, 'content-type': 'image/jpeg' } });
}

async function storedPreviews(
  { recordingList, cache }: PictureRouteNeeds,
  text: string,
): Promise<{ id: RecordingId; stored: StoredPreviews; cuts: CutList }> {
  const { id, files } = findRecording(recordingList, text);
  const cuts = files.find(({ source }) => source !== 'ts')?.cuts ?? null;
  const json = await cache.read(recordingId(id), PREVIEWS_FILE);
  if (json === undefined) throw noPicture();
  try {
    return { id, cuts, stored: JSON.parse(new TextDecoder().decode(json)) as StoredPreviews };
  } catch {
    throw noPicture();
  }
}

export function addPictureRoutes(app: Elysia, parts: PictureRouteNeeds): void {
  const tags = ['recordings'];

  app.get(
    '/api/recordings/:id/poster',
    async ({ params, query, request }) => {
      const { id, posterAt } = findRecording(parts.recordingList, params.id);
      if (posterAt === null) throw noPicture();
      const bytes = await parts.cache.read(recordingId(id), POSTER_FILE);
      return jpeg(request, bytes, posterAt.toString(36), query.v);
    },
    {
      params: ID_PARAMS,
      query: VERSION,
      detail: {
        summary: 'A picture of a recording',
        description: '640 × 360. Made in the background when the recording is finished.',
        tags,
        responses: {
          ...IMAGE,
          404: problemResponse('no such recording, it is in the bin, or there is no picture of it'),
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/previews',
    async ({ params, request }) => {
      const { id, stored, cuts } = await storedPreviews(parts, params.id);
      const { sheets, madeAt, ...rest } = stored;
      const urls = Array.from(
        { length: sheets },
        (_, sheet) => `api/recordings/${id}/previews/${sheet}?v=${madeAt.toString(36)}`,
      );
      const kept = cuts === null ? {} : { kept: cuts.map(({ from, to }) => ({ from, to })) };
      const previews: Previews = { ...rest, ...kept, sheets: urls };
      return polledJson(request, polledAnswer(previews));
    },
    {
      params: ID_PARAMS,
      detail: {
        summary: 'Small pictures for seeking',
        description: 'The event `recordings` reports when they were made.',
        tags,
        responses: {
          ...REFUSALS,
          ...NO_RECORDING,
          ...polledResponses('where which picture is', PreviewsSchema),
          404: problemResponse('no such recording, it is in the bin, or there are none of it'),
        },
      },
    },
  );

  app.get(
    '/api/recordings/:id/previews/:sheet',
    async ({ params, query, request }) => {
      const { id, stored } = await storedPreviews(parts, params.id);
      const bytes = await parts.cache.read(recordingId(id), sheetFile(Number(params.sheet)));
      return jpeg(request, bytes, stored.madeAt.toString(36), query.v);
    },
    {
      params: t.Object({ ...ID_PARAMS.properties, sheet: t.String({ pattern: '^[0-9]{1,4}$' }) }),
      query: VERSION,
      detail: {
        summary: 'A sheet of small pictures',
        tags,
        responses: { ...IMAGE, 404: problemResponse('no such recording, or no such sheet') },
      },
    },
  );
}
