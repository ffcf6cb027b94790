/** What an access token may do, with the whole service: what the screens may, except to manage the access of others. */
import { expect, test } from 'bun:test';
import { AT_HOME, guardedHome, JSON_TYPE, OUTSIDE } from './guarded-home.ts';

const home = guardedHome();

const withToken = (): Record<string, string> => ({
  ...OUTSIDE,
  ...JSON_TYPE,
  authorization: `Bearer ${home.token}`,
});

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

async function ask({ method, path, body }: Asked, headers: Record<string, string>): Promise<Response> {
  return home.send(path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

test('a token can neither manage tokens nor sessions, nor change the recording folders', async () => {
  const listed = await ask({ method: 'GET', path: '/api/device/tokens' }, { ...AT_HOME });
  const [first] = (await listed.json()) as { id: number }[];
  const refused: Asked[] = [
    { method: 'GET', path: '/api/device/tokens' },
    { method: 'HEAD', path: '/api/device/tokens' },
    { method: 'DELETE', path: `/api/device/tokens/${first?.id}` },
    { method: 'DELETE', path: `/api/device//tokens/${first?.id}` },
    { method: 'POST', path: '/api/sessions/revoke-others' },
    { method: 'PUT', path: '/api/settings', body: { recordingFolders: [], theme: 'dark' } },
    { method: 'PUT', path: '/api/settings', body: { recordingFolders: null } },
    { method: 'PUT', path: '/api/mqtt', body: {} },
  ];
  for (const asked of refused) {
    const response = await ask(asked, withToken());
    const { method, path } = asked;
    const isOtherPath = path.includes('//');
    expect([method, path, response.status]).toEqual([method, path, isOtherPath ? 404 : 403]);
    if (isOtherPath || method === 'HEAD') continue;
    expect(await response.json()).toMatchObject({ code: 'forbidden' });
  }
  // Nothing was changed.
  const again = (await (await ask({ method: 'GET', path: '/api/device/tokens' }, { ...AT_HOME })).json()) as {
    id: number;
  }[];
  expect(again.map(({ id }) => id)).toContain(first?.id ?? -1);
  expect(
    (await ask({ method: 'GET', path: '/api/services' }, { ...OUTSIDE, cookie: home.cookie })).status,
  ).toBe(200);
});

test('a token may change other settings, and people may change the folders', async () => {
  const dark = await ask(
    { method: 'PUT', path: '/api/settings', body: { marginAfter: 20_000 } },
    withToken(),
  );
  expect([dark.status, await dark.json()]).toEqual([200, expect.objectContaining({ marginAfter: 20_000 })]);
  const body = { recordingFolders: [] };
  const own = await ask({ method: 'PUT', path: '/api/settings', body }, { ...AT_HOME, ...JSON_TYPE });
  expect(own.status).toBe(200);
});

test('a form that was sent without a login says that a login is needed', async () => {
  const response = await home.send('/device', {
    method: 'POST',
    headers: {
      ...OUTSIDE,
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'code=ABCD-EFGH&proof=x',
    redirect: 'manual',
  });
  expect(response.status).toBe(401);
  const html = await response.text();
  expect(html).toContain('ログインが必要です');
  expect(html).toContain('href="/login"');
  expect(html).not.toContain('TRUSTED_NETWORKS');
});
