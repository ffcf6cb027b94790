/** `/api/reminders`: programmes and series of which somebody wants to be reminded. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import {
  type Reminder,
  ReminderRequestSchema,
  ReminderSchema,
  RemindersSchema,
} from '../../lib/wire/reminders.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readRowId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { readAs } from '../model/schema-mismatch.ts';
import type { ReminderService } from './reminders.ts';

interface ReminderRouteNeeds {
  reminders: Pick<ReminderService, 'list' | 'set' | 'cancel' | 'cancelSeries'>;
}

const ID = t.Object({ id: t.String({ description: 'from the list' }) });
const CANCELLED = { 204: { description: 'cancelled' }, 404: problemResponse('no such reminder') };

export function addReminderRoutes(app: Elysia, { reminders }: ReminderRouteNeeds): void {
  const tags = ['notifications'];

  app.get('/api/reminders', ({ request }) => polledJson(request, polledAnswer(reminders.list())), {
    detail: {
      summary: 'Reminders of programmes and series',
      description: 'Carries an ETag. The events `notices` and `programs` report changes.',
      tags,
      responses: { ...REFUSALS, ...polledResponses('reminders', RemindersSchema) },
    },
  });

  app.post(
    '/api/reminders',
    ({ body }) => {
      const reminder: Reminder = reminders.set(readAs(ReminderRequestSchema, body, 'リマインダーの'));
      return Response.json(reminder);
    },
    {
      detail: {
        summary: 'Be reminded before a programme begins',
        description:
          'The notice `reminder` goes to all targets that chose it, at once also in quiet hours. The start is that of ' +
          'the guide, also when it changes. Repeated for the same programme it changes the minutes.',
        tags,
        requestBody: jsonBody(ReminderRequestSchema),
        responses: {
          ...REFUSALS,
          200: describedJson('the reminder', ReminderSchema),
          400: problemResponse('`ended`: it has begun; `bad_request`: it is of no series'),
          404: problemResponse('the guide does not have it'),
          409: problemResponse('`conflict`: there are too many'),
        },
      },
    },
  );

  app.delete(
    '/api/reminders/:id',
    ({ params }) => {
      reminders.cancel(readRowId(params.id));
      return new Response(null, { status: 204 });
    },
    {
      params: ID,
      detail: {
        summary: 'Cancel the reminder of one programme',
        description: 'Its series, if it is followed, leaves it out.',
        tags,
        responses: { ...REFUSALS, ...CANCELLED },
      },
    },
  );

  app.delete(
    '/api/reminders/series/:id',
    ({ params }) => {
      reminders.cancelSeries(readRowId(params.id));
      return new Response(null, { status: 204 });
    },
    {
      params: ID,
      detail: {
        summary: 'Cancel the reminders of a series',
        tags,
        responses: { ...REFUSALS, ...CANCELLED },
      },
    },
  );
}
