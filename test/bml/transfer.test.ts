/** Redirects, sizes, times and broken HTTP of servers. */
import { describe, expect, test } from 'bun:test';
import { until } from '../until.ts';
import { HOSTILE_URL, proxyHome, WEB_URL } from './proxy-home.ts';

const home = proxyHome();
const MB = 1024 * 1024;
const to = (status: number, address: string): string =>
  `${WEB_URL}/redirect?status=${status}&to=${encodeURIComponent(address)}`;

async function failure(answer: Response): Promise<string> {
  const { code, message } = (await answer.json()) as { code: string; message: string };
  return `${answer.status} ${code} ${message}`;
}

describe('redirects', () => {
  test('three are followed, the fourth is not', async () => {
    const answer = await home.get(`${WEB_URL}/redirects?hops=3`);
    expect(answer.headers.get('x-svc-url')).toBe(`${WEB_URL}/echo`);
    expect(await home.echoOf(answer)).toMatchObject({ path: '/echo' });
    expect(await failure(await home.get(`${WEB_URL}/redirects?hops=4`))).toContain('502 peer_failed');
  });

  test('each target is judged', async () => {
    for (const target of [
      ...[
        'http://127.0.0.1/',
        'http://localhost/',
        'http://[::1]/',
        '//169.254.169.254/latest',
        'http://2130706433/',
      ],
      ...[
        `http://127.0.0.1:${home.port}/api/services`,
        'file:///etc/passwd',
        'javascript:alert(1)',
        'data:,x',
      ],
      ...[
        'http://a:b@data.example.test/',
        'ftp://data.example.test/',
        'http://8.8.8.8:25/',
        'https://nas.local/',
      ],
    ]) {
      const before = home.refusals().length;
      const status = (await home.get(to(302, target))).status;
      expect([target, status, home.refusals().length]).toEqual([target, 403, before + 1]);
    }
    expect(await failure(await home.get(to(302, 'http://[')))).toContain('502 peer_failed');
  });

  test('a POST becomes a GET by 301, 302 and 303, and stays one by 307 and 308', async () => {
    const found: Record<number, unknown> = {};
    for (const status of [301, 302, 303, 307, 308]) {
      const { method, headers, bodyBase64 } = await home.echoOf(await home.post(to(status, '/echo'), 'a=b'));
      const content = headers.filter(([name]) => name.startsWith('content-')).map(([name]) => name);
      found[status] = [method, Buffer.from(bodyBase64, 'base64').toString(), content.sort()];
    }
    const asGet = ['GET', '', []];
    const asPost = ['POST', 'a=b', ['content-length', 'content-type']];
    expect(found).toEqual({ 301: asGet, 302: asGet, 303: asGet, 307: asPost, 308: asPost });
  });

  test('other statuses, and redirects without a target, are answers', async () => {
    for (const status of [300, 304, 305, 399]) {
      const answer = await home.get(to(status, 'http://127.0.0.1/'));
      expect([status, answer.status, answer.headers.get('x-svc-status')]).toEqual([
        status,
        200,
        String(status),
      ]);
    }
    for (const status of [204, 400, 404, 500, 503]) {
      const answer = await home.get(`${WEB_URL}/status?status=${status}`);
      expect([answer.status, answer.headers.get('x-svc-status')]).toEqual([200, String(status)]);
    }
  });
});

describe('size', () => {
  test('4 MB are answered, an octet more is not', async () => {
    const whole = await home.get(`${WEB_URL}/size?octets=${4 * MB}`);
    expect((await whole.arrayBuffer()).byteLength).toBe(4 * MB);
    expect(await failure(await home.get(`${WEB_URL}/size?octets=${4 * MB + 1}`))).toContain('上限 4 MB');
  });

  test.each(['gzip', 'deflate', 'br'])('%s is decoded up to 4 MB', async (coding) => {
    const answer = await home.get(`${WEB_URL}/compressed?coding=${coding}&octets=${4 * MB}`);
    expect((await answer.arrayBuffer()).byteLength).toBe(4 * MB);
    const before = process.memoryUsage.rss();
    const bomb = await home.get(`${WEB_URL}/compressed?coding=${coding}&octets=${256 * MB}`);
    expect(await failure(bomb)).toContain('上限 4 MB');
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MB);
  });

  test('bodies without end are ended', async () => {
    for (const path of ['/endless', '/endless-chunks'])
      expect(await failure(await home.get(HOSTILE_URL + path))).toContain('上限 4 MB');
  });
});

/** A client that takes nothing of its answer. */
async function stalled(url: string): Promise<Bun.Socket> {
  const query = new URLSearchParams({ url });
  const head = [
    `GET /api/bml/proxy?${query} HTTP/1.1`,
    `Host: 127.0.0.1:${home.port}`,
    `Referer: ${home.url}/`,
  ];
  const socket = await Bun.connect({ hostname: '127.0.0.1', port: home.port, socket: { data: () => {} } });
  socket.pause();
  socket.write([...head, '', ''].join('\r\n'));
  return socket;
}

test('an answer keeps its place until the client has taken it, or is gone', async () => {
  const sockets = await Promise.all([1, 2, 3, 4].map(() => stalled(`${WEB_URL}/size?octets=${4 * MB}`)));
  const status = async (): Promise<number> => (await home.get(`${WEB_URL}/echo`)).status;
  await until(async () => (await status()) === 429);
  // The answers have been there for long: it is not that they are fetched.
  const kept = await Promise.all(Array.from({ length: 20 }, () => status()));
  expect(kept).toEqual(kept.map(() => 429));
  for (const socket of sockets) socket.terminate();
  await until(async () => (await status()) === 200);
});

describe('broken HTTP', () => {
  test.each([
    ...[
      '/headers',
      '/long-header',
      '/many-headers',
      '/0.9',
      '/short-chunk',
      '/negative-chunk',
      '/huge-chunk',
    ],
    ...['/chunk-extension', '/trailers', '/short-body', '/two-lengths', '/truncated-gzip', '/unknown-coding'],
    ...['/reset', '/interim', '/long-body'],
  ])('%s is a failure of the peer, at once', async (path) => {
    const began = performance.now();
    const before = process.memoryUsage.rss();
    expect(await failure(await home.get(HOSTILE_URL + path))).toContain('502 peer_failed');
    expect(performance.now() - began).toBeLessThan(8_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(64 * MB);
  });
});

test('ten seconds in all, however slowly something arrives; meanwhile others are answered', async () => {
  const began = performance.now();
  const slow = ['/drip', '/drip-head', '/silent'].map(async (path) => {
    const answer = await failure(await home.get(HOSTILE_URL + path));
    const ms = performance.now() - began;
    return [path, answer.slice(0, 15), ms > 8_000 && ms < 14_000];
  });
  expect((await home.get(`${WEB_URL}/echo`)).status).toBe(200);
  const ended = (path: string) => [path, '502 peer_failed', true];
  expect(await Promise.all(slow)).toEqual(['/drip', '/drip-head', '/silent'].map(ended));
});
