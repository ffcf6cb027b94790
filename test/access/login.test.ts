/** Logging in with a provider that is valid, hostile or broken, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startTestService, type TestService } from '../service/harness.ts';
import { CLIENT_ID, CLIENT_SECRET, type Claims, ProviderStandIn } from './provider-stand-in.ts';
import { Visitor } from './visitor.ts';

const provider = new ProviderStandIn();
let service: TestService;
let members: TestService;
let address = 0;

const ENVIRONMENT = {
  TRUSTED_NETWORKS: '192.168.0.0/16',
  TRUSTED_PROXIES: '127.0.0.1',
  ALLOWED_HOSTS: 'tv.example',
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
};

beforeAll(async () => {
  provider.start();
  const environment = { ...ENVIRONMENT, OIDC_ISSUER: provider.issuer };
  service = await startTestService({ environment });
  members = await startTestService({ environment: { ...environment, OIDC_GROUP: 'tv-members' } });
});

afterAll(async () => {
  await service.close();
  await members.close();
  await provider.stop();
});

/** Each uses an address of its own, because attempts are counted by address. */
function visitor(of = service, headers: Record<string, string> = {}): Visitor {
  return new Visitor(of.url, { 'x-forwarded-for': `198.51.100.${++address}`, ...headers });
}

async function login(who: Visitor, write?: Parameters<ProviderStandIn['signIn']>[1]): Promise<Response> {
  return who.finishLogin(provider.signIn(await who.beginLogin(), write));
}

