/** `/api/tuners` and `/api/channels`: the agent's tables. */
import { Value } from '@sinclair/typebox/value';
import type { Elysia } from 'elysia';
import {
  type AnyTunerDefinition,
  AnyTunerDefinitionsSchema,
  type Card,
  CardSchema,
  type Channel,
  ChannelsSchema,
  type DetectedDevices,
  DetectedDevicesSchema,
  DriverSchema,
  type Tuner,
  TunerDefinitionsSchema,
  TunersSchema,
} from '../../lib/wire/agent.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { readAs } from '../model/schema-mismatch.ts';

interface TunerRouteNeeds {
  /** The agent's own tables. @throws Failure */
  equipment: {
    tuners(): Promise<Tuner[]>;
    putTuners(definitions: readonly AnyTunerDefinition[]): Promise<Tuner[]>;
    channels(): Promise<Channel[]>;
    devices(): Promise<DetectedDevices>;
    card(): Promise<Card>;
  };
}

const AWAY = problemResponse('`agent_unavailable`');

export function addTunerRoutes(app: Elysia, parts: TunerRouteNeeds): void {
  const { equipment } = parts;
  const tags = ['tuners'];

  app.get('/api/tuners', async ({ request }) => polledJson(request, polledAnswer(await equipment.tuners())), {
    detail: {
      summary: 'Tuners with their users, in order of use',
      tags,
      responses: {
        ...REFUSALS,
        ...polledResponses('tuners in rank order, disabled ones last', TunersSchema),
        503: AWAY,
      },
    },
  });

  const readDefinitions = async (body: unknown): Promise<AnyTunerDefinition[]> => {
    const definitions = readAs(AnyTunerDefinitionsSchema, body);
    const foreign = definitions.filter(({ driver }) => !Value.Check(DriverSchema, driver));
    // A driver that this version does not know is valid if the agent itself uses it.
    const known = foreign.length === 0 ? [] : (await equipment.tuners()).map(({ driver }) => driver);
    if (foreign.some(({ driver }) => !known.includes(driver))) readAs(TunerDefinitionsSchema, body);
    return Value.Clean(AnyTunerDefinitionsSchema, definitions) as AnyTunerDefinition[];
  };
  app.put('/api/tuners', async ({ body }) => equipment.putTuners(await readDefinitions(body)), {
    detail: {
      requestBody: jsonBody(TunerDefinitionsSchema),
      summary: 'Replace the tuner definitions',
      description: 'Unknown fields are dropped.',
      tags,
      responses: {
        ...REFUSALS,
        200: describedJson('the tuners as they are now', TunersSchema),
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

  app.get(
    '/api/devices',
    async ({ request }) => polledJson(request, polledAnswer(await equipment.devices())),
    {
      detail: {
        summary: 'Tuners of the machine, used or not',
        tags,
        responses: {
          ...REFUSALS,
          ...polledResponses('devices, each with why it cannot be used', DetectedDevicesSchema),
          503: AWAY,
        },
      },
    },
  );

  app.get('/api/card', async ({ request }) => polledJson(request, polledAnswer(await equipment.card())), {
    detail: {
      summary: 'The smart card, and the sharing of its keys',
      description: 'Contains neither keys nor the number of the card.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('the card', CardSchema), 503: AWAY },
    },
  });
}
