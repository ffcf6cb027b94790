/** Attempts to impersonate another client: addresses, paths, tokens, cookies. */
import {
  type Attempt,
  answered,
  answeredRaw,
  expectOneOf,
  expectThat,
  raw,
  rawGet,
  statusOf,
} from './attempt.ts';
import { AT_HOME, type GuardedHome, JSON_TYPE, OUTSIDE } from './guarded-home.ts';
import { Visitor } from './visitor.ts';

const SERVICES = '/api/services';
const forwarded = (value: string) => () => ({ 'x-forwarded-for': value });
const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });
const cookie = (value: string) => () => ({ cookie: value });

/** Header names that other software trusts as the client's address. */
const OTHER_ADDRESS_HEADERS = {
  'x-real-ip': '192.168.1.5',
  forwarded: 'for=192.168.1.5',
  'true-client-ip': '192.168.1.5',
  'cf-connecting-ip': '192.168.1.5',
  'x-client-ip': '192.168.1.5',
  'x-cluster-client-ip': '192.168.1.5',
};

export const ADDRESSES: Attempt[] = [
  {
    tries: 'Send `X-Forwarded-For` with a trusted address, without a proxy in front',
    happens: '401: the header is ignored unless the peer is a trusted proxy',
    run: answeredRaw(
      [401],
      'GET /api/services HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 192.168.1.5\r\nConnection: close\r\n\r\n',
      '127.0.0.2',
    ),
  },
  {
    tries: 'Write a trusted address into `X-Forwarded-For` before it reaches the proxy',
    happens: '401: nothing left of the first address that is not a proxy is read',
    run: answered(401, SERVICES, forwarded('192.168.1.5, 203.0.113.5')),
  },
  {
    tries: 'Append addresses of trusted proxies, so that evaluation continues to the left',
    happens: "401: evaluation ends at the attacker's address",
    run: answered(401, SERVICES, forwarded('192.168.1.5, 203.0.113.5, 10.0.0.7')),
  },
  {
    tries: 'Send `X-Forwarded-For` twice',
    happens: '401: both headers form one list, which is evaluated from its end',
    run: answeredRaw(
      [401],
      rawGet(SERVICES).replace('X-Forwarded-For', 'X-Forwarded-For: 192.168.1.5\r\nX-Forwarded-For'),
    ),
  },
  {
    tries: 'Put an invalid entry to the right of a trusted address',
    happens: '401: an invalid entry ends the evaluation at the proxy',
    run: answered(401, SERVICES, forwarded('192.168.1.5, unknown')),
  },
  {
    tries: 'Send the internal header `x-svc-remote` with a trusted address',
    happens: '401: it is overwritten',
    run: answered(401, SERVICES, () => ({ 'x-svc-remote': '192.168.1.5' })),
  },
  {
    tries: 'Send `X-Real-IP`, `Forwarded`, `True-Client-IP`, `CF-Connecting-IP` and the like',
    happens: '401: these headers are not read',
    run: answered(401, SERVICES, () => OTHER_ADDRESS_HEADERS),
  },
  ...[
    ['with a zone', '192.168.1.5%eth0'],
    ['in octal', '0300.0250.01.05'],
    ['in hexadecimal', '0xc0.0xa8.0x1.0x5'],
    ['as one number', '3232235781'],
    ['in short form', '192.168.261'],
    ['with a port out of range', '192.168.1.5:99999'],
    ['in brackets', '[192.168.1.5]'],
    ['in quotation marks', '"192.168.1.5"'],
    ['with full-width digits', '１９２.168.1.5'.replaceAll(/[^\x20-\x7e]/g, (c) => encodeURIComponent(c))],
    ['as NAT64', '64:ff9b::c0a8:105'],
    ['as 6to4', '2002:c0a8:105::1'],
    ['as IPv4-compatible IPv6', '::c0a8:105'],
  ].map(
    ([how, value = '']): Attempt => ({
      tries: `Write a trusted address ${how} into \`X-Forwarded-For\``,
      happens: '401: it is invalid, or another address',
      run: answered(401, SERVICES, forwarded(value)),
    }),
  ),
  {
    tries: 'Reach the service under a foreign name (DNS rebinding)',
    happens: '421 with the reason, before any other check',
    run: answeredRaw([421], rawGet(SERVICES).replace('Host: 127.0.0.1', 'Host: evil.example')),
  },
  {
    tries: 'Send `X-Forwarded-Host` with an allowed name, without a proxy in front',
    happens: '421: only accepted from a trusted proxy',
    run: answeredRaw(
      [421],
      'GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\nConnection: close\r\n\r\n',
      '127.0.0.2',
    ),
  },
  {
    tries: 'Send `X-Forwarded-Prefix` with an address of another host',
    happens: 'the redirect to the login stays on this host',
    run: async (home) => {
      for (const prefix of ['//evil.example', '/\\evil.example', '/a/../b', '/"><script>']) {
        const headers = { ...OUTSIDE, accept: 'text/html', 'x-forwarded-prefix': prefix };
        const response = await home.send('/guide', { headers });
        expectThat(response.headers.get('location') === '/login?to=guide', prefix);
      }
    },
  },
  {
    tries: 'Send the internal header `x-svc-base`, to move the redirect URI to another host',
    happens: 'it is overwritten',
    run: async (home) => {
      const response = await home.send('/login', {
        headers: { ...OUTSIDE, 'x-svc-base': 'https://evil.example/' },
      });
      const location = response.headers.get('location') ?? '';
      expectThat(location !== '' && !location.includes('evil'), location);
    },
  },
];

