/** Attempts on the login and on pairing. */
import { type Attempt, answered, expectOneOf, expectThat } from './attempt.ts';
import { AT_HOME, type GuardedHome, JSON_TYPE, OUTSIDE } from './guarded-home.ts';
import { Visitor } from './visitor.ts';

let visitors = 0;

/** Each uses an address of its own, because attempts are counted by address. */
function visitor(home: GuardedHome): Visitor {
  return new Visitor(home.url, { 'x-forwarded-for': `198.51.100.${++visitors}` });
}

export const LOGIN: Attempt[] = [
  {
    tries: 'Call the callback without a login in progress, with guessed codes and states',
    happens: '400, and no session',
    run: async (home) => {
      const who = visitor(home);
      for (const query of [
        '',
        '?code=x',
        '?code=x&state=y',
        `?code=x&state=${'s'.repeat(43)}`,
        '?error=x&state=y',
      ])
        expectOneOf((await who.get(`login/callback${query}`)).status, [400]);
      expectThat(!who.isLoggedIn, 'no session');
    },
  },
  {
    tries: 'Let a victim complete the login of the attacker (login CSRF)',
    happens: '400: a login is bound to the browser that began it',
    run: async (home) => {
      const [attacker, victim] = [visitor(home), visitor(home)];
      await victim.beginLogin();
      const back = home.provider.signIn(await attacker.beginLogin());
      expectOneOf((await victim.finishLogin(back)).status, [400]);
      expectThat(!victim.isLoggedIn, 'no session');
    },
  },
  {
    tries: 'Replay the URL of a callback',
    happens: '400: a login can be completed only once',
    run: async (home) => {
      const who = visitor(home);
      const back = home.provider.signIn(await who.beginLogin());
      expectOneOf((await who.finishLogin(back)).status, [302]);
      expectOneOf((await who.finishLogin(back)).status, [400]);
    },
  },
  {
    tries: 'Use the authorization code of one login in another (code injection)',
    happens: '403: the code only matches its own PKCE challenge',
    run: async (home) => {
      const [attacker, victim] = [visitor(home), visitor(home)];
      const stolen = home.provider.signIn(await victim.beginLogin());
      const back = home.provider.signIn(await attacker.beginLogin());
      back.searchParams.set('code', stolen.searchParams.get('code') ?? '');
      expectOneOf((await attacker.finishLogin(back)).status, [403]);
    },
  },
  {
    tries: 'Answer in the name of another provider (mix-up)',
    happens: '403: `iss` must be the configured provider',
    run: async (home) => {
      const who = visitor(home);
      const back = home.provider.signIn(await who.beginLogin());
      back.searchParams.set('iss', 'https://evil.example');
      expectOneOf((await who.finishLogin(back)).status, [403]);
    },
  },
  {
    tries: 'Sign the ID token with `alg: none`, or with the public key as HMAC secret',
    happens: '403: only RS256 with a published key is accepted',
    run: async (home) => {
      const { provider } = home;
      const pem = provider.key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
      for (const [alg, secret] of [
        ['none', ''],
        ['HS256', pem],
      ] as const) {
        const who = visitor(home);
        const back = provider.signIn(await who.beginLogin(), (claims) =>
          provider.sign(claims, { header: { alg }, secret }),
        );
        expectOneOf((await who.finishLogin(back)).status, [403]);
        expectThat(!who.isLoggedIn, 'no session');
      }
    },
  },
  {
    tries: 'Plant the cookie of a login in the browser of a victim, before or beside its own',
    happens:
      'a value that no login in progress gave out is replaced, and of several none counts: 400, no session',
    run: async (home) => {
      const planted = 'P'.repeat(43);
      const [attacker, victim] = [visitor(home), visitor(home)];
      for (const who of [attacker, victim]) who.cookies.set('svc_login', planted);
      const back = home.provider.signIn(await attacker.beginLogin());
      expectThat(attacker.cookies.get('svc_login') !== planted, 'replaced');
      expectOneOf((await victim.finishLogin(back)).status, [400]);
      // The victim's own login is in progress, and the attacker's cookie comes from another path or host.
      const other = home.provider.signIn(await attacker.beginLogin());
      await victim.beginLogin();
      const [own, theirs] = [victim, attacker].map(({ cookies }) => `svc_login=${cookies.get('svc_login')}`);
      for (const cookie of [`${theirs}; ${own}`, `${own}; ${theirs}`])
        expectOneOf(
          (await victim.get(`login/callback${other.search}`, { headers: { cookie } })).status,
          [400],
        );
      expectThat(!victim.isLoggedIn, 'no session');
    },
  },
  {
    tries:
      'Set the cookies of login and session over plain http or from another host of the domain, for use over https',
    happens:
      'over https only `__Host-` cookies count (`__Secure-` for a session below a path), which browsers keep others from setting',
    run: async (home) => {
      const https = { 'x-forwarded-for': '198.51.100.240', 'x-forwarded-proto': 'https' };
      const who = new Visitor(home.url, https);
      const back = home.provider.signIn(await who.beginLogin());
      const login = who.cookies.get('__Host-svc_login') ?? '';
      for (const name of ['svc_login', '__Secure-svc_login'])
        expectOneOf(
          (await who.get(`login/callback${back.search}`, { headers: { cookie: `${name}=${login}` } })).status,
          [400],
        );
      expectOneOf((await who.finishLogin(back)).status, [302]);
      const session = who.cookies.get('__Host-svc_session') ?? '';
      for (const name of ['svc_session', '__Secure-svc_session'])
        await answered(401, '/api/services', () => ({ ...https, cookie: `${name}=${session}` }))(home);
      await answered(200, '/api/services', () => ({ ...https, cookie: `__Host-svc_session=${session}` }))(
        home,
      );
    },
  },
  {
    tries: 'Begin a login under one name of the service and complete it under another',
    happens: '400: the callback must come to the address that the provider was given',
    run: async (home) => {
      const who = visitor(home);
      const back = home.provider.signIn(await who.beginLogin());
      const headers = { 'x-forwarded-host': `localhost:${home.port}` };
      expectOneOf((await who.get(`login/callback${back.search}`, { headers })).status, [400]);
      expectThat(!who.isLoggedIn, 'no session');
    },
  },
  {
    tries: 'Use an ID token that was issued in the future, or names nobody',
    happens: '403',
    run: async (home) => {
      const { provider } = home;
      const soon = Math.floor(Date.now() / 1_000) + 90;
      for (const change of [{ iat: soon }, { sub: '' }, { sub: ' ' }]) {
        const who = visitor(home);
        const back = provider.signIn(await who.beginLogin(), (claims) =>
          provider.sign({ ...claims, ...change }),
        );
        expectOneOf((await who.finishLogin(back)).status, [403]);
        expectThat(!who.isLoggedIn, 'no session');
      }
    },
  },
  {
    tries: 'Use the login to redirect a user to another site (open redirect)',
    happens: 'it only redirects to addresses of the service',
    run: async (home) => {
      for (const to of [
        '//evil.example',
        'https://evil.example',
        '/\\evil.example',
        'javascript:alert(1)',
        '/.//evil.example',
      ]) {
        const response = await home.send(`/login?to=${encodeURIComponent(to)}`, { headers: AT_HOME });
        expectThat(new URL(response.headers.get('location') ?? '').origin === home.url, to);
      }
    },
  },
  {
    tries: 'Inject markup into a page of the login',
    happens: 'it is shown as text',
    run: async (home) => {
      const who = visitor(home);
      const state = (await who.beginLogin()).searchParams.get('state') ?? '';
      const query = new URLSearchParams({
        state,
        error: '<script>',
        error_description: '<img src=x onerror=y>',
      });
      const page = await (await who.get(`login/callback?${query}`)).text();
      expectThat(!page.includes('<script>') && !page.includes('<img'), 'no markup');
    },
  },
  {
    tries: 'Start logins without limit',
    happens:
      '429 with `Retry-After` after 40 from one address; at most 20 of one address and 500 in all are kept, for 10 min',
    run: async (home) => {
      const other = visitor(home);
      const begun = await other.beginLogin();
      const who = visitor(home);
      let last = await who.get('login');
      for (let n = 0; n < 50; n++) last = await who.get('login');
      expectOneOf(last.status, [429]);
      expectThat(Number(last.headers.get('retry-after')) > 0, 'Retry-After');
      expectOneOf((await other.finishLogin(home.provider.signIn(begun))).status, [302]);
    },
  },
];

