/** The tuner screen: the agent's tuners and channels, and the channel scan. */
import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { Elysia } from 'elysia';
import {
  ChannelsSchema,
  type TunerDefinition,
  TunerDefinitionsSchema,
  TunersSchema,
} from '../../wire/agent.ts';
import { ScanRequestSchema, ScanStatusSchema } from '../../wire/api.ts';
import { readAs } from '../model/schema-mismatch.ts';
import { jsonBody, problemResponse, REFUSALS } from './described.ts';
import type { ApiParts } from './parts.ts';
import { polledAnswer, polledJson, polledResponses } from './polled.ts';

const AWAY = problemResponse('`agent_unavailable`');

function answer(description: string, schema: TSchema) {
  return {
    description,
    content: { 'application/json': { schema: JSON.parse(JSON.stringify(schema)) } },
  };
}

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

  const readDefinitions = (body: unknown) => {
    const definitions = readAs(TunerDefinitionsSchema, body);
    return Value.Clean(TunerDefinitionsSchema, definitions) as TunerDefinition[];
  };
  app.put('/api/tuners', ({ body }) => equipment.putTuners(readDefinitions(body)), {
    detail: {
      requestBody: jsonBody(TunerDefinitionsSchema),
      summary: 'Replace the tuner definitions',
      description: 'Unknown fields are dropped.',
      tags,
      responses: {
        ...REFUSALS,
        200: answer('the tuners as they are now', TunersSchema),
        400: problemResponse('`bad_request` naming the field at fault; nothing was changed'),
        503: AWAY,
      },
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
      await scans.start(readAs(ScanRequestSchema, body).types);
      return scans.status();
    },
    {
      detail: {
        requestBody: jsonBody(ScanRequestSchema),
        summary: 'Start a channel scan',
        description: 'It goes on by itself; event `scan` tells of its progress.',
        tags,
        responses: {
          ...REFUSALS,
          200: answer('the scan that began', ScanStatusSchema),
          400: problemResponse('unknown or no types'),
          409: problemResponse('`conflict`: one is running'),
          503: problemResponse('`no_tuner`: no tuner takes one of the types; `agent_unavailable`'),
        },
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
