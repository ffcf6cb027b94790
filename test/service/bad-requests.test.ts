/** Requests that are refused, truncated or invalid, over real sockets. */
import { describe, expect, test } from 'bun:test';
import { abandonedRequest, HOME_STATION, rawRequest } from './harness.ts';
import { servedHome } from './served-home.ts';

const home = servedHome();
const { get, stations } = home;

describe('bad requests', () => {
  const rows: [
    what: string,
    path: string,
    init: RequestInit,
    status: number,
    code: string,
    field?: string,
  ][] = [
    ['an unknown station', '/api/services/1/live', {}, 404, 'not_found'],
    ['a station id of letters', '/api/services/abc/live', {}, 400, 'bad_request', 'id'],
    ['a negative id', '/api/services/-1/live', {}, 400, 'bad_request', 'id'],
    ['an id with a fraction', '/api/services/1.5/live', {}, 400, 'bad_request', 'id'],
    ['an id that is too long', `/api/services/${'9'.repeat(400)}/live`, {}, 400, 'bad_request', 'id'],
    ['an id beyond all valid ids', '/api/services/9999999999999999/live', {}, 404, 'not_found'],
    ['an unknown codec', `/api/services/${HOME_STATION}/live?codec=mp3`, {}, 400, 'bad_request', 'codec'],
    ['an empty codec', `/api/services/${HOME_STATION}/live?codec=`, {}, 400, 'bad_request', 'codec'],
    [
      'an audio id that is too long',
      `/api/services/${HOME_STATION}/live?audio=${'x'.repeat(500)}`,
      {},
      400,
      'bad_request',
      'audio',
    ],
    ['an unknown path', '/api/nothing', {}, 404, 'not_found'],
    ['the bare API', '/api', {}, 404, 'not_found'],
    ['an unknown method', '/api/services', { method: 'PATCH', headers: json() }, 405, 'bad_request'],
    ['OPTIONS', '/api/services', { method: 'OPTIONS' }, 405, 'bad_request'],
    ['a POST to a screen', '/guide', { method: 'POST', headers: json() }, 405, 'bad_request'],
    ['a body that is too large', '/api/services', largeBody(1_100_000), 413, 'bad_request'],
    ['a body that is far too large', '/api/services', largeBody(20_000_000), 413, 'bad_request'],
    ['an unknown file', '/nothing.js', {}, 404, 'not_found'],
    ['a path below a file', '/icon.svg/x', {}, 404, 'not_found'],
    ['a name that is too long', `/${'a'.repeat(300)}`, {}, 404, 'not_found'],
    ['a path that is too long', `/${'abc/'.repeat(1500)}x`, {}, 404, 'not_found'],
    ['a step out of the folder', '/..%2f..%2fetc/passwd', {}, 404, 'not_found'],
  ];
  for (const [what, path, init, status, code, field] of rows) {
    test(`${what}: ${status} ${code}`, async () => {
      const response = await get(path, init);
      expect(response.status).toBe(status);
      const body = (await response.json()) as { code: string; message: string; path?: string };
      expect(body.code).toBe(code);
      expect(body.message).toMatch(/[ぁ-んァ-ヶ一-龠]/);
      expect(body.path).toBe(field);
      expect(JSON.stringify(body)).not.toContain('at ');
    });
  }

  test('405 names the permitted methods', async () => {
    expect((await get('/api/services', { method: 'DELETE', headers: json() })).headers.get('allow')).toBe(
      'GET, HEAD',
    );
    expect((await get('/', { method: 'PUT', headers: json() })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('a write without a JSON body is refused, for any path', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const type of [
        undefined,
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/jsonx',
      ]) {
        const headers = type === undefined ? {} : { 'content-type': type };
        const response = await get('/api/services', { method, headers });
        expect(response.status).toBe(403);
        expect(response.headers.get('content-type')).toStartWith('text/plain');
        expect(await response.text()).toContain('application/json');
      }
    }
    const spelled = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await get('/api/services', { method: 'POST', headers: spelled })).status).toBe(405);
  });

  test('large JSON answers are compressed, revalidated by the same tag, and vary by encoding', async () => {
    const ask = (headers: Record<string, string>): Promise<Response> =>
      fetch(`${home.url}/api/openapi.json`, { headers, decompress: false });
    const plain = await ask({ 'accept-encoding': 'identity' });
    const zipped = await ask({ 'accept-encoding': 'gzip' });
    expect([plain.headers.get('content-encoding'), zipped.headers.get('content-encoding')]).toEqual([
      null,
      'gzip',
    ]);
    const text = await plain.text();
    const bytes = await zipped.arrayBuffer();
    expect(new TextDecoder().decode(Bun.gunzipSync(bytes))).toBe(text);
    expect(bytes.byteLength).toBeLessThan(text.length / 4);
    for (const answer of [plain, zipped]) expect(answer.headers.get('vary')).toBe('accept-encoding');
    const tag = zipped.headers.get('etag') ?? '';
    expect(tag).toMatch(/^W\/"/);
    const again = await ask({ 'accept-encoding': 'gzip', 'if-none-match': tag });
    expect([again.status, again.headers.get('etag'), again.headers.get('vary')]).toEqual([
      304,
      tag,
      'accept-encoding',
    ]);
  });

  test('invalid Host headers neither crash nor mislead', async () => {
    for (const host of ['tv', 'a.home.example', 'nas:1', '[::1]', '1.2.3.4']) {
      const response = await get('/api/services', { headers: { host } });
      expect([host, response.status]).toEqual([host, 200]);
    }
    for (const host of ['', 'x--', 'xn--', 'a b<>', 'a/b?c', '%', '\\']) {
      const raw = await rawRequest(
        home.port,
        `GET /api/services HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1\.1 (?:200|400|421) /);
    }
  });

  test('a page of another site is refused, also one whose name resolves to this host', async () => {
    const rows: [what: string, path: string, init: RequestInit, status: number][] = [
      ['a rebound name', '/api/services', { headers: { host: 'evil.example' } }, 421],
      ['a rebound name, a screen', '/', { headers: { host: 'evil.example', accept: 'text/html' } }, 421],
      [
        'what a trusted proxy forwards',
        '/api/services',
        {
          headers: {
            host: 'svc',
            'x-forwarded-host': 'a.home.example',
            origin: 'https://a.home.example',
          },
        },
        200,
      ],
      [
        'a rebound name that a trusted proxy forwards',
        '/api/services',
        { headers: { host: 'svc', 'x-forwarded-host': 'evil.example' } },
        421,
      ],
      ['an Origin of another site', '/api/services', { headers: { origin: 'http://evil.example' } }, 403],
      ['an own Origin', '/api/services', { headers: { origin: home.url } }, 200],
      ['a script of another site', '/api/services', { headers: { 'sec-fetch-site': 'cross-site' } }, 403],
      [
        'a link of another site',
        '/guide',
        {
          headers: {
            'sec-fetch-site': 'cross-site',
            'sec-fetch-mode': 'navigate',
            'sec-fetch-dest': 'document',
          },
        },
        200,
      ],
      [
        'a link into the interface',
        '/api/services',
        {
          headers: {
            'sec-fetch-site': 'cross-site',
            'sec-fetch-mode': 'navigate',
            'sec-fetch-dest': 'document',
          },
        },
        403,
      ],
    ];
    for (const [what, path, init, status] of rows) {
      const response = await get(path, init);
      expect([what, response.status]).toEqual([what, status]);
      expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin');
      if (status === 421) expect(await response.text()).toContain('ALLOWED_HOSTS');
    }
  });

  test('truncated and invalid requests leave the service working', async () => {
    const head = 'POST /api/services HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const left = [];
    for (const text of [
      `${head}Content-Length: 100\r\n\r\n{"a":`,
      `${head}Content-Length: -1\r\n\r\n`,
      `${head}Content-Length: zzz\r\n\r\n`,
      `${head}Transfer-Encoding: chunked\r\n\r\nffffff\r\nabc`,
      'GET /api/services',
      '\0\0\0\0\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    ]) {
      left.push(await abandonedRequest(home.port, text));
    }
    expect(await stations()).toHaveLength(2);
    for (const socket of left) socket.destroy();
  });
});

function largeBody(bytes: number): RequestInit {
  return { method: 'POST', headers: json(), body: 'x'.repeat(bytes) };
}

function json(): Record<string, string> {
  return { 'content-type': 'application/json' };
}
