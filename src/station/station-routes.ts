/** `/api/services`: the station list. */

import type { Elysia } from 'elysia';
import { StationsSchema } from '../../wire/api.ts';
import { REFUSALS } from '../route/described-responses.ts';
import { polledJson, polledResponses } from '../route/polled-answer.ts';
import type { StationListNeeds } from './station-list-answer.ts';
import { StationListAnswer } from './station-list-answer.ts';

export function addStationRoutes(app: Elysia, parts: StationListNeeds): void {
  const stations = new StationListAnswer(parts);
  app.get('/api/services', ({ request }) => polledJson(request, stations.answer()), {
    detail: {
      summary: 'Stations with their current programmes',
      description: 'Carries an ETag; `If-None-Match` gives 304 if nothing changed.',
      tags: ['stations'],
      responses: { ...REFUSALS, ...polledResponses('stations in list order', StationsSchema) },
    },
  });
}
