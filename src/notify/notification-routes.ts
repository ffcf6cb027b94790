/** `/api/notifications`, `/api/notices` and `/api/push/key`: targets of notices, and what happened lately. */
import { Type as t } from '@sinclair/typebox';
import type { Elysia } from 'elysia';
import {
  NewTargetSchema,
  type Notice,
  NoticeActSchema,
  type NoticeDone,
  NoticeDoneSchema,
  NoticesSchema,
  PushKeyResponseSchema,
  type Target,
  TargetChangeSchema,
  TargetSchema,
  TargetsSchema,
  TestResultSchema,
} from '../../lib/wire/notifications.ts';
import type { NoticeActionName } from '../../lib/wire/vocabulary.ts';
import { describedJson, jsonBody, problemResponse, REFUSALS } from '../http/route/described-responses.ts';
import { readRowId } from '../http/route/path-ids.ts';
import { polledAnswer, polledJson, polledResponses } from '../http/route/polled-answer.ts';
import { publicBase, requesterOf } from '../http/route/request.ts';
import { Failure } from '../model/failure.ts';
import { readAs } from '../model/schema-mismatch.ts';
import type { NotificationTargets } from './notification-targets.ts';

interface NotificationRouteNeeds {
  targets: NotificationTargets;
  notices: (limit: number, before: number | undefined) => Notice[];
  /** @throws Failure not_found, conflict; those of what is done */
  act: (id: number, action: NoticeActionName) => Promise<NoticeDone>;
  test: (id: number) => Promise<{ at: number; ok: boolean; message: string }>;
  publicKey: () => string;
}

const NOTICE_LIMIT = { default: 50, maximum: 200 };
/** Values of a query are text. */
const NUMBER = '^[0-9]{1,15}$';
const ID = t.Object({ id: t.String({ description: 'from the list' }) });

const isByToken = (request: Request): boolean => requesterOf(request).letIn.by === 'token';

/** @throws Failure forbidden: targets have secrets, which a paired device neither sets nor diverts */
function refuseToken(request: Request): void {
  if (isByToken(request))
    throw new Failure(
      'forbidden',
      '通知先は、登録した端末からは変更できません。ブラウザーの画面から変更してください。',
    );
}

export function addNotificationRoutes(app: Elysia, needs: NotificationRouteNeeds): void {
  const { targets, notices, act, test, publicKey } = needs;
  const tags = ['notifications'];

  app.get(
    '/api/notices',
    ({ request, query }) => {
      const limit = Math.min(Math.max(Number(query.limit ?? NOTICE_LIMIT.default), 1), NOTICE_LIMIT.maximum);
      const before = query.before === undefined ? undefined : Number(query.before);
      return polledJson(request, polledAnswer(notices(limit, before)));
    },
    {
      query: t.Object({
        limit: t.Optional(
          t.String({
            pattern: NUMBER,
            description: `1 to ${NOTICE_LIMIT.maximum}, ${NOTICE_LIMIT.default} by default`,
          }),
        ),
        before: t.Optional(t.String({ pattern: NUMBER, description: 'id: those before it' })),
      }),
      detail: {
        summary: 'What happened lately, newest first',
        description: 'Carries an ETag. The event `notices` reports new ones.',
        tags,
        responses: {
          ...REFUSALS,
          ...polledResponses('notices', NoticesSchema),
          400: problemResponse('`bad_request` naming the parameter'),
        },
      },
    },
  );

  app.post(
    '/api/notices/:id/act',
    async ({ params, body }) => {
      const done: NoticeDone = await act(readRowId(params.id), readAs(NoticeActSchema, body).action);
      return Response.json(done);
    },
    {
      params: ID,
      detail: {
        summary: 'Do what can be done about a notice',
        description: 'One of its `actions` without a path.',
        tags,
        requestBody: jsonBody(NoticeActSchema),
        responses: {
          ...REFUSALS,
          200: describedJson('what came of it', NoticeDoneSchema),
          400: problemResponse('`bad_request`, `ended`, `copy_never`'),
          404: problemResponse('no such notice, or what it is about is gone'),
          409: problemResponse('`conflict`: it cannot be done any more'),
        },
      },
    },
  );

  app.get('/api/push/key', () => Response.json({ publicKey: publicKey() }), {
    detail: {
      summary: 'Public key of the service for web push (VAPID)',
      tags,
      responses: { ...REFUSALS, 200: describedJson('the key', PushKeyResponseSchema) },
    },
  });

  app.get(
    '/api/notifications',
    ({ request }) => {
      // Whoever knows the path of a script or a topic can use it.
      const shown = (target: Target) =>
        isByToken(request) ? { ...target, url: new URL(target.url).origin } : target;
      return polledJson(request, polledAnswer(targets.list().map(shown)));
    },
    {
      detail: {
        summary: 'Targets of notices',
        description:
          'Without their secrets; for an access token, only with the origins of their addresses. Carries an ETag. The ' +
          'event `notices` reports changes.',
        tags,
        responses: { ...REFUSALS, ...polledResponses('targets', TargetsSchema) },
      },
    },
  );

  app.post(
    '/api/notifications',
    ({ request, body }) => {
      refuseToken(request);
      const target: Target = targets.add(readAs(NewTargetSchema, body), publicBase(request));
      return Response.json(target, { status: 201 });
    },
    {
      detail: {
        summary: 'Add a target',
        description:
          'A webhook, or the push subscription of a browser. Defaults: the events that need somebody, no quiet ' +
          'hours, the rest collected.',
        tags,
        requestBody: jsonBody(NewTargetSchema),
        responses: {
          ...REFUSALS,
          201: describedJson('the target', TargetSchema),
          400: problemResponse('`bad_request` naming the field at fault'),
          409: problemResponse('`conflict`: there are 50 targets'),
        },
      },
    },
  );

  app.put(
    '/api/notifications/:id',
    ({ request, params, body }) => {
      refuseToken(request);
      return Response.json(
        targets.change(readRowId(params.id), readAs(TargetChangeSchema, body), publicBase(request)),
      );
    },
    {
      params: ID,
      detail: {
        summary: 'Change a target; fields that are not sent stay',
        tags,
        requestBody: jsonBody(TargetChangeSchema),
        responses: {
          ...REFUSALS,
          200: describedJson('the target', TargetSchema),
          400: problemResponse('`bad_request` naming the field at fault; nothing was changed'),
          404: problemResponse('no such target'),
        },
      },
    },
  );

  app.delete(
    '/api/notifications/:id',
    ({ request, params }) => {
      refuseToken(request);
      targets.remove(readRowId(params.id));
      return new Response(null, { status: 204 });
    },
    {
      params: ID,
      detail: {
        summary: 'Remove a target',
        tags,
        responses: { ...REFUSALS, 204: { description: 'removed' }, 404: problemResponse('no such target') },
      },
    },
  );

  app.post(
    '/api/notifications/:id/test',
    async ({ request, params }) => {
      refuseToken(request);
      return Response.json(await test(readRowId(params.id)));
    },
    {
      params: ID,
      detail: {
        summary: 'Send a message to a target now',
        tags,
        responses: {
          ...REFUSALS,
          200: describedJson('what became of it', TestResultSchema),
          404: problemResponse('no such target'),
        },
      },
    },
  );
}
