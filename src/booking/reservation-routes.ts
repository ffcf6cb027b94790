/** `/api/reservations` and `POST /api/services/<id>/record`. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import { broadcastMs } from '../../lib/arib/time.ts';
import {
  ProblemSchema,
  RecordAnswerSchema,
  ReservationRequestSchema,
  ReservationSchema,
  ReservationsSchema,
} from '../../lib/wire/api.ts';
import { namesOf } from '../../lib/wire/fields.ts';
import { CONVERSION_OPTIONS } from '../../lib/wire/rule-fields.ts';
import { problemResponse, REFUSAL_SCHEMAS, REFUSALS } from '../http/route/described-responses.ts';
import { readRowId, readStationId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import type { ReservationService } from './reservation-service.ts';
import type { ReservationWindow } from './reservation-window.ts';

interface ReservationRouteNeeds {
  reservations: Pick<ReservationService, 'list' | 'get' | 'reserve' | 'cancel' | 'restore' | 'record'>;
}

const ID = t.Object({ id: t.String({ description: 'reservation id' }) });
const EPOCH_PATTERN = '^[0-9]{1,15}$';
const LIST_QUERY = t.Object({
  completed: t.Optional(
    t.Union([t.Literal('0'), t.Literal('1')], {
      description:
        '`1`: past ones, latest first: finished, missed, cancelled, and skipped ones that are over; kept ' +
        'for 2 weeks. `0` (default): everything else, by start',
    }),
  ),
  from: t.Optional(
    t.String({ pattern: EPOCH_PATTERN, description: 'only those that end after it, epoch ms' }),
  ),
  to: t.Optional(
    t.String({ pattern: EPOCH_PATTERN, description: 'only those that begin before it, epoch ms' }),
  ),
  state: t.Optional(t.Literal('conflict', { description: 'only those that currently cannot be recorded' })),
  limit: t.Optional(
    t.String({
      pattern: '^[0-9]{1,4}$',
      description: 'maximum number, in the order of the list',
    }),
  ),
});

/** @throws Failure bad_request if the window is empty */
function readWindow({ from, to, state, limit }: typeof LIST_QUERY.static): ReservationWindow {
  const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  const moment = (text: string | undefined) => (text === undefined ? undefined : broadcastMs(Number(text)));
  const window = { from: moment(from), to: moment(to), state, limit: number(limit) };
  if (window.from !== undefined && window.to !== undefined && window.to <= window.from)
    throw new Failure('bad_request', 'to は from より後にしてください。', { path: 'to' });
  return window;
}

/** `encode`, … and the others in words. */
const CONVERSION = namesOf(CONVERSION_OPTIONS)
  .map((name) => `\`${name}\``)
  .join(', ')
  .replace(/, (?=[^,]*$)/, ' and ');
const NO_CONTENT = { description: 'done, or already done before' };

function addListRoutes(app: Elysia, { reservations }: ReservationRouteNeeds, tags: string[]): void {
  app.get(
    '/api/reservations',
    ({ query, request }) =>
      polledJson(request, polledAnswer(reservations.list(query.completed === '1', readWindow(query)))),
    {
      query: LIST_QUERY,
      detail: {
        summary: 'Scheduled, running and past recordings',
        description:
          'A `conflict` carries `blockers` (reservations it lost against), `alternatives` (programmes) and `offers` ' +
          '(the same for display); missed, failed or damaged ones have the next airings of their title as `offers`. The ' +
          'event `reservations` reports changes. Carries an ETag.',
        tags,
        responses: {
          ...REFUSALS,
          ...polledResponses('reservations', ReservationsSchema),
          400: problemResponse('a bad value; `path` names the field'),
        },
      },
    },
  );

  app.get('/api/reservations/:id', ({ params }) => reservations.get(readRowId(params.id)), {
    params: ID,
    response: { 200: ReservationSchema, 400: ProblemSchema, 404: ProblemSchema, ...REFUSAL_SCHEMAS },
    detail: { summary: 'One reservation', tags },
  });
}

export function addReservationRoutes(app: Elysia, parts: ReservationRouteNeeds): void {
  const tags = ['reservations'];
  const { reservations } = parts;
  addListRoutes(app, parts, tags);

  app.post(
    '/api/reservations',
    ({ body }) =>
      // The framework would drop unknown fields instead of rejecting them.
      reservations.reserve(readAs(ReservationRequestSchema, body, '予約の')),
    {
      response: { 200: ReservationSchema, 400: ProblemSchema, 404: ProblemSchema, ...REFUSAL_SCHEMAS },
      detail: {
        summary: 'Book a programme manually',
        description:
          `Priority 2. Also 200 if it is already booked; margins, ${CONVERSION} in the request then ` +
          'change it; of one that is being recorded the margins stay. Its `state` may be `conflict`. 400 `copy_never` or `ended`; ' +
          '404 for a programme that the guide does not have.',
        tags,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: JSON.parse(JSON.stringify(ReservationRequestSchema)) } },
        },
      },
    },
  );

  app.delete(
    '/api/reservations/:id',
    async ({ params }) => {
      await reservations.cancel(readRowId(params.id));
      return new Response(null, { status: 204 });
    },
    {
      params: ID,
      detail: {
        summary: 'Cancel a reservation, or stop its recording',
        description:
          'No rule books it again. One that is being recorded ends, and what there is is kept. Safe to repeat.',
        tags,
        responses: {
          ...REFUSALS,
          204: NO_CONTENT,
          400: problemResponse('malformed id'),
          404: problemResponse('unknown reservation'),
        },
      },
    },
  );

  app.post('/api/reservations/:id/restore', ({ params }) => reservations.restore(readRowId(params.id)), {
    params: ID,
    response: { 200: ReservationSchema, 400: ProblemSchema, 404: ProblemSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Undo a cancellation',
      description: 'Has no effect if it is not cancelled. 400 `ended` if its programme is over.',
      tags,
    },
  });

  app.post('/api/services/:id/record', ({ params }) => reservations.record(readStationId(params.id)), {
    params: t.Object({ id: t.String({ description: 'station id' }) }),
    response: { 200: RecordAnswerSchema, 400: ProblemSchema, 404: ProblemSchema, ...REFUSAL_SCHEMAS },
    detail: {
      summary: 'Record the current programme of a station',
      description:
        'No body. Idempotent. `reserved` is false when the reservation will not record, mostly ' +
        'because of a conflict. 400 `copy_never` or `ended`; 404 for an unknown station, or if the guide has ' +
        'no current programme for it.',
      tags: ['stations'],
    },
  });
}
