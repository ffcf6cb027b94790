/** Attempts to misuse credentials: access tokens and session cookies. */
import { type Attempt, answered, expectOneOf, expectThat, raw, rawGet, statusOf } from './attempt.ts';
import { AT_HOME, type GuardedHome, JSON_TYPE, OUTSIDE, SERVICES } from './guarded-home.ts';
import { Visitor } from './visitor.ts';

const bearer = (token: string) => () => ({ authorization: `Bearer ${token}` });
const cookie = (value: string) => () => ({ cookie: value });

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

export async function openSocket(home: GuardedHome, headers: Record<string, string>): Promise<WebSocket> {
  const init = { method: 'POST', headers: { ...OUTSIDE, ...JSON_TYPE, ...headers } };
  const { ticket } = (await (await home.send('/api/live/ticket', init)).json()) as { ticket: string };
  const socket = new WebSocket(`${home.url.replace(/^http/u, 'ws')}/api/live/socket?ticket=${ticket}`);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  return socket;
}

export async function closed(socket: WebSocket): Promise<void> {
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