/** Spellings of paths, and the expected statuses. */
const SPELLINGS: [target: string, statuses: number[]][] = [
  ['/login/../api/services', [401]],
  ['/login/%2e%2e/api/services', [401]],
  ['/login/%2E%2E/%2e%2e/api/services', [401]],
  ['/login/..%2fapi/services', [404]],
  ['/login/..%5capi/services', [404]],
  ['/login/..;/api/services', [404]],
  ['/login\\..\\api\\services', [401]],
  ['/login/%252e%252e/api/services', [404]],
  ['/login//api/services', [404]],
  ['/icon.svg/../api/services', [401]],
  ['/icon.svg%2f..%2fapi/services', [401]],
  ['/api/health/../services', [401]],
  ['/api/health%2f..%2fservices', [401]],
  ['/api/health/', [401]],
  ['/api/health;x', [401]],
  ['/api/health%00', [401]],
  ['/API/services', [401]],
  ['//api/services', [401]],
  ['/./api/./services', [401]],
  ['/api/services#/login', [400, 401]],
  ['/api/services?x=/login', [401]],
  ['http://127.0.0.1/api/services', [401, 400]],
  ['/login/%2e%2e/%2e%2e/%2e%2e/etc/passwd', [401]],
  ['/login/..%2f..%2f..%2fetc%2fpasswd', [404]],
  ['/login/../../svc.db', [401]],
];

export const PATHS: Attempt[] = [
  ...SPELLINGS.map(
    ([target, statuses]): Attempt => ({
      tries: `\`GET ${target}\` without credentials`,
      happens: statuses.includes(404) ? '404: no such path below /login' : '401',
      run: answeredRaw(statuses, rawGet(target)),
    }),
  ),
  {
    tries: 'The same inside a trusted network, to read files beside the UI',
    happens: '404: path traversal in file names is refused',
    run: async (home) => {
      for (const target of [
        '/..%2fsvc.db',
        '/%2e%2e%2fsvc.db',
        '/fonts/..%2f..%2f..%2fetc%2fpasswd',
        '/fonts%2f..%2findex.html',
        '/.env',
        '/index.html%00.js',
      ]) {
        const answer = await raw(home, rawGet(target).replace('203.0.113.5', '192.168.1.5'));
        expectOneOf(statusOf(answer), [404]);
      }
    },
  },
];

