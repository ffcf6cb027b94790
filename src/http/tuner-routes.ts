/** The tuner screen: the agent's tuners and channels, and the channel scan. */
import type { Elysia } from 'elysia';
import { ChannelsSchema, TunerDefinitionsSchema, TunersSchema } from '../../wire/agent.ts';
import { ScanRequestSchema, ScanStatusSchema } from '../../wire/api.ts';
import { REFUSAL_SCHEMAS, REFUSALS } from './described.ts';
import type { ApiParts } from './parts.ts';
import { taggedJson } from './tagged.ts';

export function addTunerRoutes(app: Elysia, parts: ApiParts): void {
  const { equipment, scans } = parts;
  const tags = ['tuners'];

  app.get('/api/tuners', async ({ request }) => taggedJson(request, await equipment.tuners()), {
    detail: {
      summary: 'Tuners with their users, in the order in which they are used',
      tags,
    },
    response: { 200: TunersSchema, ...REFUSAL_SCHEMAS },
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

  app.get('/api/channels', async ({ request }) => taggedJson(request, await equipment.channels()), {
    detail: {
      summary: 'Channel definitions: the result of the last scan',
      tags,
    },
    response: { 200: ChannelsSchema, ...REFUSAL_SCHEMAS },
  });

  app.get('/api/scan', ({ request }) => taggedJson(request, scans.status()), {
    detail: {
      summary: 'The channel scan under way, else the last one',
      tags,
    },
    response: { 200: ScanStatusSchema, ...REFUSAL_SCHEMAS },
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
