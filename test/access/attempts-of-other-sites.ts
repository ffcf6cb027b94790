/** Attempts of pages of other sites, by a browser of the household. */
import { type Attempt, answered, expectOneOf, expectThat } from './attempt.ts';
import { AT_HOME, type GuardedHome, JSON_TYPE, REVOKE, SERVICES, WRITE } from './guarded-home.ts';

/** Paths that send media, by the service's own description, with their parameters filled in. */
async function mediaPaths(home: GuardedHome): Promise<string[]> {
  const { paths } = (await (await home.send('/api/openapi.json', { headers: AT_HOME })).json()) as {
    paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>;
  };
  const sends = (path: string): string[] =>
    Object.values(paths[path]?.get?.responses ?? {}).flatMap(({ content }) => Object.keys(content ?? {}));
  return (
    Object.keys(paths)
      .filter((path) => sends(path).some((type) => /^(?:video|audio|image)\/|octet-stream/.test(type)))
      // Proxies demand more of every client: see the attempts on them.
      .filter((path) => !/\.m3u$|\/logo$|^\/api\/bml\//.test(path))
      .map((path) => path.replaceAll(/\{\w+\}/g, '1'))
      // Asking for pictures tunes.
      .concat('/api/stills?stations=')
  );
}

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
    tries:
      'Occupy tuners, encoders and disks by `<video src>` or `<img src>` in a page of another site, over plain http',
    happens: '403 before tuning: a browser that sends no `Sec-Fetch-Site` must send an own Referer or Origin',
    run: async (home) => {
      const media = await mediaPaths(home);
      expectThat(media.length >= 8, media.join());
      const browser = { ...AT_HOME, 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' };
      for (const path of media) {
        for (const headers of [
          browser,
          { ...browser, referer: 'http://evil.example/' },
          { ...browser, referer: `http://127.0.0.1.evil.example/${home.url}/` },
          { ...browser, 'sec-fetch-site': 'same-site' },
          { ...browser, authorization: 'Basic YTpi' },
          { ...AT_HOME, 'user-agent': 'AppleCoreMedia/1.0.0', referer: 'http://evil.example/' },
        ])
          for (const method of ['GET', 'HEAD']) await answered(403, path, () => headers, { method })(home);
        // Our own pages, and players: all of these find no such station or recording.
        for (const headers of [
          { ...browser, referer: `${home.url}/live/1` },
          { ...browser, 'sec-fetch-site': 'same-origin' },
          { ...browser, authorization: `Bearer ${home.token}` },
          { ...AT_HOME, 'user-agent': 'VLC/3.0.20 LibVLC/3.0.20', 'accept-language': 'ja' },
          AT_HOME,
        ])
          await answered([400, 404, 503], path, () => headers)(home);
      }
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
