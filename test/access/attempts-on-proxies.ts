/** Attempts to misuse the proxies of data broadcasts. The targets that they refuse: `test/bml/`. */
import { until } from '../until.ts';
import { type Attempt, expectOneOf, expectThat, raw, statusOf } from './attempt.ts';
import { AT_HOME, type GuardedHome, JSON_TYPE, OUTSIDE } from './guarded-home.ts';

const TARGET = encodeURIComponent('http://data.example.test/');
const PROXY = `/api/bml/proxy?url=${TARGET}`;
const POST = `/api/bml/post?url=${TARGET}`;
const CONFIRM = '/api/bml/confirm?host=data.example.test';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Requests of a script of the service's own page. */
const ownPage = (home: GuardedHome) => ({ referer: `${home.url}/live`, 'sec-fetch-dest': 'empty' });
const ownForm = (home: GuardedHome) => ({ ...FORM, origin: home.url });

/** Sends a GET to both routes and a form, with the own page's headers and others. */
async function expectAll(
  home: GuardedHome,
  status: number,
  others: Record<string, string>,
  what = 'as a page of the service',
): Promise<void> {
  const before = home.peerRequests;
  const get = { headers: { ...ownPage(home), ...others } };
  const post = { method: 'POST', body: 'a=b', headers: { ...ownForm(home), ...others } };
  for (const [path, init] of [
    [PROXY, get],
    [CONFIRM, get],
    [POST, post],
  ] as const) {
    const response = await home.send(path, init);
    await response.body?.cancel();
    expectOneOf(response.status, [status]);
  }
  expectThat(home.peerRequests - before === (status === 200 ? 2 : 0), `the server is asked: ${what}`);
}

