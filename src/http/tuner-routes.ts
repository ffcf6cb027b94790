/** The tuner screen: the agent's tuners and channels, and the channel scan. */
import type { Elysia } from 'elysia';
import { ChannelsSchema, TunerDefinitionsSchema, TunersSchema } from '../../wire/agent.ts';
import { ScanRequestSchema, ScanStatusSchema } from '../../wire/api.ts';
import { problemResponse, REFUSAL_SCHEMAS, REFUSALS } from './described.ts';
import type { ApiParts } from './parts.ts';
import { polledAnswer, polledJson, polledResponses } from './polled.ts';

const AWAY = problemResponse('`agent_unavailable`');

export function addTunerRoutes(app: Elysia, parts: ApiParts): void {
  const { equipment, scans } = parts;
  const tags = ['tuners'];

  app.get('/api/tuners', async ({ request }) => polledJson(request, polledAnswer(await equipment.tuners())), {
    detail: {
      summary: 'Tuners with their users, in the order in which they are used',
      tags,
      responses: {
        ...REFUSALS,
        ...polledResponses('tuners in rank order, disabled ones last', TunersSchema),
        503: AWAY,
      },
    },
  });

  app.put('/api/tuners', ({ body }) => equipment.putTuners(body), {
    body: TunerDefinitionsSchema,
    response: { 200: TunersSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Replace the tuner definitions',
      description: '400 names the field at fault; nothing is changed then. Unknown fields are dropped.',
      tags,
    },
  });

  app.get(
    '/api/channels',
    async ({ request }) => polledJson(request, polledAnswer(await equipment.channels())),
    {
      detail: {
        summary: 'Channel definitions: the result of the last scan',
        tags,
        responses: { ...REFUSALS, ...polledResponses('channels', ChannelsSchema), 503: AWAY },
      },
    },
  );

  app.get('/api/scan', ({ request }) => polledJson(request, polledAnswer(scans.status())), {
    detail: {
      summary: 'The channel scan under way, else the last one',
      tags,
      responses: { ...REFUSALS, ...polledResponses('the scan', ScanStatusSchema) },
    },
  });

  app.post(
    '/api/scan',
    async ({ body }) => {
      await scans.start(body.types);
      return scans.status();
    },
    {
      body: ScanRequestSchema,
      response: { 200: ScanStatusSchema, ...REFUSAL_SCHEMAS },
      detail: {
        summary: 'Start a channel scan',
        description: '409 while one is running; 503 `no_tuner` when no tuner takes one of the types.',
        tags,
      },
    },
  );

  app.delete(
    '/api/scan',
    async () => {
      await scans.abort();
      return new Response(null, { status: 204 });
    },
    {
      detail: {
        summary: 'Abort the channel scan; stations stay as they were',
        tags,
        responses: { ...REFUSALS, 204: { description: 'none is running any more' } },
      },
    },
  );
}
