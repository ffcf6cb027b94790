/** `/api/services/<id>/logo`: the station's logo as a picture. */

import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import type { StationId } from '../../arib/ids.ts';
import { Failure } from '../model/failure.ts';
import { problemResponse, REFUSALS } from '../route/described-responses.ts';
import { notModified } from '../route/polled-answer.ts';
import { readStationId } from '../route/station-id.ts';

interface LogoRouteNeeds {
  logos: {
    /** Changes with the picture; undefined while there is none. */
    tag(id: StationId): string | undefined;
    png(id: StationId): Uint8Array<ArrayBuffer> | undefined;
  };
}

const NO_LOGO = () => new Failure('not_found', 'この局のロゴはまだありません。');

/** The URL in the list contains the logo's tag: another picture has another URL. */
const FOR_EVER = 'private, max-age=31536000, immutable';
const ASK_AGAIN = 'private, no-cache';

export function addLogoRoutes(app: Elysia, parts: LogoRouteNeeds): void {
  app.get(
    '/api/services/:id/logo',
    ({ params, query, request }) => {
      const id = readStationId(params.id);
      const tag = parts.logos.tag(id);
      if (tag === undefined) throw NO_LOGO();
      const etag = `"${tag}"`;
      const headers = { etag, 'cache-control': query.v === tag ? FOR_EVER : ASK_AGAIN };
      const held = notModified(request, etag);
      if (held !== undefined) return new Response(null, { status: 304, headers });
      const png = parts.logos.png(id);
      if (png === undefined) throw NO_LOGO();
      return new Response(png, { headers: { ...headers, 'content-type': 'image/png' } });
    },
    {
      params: t.Object({ id: t.String({ description: 'station id' }) }),
      query: t.Object({
        v: t.Optional(t.String({ maxLength: 64, description: 'as in the `logo` address of the station' })),
      }),
      detail: {
        summary: "A station's logo",
        tags: ['stations'],
        responses: {
          ...REFUSALS,
          200: {
            description: 'at most 72 x 36; may be cached permanently under the URL in the station',
            content: { 'image/png': { schema: { type: 'string' as const, format: 'binary' } } },
          },
          304: { description: 'unchanged' },
          400: problemResponse('malformed id'),
          404: problemResponse('unknown station, or no logo of it was received yet'),
        },
      },
    },
  );
}
