/**
 * Every path of the service for every kind of client. The paths are listed by the running service, so that
 * new routes are covered automatically; the public ones are listed here again, according to the
 * specification.
 */
import { describe, expect, test } from 'bun:test';
import { SCREENS } from '../../src/http/pages.ts';
import { AT_HOME, guardedHome, OUTSIDE, UI_FILES } from './guarded-home.ts';

const OPEN: ReadonlySet<string> = new Set([
  ...['/login', '/login/callback', '/login/nothing.css', '/logout', '/api/health', '/manifest.webmanifest'],
  ...['/api/device/code', '/api/device/token', '/icon.svg', '/icon-192.png'],
]);
/** Authorised by its ticket. */
const SOCKET = '/api/live/socket';

const home = guardedHome();

type Outcome = 'in' | 'unauthorized' | 'invalid_token';

/** A kind of client, its headers, and the expected result on paths that need credentials. */
const CLIENTS: [kind: string, headers: () => Record<string, string>, outcome: Outcome][] = [
  ['a client without credentials', () => OUTSIDE, 'unauthorized'],
  ['a trusted network', () => AT_HOME, 'in'],
  ['a session', () => ({ ...OUTSIDE, cookie: home.cookie }), 'in'],
  ['an unknown session', () => ({ ...OUTSIDE, cookie: `svc_session=${'A'.repeat(43)}` }), 'unauthorized'],
  ['an access token', () => ({ ...OUTSIDE, authorization: `Bearer ${home.token}` }), 'in'],
  ['a revoked token', () => ({ ...OUTSIDE, authorization: `Bearer ${home.revoked}` }), 'invalid_token'],
  [
    'a revoked token at home',
    () => ({ ...AT_HOME, authorization: `Bearer ${home.revoked}` }),
    'invalid_token',
  ],
  ['an invented token', () => ({ ...OUTSIDE, authorization: 'Bearer svc_guess' }), 'invalid_token'],
  [
    "another service's token",
    () => ({ ...OUTSIDE, authorization: 'Bearer eyJhbGciOiJub25lIn0' }),
    'unauthorized',
  ],
  ["another service's token at home", () => ({ ...AT_HOME, authorization: 'Bearer abc' }), 'in'],
];

/** All methods and paths, with parameters filled in. */
function everything(): [method: string, path: string][] {
  const filled = (path: string): string => path.replaceAll(/:\w+/g, '1').replace('#', '1');
  const routes = home.service.service.routes.map(({ method, path }): [string, string] => [
    method,
    filled(path),
  ]);
  const files = [...UI_FILES.map((file) => `/${file}`), '/login/nothing.css', '/nothing.js', '/index.html'];
  const pages = [...SCREENS.map(filled), ...files, SOCKET, '/api', '/api/nothing'];
  return [...routes, ...pages.map((path): [string, string] => ['GET', path])];
}

/**
 * Without a JSON body a change is refused after the access check and before the route, so nothing is changed.
 */
async function outcomeOf(method: string, path: string, headers: Record<string, string>): Promise<Outcome> {
  const leaving = new AbortController();
  const response = await home.send(path, { method, headers, signal: leaving.signal });
  const text = response.status === 401 ? await response.text() : '';
  const challenge = response.headers.get('www-authenticate');
  leaving.abort();
  // Approval and revocation check the token themselves, independently of how the request was authorised.
  if (response.status !== 401) return 'in';
  expect(text).toBe(challenge?.includes('error=') ? '{"error":"invalid_token"}' : '{"error":"unauthorized"}');
  expect(challenge).toBe(
    challenge?.includes('error=') ? 'Bearer error="invalid_token"' : 'Bearer realm="svc"',
  );
  return challenge?.includes('error=') ? 'invalid_token' : 'unauthorized';
}

describe('every path', () => {
  for (const [kind, headers, outcome] of CLIENTS) {
    test(`for ${kind}`, async () => {
      const found: [string, string, Outcome][] = [];
      const expected: [string, string, Outcome][] = [];
      for (const [method, path] of everything()) {
        const isOpen = OPEN.has(path) || path === SOCKET;
        expected.push([method, path, isOpen ? 'in' : outcome]);
        found.push([method, path, await outcomeOf(method, path, headers())]);
      }
      expect(found.length).toBeGreaterThan(80);
      expect(found).toEqual(expected);
    });
  }
});

test('a browser without credentials is led to the login from screens, never from the API', async () => {
  const html = { ...OUTSIDE, accept: 'text/html,*/*;q=0.8' };
  for (const screen of SCREENS) {
    const path = screen.replace('#', '1');
    const response = await home.send(path, { headers: html });
    const to = path === '/' ? '' : `?to=${encodeURIComponent(path.slice(1))}`;
    expect([response.status, response.headers.get('location')]).toEqual([302, `/login${to}`]);
  }
  for (const path of ['/api/services', '/api/nothing', '/api/recordings/1/file']) {
    const response = await home.send(path, { headers: html });
    expect([response.status, await response.text()]).toEqual([401, '{"error":"unauthorized"}']);
  }
});

test('the icons of the manifest are open', async () => {
  const manifest = (await (await home.send('/manifest.webmanifest', { headers: OUTSIDE })).json()) as {
    icons: { src: string }[];
  };
  expect(manifest.icons.length).toBeGreaterThan(2);
  for (const { src } of manifest.icons) {
    const response = await home.send(`/${src}`, { headers: OUTSIDE });
    expect([src, response.status]).toEqual([src, UI_FILES.includes(src) ? 200 : 404]);
  }
});

test("the font of the server's own pages is open, below the login only", async () => {
  const page = await (await home.send('/login/callback', { headers: OUTSIDE })).text();
  expect(page).toContain('<link rel="stylesheet" href="/login/fonts.css">');
  for (const file of ['fonts.css', 'fonts/svc-font.woff2']) {
    const response = await home.send(`/login/${file}`, { headers: OUTSIDE });
    expect([response.status, await response.text()]).toEqual([200, file]);
    expect((await home.send(`/${file}`, { headers: OUTSIDE })).status).toBe(401);
  }
});

test('the socket is opened with a ticket only, which works once', async () => {
  const open = (query: string, headers = {}): Promise<number> =>
    fetch(`${home.url}/api/live/socket${query}`, {
      headers: {
        ...OUTSIDE,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    }).then((response) => response.status);
  for (const [, headers] of CLIENTS) expect(await open('', headers())).toBe(403);
  const issued = await home.send('/api/live/ticket', {
    method: 'POST',
    headers: { ...OUTSIDE, 'content-type': 'application/json', cookie: home.cookie },
  });
  const { ticket } = (await issued.json()) as { ticket: string };
  const isOpened = await new Promise<boolean>((resolve) => {
    const socket = new WebSocket(`${home.url.replace('http', 'ws')}/api/live/socket?ticket=${ticket}`);
    socket.addEventListener('open', () => {
      socket.close();
      resolve(true);
    });
    socket.addEventListener('error', () => resolve(false));
  });
  expect(isOpened).toBe(true);
  expect(await open(`?ticket=${ticket}`)).toBe(403);
});
