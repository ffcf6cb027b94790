/** The routes of a running service, and access to them, over real sockets. */
import { describe, expect, test } from 'bun:test';
import type { StationId } from '../../lib/arib/ids.ts';
import { HOME_STATION, rawRequest, startTestService } from './harness.ts';
import { OUTSIDE, servedHome } from './served-home.ts';

const home = servedHome();
const { get, stations } = home;

interface DescribedApi {
  paths: Record<
    string,
    { get?: { responses: Record<string, { content: Record<string, unknown> } | undefined> } }
  >;
}

async function describedApi(): Promise<DescribedApi> {
  return (await (await get('/api/openapi.json')).json()) as DescribedApi;
}

describe('stations and health', () => {
  test('stations are listed in order, without one-segment', async () => {
    expect(await stations()).toEqual([
      {
        id: HOME_STATION as StationId,
        type: 'GR',
        name: '試験テレビ',
        remoteControlKey: 1,
        logo: null,
        live: `api/services/${HOME_STATION}/live`,
        now: null,
      },
      {
        id: 400151 as StationId,
        type: 'BS',
        name: '試験衛星',
        remoteControlKey: 151,
        logo: null,
        live: 'api/services/400151/live',
        now: null,
      },
    ]);
  });

  test('health returns version, counts and whether the service can work, nothing else', async () => {
    expect(await (await get('/api/health')).json()).toEqual({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      latestVersion: null,
      stations: 2,
      recordings: 0,
    });
  });

  test('status reports the agent and ffmpeg', async () => {
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
      '/api/access',
      '/api/bml/confirm',
      '/api/bml/hybrid',
      '/api/bml/post',
      '/api/bml/proxy',
      '/api/card',
      '/api/channels',
      '/api/channels/test',
      '/api/client-links',
      '/api/client-links/{id}',
      '/api/device/code',
      '/api/device/logout',
      '/api/device/token',
      '/api/device/tokens',
      '/api/device/tokens/{id}',
      '/api/devices',
      '/api/encodes',
      '/api/events',
      '/api/folders',
      '/api/font/svc-font.woff2',
      '/api/guide',
      '/api/guide/collect',
      '/api/guide/shared',
      '/api/guide/status',
      '/api/health',
      '/api/licenses',
      '/api/live/mpeg2/{name}',
      '/api/live/socket',
      '/api/live/ticket',
      '/api/mqtt',
      '/api/notices',
      '/api/notices/{id}/act',
      '/api/notifications',
      '/api/notifications/{id}',
      '/api/notifications/{id}/test',
      '/api/programs/{id}',
      '/api/push/key',
      '/api/recordings',
      '/api/recordings.m3u',
      '/api/recordings/series',
      '/api/recordings/{id}',
      '/api/recordings/{id}/bin',
      '/api/recordings/{id}/captions',
      '/api/recordings/{id}/captions.json',
      '/api/recordings/{id}/changes',
      '/api/recordings/{id}/chapters',
      '/api/recordings/{id}/chase',
      '/api/recordings/{id}/databroadcast',
      '/api/recordings/{id}/detail',
      '/api/recordings/{id}/detect',
      '/api/recordings/{id}/encode',
      '/api/recordings/{id}/encode-log',
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
      '/api/reminders',
      '/api/reminders/series/{id}',
      '/api/reminders/{id}',
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
      '/api/services/{id}/still',
      '/api/sessions/revoke-others',
      '/api/settings',
      '/api/status',
      '/api/stills',
      '/api/storage',
      '/api/summary',
      '/api/system',
      '/api/tuners',
      '/login',
      '/login/callback',
      '/logout',
      '/manifest.webmanifest',
    ]);
    const text = JSON.stringify(description);
    expect(text).not.toContain('"$id"');
    for (const word of ['h264', 'av1', 'raw', 'video/mp2t', 'x-svc-notice', 'Problem'])
      expect(text).toContain(word);
  });

  test('every writing operation is described with the 503 of a busy database', async () => {
    const { paths } = (await (await get('/api/openapi.json')).json()) as {
      paths: Record<string, Record<string, { responses: Record<string, { description: string }> }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => ({
        name: `${method} ${path}`,
        isWriting: method !== 'get',
        busy: responses[503]?.description.includes('`busy`') === true,
      })),
    );
    const writing = operations.filter(({ isWriting }) => isWriting);
    expect(writing.length).toBeGreaterThan(30);
    expect(writing.filter(({ busy }) => !busy).map(({ name }) => name)).toEqual([]);
  });

  test('every response has a status and a content type that the description lists', async () => {
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
        const described = methods.get?.responses[response.status];
        // A redirect has no body.
        const types = Object.keys(described?.content ?? (described === undefined ? {} : { '': {} }));
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
      // An endless stream has no Content-Length; 0 would mean an empty stream.
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

  test('open paths need no credentials', async () => {
    for (const path of ['/api/health', '/manifest.webmanifest']) {
      expect((await get(path, { headers: OUTSIDE })).status).toBe(200);
    }
  });

  test('an unknown token is invalid, also from a trusted network', async () => {
    for (const extra of [{}, OUTSIDE]) {
      const response = await get('/api/services', { headers: { ...extra, authorization: 'Bearer svc_x' } });
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual({ error: 'invalid_token' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"');
    }
  });

  test('an x-svc-remote header of a client is ignored', async () => {
    const headers = { ...OUTSIDE, 'x-svc-remote': '127.0.0.1' };
    expect((await get('/api/services', { headers })).status).toBe(401);
  });

  test('no spelling of a path bypasses the access check', async () => {
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
        home.port,
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