export const PROXIES: Attempt[] = [
  {
    tries: 'Use them without credentials, or with a revoked token',
    happens: '401; with a session, a token or from a trusted network they answer',
    run: async (home) => {
      await expectAll(home, 401, OUTSIDE);
      await expectAll(home, 401, { ...OUTSIDE, authorization: `Bearer ${home.revoked}` });
      await expectAll(home, 200, { ...OUTSIDE, cookie: home.cookie });
      await expectAll(home, 200, { ...OUTSIDE, authorization: `Bearer ${home.token}` });
      await expectAll(home, 200, AT_HOME);
    },
  },
  {
    tries: 'Use them by a program, or by a page that sends no Referer',
    happens: '403: GET needs an own Origin, Referer or `Sec-Fetch-Site: same-origin`, POST an own Origin',
    run: async (home) => {
      for (const headers of [AT_HOME, { ...AT_HOME, 'user-agent': 'VLC/3.0' }]) {
        for (const path of [PROXY, CONFIRM]) expectOneOf((await home.send(path, { headers })).status, [403]);
      }
      const headers = { ...AT_HOME, ...FORM, referer: `${home.url}/` };
      expectOneOf((await home.send(POST, { method: 'POST', body: 'a=b', headers })).status, [403]);
      expectOneOf(
        (await home.send(PROXY, { headers: { ...AT_HOME, 'sec-fetch-site': 'same-origin' } })).status,
        [200],
      );
    },
  },
  ...['https://evil.example', 'null', 'http://127.0.0.1:1'].map(
    (origin): Attempt => ({
      tries: `Submit a form, or fetch, from Origin \`${origin}\``,
      happens: '403',
      run: (home) => expectAll(home, 403, { ...AT_HOME, origin }),
    }),
  ),
  {
    tries: 'Fetch from a page of another site, by Referer or Fetch Metadata',
    happens: '403',
    run: async (home) => {
      for (const headers of [{ referer: 'https://evil.example/' }, { 'sec-fetch-site': 'cross-site' }])
        expectOneOf((await home.send(PROXY, { headers: { ...AT_HOME, ...headers } })).status, [403]);
    },
  },
  {
    tries:
      'Open an answer in a tab, or load it by an element (`<script>`, `<img>`, `<iframe>`, …) of an own page',
    happens: '403, and answers are `application/octet-stream` with `nosniff`, `sandbox` and `attachment`',
    run: async (home) => {
      await expectAll(home, 403, { ...AT_HOME, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' });
      await expectAll(home, 403, { ...AT_HOME, 'sec-fetch-mode': 'navigate' });
      for (const dest of [
        ...['script', 'style', 'image', 'iframe', 'frame', 'object', 'embed', 'worker', 'sharedworker'],
        ...[
          'serviceworker',
          'font',
          'audio',
          'video',
          'track',
          'manifest',
          'report',
          'xslt',
          'fencedframe',
          'json',
        ],
      ])
        await expectAll(home, 403, { ...AT_HOME, 'sec-fetch-dest': dest });
      const { headers } = await home.send(PROXY, { headers: { ...AT_HOME, ...ownPage(home) } });
      const sent = [
        'content-type',
        'x-content-type-options',
        'content-security-policy',
        'content-disposition',
      ];
      expectThat(
        sent.map((name) => headers.get(name)).join() ===
          'application/octet-stream,nosniff,sandbox,attachment',
        'the headers',
      );
    },
  },
  {
    tries: 'Speak WebSocket through a proxy',
    happens: 'the answer is that of a GET',
    run: async (home) => {
      const lines = ['Host: 127.0.0.1', 'X-Forwarded-For: 192.168.1.5', `Referer: http://127.0.0.1/`];
      const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
      const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
      const answer = await raw(
        home,
        `GET ${PROXY} HTTP/1.1\r\n${[...lines, ...upgrade, key].join('\r\n')}\r\n\r\n`,
      );
      expectOneOf(statusOf(answer), [200, 400, 403]);
    },
  },
  {
    tries: 'Send 1,000 requests at once',
    happens: 'four run, the others get 429 with `Retry-After`; other clients still have places, 16 in all',
    run: async (home) => {
      const stop = new AbortController();
      const ask = (address: string) =>
        home.send(`/api/bml/proxy?url=${encodeURIComponent('http://data.example.test/never')}`, {
          headers: { ...ownPage(home), 'x-forwarded-for': address },
          signal: stop.signal,
        });
      const before = home.peerRequests;
      const held = (count: number) => until('so many run', () => home.peerRequests === before + count);
      const refused: Response[] = [];
      const note = (response: Response): number => refused.push(response);
      for (let number = 0; number < 1_000; number += 1) ask('192.168.1.5').then(note, () => {});
      await until('the others are refused', () => refused.length === 996);
      await held(4);
      expectThat(
        refused.every(({ status }) => status === 429),
        'each is refused by 429',
      );
      expectThat(
        refused.every(({ headers }) => headers.has('retry-after')),
        'with a time',
      );
      for (let client = 6; client < 9; client += 1)
        for (let number = 0; number < 4; number += 1) ask(`192.168.1.${client}`).then(note, () => {});
      await held(16);
      expectOneOf((await ask('192.168.1.9')).status, [503]);
      stop.abort();
      await until('places are free again', async () => {
        const response = await home.send(PROXY, { headers: { ...ownPage(home), ...AT_HOME } });
        await response.body?.cancel();
        return response.status === 200;
      });
    },
  },
  {
    tries: 'Scan ports or private hosts by `confirm`',
    happens: 'only port 443 of public addresses; private hosts are refused at once, all alike',
    run: async (home) => {
      const confirm = async (host: string): Promise<[status: number, body: string, ms: number]> => {
        const began = performance.now();
        const path = `/api/bml/confirm?timeout=9000&host=${encodeURIComponent(host)}`;
        const response = await home.send(path, { headers: { ...ownPage(home), ...AT_HOME } });
        return [response.status, await response.text(), performance.now() - began];
      };
      const found = [];
      for (const host of [
        '127.0.0.1',
        '192.168.255.254',
        '10.255.255.1',
        '169.254.169.254',
        '::1',
        'fe80::1',
        'nas.local',
      ])
        found.push(await confirm(host));
      expectThat(
        found.every(([status]) => status === 403),
        'private hosts are refused',
      );
      expectThat(new Set(found.map(([, body]) => body)).size === 1, 'all alike');
      expectThat(
        found.every(([, , ms]) => ms < 2_000),
        'at once',
      );
      for (const host of [
        '8.8.8.8:22',
        'a@8.8.8.8',
        '8.8.8.8/x',
        '8.8.8.8?',
        '8.8.8.8#',
        'a\\b',
        '[8.8.8.8',
        ' 8.8.8.8',
      ])
        expectOneOf((await confirm(host))[0], [400]);
    },
  },
  {
    tries: 'Communicate while a recording plays, or while the setting is off',
    happens: '403',
    run: async (home) => {
      const headers = { ...AT_HOME, ...ownPage(home) };
      for (const path of [PROXY, CONFIRM])
        expectOneOf((await home.send(`${path}&recording=1`, { headers })).status, [403]);
      const form = { method: 'POST', body: 'a=b', headers: { ...AT_HOME, ...ownForm(home) } };
      expectOneOf((await home.send(`${POST}&recording=1`, form)).status, [403]);
      const set = (bidirectional: boolean) =>
        home.send('/api/settings', {
          method: 'PUT',
          headers: { ...AT_HOME, ...JSON_TYPE },
          body: JSON.stringify({ bidirectional }),
        });
      expectOneOf((await set(false)).status, [200]);
      await expectAll(home, 403, AT_HOME, 'switched off');
      await set(true);
      await expectAll(home, 200, AT_HOME);
    },
  },
];