export const TOKENS: Attempt[] = [
  {
    tries: 'Use a token that was revoked',
    happens: '401 `invalid_token`',
    run: answered(401, SERVICES, (home) => ({ authorization: `Bearer ${home.revoked}` })),
  },
  {
    tries: 'Use it inside a trusted network',
    happens: '401 `invalid_token`: the device must pair again',
    run: answered(401, SERVICES, (home) => ({ ...AT_HOME, authorization: `Bearer ${home.revoked}` })),
  },
  ...[
    ['Invent a token', 'svc_0123456789abcdef0123456789abcdef'],
    ['Send the prefix alone', 'svc_'],
    ['Send SQL as a token', "svc_'or'1'='1"],
    ['Send a token of 100 KB', `svc_${'a'.repeat(100_000)}`],
  ].map(
    ([tries = '', token = '']): Attempt => ({
      tries,
      happens: '401 `invalid_token`',
      run: answered(401, SERVICES, bearer(token)),
    }),
  ),
  {
    tries: 'Change one letter of a valid token, truncate or extend it',
    happens: '401 `invalid_token`',
    run: async (home) => {
      const { token } = home;
      const changed = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A');
      for (const other of [
        changed,
        token.slice(0, -1),
        `${token}A`,
        token.toUpperCase().replace('SVC_', 'svc_'),
      ])
        await answered(401, SERVICES, bearer(other))(home);
    },
  },
  {
    tries: 'Send a valid token in the URL, a cookie or another scheme',
    happens: '401: only `Authorization: Bearer` is accepted',
    run: async (home) => {
      await answered(401, `${SERVICES}?access_token=${home.token}&token=${home.token}`)(home);
      await answered(401, SERVICES, cookie(`svc_session=${home.token}; token=${home.token}`))(home);
      for (const scheme of ['Basic', 'Token', ''])
        await answered(401, SERVICES, () => ({ authorization: `${scheme} ${home.token}` }))(home);
    },
  },
  {
    tries: 'Send two `Authorization` headers, one of them with a valid token',
    happens: '401 or 400: only one header is allowed',
    run: async (home) => {
      const lines = ['Authorization: Bearer svc_guess', `Authorization: Bearer ${home.token}`];
      expectOneOf(statusOf(await raw(home, rawGet(SERVICES, lines))), [400, 401]);
    },
  },
  {
    tries: 'Approve another pairing with a stolen token',
    happens: '403: a token cannot approve another device',
    run: async (home) => {
      const { userCode } = await home.beginPairing();
      const form = await home.approvalForm(userCode, AT_HOME);
      const response = await home.approve(userCode, form, {
        ...OUTSIDE,
        authorization: `Bearer ${home.token}`,
      });
      expectOneOf(response.status, [403]);
    },
  },
];

type Events = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/** An open event stream, including its first bytes. */
async function openEvents(home: GuardedHome, headers: Record<string, string>): Promise<Events> {
  const response = await home.send('/api/events', { headers: { ...OUTSIDE, ...headers } });
  expectOneOf(response.status, [200]);
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('no stream');
  await reader.read();
  return reader;
}