describe('a login', () => {
  test('returns to the screen that was requested, with a session', async () => {
    const who = visitor();
    const refused = await who.get('watch/12?at=30');
    expect([refused.status, refused.headers.get('location')]).toEqual([
      302,
      '/login?to=watch%2F12%3Fat%3D30',
    ]);
    const authorize = await who.beginLogin(refused.headers.get('location') ?? '');
    expect(Object.fromEntries(authorize.searchParams)).toEqual({
      ...{ client_id: CLIENT_ID, response_type: 'code', code_challenge_method: 'S256' },
      redirect_uri: `${service.url}/login/callback`,
      scope: 'openid profile email',
      ...{ state: expect.any(String), nonce: expect.any(String), code_challenge: expect.any(String) },
    });
    const response = await who.finishLogin(provider.signIn(authorize));
    expect([response.status, response.headers.get('location')]).toEqual([
      302,
      `${service.url}/watch/12?at=30`,
    ]);
    expect(who.setCookies).toEqual([
      expect.stringMatching(/^svc_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/),
    ]);
    expect((await who.get('api/services')).status).toBe(200);
    const access = (await (await who.get('api/access')).json()) as { you: object; sessions: object[] };
    expect(access.you).toEqual({
      by: 'session',
      address: who.headers['x-forwarded-for'] ?? '',
      network: null,
      name: '花子',
    });
    expect(access.sessions).toContainEqual(
      expect.objectContaining({ name: '花子', agent: 'Visitor/1', current: true }),
    );
  });

  test('uses discovery, token and keys of the provider, nothing else', async () => {
    expect((await login(visitor())).status).toBe(302);
    const used = new Set(provider.asked);
    expect([...used].sort()).toEqual(['/.well-known/openid-configuration', '/keys', '/token']);
  });

  test('behind a proxy with https and a path prefix, redirect URI, cookies and the return address have the prefix', async () => {
    const forwarded = {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'tv.example',
      'x-forwarded-prefix': '/box',
    };
    const who = visitor(service, forwarded);
    expect((await who.get('guide')).headers.get('location')).toBe('/box/login?to=guide');
    const authorize = await who.beginLogin('login?to=guide');
    expect(authorize.searchParams.get('redirect_uri')).toBe('https://tv.example/box/login/callback');
    expect(who.setCookies).toEqual([
      expect.stringMatching(
        /^__Host-svc_login=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
    const response = await who.finishLogin(provider.signIn(authorize));
    expect(response.headers.get('location')).toBe('https://tv.example/box/guide');
    expect(who.setCookies).toEqual([
      expect.stringMatching(
        /^__Secure-svc_session=[\w-]{43}; Path=\/box\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ]);
  });

  test('several tabs of one browser log in side by side', async () => {
    const who = visitor();
    const tabs = [await who.beginLogin('login?to=guide'), await who.beginLogin('login?to=rules')];
    const places: (string | null)[] = [];
    for (const tab of tabs)
      places.push((await who.finishLogin(provider.signIn(tab))).headers.get('location'));
    expect(places).toEqual([`${service.url}/guide`, `${service.url}/rules`]);
  });

  test('inside a trusted network is not needed: it redirects to the screen at once', async () => {
    const home = visitor(service, { 'x-forwarded-for': '192.168.1.5' });
    const response = await home.get('login?to=guide');
    expect([response.status, response.headers.get('location')]).toEqual([302, `${service.url}/guide`]);
    expect(home.cookies.size).toBe(0);
  });

  test('after a key rotation accepts the new keys and rejects the old ones', async () => {
    const old = provider.rotate();
    expect((await login(visitor())).status).toBe(302);
    expect((await login(visitor(), (claims) => provider.sign(claims, { key: old }))).status).toBe(403);
  });

  test('redirects to addresses of the service only', async () => {
    const rows: [to: string, place: string][] = [
      ['', '/'],
      ['guide?at=1&b=2', '/guide?at=1&b=2'],
      ['/guide', '/guide'],
      ['device?code=ABCD-EFGH', '/device?code=ABCD-EFGH&confirm=1'],
      ['//evil.example/', '/'],
      ['/\\evil.example', '/'],
      ['\\\\evil.example', '/'],
      ['https://evil.example/', '/'],
      ['https:evil.example', '/'],
      ['javascript:alert(1)', '/'],
      ['/.//evil.example', '/'],
      ['..//evil.example', '/'],
      ['\t//evil.example', '/'],
      ['/\t/evil.example', '/'],
      ['x\r\nset-cookie: a=b', '/'],
      ['login?to=login', '/'],
      ['logout', '/'],
      ['x'.repeat(2_000), '/'],
    ];
    const home = { 'x-forwarded-for': '192.168.1.5' };
    for (const [to, place] of rows) {
      const response = await visitor(service, home).get(`login?to=${encodeURIComponent(to)}`);
      const location = response.headers.get('location') ?? '';
      expect([to, location]).toEqual([to, service.url + place]);
    }
  });

  test('logging out ends this session only and leads to a page that says so', async () => {
    const [mine, theirs] = [visitor(), visitor()];
    await login(mine);
    await login(theirs);
    const cookie = `svc_session=${mine.cookies.get('svc_session')}`;
    expect((await mine.get('logout')).status).toBe(200);
    expect(mine.isLoggedIn).toBe(true);
    const response = await mine.post('logout');
    expect(response.status).toBe(204);
    expect(mine.setCookies).toEqual(['svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    expect((await visitor(service, { cookie }).get('api/services')).status).toBe(401);
    expect((await theirs.get('api/services')).status).toBe(200);
    expect((await mine.post('logout')).status).toBe(204);
  });

  test('logging other sessions out keeps this browser logged in', async () => {
    const [mine, theirs] = [visitor(), visitor()];
    await login(mine);
    await login(theirs);
    const response = await mine.post('api/sessions/revoke-others');
    expect(((await response.json()) as { count: number }).count).toBeGreaterThanOrEqual(1);
    expect((await mine.get('api/services')).status).toBe(200);
    expect((await theirs.get('api/services')).status).toBe(401);
  });

  test('a second login of a browser replaces its first', async () => {
    const who = visitor();
    await login(who);
    const cookie = `svc_session=${who.cookies.get('svc_session')}`;
    await login(who);
    expect((await who.get('api/services')).status).toBe(200);
    expect((await visitor(service, { cookie }).get('api/services')).status).toBe(401);
  });
});

const later = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

/** ID tokens and responses of the token endpoint, and whether the login succeeds. */
const TOKENS: [what: string, isIn: boolean, write: NonNullable<Parameters<ProviderStandIn['signIn']>[1]>][] =
  [
    ['a sound token', true, (claims) => provider.sign(claims)],
    [
      'expired 50 s ago, within the clock tolerance',
      true,
      (claims) => provider.sign({ ...claims, exp: later(-50) }),
    ],
    ['expired by 61 s', false, (claims) => provider.sign({ ...claims, exp: later(-61) })],
    [
      'valid in 55 s, within the clock tolerance',
      true,
      (claims) => provider.sign({ ...claims, nbf: later(55) }),
    ],
    ['valid in 90 s', false, (claims) => provider.sign({ ...claims, nbf: later(90) })],
    [
      'issued in 50 s, within the clock tolerance',
      true,
      (claims) => provider.sign({ ...claims, iat: later(50), exp: later(400) }),
    ],
    ['issued in 90 s', false, (claims) => provider.sign({ ...claims, iat: later(90), exp: later(400) })],
    [
      'issued in a thousand years',
      false,
      (claims) => provider.sign({ ...claims, iat: later(3e10), exp: later(4e10) }),
    ],
    ['issued at a text', false, (claims) => provider.sign({ ...claims, iat: String(later(0)) })],
    ['not issued at any time', false, (claims) => provider.sign({ ...claims, iat: undefined })],
    ['without an expiry', false, (claims) => provider.sign({ ...claims, exp: undefined })],
    ['alg none', false, (claims) => provider.sign(claims, { header: { alg: 'none' }, secret: '' })],
    ['alg NONE with a signature', false, (claims) => provider.sign(claims, { header: { alg: 'NONE' } })],
    ['no alg', false, (claims) => provider.sign(claims, { header: { alg: undefined } })],
    [
      'HS256 with the public key',
      false,
      (claims) =>
        provider.sign(claims, {
          header: { alg: 'HS256' },
          secret: provider.key.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
        }),
    ],
    [
      'HS256 with the client secret',
      false,
      (claims) => provider.sign(claims, { header: { alg: 'HS256' }, secret: CLIENT_SECRET }),
    ],
    ['RS512', false, (claims) => provider.sign(claims, { header: { alg: 'RS512' }, hash: 'RSA-SHA512' })],
    ['RS256 in the header, RS512 in fact', false, (claims) => provider.sign(claims, { hash: 'RSA-SHA512' })],
    ['a wrong nonce', false, (claims) => provider.sign({ ...claims, nonce: 'another' })],
    ['no nonce', false, (claims) => provider.sign({ ...claims, nonce: undefined })],
    ['another audience', false, (claims) => provider.sign({ ...claims, aud: 'another-app' })],
    ['no audience', false, (claims) => provider.sign({ ...claims, aud: undefined })],
    [
      'several audiences, issued to another',
      false,
      (claims) => provider.sign({ ...claims, aud: [CLIENT_ID, 'another'], azp: 'another' }),
    ],
    [
      'several audiences, issued to this one',
      true,
      (claims) => provider.sign({ ...claims, aud: [CLIENT_ID, 'another'], azp: CLIENT_ID }),
    ],
    ['another issuer', false, (claims) => provider.sign({ ...claims, iss: 'https://evil.example' })],
    ['an empty subject', false, (claims) => provider.sign({ ...claims, sub: '' })],
    ['a blank subject', false, (claims) => provider.sign({ ...claims, sub: ' ' })],
    ['a number as subject', false, (claims) => provider.sign({ ...claims, sub: 7 })],
    ['no subject', false, (claims) => provider.sign({ ...claims, sub: undefined })],
    [
      'a key that the provider does not publish',
      false,
      (claims) => provider.sign(claims, { key: other.key }),
    ],
    [
      'such a key under the key id of a published one',
      false,
      (claims) => provider.sign(claims, { key: { ...other.key, kid: provider.key.kid } }),
    ],
    [
      'a key inside the token itself',
      false,
      (claims) =>
        provider.sign(claims, {
          key: other.key,
          header: { jwk: other.key.publicKey.export({ format: 'jwk' }), jku: `${other.issuer}/keys` },
        }),
    ],
    [
      'an unknown critical header',
      false,
      (claims) => provider.sign(claims, { header: { crit: ['x'], x: 1 } }),
    ],
    [
      'claims changed after signing',
      false,
      (claims) => {
        const [head, , signature] = provider.sign(claims).split('.');
        const changed = Buffer.from(JSON.stringify({ ...claims, name: '太郎' })).toString('base64url');
        return `${head}.${changed}.${signature}`;
      },
    ],
    ['no token at all', false, () => Response.json({ access_token: 'a', token_type: 'Bearer' })],
    ['no JSON', false, () => new Response('<html>', { headers: { 'content-type': 'application/json' } })],
    ['2 MB', false, () => Response.json({ access_token: 'a'.repeat(2_000_000), token_type: 'Bearer' })],
    [
      'a redirect',
      false,
      () => new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/' } }),
    ],
    ['an error of the server', false, () => new Response('broken', { status: 500 })],
  ];
const other = new ProviderStandIn();

describe('an ID token', () => {
  for (const [what, isIn, write] of TOKENS) {
    test(`${what}: ${isIn ? 'accepted' : 'refused'}`, async () => {
      const who = visitor();
      const response = await login(who, write);
      expect([who.isLoggedIn, response.status === 302]).toEqual([isIn, isIn]);
      if (!isIn) expect(await response.text()).toContain('もう一度ログインする');
    });
  }
});

describe('a callback', () => {
  test('works once', async () => {
    const who = visitor();
    const back = provider.signIn(await who.beginLogin());
    expect((await who.finishLogin(back)).status).toBe(302);
    who.cookies.delete('svc_session');
    expect((await who.finishLogin(back)).status).toBe(400);
    expect(who.isLoggedIn).toBe(false);
  });

  test('with the code of another login is refused', async () => {
    const who = visitor();
    const [mine, theirs] = [await who.beginLogin(), await visitor().beginLogin()];
    const stolen = provider.signIn(mine);
    stolen.searchParams.set('code', provider.signIn(theirs).searchParams.get('code') ?? '');
    expect((await who.finishLogin(stolen)).status).toBe(403);
  });

  test('that another browser began is refused, and stays valid for its own browser', async () => {
    const [mine, theirs] = [visitor(), visitor()];
    await mine.beginLogin();
    const back = provider.signIn(await theirs.beginLogin());
    expect((await mine.finishLogin(back)).status).toBe(400);
    expect((await visitor().finishLogin(back)).status).toBe(400);
    expect(mine.isLoggedIn).toBe(false);
    expect((await theirs.finishLogin(back)).status).toBe(302);
  });

  const changes: [what: string, status: number, change: (back: URL) => void][] = [
    ['without a state', 400, ({ searchParams }) => searchParams.delete('state')],
    ['with another state', 400, ({ searchParams }) => searchParams.set('state', 'x'.repeat(43))],
    ['with two states', 403, ({ searchParams }) => searchParams.append('state', 'y')],
    ['with another issuer', 403, ({ searchParams }) => searchParams.set('iss', 'https://evil.example')],
    ['with an invented code', 403, ({ searchParams }) => searchParams.set('code', 'guess')],
    ['without a code', 403, ({ searchParams }) => searchParams.delete('code')],
    ['with a token in the address', 403, ({ searchParams }) => searchParams.set('id_token', 'x')],
    [
      'that was cancelled',
      403,
      (back) => {
        back.searchParams.delete('code');
        back.searchParams.set('error', 'access_denied');
      },
    ],
  ];
  for (const [what, status, change] of changes) {
    test(`${what} is refused`, async () => {
      const who = visitor();
      const back = provider.signIn(await who.beginLogin());
      change(back);
      const response = await who.finishLogin(back);
      expect([response.status, who.isLoggedIn]).toEqual([status, false]);
      expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    });
  }
});

describe('with a group', () => {
  const elsewhere = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://x' } } };
  const rows: [what: string, claims: Claims, says: string | undefined][] = [
    ['a member', { groups: ['others', 'tv-members'] }, undefined],
    ['a holder of the role', { roles: ['tv-members'] }, undefined],
    ['one group as a string', { groups: 'tv-members' }, undefined],
    ['a member of other groups only', { groups: ['others'] }, 'に入っていません'],
    ['a holder of other roles', { roles: ['tv'] }, 'に入っていません'],
    ['no groups and no roles', {}, '伝えられませんでした'],
    ['empty lists', { groups: [], roles: [] }, '伝えられませんでした'],
    ['groups of another kind', { groups: { 'tv-members': true } }, '伝えられませんでした'],
    ['too many groups', elsewhere, '多すぎるため'],
    ['too many groups, and the role', { ...elsewhere, roles: ['tv-members'] }, undefined],
    ['too many groups, and another role', { ...elsewhere, roles: ['tv'] }, 'に入っていません'],
    ['letter case counts', { groups: ['TV-members'] }, 'に入っていません'],
  ];
  for (const [what, claims, says] of rows) {
    test(`${what}: ${says ?? 'accepted'}`, async () => {
      const who = visitor(members);
      const response = await login(who, (standard) => provider.sign({ ...standard, ...claims }));
      expect([response.status, who.isLoggedIn]).toEqual(says === undefined ? [302, true] : [403, false]);
      if (says === undefined) return;
      const page = await response.text();
      expect(page).toContain(says);
      expect(page).toContain('account=choose');
    });
  }

  test('a name with markup is shown as text', async () => {
    const name = '<script>alert(1)</script>';
    const response = await login(visitor(members), (claims) => provider.sign({ ...claims, name }));
    expect(await response.text()).toContain('&lt;script&gt;alert(1)&lt;/script&gt; として');
  });

  test('another account can be chosen', async () => {
    const authorize = await visitor(members).beginLogin('login?account=choose');
    expect(authorize.searchParams.get('prompt')).toBe('select_account');
  });
});

describe('a provider that is down', () => {
  test('is reported on a page; trusted networks still work; it is retried later', async () => {
    const away = new ProviderStandIn();
    away.start();
    await away.stop();
    const own = await startTestService({ environment: { ...ENVIRONMENT, OIDC_ISSUER: away.issuer } });
    try {
      const response = await visitor(own).get('login?to=guide');
      expect(response.status).toBe(503);
      const page = await response.text();
      expect(page).toContain('ログインサービスに接続できません');
      expect(page).toContain('/login?to=guide');
      const home = visitor(own, { 'x-forwarded-for': '192.168.1.5' });
      expect((await home.get('api/services')).status).toBe(200);
      away.start();
      const who = visitor(own);
      let authorize: URL | undefined;
      while (authorize === undefined) {
        authorize = await who.beginLogin().catch(() => undefined);
        if (authorize === undefined) await Bun.sleep(100);
      }
      expect((await who.finishLogin(away.signIn(authorize))).status).toBe(302);
    } finally {
      await own.close();
      await away.stop();
    }
  });

  test('that breaks during a login is reported on a page', async () => {
    const who = visitor();
    const back = provider.signIn(await who.beginLogin());
    provider.fault = () =>
      new Response('<h1>502</h1>', { status: 502, headers: { 'content-type': 'text/html' } });
    const response = await who.finishLogin(back).finally(() => {
      provider.fault = undefined;
    });
    expect([response.status, who.isLoggedIn]).toEqual([503, false]);
  });

  const metadata: [what: string, change: Claims][] = [
    ['names another issuer', { issuer: 'https://evil.example' }],
    ['names an issuer for every tenant', { issuer: 'https://login.microsoftonline.com/{tenantid}/v2.0' }],
    ['has no token endpoint', { token_endpoint: undefined }],
    ['has no keys', { jwks_uri: undefined }],
  ];
  for (const [what, change] of metadata) {
    test(`that ${what} logs no user in`, async () => {
      const wrong = new ProviderStandIn();
      wrong.start();
      wrong.metadata = change;
      const own = await startTestService({ environment: { ...ENVIRONMENT, OIDC_ISSUER: wrong.issuer } });
      try {
        const who = visitor(own);
        const begun = await who.get('login');
        const location = begun.headers.get('location');
        if (location === null) expect(begun.status).toBe(503);
        else
          expect((await who.finishLogin(wrong.signIn(new URL(location)))).status).toBeGreaterThanOrEqual(403);
        expect(who.isLoggedIn).toBe(false);
      } finally {
        await own.close();
        await wrong.stop();
      }
    });
  }
});

test('attempts of one address are counted, those of others are not', async () => {
  const who = visitor();
  const answers: number[] = [];
  for (let n = 0; n < 45; n++) answers.push((await who.get('login')).status);
  expect(answers.slice(0, 40)).toEqual(Array(40).fill(302));
  expect(answers.at(-1)).toBe(429);
  const limited = await who.get('login?to=guide');
  expect(await limited.text()).toContain('login?to=guide"');
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await visitor().get('login')).status).toBe(302);
});

test('neither secrets nor codes, states, tokens and cookies are in the log', () => {
  const lines = [...service.lines, ...members.lines].join('\n');
  expect(lines).toContain('login failed');
  expect(lines).toContain('login denied');
  expect(lines).toContain('logged in');
  expect(lines).not.toContain(CLIENT_SECRET);
  expect(lines).not.toMatch(/code-\d+-|svc_session=|eyJ[\w-]{10}/);
  for (const secret of provider.secrets) expect(lines).not.toContain(secret);
});
