import { expect, test } from 'bun:test';
import { Failure } from '../model/failure.ts';
import { answeredOnceStored } from './api.ts';

test('a write is answered once it is on disk, and with an error when that cannot be confirmed', async () => {
  let disk = Promise.withResolvers<void>();
  const answered = answeredOnceStored(() => Response.json({}), {
    admitted: async (answer) => answer(),
    stored: () => disk.promise,
  });
  const ask = (method: string) => answered(new Request('http://svc/api/rules', { method }));
  // Reads do not wait.
  expect((await ask('GET')).status).toBe(200);
  let isAnswered = false;
  const answer = ask('POST').finally(() => {
    isAnswered = true;
  });
  await Bun.sleep(5);
  expect(isAnswered).toBe(false);
  disk.resolve();
  expect((await answer).status).toBe(200);
  disk = Promise.withResolvers();
  disk.reject(new Failure('busy', 'ディスク'));
  const late = await ask('DELETE');
  expect(late.status).toBe(503);
  expect(await late.json()).toMatchObject({ code: 'busy' });
});

test('a refused request changes nothing, and is answered at once', async () => {
  const refusing = answeredOnceStored(() => new Response(null, { status: 404 }), {
    admitted: async (answer) => answer(),
    stored: () => new Promise(() => {}),
  });
  expect((await refusing(new Request('http://svc/api/rules/1', { method: 'PUT' }))).status).toBe(404);
});

test('only requests that may write wait until they are admitted', async () => {
  const admitted: string[] = [];
  const answering = (method: string) =>
    answeredOnceStored(() => Response.json({}), {
      admitted: async (answer) => {
        admitted.push(method);
        return answer();
      },
      stored: async () => {},
    })(new Request('http://svc/api/rules', { method }));
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH']) await answering(method);
  expect(admitted).toEqual(['POST', 'PUT', 'DELETE', 'PATCH']);
});

test('a login is answered once it is stored, although the browser comes back by GET', async () => {
  const redirect = () => new Response(null, { status: 302, headers: { location: '/' } });
  let waits = 0;
  const answered = answeredOnceStored(redirect, {
    admitted: async (answer) => answer(),
    stored: async () => {
      waits += 1;
    },
  });
  const ask = (path: string) => answered(new Request(`http://svc${path}`));
  expect((await ask('/login/callback?code=a&state=b')).status).toBe(302);
  expect(waits).toBe(1);
  await ask('/login');
  expect(waits).toBe(1);
  await answered(new Request('http://svc/device', { method: 'POST' }));
  expect(waits).toBe(2);
});