async function openSocket(home: GuardedHome, headers: Record<string, string>): Promise<WebSocket> {
  const init = { method: 'POST', headers: { ...OUTSIDE, ...JSON_TYPE, ...headers } };
  const { ticket } = (await (await home.send('/api/live/ticket', init)).json()) as { ticket: string };
  const socket = new WebSocket(`${home.url.replace(/^http/u, 'ws')}/api/live/socket?ticket=${ticket}`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  return socket;
}

async function closed(socket: WebSocket): Promise<void> {
  if (socket.readyState !== WebSocket.CLOSED) await new Promise((resolve) => (socket.onclose = resolve));
}

/** Resolves when the stream ended or broke. */
async function endOf(events: Events): Promise<void> {
  try {
    while (!(await events.read()).done);
  } catch {
    // Expected: the connection was broken.
  }
}

export const SESSIONS: Attempt[] = [
  ...[
    ['Invent a session cookie', `svc_session=${'A'.repeat(43)}`],
    ['Send SQL as a session cookie', "svc_session=' OR 1=1 --"],
    ['Send an empty session cookie', 'svc_session='],
    ['Send a thousand session cookies', `svc_session=${'B'.repeat(43)};`.repeat(1_000)],
    ['Send a session cookie of 60 KB', `svc_session=${'C'.repeat(60_000)}`],
  ].map(
    ([tries = '', value = '']): Attempt => ({
      tries,
      happens: '401',
      run: answered(401, SERVICES, cookie(value)),
    }),
  ),
  {
    tries: 'Use the value of a session cookie as a bearer token, or in the URL',
    happens: '401',
    run: async (home) => {
      const secret = home.cookie.split('=')[1] ?? '';
      for (const token of [secret, `svc_${secret}`]) await answered(401, SERVICES, bearer(token))(home);
      await answered(401, `${SERVICES}?svc_session=${secret}`)(home);
    },
  },
  {
    tries: 'Plant a session cookie before the login (fixation)',
    happens: 'the login sets a new one',
    run: async (home) => {
      const planted = 'P'.repeat(43);
      const victim = new Visitor(home.url, { 'x-forwarded-for': '203.0.113.77' });
      victim.cookies.set('svc_session', planted);
      await victim.finishLogin(home.provider.signIn(await victim.beginLogin()));
      expectThat(victim.cookies.get('svc_session') !== planted, 'another cookie');
      await answered(401, SERVICES, cookie(`svc_session=${planted}`))(home);
    },
  },
  {
    tries: 'Continue with a session after logout',
    happens: '401',
    run: async (home) => {
      const victim = new Visitor(home.url, { 'x-forwarded-for': '203.0.113.78' });
      await victim.finishLogin(home.provider.signIn(await victim.beginLogin()));
      const stolen = `svc_session=${victim.cookies.get('svc_session')}`;
      await answered(200, SERVICES, cookie(stolen))(home);
      await victim.post('logout');
      await answered(401, SERVICES, cookie(stolen))(home);
    },
  },
  {
    tries:
      'Keep the event stream or the live socket open with a session that was logged out, or a token that was revoked',
    happens: 'the connection is aborted',
    run: async (home) => {
      const victim = new Visitor(home.url, { 'x-forwarded-for': '203.0.113.79' });
      await victim.finishLogin(home.provider.signIn(await victim.beginLogin()));
      const session = await openEvents(home, { cookie: `svc_session=${victim.cookies.get('svc_session')}` });
      const token = await home.pair('盗まれたテレビ');
      const authorization = `Bearer ${token}`;
      const device = await openEvents(home, { authorization });
      const other = await openEvents(home, { cookie: home.cookie });
      const sockets = await Promise.all([
        openSocket(home, { cookie: `svc_session=${victim.cookies.get('svc_session')}` }),
        openSocket(home, { authorization }),
      ]);
      const kept = await openSocket(home, { cookie: home.cookie });
      await victim.post('logout');
      await endOf(session);
      const headers = { ...OUTSIDE, ...JSON_TYPE, authorization };
      await home.send('/api/device/logout', { method: 'POST', headers });
      await endOf(device);
      await Promise.all(sockets.map(closed));
      expectOneOf(kept.readyState, [WebSocket.OPEN]);
      kept.close();
      // Both changes emit events, which a client that is still authorised receives.
      for (let seen = ''; !seen.includes('tokens'); ) {
        const { done, value } = await other.read();
        expectThat(!done, 'the other session continues');
        seen += new TextDecoder().decode(value);
      }
      await other.cancel();
    },
  },
  {
    tries: 'Log a user out with a link (`GET /logout`)',
    happens: 'a page is shown; the session continues',
    run: async (home) => {
      await answered(200, '/logout', cookie(home.cookie))(home);
      await answered(200, SERVICES, cookie(home.cookie))(home);
    },
  },
];

/** Requests that a page of another site can cause a browser of the household to send. */
const WRITE = { method: 'POST' };
const REVOKE = '/api/sessions/revoke-others';

export const OTHER_SITES: Attempt[] = [
  {
    tries: 'Submit a form of another site, with the cookie or from the trusted network',
    happens: '403: forms cannot send `application/json`',
    run: async (home) => {
      for (const type of [
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'text/plain',
        'text/plain; application/json',
      ]) {
        await answered(403, REVOKE, () => ({ ...AT_HOME, 'content-type': type }), WRITE)(home);
        await answered(403, REVOKE, () => ({ cookie: home.cookie, 'content-type': type }), WRITE)(home);
      }
    },
  },
  {
    tries: 'Send a write request without a content type, also with `DELETE`',
    happens: '403',
    run: async (home) => {
      await answered(403, REVOKE, () => AT_HOME, WRITE)(home);
      await answered(403, '/api/recordings/1', () => AT_HOME, { method: 'DELETE' })(home);
    },
  },
  ...['https://evil.example', 'null', 'http://127.0.0.1.evil.example', 'http://127.0.0.1:1', 'file://'].map(
    (origin): Attempt => ({
      tries: `Send JSON by a script from Origin \`${origin}\``,
      happens: '403',
      run: answered(403, REVOKE, () => ({ ...AT_HOME, ...JSON_TYPE, origin }), WRITE),
    }),
  ),
  {
    tries: 'Send a CORS preflight',
    happens: 'it is refused, and no response has an `Access-Control` header',
    run: async (home) => {
      const headers = { ...AT_HOME, origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      const response = await home.send(REVOKE, { method: 'OPTIONS', headers });
      expectOneOf(response.status, [403]);
      const plain = await home.send(SERVICES, { headers: AT_HOME });
      for (const { headers: sent } of [response, plain])
        expectThat(![...sent.keys()].some((name) => name.startsWith('access-control')), 'no such header');
    },
  },
  {
    tries: 'Load a response as image, script or frame of another site',
    happens:
      '403 if the browser sends `Sec-Fetch-Site`; else `Cross-Origin-Resource-Policy` prevents reading it',
    run: async (home) => {
      for (const dest of ['image', 'script', 'iframe', 'video', 'empty'])
        await answered(403, SERVICES, () => ({
          ...AT_HOME,
          'sec-fetch-site': 'cross-site',
          'sec-fetch-mode': 'no-cors',
          'sec-fetch-dest': dest,
        }))(home);
      const response = await home.send(SERVICES, { headers: AT_HOME });
      expectThat(response.headers.get('cross-origin-resource-policy') === 'same-origin', 'the header');
    },
  },
  {
    tries: 'Show the service in a frame of another site (clickjacking)',
    happens: "every page has `frame-ancestors 'self'`",
    run: async (home) => {
      for (const path of ['/', '/device', '/logout', '/login/callback', '/nothing']) {
        const response = await home.send(path, { headers: { ...AT_HOME, accept: 'text/html' } });
        const policy = response.headers.get('content-security-policy') ?? '';
        expectThat(
          policy.includes("frame-ancestors 'self'") && !/script-src[^;]*unsafe-inline/.test(policy),
          path,
        );
        expectThat(response.headers.get('x-content-type-options') === 'nosniff', path);
        expectThat(response.headers.get('referrer-policy') === 'same-origin', path);
      }
    },
  },
  {
    tries: 'Override the method by a header or a parameter',
    happens: 'it is not changed',
    run: async (home) => {
      const headers = { ...AT_HOME, 'x-http-method-override': 'POST', 'x-method-override': 'POST' };
      const response = await home.send(`${REVOKE}?_method=POST`, { headers });
      expectOneOf(response.status, [405]);
    },
  },
  {
    tries: 'Open the live socket from a page of another site',
    happens: '403',
    run: answered(403, '/api/live/socket?ticket=x', () => ({
      ...AT_HOME,
      origin: 'https://evil.example',
      connection: 'Upgrade',
      upgrade: 'websocket',
    })),
  },
];
