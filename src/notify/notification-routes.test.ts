import { expect, test } from 'bun:test';
import { Elysia } from 'elysia';
import { failureResponse } from '../http/route/problems.ts';
import { setRequester } from '../http/route/request.ts';
import type { LetIn } from '../model/requester.ts';
import { openDatabase } from '../store/database.ts';
import { NoticeStore } from '../store/notice-store.ts';
import { addNotificationRoutes } from './notification-routes.ts';
import { NotificationTargets } from './notification-targets.ts';

const SESSION: LetIn = { by: 'session', sessionId: 1, name: '家族' };
const TOKEN: LetIn = { by: 'token', tokenId: 1 };

test('a paired device neither changes targets nor learns the paths of their addresses', async () => {
  using database = openDatabase(':memory:');
  const targets = new NotificationTargets(new NoticeStore(database), () => {});
  const app = new Elysia();
  app.onError(({ error }) => failureResponse(error));
  addNotificationRoutes(app, {
    ...{ targets, notices: () => [], publicKey: () => '', act: async () => ({ message: '', path: '' }) },
    test: async () => ({ at: 0, ok: true, message: '' }),
  });
  const send = (letIn: LetIn, method: string, path = '', body?: object): Promise<Response> => {
    const request = new Request(`http://svc.test/api/notifications${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    setRequester(request, { letIn, address: '192.0.2.1' });
    return app.handle(request);
  };
  const url = 'https://hook.example/api/webhook/key';
  const webhook = { kind: 'webhook', format: 'generic', name: '試験', url };
  expect((await send(SESSION, 'POST', '', webhook)).status).toBe(201);
  expect(await (await send(SESSION, 'GET')).json()).toMatchObject([{ url }]);
  expect(await (await send(TOKEN, 'GET')).json()).toMatchObject([{ url: 'https://hook.example' }]);
  const refused = await Promise.all([
    send(TOKEN, 'POST', '', webhook),
    send(TOKEN, 'PUT', '/1', { url: 'https://other.example/' }),
    send(TOKEN, 'DELETE', '/1'),
    send(TOKEN, 'POST', '/1/test'),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(targets.list()).toMatchObject([{ url }]);
});
