/** `/api/guide/status` and `/api/guide/collect`: coverage of the guide, and collecting it now. */

import type { Elysia } from 'elysia';
import type { GuideCollect, GuideStatus } from '../../wire/api.ts';
import { COLLECT_LEASE_MS, GuideCollectSchema, GuideStatusSchema } from '../../wire/api.ts';
import { REFUSAL_SCHEMAS, REFUSALS } from '../route/described-responses.ts';
import { polledAnswer, polledJson, polledResponses } from '../route/polled-answer.ts';

interface CollectRouteNeeds {
  collecting: {
    status(): GuideStatus;
    press(): GuideCollect;
    release(): GuideCollect;
  };
}

export function addCollectRoutes(app: Elysia, { collecting }: CollectRouteNeeds): void {
  const tags = ['guide'];
  app.get('/api/guide/status', ({ request }) => polledJson(request, polledAnswer(collecting.status())), {
    detail: {
      summary:
        'How far the guide of each listed station reaches, what is being read, and the broadcast clocks',
      description: 'The event `programs` reports possible changes.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('the state of the guide', GuideStatusSchema) },
    },
  });

  app.post('/api/guide/collect', () => collecting.press(), {
    response: { 200: GuideCollectSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Read the guides of all stations now, before channel scans',
      description: `A lease of ${COLLECT_LEASE_MS / 1000} s: it is renewed by asking again before it ends.`,
      tags,
    },
  });

  app.delete('/api/guide/collect', () => collecting.release(), {
    response: { 200: GuideCollectSchema, ...REFUSAL_SCHEMAS },
    detail: { summary: 'Continue reading guides in the background only', tags },
  });
}
