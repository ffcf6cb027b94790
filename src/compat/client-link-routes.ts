/** `/api/client-links`: links for television software. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import {
  ClientLinksSchema,
  type CreatedClientLink,
  CreatedClientLinkSchema,
  NewClientLinkSchema,
} from '../../lib/wire/api.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readRowId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import { type ClientLinkService, MAX_LINKS } from './client-links.ts';

interface ClientLinkNeeds {
  links: ClientLinkService;
  /** null: off. */
  ports: () => { mirakurunPort: number | null; hdhomerunPort: number | null };
}

const tags = ['devices'];

export function addClientLinkRoutes(app: Elysia, { links, ports }: ClientLinkNeeds): void {
  app.get(
    '/api/client-links',
    ({ request }) => polledJson(request, polledAnswer({ links: links.list(), ...ports() })),
    {
      detail: {
        summary: 'Links for television software, and the ports of interfaces for other programs',
        description: 'Carries an ETag. The event `tokens` reports changes.',
        tags,
        responses: { ...REFUSALS, ...polledResponses('links and ports', ClientLinksSchema) },
      },
    },
  );

  app.post(
    '/api/client-links',
    ({ body }) => {
      const name = readAs(NewClientLinkSchema, body).name.replace(/\p{C}/gu, '').trim();
      if (name === '')
        throw new Failure('bad_request', 'name は 40 文字までの文字列にしてください。', { path: 'name' });
      const created = links.create(name);
      if (created === undefined)
        throw new Failure('conflict', `リンクは ${MAX_LINKS} 件までです。使わないものを取り消してください。`);
      const answer: CreatedClientLink = { ...created.link, path: `tv/${created.key}` };
      return Response.json(answer, { headers: { 'cache-control': 'no-store' } });
    },
    {
      detail: {
        summary: 'Create a link for a device',
        description:
          'Its path opens playlist, guide, logos, streams and HDHomeRun documents without a login.',
        tags,
        requestBody: jsonBody(NewClientLinkSchema),
        responses: {
          ...REFUSALS,
          200: describedJson('the link with its path', CreatedClientLinkSchema),
          400: problemResponse('no name, or a name of more than 40 characters'),
          409: problemResponse(`there are ${MAX_LINKS}`),
        },
      },
    },
  );

  app.delete(
    '/api/client-links/:id',
    ({ params }) => {
      if (!links.revoke(readRowId(params.id))) throw new Failure('not_found', 'リンクが見つかりません。');
      return new Response(null, { status: 204 });
    },
    {
      params: t.Object({ id: t.String({ description: 'from the list' }) }),
      detail: {
        summary: 'Revoke a link; its streams end',
        tags,
        responses: {
          ...REFUSALS,
          204: { description: 'revoked' },
          400: problemResponse('malformed id'),
          404: problemResponse('no such link, or revoked before'),
        },
      },
    },
  );
}
