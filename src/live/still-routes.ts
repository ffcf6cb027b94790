/** `/api/stills`: which stations have a picture of what they show now; `/api/services/<id>/still`: that picture. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { MAX_STILLS, StillsSchema } from '../../lib/wire/api.ts';
import { problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readStationId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { matchesEtag } from '../http/route/request.ts';
import { Failure } from '../model/failure.ts';
import type { Stills } from './stills.ts';

/** A station id has up to ten digits. */
const MAX_QUERY = MAX_STILLS * 12;

export function addStillRoutes(app: Elysia, stills: Pick<Stills, 'ask' | 'find'>): void {
  const tags = ['stations'];

  app.get(
    '/api/stills',
    ({ query, request }) => {
      const ids = query.stations.split(',').map(readStationId);
      return polledJson(request, polledAnswer(stills.ask(ids)));
    },
    {
      query: t.Object({
        stations: t.String({
          ...{ maxLength: MAX_QUERY, pattern: '^[0-9]{1,10}(,[0-9]{1,10})*$' },
          description: 'station ids, separated by commas',
        }),
      }),
      detail: {
        summary: 'Small pictures of what stations show now',
        description:
          'Pictures are taken every 45 s or so for a minute after each request: from what is received anyway, and if ' +
          'the setting `idleStills` is on by an unused tuner. Stations without a picture of the last ten minutes are ' +
          'left out.',
        tags,
        responses: {
          ...REFUSALS,
          ...polledResponses('in the order of the request', StillsSchema),
          400: problemResponse('malformed ids'),
          404: problemResponse('a number that no station can have'),
        },
      },
    },
  );

  app.get(
    '/api/services/:id/still',
    ({ params, query, request }) => {
      const found = stills.find(readStationId(params.id));
      if (found === undefined) throw new Failure('not_found', 'この局の画像はまだありません。');
      const etag = `"${found.tag}"`;
      const keep = query.v === found.tag ? 'private, max-age=600, immutable' : 'private, no-cache';
      const headers = { etag, 'cache-control': keep };
      if (matchesEtag(request.headers.get('if-none-match'), etag))
        return new Response(null, { status: 304, headers });
      return new Response(found.jpeg, { headers: { ...headers, 'content-type': 'image/jpeg' } });
    },
    {
      params: t.Object({ id: t.String({ description: 'station id' }) }),
      query: t.Object({
        v: t.Optional(t.String({ maxLength: 64, description: 'as in the address in `/api/stills`' })),
      }),
      detail: {
        summary: 'The picture of a station that was received last',
        description: '480 × 270, some 20 KB, in memory only.',
        tags,
        responses: {
          ...REFUSALS,
          200: {
            description: 'the picture',
            headers: {
              etag: { schema: { type: 'string' as const }, description: 'changes with the picture' },
            },
            content: { 'image/jpeg': { schema: { type: 'string' as const, format: 'binary' } } },
          },
          304: { description: 'unchanged since the `If-None-Match` that was sent' },
          400: problemResponse('malformed id'),
          404: problemResponse('unknown station, or there is no picture of it'),
        },
      },
    },
  );
}