async function errorOf(response: Response): Promise<string> {
  return ((await response.json()) as { error?: string }).error ?? '';
}

export const PAIRING: Attempt[] = [
  {
    tries: 'Approve a pairing by having the page opened, prefetched or reloaded (GET)',
    happens: 'nothing is approved',
    run: async (home) => {
      const { deviceCode, userCode } = await home.beginPairing();
      for (let n = 0; n < 3; n++) await home.approvalForm(userCode, AT_HOME);
      expectThat((await errorOf(await home.poll(deviceCode))) === 'authorization_pending', 'pending');
    },
  },
  ...(
    [
      ['without the CSRF token of its page', { proof: '' }, {}],
      ['with a made-up CSRF token', { proof: 'x'.repeat(43) }, {}],
      ['without the cookie of its page', { cookie: '' }, {}],
      ['without an `Origin`', {}, { origin: '' }],
      ['from another site', {}, { origin: 'https://evil.example' }],
    ] as const
  ).map(
    ([how, form, headers]): Attempt => ({
      tries: `Submit the approval form ${how}`,
      happens: 'nothing is approved',
      run: async (home) => {
        const { deviceCode, userCode } = await home.beginPairing();
        const real = await home.approvalForm(userCode, AT_HOME);
        const response = await home.approve(userCode, { ...real, ...form }, headers);
        expectThat(response.status !== 303, `status ${response.status}`);
        expectThat((await errorOf(await home.poll(deviceCode))) === 'authorization_pending', 'pending');
      },
    }),
  ),
  {
    tries: 'Approve without credentials',
    happens: '401, or a redirect to the login',
    run: async (home) => {
      const { userCode } = await home.beginPairing();
      const form = await home.approvalForm(userCode, AT_HOME);
      expectOneOf((await home.approve(userCode, form, OUTSIDE)).status, [401]);
      const page = await home.send(`/device?code=${userCode}`, {
        headers: { ...OUTSIDE, accept: 'text/html' },
      });
      expectOneOf(page.status, [302]);
    },
  },
  {
    tries: 'Poll with the user code of the QR code, a guessed or an empty one',
    happens: '400 `invalid_grant` or `bad_request`',
    run: async (home) => {
      const { userCode } = await home.beginPairing();
      for (const code of [userCode, 'x'.repeat(43), '', "' OR 1=1 --"]) {
        const response = await home.poll(code);
        expectOneOf(response.status, [400]);
        expectThat(!(await response.text()).includes('svc_'), 'no token');
      }
    },
  },
  {
    tries: 'Fetch the token of a pairing a second time',
    happens: '400 `invalid_grant`',
    run: async (home) => {
      const { deviceCode, userCode } = await home.beginPairing();
      await home.approve(userCode, await home.approvalForm(userCode, AT_HOME));
      expectThat((await (await home.poll(deviceCode)).text()).includes('svc_'), 'a token');
      expectThat((await errorOf(await home.poll(deviceCode))) === 'invalid_grant', 'invalid_grant');
    },
  },
  {
    tries: 'Start a pairing by a form of another site',
    happens: '403',
    run: answered(403, '/api/device/code', () => ({ 'content-type': 'text/plain' }), {
      method: 'POST',
      body: '{"name":"x"}',
    }),
  },
  ...(
    [
      ['by a page of another site', { 'sec-fetch-site': 'cross-site' }, ''],
      ['by a page of another port or subdomain', { 'sec-fetch-site': 'same-site' }, ''],
      ['by a browser that does not say what led there (plain http)', {}, ''],
      ['through the redirect of the login (`to=`)', { 'sec-fetch-site': 'none' }, 'login?to='],
    ] as const
  ).map(
    ([how, fetched, way]): Attempt => ({
      tries: `Open the URL of a QR code in a browser of the household ${how} (drive-by pairing)`,
      happens: 'the page asks, names device, address and time, and sends nothing without a press',
      run: async (home) => {
        const { deviceCode, userCode } = await home.beginPairing('居間のテレビ');
        const headers = {
          ...{ ...AT_HOME, ...fetched, accept: 'text/html' },
          ...{ 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' },
        };
        const target = `device?code=${userCode}`;
        let response = await home.send(`/${way}${way === '' ? target : encodeURIComponent(target)}`, {
          headers,
        });
        const location = response.headers.get('location');
        if (location !== null) response = await home.send(location.replace(home.url, ''), { headers });
        const page = await response.text();
        expectOneOf(response.status, [200]);
        expectThat(!page.includes('<script'), 'no script');
        for (const text of ['居間のテレビ', '203.0.113.', '登録しますか', '<button', ':'])
          expectThat(page.includes(text), text);
        expectThat((await errorOf(await home.poll(deviceCode))) === 'authorization_pending', 'pending');
        await home.approve(userCode, await home.approvalForm(userCode, AT_HOME));
      },
    }),
  ),
  {
    tries: 'Register a device unnoticed',
    happens: 'the event `paired` makes every open screen show it, with a button that revokes it',
    run: async (home) => {
      const response = await home.send('/api/events', { headers: AT_HOME });
      const reader = response.body?.getReader();
      await home.pair('見知らぬテレビ');
      for (let seen = ''; !seen.includes('event: paired\n'); ) {
        const { done, value } = (await reader?.read()) ?? { done: true };
        expectThat(done !== true, 'the stream continues');
        seen += new TextDecoder().decode(value);
      }
      await reader?.cancel();
    },
  },
  {
    tries: 'Name a device with 1 MB, 41 letters, a number or nothing',
    happens: '400, or 413 above 16 KB',
    run: async (home) => {
      for (const name of ['あ'.repeat(300_000), 'x'.repeat(41), 7, null, {}]) {
        const body = JSON.stringify({ name });
        const status = body.length > 16_384 ? 413 : 400;
        await answered(status, '/api/device/code', () => JSON_TYPE, { method: 'POST', body })(home);
      }
    },
  },
  {
    tries: 'Name a device with markup',
    happens: 'the page shows it as text',
    run: async (home) => {
      const { userCode } = await home.beginPairing('<script>alert(1)</script>');
      const page = await (await home.send(`/device?code=${userCode}`, { headers: AT_HOME })).text();
      expectThat(!page.includes('<script>alert') && page.includes('&lt;script&gt;'), 'text');
    },
  },
  {
    tries: 'Occupy all places for pending pairings, so that no television can be registered',
    happens:
      '429 `too_many_pending` with `Retry-After` after 20 of one address (IPv6: one /64); others still get a code',
    run: async (home) => {
      const ask = (address: string): Promise<Response> =>
        home.send('/api/device/code', {
          method: 'POST',
          headers: { ...JSON_TYPE, 'x-forwarded-for': address },
          body: '{"name":"x"}',
        });
      // Attempts before this one have left codes: it gets what is left of the places.
      let given = 0;
      let refused = await ask('2001:db8:7:7::1');
      while (refused.status === 200 && given < 20) {
        given += 1;
        refused = await ask(`2001:db8:7:7::${given + 1}`);
      }
      expectOneOf(refused.status, [429]);
      expectThat(given > 3, `${given} codes`);
      const wait = Number(refused.headers.get('retry-after'));
      expectThat(wait > 0 && wait <= 600, `Retry-After ${wait}`);
      expectThat((await errorOf(refused)) === 'too_many_pending', 'too_many_pending');
      for (const other of ['198.51.100.200', '198.51.100.201', '198.51.100.202'])
        expectOneOf((await ask(other)).status, [200]);
    },
  },
];
