/** Attempts to exhaust the service, and to read private data. */
import { symlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
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
import { closed, openSocket } from './attempts-on-credentials.ts';
import { AT_HOME, type GuardedHome, JSON_TYPE, OUTSIDE } from './guarded-home.ts';
import { CLIENT_SECRET } from './provider-stand-in.ts';

/** Opens connections, sends the text and leaves them open. */
async function leftOpen(home: GuardedHome, count: number, text: string): Promise<Socket[]> {
  const opened = Array.from(
    { length: count },
    () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect(home.port, '127.0.0.1', () => {
          socket.write(text);
          resolve(socket);
        });
        socket.on('error', reject);
      }),
  );
  return Promise.all(opened);
}

/** Milliseconds until the service answers a client in a trusted network. */
async function answerTime(home: GuardedHome): Promise<number> {
  const began = performance.now();
  const response = await home.send('/api/services', { headers: AT_HOME });
  await response.text();
  expectOneOf(response.status, [200]);
  return performance.now() - began;
}

const HALF = 'GET /api/services HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ';

export const EXHAUSTION: Attempt[] = [
  ...(
    [
      ['send nothing', ''],
      ['send headers a byte at a time (slow loris)', HALF],
      [
        'announce a body without sending it',
        'POST /api/device/code HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{',
      ],
    ] as const
  ).map(
    ([what, text]): Attempt => ({
      tries: `On 500 connections, ${what}`,
      happens: 'other clients are still answered',
      run: async (home) => {
        const sockets = await leftOpen(home, 500, text);
        try {
          for (let n = 0; n < 5; n++) {
            for (const socket of sockets) if (text === HALF) socket.write('x');
            expectThat((await answerTime(home)) < 5_000, 'an answer in time');
          }
        } finally {
          for (const socket of sockets) socket.destroy();
        }
      },
    }),
  ),
  {
    tries: 'Send headers of 200 KB, or 10,000 of them',
    happens: '431, or the connection is closed',
    run: async (home) => {
      for (const lines of [
        [`X: ${'x'.repeat(200_000)}`],
        Array.from({ length: 10_000 }, (_, n) => `X-${n}: ${'y'.repeat(10)}`),
      ])
        expectOneOf(statusOf(await raw(home, rawGet('/api/health', lines))), [431, 400, 0]);
    },
  },
  {
    tries: 'Send a URL of 200 KB',
    happens: '431, or the connection is closed',
    run: answeredRaw([431, 414, 400, 0], rawGet(`/${'a'.repeat(200_000)}`)),
  },
  {
    tries: 'Send 2 MB where a name is expected, announced or in chunks',
    happens: '413',
    run: async (home) => {
      const body = JSON.stringify({ name: 'x'.repeat(2_000_000) });
      await answered(413, '/api/device/code', () => JSON_TYPE, { method: 'POST', body })(home);
      const stream = new Blob([body]).stream();
      await answered(413, '/api/device/code', () => JSON_TYPE, { method: 'POST', body: stream })(home);
    },
  },
  {
    tries: 'Send JSON that is nested 100,000 times, or names `__proto__`',
    happens: '400 or 413',
    run: async (home) => {
      for (const body of [
        `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
        `${'['.repeat(8_000)}${']'.repeat(8_000)}`,
        '{"__proto__":{"name":"x"}}',
        '{"name":',
      ]) {
        const status = body.length > 16_384 ? 413 : 400;
        await answered(status, '/api/device/code', () => JSON_TYPE, { method: 'POST', body })(home);
      }
    },
  },
  {
    tries: 'Send `Content-Length` and `Transfer-Encoding`, or an invalid length (request smuggling)',
    happens: '400 or a closed connection; nothing after it is treated as a separate request',
    run: async (home) => {
      const hidden = rawGet('/api/health');
      const post = 'POST /api/device/code HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n';
      for (const lengths of [
        'Content-Length: 4\r\nTransfer-Encoding: chunked',
        'Content-Length: -1',
        'Content-Length: 1e3',
        'Content-Length: 4\r\nContent-Length: 5',
      ]) {
        const answer = await raw(home, `${post}${lengths}\r\nConnection: close\r\n\r\n0\r\n\r\n${hidden}`);
        expectThat(!answer.includes('"status":"ok"'), lengths);
      }
    },
  },
  ...(
    [
      ['no Host', '', [400, 401]],
      ['an empty Host', 'Host:\r\n', [400, 401]],
      ['two Hosts', 'Host: 127.0.0.1\r\nHost: evil.example\r\n', [400, 421]],
      ['a Host of 300 bytes', `Host: ${'h'.repeat(300)}\r\n`, [400, 421]],
      ['the Host `tv`, which is not configured', 'Host: tv\r\n', [421]],
      ['the Host `x`', 'Host: x\r\n', [421]],
      ['a Host with a path', 'Host: 127.0.0.1/login\r\n', [400, 421]],
      ['a Host with a user', 'Host: localhost@evil.example\r\n', [400, 421]],
      ['a Host with markup', 'Host: <script>\r\n', [400, 421]],
    ] as const
  ).map(
    ([what, host, statuses]): Attempt => ({
      tries: `Send ${what}`,
      happens: statuses.map(String).join(' or '),
      run: answeredRaw(
        statuses,
        `GET /api/services HTTP/1.1\r\n${host}X-Forwarded-For: 203.0.113.5\r\nConnection: close\r\n\r\n`,
      ),
    }),
  ),
  {
    tries: 'Speak HTTP/1.0, HTTP/0.9, HTTP/9.9 or TLS to it',
    happens: '401, an error, or a closed connection; other clients are still answered',
    run: async (home) => {
      const old = `GET /api/services HTTP/1.0\r\nX-Forwarded-For: 203.0.113.5\r\n\r\n`;
      expectOneOf(statusOf(await raw(home, old)), [401, 400, 505]);
      for (const text of [
        'GET /api/services\r\n\r\n',
        'GET / HTTP/9.9\r\n\r\n',
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
      ])
        expectOneOf(statusOf(await raw(home, text)), [400, 401, 505, 0]);
      await answerTime(home);
    },
  },
  {
    tries: 'Use unexpected methods (`TRACE`, `CONNECT`, `PROPFIND`, `FOO`)',
    happens: '400, 401, 405, 501 or a closed connection; the request is never echoed',
    run: async (home) => {
      for (const verb of ['TRACE', 'CONNECT', 'PROPFIND', 'FOO']) {
        const answer = await raw(home, rawGet('/api/services', ['X-Secret: echo-me']).replace('GET', verb));
        expectOneOf(statusOf(answer), [401, 400, 405, 501, 0]);
        expectThat(!answer.includes('echo-me'), 'no echo');
      }
    },
  },
  {
    tries: 'Request live tickets without limit',
    happens: '429 after 60 at once; at most 32 of one client and 256 in all are kept, for 30 s',
    run: async (home) => {
      // A ticket of another client, which the many do not displace.
      const victim = { ...OUTSIDE, ...JSON_TYPE, cookie: home.cookie };
      const answer = await home.send('/api/live/ticket', { method: 'POST', headers: victim });
      const { ticket } = (await answer.json()) as { ticket: string };
      const headers = { ...JSON_TYPE, 'x-forwarded-for': '192.168.77.7' };
      const statuses = new Set<number>();
      for (let n = 0; n < 80; n++)
        statuses.add((await home.send('/api/live/ticket', { method: 'POST', headers })).status);
      expectThat(statuses.has(200) && statuses.has(429), [...statuses].join());
      const socket = new WebSocket(`${home.url.replace(/^http/u, 'ws')}/api/live/socket?ticket=${ticket}`);
      await new Promise((resolve, reject) => {
        socket.onopen = resolve;
        socket.onerror = reject;
      });
      socket.close();
    },
  },
  {
    tries: 'Hold live sockets without limit, watching nothing',
    happens: 'the 17th of one client is closed with 1013, others are served; idle ones are closed after 30 s',
    run: async (home) => {
      const own = { 'x-forwarded-for': '192.168.77.8' };
      const held = [];
      for (let n = 0; n < 16; n += 1) held.push(await openSocket(home, own));
      const further = await openSocket(home, own);
      const code = new Promise<number>((resolve) => (further.onclose = (event) => resolve(event.code)));
      expectOneOf(await code, [1013]);
      const other = await openSocket(home, { 'x-forwarded-for': '192.168.77.9' });
      expectOneOf(other.readyState, [WebSocket.OPEN]);
      for (const socket of [...held, other]) socket.close();
      await Promise.all([...held, other].map(closed));
    },
  },
];

export const KNOWLEDGE: Attempt[] = [
  {
    tries: 'Read about the household on endpoints without credentials',
    happens: 'health returns version and counts, the manifest a name and icons',
    run: async (home) => {
      const health = (await (await home.send('/api/health', { headers: OUTSIDE })).json()) as object;
      expectThat(
        Object.keys(health).sort().join() === 'latestVersion,recordings,stations,status,version',
        Object.keys(health).join(),
      );
    },
  },
  {
    tries: 'Read the API description, scripts, source maps or licences without credentials',
    happens: '401',
    run: async (home) => {
      for (const path of ['/api/openapi.json', '/app-1a2b3c4d.js', '/app-1a2b3c4d.js.map', '/api/licenses'])
        await answered(401, path)(home);
    },
  },
  {
    tries: 'Find the client secret or cookies in the settings, the access screen or the status',
    happens: 'they are not in any of them',
    run: async (home) => {
      const secrets = [CLIENT_SECRET, home.token, home.cookie.split('=')[1] ?? ''];
      for (const path of [
        '/api/access',
        '/api/settings',
        '/api/system',
        '/api/status',
        '/api/device/tokens',
      ]) {
        const text = await (await home.send(path, { headers: AT_HOME })).text();
        for (const secret of secrets) expectThat(!text.includes(secret), path);
      }
    },
  },
  {
    tries:
      'List or record to keys, other services and the system: by path, behind a link, in a name with a line break',
    happens: '400: a path is judged by where it leads',
    run: async (home) => {
      const { folder } = home.service;
      const links = { keys: '/root/.ssh', state: '/var/lib', root: '/', own: folder };
      for (const [name, target] of Object.entries(links))
        symlinkSync(target, join(folder, 'recordings', name));
      const linked = ['keys', 'state', 'state/dpkg', 'root/etc', 'own'].map((name) =>
        join(folder, 'recordings', name),
      );
      for (const path of [
        '/etc',
        '/var/lib/svc-agent',
        '/root/.ssh',
        '/proc/self/root/etc',
        '/tmp/a\nb',
        ...linked,
      ]) {
        const query = `path=${encodeURIComponent(path)}`;
        await answered(400, `/api/folders?${query}`, () => AT_HOME)(home);
        const body = JSON.stringify({ recordingFolders: [{ path, floorBytes: 0 }] });
        await answered(400, '/api/settings', () => ({ ...AT_HOME, ...JSON_TYPE }), { method: 'PUT', body })(
          home,
        );
      }
    },
  },
  {
    tries: 'Provoke an error that reveals internals',
    happens: 'no stack trace, no path, no header that names server or runtime',
    run: async (home) => {
      for (const path of [
        '/api/nothing',
        '/api/recordings/1/file?source=%00',
        '/api/services/%ff/live',
        '/%',
        '/api/search?q=%E3%81',
      ]) {
        const response = await home.send(path, { headers: AT_HOME });
        const text = await response.text();
        expectThat(!/\bat .*\.ts:\d|node_modules|\/src\/|bun/i.test(text), path);
        expectThat(!response.headers.has('server') && !response.headers.has('x-powered-by'), path);
      }
    },
  },
  {
    tries: 'Distinguish valid sessions and tokens by timing',
    happens: 'they are looked up by their SHA-256, never compared character by character',
    run: async (home) => {
      // Only the hash is stored: the database contains neither secret, so no comparison by characters can
      // take place.
      const { folder } = home.service;
      const files = await Promise.all(
        ['svc.db', 'svc.db-wal'].map((name) =>
          Bun.file(`${folder}/${name}`)
            .bytes()
            .catch(() => new Uint8Array()),
        ),
      );
      const text = files.map((bytes) => Buffer.from(bytes).toString('latin1')).join('');
      expectThat(text.includes('居間'.normalize()) || text.length > 4_096, 'the database was read');
      for (const secret of [home.token, home.cookie.split('=')[1] ?? '']) {
        expectThat(
          !text.includes(secret) && !text.includes(secret.replace(/^svc_/, '')),
          'not in the database',
        );
        expectThat(
          !text.includes(Buffer.from(secret.replace(/^svc_/, ''), 'base64url').toString('latin1')),
          'nor its bytes',
        );
      }
    },
  },
  {
    tries: 'Inject log lines (CRLF in paths, names and headers)',
    happens: 'a line stays one line, and no secret is in the log',
    run: async (home) => {
      await raw(home, rawGet('/login?to=%0d%0aERROR%20forged', ['User-Agent: x%0d%0aERROR forged']));
      await raw(home, rawGet('/api/services').replace('203.0.113.5', 'a%0d%0aERROR forged'));
      const lines = home.service.lines.join('');
      expectThat(!/^ERROR forged/m.test(lines), 'no forged line');
      for (const secret of [
        CLIENT_SECRET,
        home.token,
        home.cookie.split('=')[1] ?? '',
        ...home.provider.secrets,
      ])
        expectThat(!lines.includes(secret), 'no secret in the log');
    },
  },
];
