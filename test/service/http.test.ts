/** The HTTP surface of a running service, over real sockets. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Station } from '../../wire/api.ts';
import {
  abandonedRequest,
  HOME_STATION,
  rawRequest,
  StandInAgent,
  startTestService,
  type TestService,
  until,
} from './harness.ts';

const HOSTS = 'tv,nas,.home.example';

let agent: StandInAgent;
let home: TestService;
let web: string;

beforeAll(async () => {
  web = mkdtempSync(join(tmpdir(), 'svc-web-'));
  mkdirSync(join(web, 'fonts'));
  writeFileSync(join(web, 'index.html'), '<!doctype html><base href="./"><title>UI</title>');
  writeFileSync(join(web, 'app-1a2b3c4d.js'), `console.log(${'1+'.repeat(2000)}1)`);
  writeFileSync(join(web, 'icon.svg'), '<svg/>');
  writeFileSync(join(web, 'svc-font.woff2'), 'wOF2');
  writeFileSync(join(web, 'icon-maskable.svg'), '<svg/>');
  agent = new StandInAgent();
  agent.start();
  home = await startTestService({
    environment: { TUNER_AGENT_URL: agent.url, TRUSTED_PROXIES: '127.0.0.1', ALLOWED_HOSTS: HOSTS },
    webDir: web,
  });
  await until(async () => (await stations()).length > 0);
});

afterAll(async () => {
  await home.close();
  await agent.stop();
  rmSync(web, { recursive: true });
});

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${home.url}${path}`, { redirect: 'manual', ...init });
}

async function stations(): Promise<Station[]> {
  return (await (await get('/api/services')).json()) as Station[];
}

interface DescribedApi {
  paths: Record<
    string,
    { get?: { responses: Record<string, { content: Record<string, unknown> } | undefined> } }
  >;
}

async function describedApi(): Promise<DescribedApi> {
  return (await (await get('/api/openapi.json')).json()) as DescribedApi;
}

const OUTSIDE = { 'x-forwarded-for': '203.0.113.5' };

describe('stations and health', () => {
  test('stations are listed in order, without one-segment', async () => {
    expect(await stations()).toEqual([
      {
        id: HOME_STATION,
        type: 'GR',
        name: '試験テレビ',
        remoteControlKey: 1,
        logo: null,
        live: `api/services/${HOME_STATION}/live`,
        now: null,
      },
      {
        id: 400151,
        type: 'BS',
        name: '試験衛星',
        remoteControlKey: 151,
        logo: null,
        live: 'api/services/400151/live',
        now: null,
      },
    ]);
  });

  test('health tells version, counts and whether the database works, nothing else', async () => {
    expect(await (await get('/api/health')).json()).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      latestVersion: null,
      stations: 2,
      recordings: 0,
      database: 'ok',
    });
  });

  test('status tells of the agent and of ffmpeg', async () => {
    const status = (await (await get('/api/status')).json()) as { agent: { state: string } };
    expect(status.agent.state).toBe('connected');
  });

  test('the manifest has a name, colours and icons, relative', async () => {
    const response = await get('/manifest.webmanifest', { headers: OUTSIDE });
    expect(response.headers.get('content-type')).toContain('application/manifest+json');
    const manifest = (await response.json()) as { name: string; icons: { src: string }[] };
    expect(manifest.name.length).toBeGreaterThan(0);
    expect(manifest.icons.every((icon) => !icon.src.startsWith('/'))).toBe(true);
  });

  test('the OpenAPI description names exactly what is served', async () => {
    const description = await describedApi();
    expect(Object.keys(description.paths).sort()).toEqual([
      '/api/card',
      '/api/channels',
      '/api/channels/test',
      '/api/devices',
      '/api/events',
      '/api/font/svc-font.woff2',
      '/api/guide',
      '/api/guide/collect',
      '/api/guide/status',
      '/api/health',
      '/api/licenses',
      '/api/programs/{id}',
      '/api/recordings',
      '/api/recordings.m3u',
      '/api/recordings/series',
      '/api/recordings/{id}',
      '/api/recordings/{id}/bin',
      '/api/recordings/{id}/captions',
      '/api/recordings/{id}/captions.json',
      '/api/recordings/{id}/chapters',
      '/api/recordings/{id}/chase',
      '/api/recordings/{id}/detail',
      '/api/recordings/{id}/file',
      '/api/recordings/{id}/playback',
      '/api/recordings/{id}/playlist.m3u',
      '/api/recordings/{id}/poster',
      '/api/recordings/{id}/previews',
      '/api/recordings/{id}/previews/{sheet}',
      '/api/recordings/{id}/protect',
      '/api/recordings/{id}/restore',
      '/api/recordings/{id}/resume',
      '/api/recordings/{id}/status',
      '/api/recordings/{id}/stream',
      '/api/recordings/{id}/watched',
      '/api/reservations',
      '/api/reservations/{id}',
      '/api/reservations/{id}/restore',
      '/api/rules',
      '/api/rules/preview',
      '/api/rules/{id}',
      '/api/scan',
      '/api/search',
      '/api/services',
      '/api/services/{id}/captions',
      '/api/services/{id}/live',
      '/api/services/{id}/logo',
      '/api/services/{id}/record',
      '/api/settings',
      '/api/status',
      '/api/storage',
      '/api/system',
      '/api/tuners',
      '/manifest.webmanifest',
    ]);
    const text = JSON.stringify(description);
    expect(text).not.toContain('"$id"');
    for (const word of ['h264', 'av1', 'raw', 'video/mp2t', 'x-svc-notice', 'Problem'])
      expect(text).toContain(word);
  });

  test('every answer has a status and a content type that the description names', async () => {
    const { paths } = await describedApi();
    for (const [path, methods] of Object.entries(paths)) {
      if (methods.get === undefined) continue;
      const at = path.replace('{id}', String(HOME_STATION));
      const requests: [string, RequestInit][] = [
        [at, {}],
        [at, { headers: OUTSIDE }],
        [at, { headers: { authorization: 'Bearer svc_x' } }],
        [path.replace('{id}', '1'), {}],
        [path.replace('{id}', 'x'), {}],
        [`${at}?codec=nonsense`, {}],
        [`${at}?codec=raw`, {}],
      ];
      for (const [address, init] of requests) {
        const leaving = new AbortController();
        const response = await get(address, { ...init, signal: leaving.signal });
        const types = Object.keys(methods.get?.responses[response.status]?.content ?? {});
        const type = response.headers.get('content-type')?.split(';')[0] ?? '';
        expect([address, response.status, types]).toEqual([
          address,
          response.status,
          expect.arrayContaining([type]),
        ]);
        leaving.abort();
      }
    }
  });

  test('HEAD answers like GET without a body', async () => {
    for (const path of ['/api/services', '/api/health', '/', '/icon.svg', '/manifest.webmanifest']) {
      const [head, full] = [await get(path, { method: 'HEAD' }), await get(path)];
      expect(head.status).toBe(200);
      expect(head.headers.get('content-type')).toBe(full.headers.get('content-type'));
      expect(await head.text()).toBe('');
    }
  });

  test('HEAD of a live stream opens no tuner', async () => {
    for (const [query, type] of [
      ['', 'video/mp4'],
      ['?codec=av1', 'video/mp4'],
      ['?codec=raw', 'video/mp2t'],
      ['?codec=raw&audio=only', 'audio/mp4'],
    ]) {
      const response = await get(`/api/services/${HOME_STATION}/live${query}`, { method: 'HEAD' });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, type ?? '']);
      // What has no end announces no length; 0 would say that there is nothing to watch.
      expect(response.headers.get('content-length')).toBeNull();
    }
    expect((await get('/api/services/1/live', { method: 'HEAD' })).status).toBe(404);
  });
});

describe('access over real sockets', () => {
  test('an API path from outside is 401 with a challenge and no redirect', async () => {
    const response = await get('/api/services', { headers: OUTSIDE });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ error: 'unauthorized' });
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="svc"');
  });

  test('a screen from outside is a page that explains, its files are refused too', async () => {
    const page = await get('/guide', { headers: { ...OUTSIDE, accept: 'text/html' } });
    expect(page.status).toBe(401);
    const text = await page.text();
    expect(text).toContain('203.0.113.5');
    expect(text).toContain('TRUSTED_NETWORKS');
    expect((await get('/app-1a2b3c4d.js', { headers: OUTSIDE })).status).toBe(401);
    expect((await get('/nothing', { headers: OUTSIDE })).status).toBe(401);
  });

  test('open paths need nothing', async () => {
    for (const path of ['/api/health', '/manifest.webmanifest']) {
      expect((await get(path, { headers: OUTSIDE })).status).toBe(200);
    }
  });

  test('an unknown token of ours is invalid, also from a trusted network', async () => {
    for (const extra of [{}, OUTSIDE]) {
      const response = await get('/api/services', { headers: { ...extra, authorization: 'Bearer svc_x' } });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: 'invalid_token' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
  });

  test("a client's own x-svc-remote lets nobody in", async () => {
    const headers = { ...OUTSIDE, 'x-svc-remote': '127.0.0.1' };
    expect((await get('/api/services', { headers })).status).toBe(401);
  });

  test('no spelling of a path slips past the decision', async () => {
    for (const path of [
      '/api/health/../services',
      '/api/health/%2e%2e/services',
      '//api/services',
      '/api/health/..%2fservices',
      '/API/services',
      '/api/health;/../services',
      '/login/../api/services',
      '/api/health?/../services',
    ]) {
      const raw = await rawRequest(
        home.service.port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.5\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).not.toContain('試験');
      expect(raw).not.toContain('api/services/');
    }
  });

  test('nothing configured: refused with the reason, logged once', async () => {
    const closed = await startTestService({ environment: { TRUSTED_NETWORKS: '' } });
    try {
      for (const path of ['/', '/api/services', '/api/nothing']) {
        const response = await fetch(`${closed.url}${path}`, { headers: { accept: 'text/html' } });
        expect(response.status).toBe(403);
        expect(await response.text()).toContain('TRUSTED_NETWORKS');
      }
      expect((await fetch(`${closed.url}/api/health`)).status).toBe(200);
      expect(closed.lines.filter((line) => line.includes('No login method')).length).toBe(1);
    } finally {
      await closed.close();
    }
  });

  test('without TRUSTED_PROXIES a forwarded address is ignored', async () => {
    const direct = await startTestService();
    try {
      expect((await fetch(`${direct.url}/api/services`, { headers: OUTSIDE })).status).toBe(200);
    } finally {
      await direct.close();
    }
  });
});

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
    ['an endless id', `/api/services/${'9'.repeat(400)}/live`, {}, 400, 'bad_request', 'id'],
    ['an id beyond any', '/api/services/9999999999999999/live', {}, 404, 'not_found'],
    ['an unknown codec', `/api/services/${HOME_STATION}/live?codec=mp3`, {}, 400, 'bad_request', 'codec'],
    ['an empty codec', `/api/services/${HOME_STATION}/live?codec=`, {}, 400, 'bad_request', 'codec'],
    [
      'an endless audio id',
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
    ['a name longer than any', `/${'a'.repeat(300)}`, {}, 404, 'not_found'],
    ['a path longer than any', `/${'abc/'.repeat(1500)}x`, {}, 404, 'not_found'],
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

  test('405 names the methods that there are', async () => {
    expect((await get('/api/services', { method: 'DELETE', headers: json() })).headers.get('allow')).toBe(
      'GET, HEAD',
    );
    expect((await get('/', { method: 'PUT', headers: json() })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('writing without JSON is refused with plain text, whatever the path', async () => {
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

  test('odd Host headers neither crash nor mislead', async () => {
    for (const host of ['tv', 'a.home.example', 'nas:1', '[::1]', '1.2.3.4']) {
      const response = await get('/api/services', { headers: { host } });
      expect([host, response.status]).toEqual([host, 200]);
    }
    for (const host of ['', 'x--', 'xn--', 'a b<>', 'a/b?c', '%', '\\']) {
      const raw = await rawRequest(
        home.service.port,
        `GET /api/services HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(raw).toMatch(/^HTTP\/1\.1 (?:200|400|421) /);
    }
  });

  test('a page of another site is refused, also one whose name points here', async () => {
    const rows: [what: string, path: string, init: RequestInit, status: number][] = [
      ['a rebound name', '/api/services', { headers: { host: 'evil.example' } }, 421],
      ['a rebound name, a screen', '/', { headers: { host: 'evil.example', accept: 'text/html' } }, 421],
      [
        'what a trusted proxy forwards',
        '/api/services',
        {
          headers: {
            host: 'svc',
            'x-forwarded-host': 'tv.public.example',
            origin: 'https://tv.public.example',
          },
        },
        200,
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

  test('truncated and senseless requests leave the service working', async () => {
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
      left.push(await abandonedRequest(home.service.port, text));
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

describe('the files of the UI', () => {
  test('the caption font is revalidated by its ETag', async () => {
    const font = await get('/api/font/svc-font.woff2');
    expect(font.status).toBe(200);
    expect(font.headers.get('content-type')).toBe('font/woff2');
    expect(font.headers.get('cache-control')).toBe('no-cache');
    const etag = font.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const again = await get('/api/font/svc-font.woff2', { headers: { 'if-none-match': etag } });
    expect(again.status).toBe(304);
  });

  test('every screen is the document, with the base address filled in', async () => {
    for (const path of [
      '/',
      '/guide',
      '/live/400151',
      '/watch/1',
      '/chase/1',
      '/settings',
      '/device',
      '/offline',
    ]) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(await response.text()).toContain('<base href="/">');
    }
    for (const path of ['/live', '/live/abc', '/nowhere', '/index.html']) {
      expect((await get(path, { headers: { accept: 'text/html' } })).status).toBe(404);
    }
  });

  test("a trusted proxy's path prefix is the base address", async () => {
    const prefixed = await get('/guide', { headers: { 'x-forwarded-prefix': '/tv' } });
    expect(await prefixed.text()).toContain('<base href="/tv/">');
    const nasty = await get('/', { headers: { 'x-forwarded-prefix': '/"><script>' } });
    expect(await nasty.text()).toContain('<base href="/">');
    const slash = await get('/guide/?type=BS', { headers: { 'x-forwarded-prefix': '/tv' } });
    expect([slash.status, slash.headers.get('location')]).toEqual([308, '/tv/guide?type=BS']);
  });

  test('hashed names are cached for ever, others revalidated', async () => {
    const script = await get('/app-1a2b3c4d.js');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect(script.headers.get('content-type')).toStartWith('text/javascript');
    const icon = await get('/icon.svg');
    expect(icon.headers.get('cache-control')).toBe('no-cache');
    expect((await get('/icon-maskable.svg')).headers.get('cache-control')).toBe('no-cache');
    const etag = icon.headers.get('etag') ?? '';
    const again = await get('/icon.svg', { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const index = await get('/');
    const same = await get('/guide', { headers: { 'if-none-match': index.headers.get('etag') ?? '' } });
    expect(same.status).toBe(304);
  });

  test('text is compressed for those who accept it', async () => {
    const raw = await rawRequest(
      home.service.port,
      'GET /app-1a2b3c4d.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: br, gzip\r\nConnection: close\r\n\r\n',
    );
    expect(raw.toLowerCase()).toContain('content-encoding: gzip');
    expect(raw.length).toBeLessThan(1500);
    const refused = await rawRequest(
      home.service.port,
      'GET /app-1a2b3c4d.js HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip;q=0\r\nConnection: close\r\n\r\n',
    );
    expect(refused.toLowerCase()).not.toContain('content-encoding');
  });

  test('the document carries a policy that allows media blobs and workers, and no inline script', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("media-src 'self' blob:");
    expect(policy).toContain("'wasm-unsafe-eval'");
    expect(policy).not.toContain("'unsafe-inline'");
    expect((await get('/api/services')).headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('without a built UI a page says so', async () => {
    const bare = await startTestService();
    try {
      const response = await fetch(`${bare.url}/`);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('npm run build');
    } finally {
      await bare.close();
    }
  });
});
