/** A notice from the whole service to a webhook: where it may go, and what its request says of the service. */
import { expect, test } from 'bun:test';
import { VERSION } from '../../lib/host/version.ts';
import { startTestService } from '../service/harness.ts';

/** @returns the outcome of a test notice, and the headers that its server received */
async function sentTo(
  environment: Record<string, string>,
): Promise<[ok: boolean, headers: Headers | undefined]> {
  let headers: Headers | undefined;
  const hook = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      headers = request.headers;
      return new Response('');
    },
  });
  const home = await startTestService({ environment });
  const post = async (path: string, body: object): Promise<unknown> => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await fetch(home.url + path, init)).json();
  };
  const url = `http://127.0.0.1:${hook.port}/in`;
  const target = { kind: 'webhook', format: 'generic', name: '試験', url };
  const { id } = (await post('/api/notifications', target)) as { id: number };
  const { ok } = (await post(`/api/notifications/${id}/test`, {})) as { ok: boolean };
  await home.close();
  await hook.stop(true);
  return [ok, headers];
}

test('names the service as its sender', async () => {
  const [ok, headers] = await sentTo({ NOTIFY_PRIVATE: '1' });
  expect(ok).toBe(true);
  expect(headers?.get('user-agent')).toBe(`svc/${VERSION}`);
  expect(headers?.get('content-type')).toContain('application/json');
});

test('does not reach the home unless the owner allows it', async () => {
  expect(await sentTo({})).toEqual([false, undefined]);
});
