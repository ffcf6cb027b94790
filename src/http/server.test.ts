/** Requests through the outer server and the inner application, with stubs behind them. */
import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { networkId, type StationId, serviceId, stationId } from '../../lib/arib/ids.ts';
import { broadcastMs } from '../../lib/arib/time.ts';
import { systemWallClock } from '../../lib/host/clock.ts';
import { AllowedHosts } from '../../lib/host/host-check.ts';
import { createLog } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import { recordingId } from '../../lib/wire/ids.ts';
import { addLiveRoutes, type LiveRouteNeeds } from '../live/live-routes.ts';
import { Failure } from '../model/failure.ts';
import type { StationRecord } from '../model/station.ts';
import { addEventRoutes } from '../notify/event-stream.ts';
import { addFileRoutes, type FileRouteNeeds } from '../play/file-routes.ts';
import { addStationRoutes } from '../station/station-routes.ts';
import { createApi, pathsOutsideApi } from './api.ts';
import { openAssets } from './assets.ts';
import { startHttpServer } from './server.ts';
import { addSystemRoutes } from './system-routes.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const STATION: StationRecord = {
  id: stationId(networkId(0x7fe8), serviceId(1024)),
  type: 'GR',
  networkId: networkId(0x7fe8),
  serviceId: serviceId(1024),
  transportStreamId: null,
  channel: 'T27',
  name: '試験',
  serviceType: 1,
  remoteControlKey: 1,
};
const NOW = broadcastMs(1_800_000_000_000);
const LIVE = `/api/services/${STATION.id}/live`;

/** A part that these tests do not reach. */
function absent(): never {
  throw new Error('not here');
}

/** Dependencies of the tested routes, each replaceable. */
const PARTS = {
  stations: {
    list: () => [STATION],
    find: (id: StationRecord['id']) => (id === STATION.id ? STATION : undefined),
    airing: () => new Map(),
  },
  logos: { tag: () => undefined },
  guide: { stamp: () => '1', reserved: () => new Map(), nextChange: () => undefined },
  recordingList: {
    ...{ stamp: absent, page: absent, series: absent, find: absent, originals: absent, detail: absent },
  } as FileRouteNeeds['recordingList'],
  folderSpace: absent as FileRouteNeeds['folderSpace'],
  live: { open: absent } as LiveRouteNeeds['live'],
  canRecord: async () => true,
  status: () => ({
    agent: { state: 'connected' as const, message: null },
    database: { message: null as string | null },
    ffmpeg: { state: 'ready' as const, version: '5', encoders: [], message: null },
  }),
};

function serve(
  over: Partial<typeof PARTS>,
  extend: (api: ReturnType<typeof createApi>) => void = () => {},
): { url: string; lines: string[]; remotes: (string | null)[] } {
  const lines: string[] = [];
  const remotes: (string | null)[] = [];
  const log = createLog({ level: 'debug', now: systemWallClock, write: (line) => lines.push(line) });
  const parts = { ...PARTS, ...over };
  const version = '1.2.3';
  const api = createApi({
    version,
    log,
    databaseFailed: () => {},
    routes: [
      (app) => addSystemRoutes(app, { ...parts, version, recordings: { count: () => 0 } }),
      (app) => addStationRoutes(app, { ...parts, now: () => NOW }),
      (app) => addLiveRoutes(app, parts),
      (app) => addEventRoutes(app, { events: { open: () => undefined } }),
      (app) =>
        addFileRoutes(app, {
          ...{ ...parts, seen: () => {}, open: { open: absent } },
          encodedFiles: { of: () => [] },
          encodedStreams: { sound: absent },
          audioFiles: { find: absent, start: absent },
        }),
    ],
  });
  extend(api);
  const http = startHttpServer({
    host: '127.0.0.1',
    port: 0,
    tls: null,
    access: {
      trustedNetworks: Networks.parse('127.0.0.1'),
      hasLogin: false,
      tokens: { check: () => undefined },
      sessions: { find: () => undefined },
    },
    isLetIn: () => true,
    innerPaths: pathsOutsideApi(api),
    trustedProxies: Networks.none,
    allowedHosts: AllowedHosts.literals,
    assets: openAssets(null),
    api: (request) => {
      remotes.push(request.headers.get('x-svc-remote'));
      return api.handle(request);
    },
    log,
  });
  closers.push(() => http.close());
  return { url: `http://127.0.0.1:${http.port}`, lines, remotes };
}

function liveOf(body: ReadableStream<Uint8Array>): LiveRouteNeeds['live'] {
  return {
    open: async () => ({
      contentType: 'video/mp4',
      mime: 'video/mp4; codecs="avc1.64001f,mp4a.40.2"',
      notices: ['software_encoder', 'codec_fallback'],
      tunerId: 'tuner-1',
      body,
    }),
  };
}

describe('the server', () => {
  test('the determined client address replaces any header of the client', async () => {
    const { url, remotes } = serve({});
    await fetch(`${url}/api/services`, { headers: { 'x-svc-remote': '203.0.113.1' } });
    expect(remotes).toEqual(['127.0.0.1']);
  });

  test('an untrusted proxy inside a trusted network is warned about once', async () => {
    const { url, lines } = serve({});
    await fetch(`${url}/api/services`);
    expect(lines).toEqual([]);
    for (const client of ['203.0.113.1', '203.0.113.2']) {
      await fetch(`${url}/api/services`, { headers: { 'x-forwarded-for': client } });
    }
    expect(lines).toEqual([expect.stringMatching(/^WARN .*TRUSTED_PROXIES peer=127\.0\.0\.1$/m)]);
  });

  test('health reports that nothing can be stored, and no more than agreed', async () => {
    const healthOf = async (message: string | null): Promise<unknown> => {
      const { url } = serve({ status: () => ({ ...PARTS.status(), database: { message } }) });
      return (await fetch(`${url}/api/health`)).json();
    };
    expect(await healthOf(null)).toMatchObject({ status: 'ok' });
    expect(await healthOf('空きがありません')).toMatchObject({ status: 'degraded' });
    const { url } = serve({ canRecord: async () => false });
    expect(await (await fetch(`${url}/api/health`)).json()).toEqual({
      ...{ status: 'degraded', version: '1.2.3', latestVersion: null },
      ...{ stations: expect.any(Number), recordings: expect.any(Number) },
    });
  });

  test('a chunked body that is too large is read to its end and answered, the connection is not cut', async () => {
    const { url } = serve({}, (api) => {
      api.post('/api/echo', ({ body }) => String(body).length);
    });
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      let left = 128;
      const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
        const head = 'Host: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked';
        socket.write(`POST /api/echo HTTP/1.1\r\n${head}\r\nConnection: close\r\n\r\n`);
        const send = (): void => {
          for (; left > 0; left -= 1) {
            if (!socket.write(`10000\r\n${'A'.repeat(65_536)}\r\n`)) {
              left -= 1;
              socket.once('drain', send);
              return;
            }
          }
          socket.write('0\r\n\r\n');
        };
        send();
      });
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
      });
      socket.on('error', (error) => {
        received += `ERROR ${error.message}`;
      });
      socket.on('close', () => resolve(received));
    });
    expect(answer).toStartWith('HTTP/1.1 413 ');
    expect(answer).not.toContain('ERROR');
  });

  test('a bug is a 500 without a stack, and is logged with one', async () => {
    const { url, lines } = serve({
      status: () => {
        throw new Error('secret detail');
      },
    });
    const response = await fetch(`${url}/api/status`);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'internal' });
    expect(text).not.toContain('secret');
    expect(lines.join()).toContain('secret detail');
  });

  test('an answer that does not fit its schema is a 500, not sent', async () => {
    const { url } = serve({ status: () => ({ agent: 'nonsense' }) as never });
    expect((await fetch(`${url}/api/status`)).status).toBe(500);
  });

  test('the description does not depend on earlier requests', async () => {
    const { url } = serve({});
    const description = async (): Promise<string> => (await fetch(`${url}/api/openapi.json`)).text();
    const before = await description();
    for (const path of ['health', 'services', 'status']) await fetch(`${url}/api/${path}`);
    expect(await description()).toBe(before);
    // Responses may get further fields later; requests may be closed.
    const { paths } = JSON.parse(before) as { paths: Record<string, Record<string, { responses: unknown }>> };
    const answers = Object.values(paths).flatMap((path) => Object.values(path).map((one) => one.responses));
    expect(answers.length).toBeGreaterThan(6);
    expect(
      answers.filter((answer) => JSON.stringify(answer).includes('"additionalProperties":false')),
    ).toEqual([]);
  });

  test('a browser that opens /api/docs gets the routes and a link to the description', async () => {
    const { url } = serve({});
    const response = await fetch(`${url}/api/docs`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const html = await response.text();
    expect(html).toContain('href="openapi.json"');
    expect(html).toContain('<link rel="stylesheet" href="../login/fonts.css">');
    expect(html).toContain('<code>GET /api/status</code>');
  });

  test('a file in an unresponsive folder times out', async () => {
    const recording = {
      ...{
        id: recordingId(7),
        name: '番組',
        stationId: 1 as StationId,
        serviceName: '局',
        startAt: broadcastMs(0),
        endAt: broadcastMs(1),
        durationMs: 1,
        resumeMs: null,
      },
      ...{
        watchedAt: null,
        posterAt: null,
        state: 'recorded' as const,
        reason: null,
        programId: null,
        ruleId: null,
        genres: [],
      },
      ...{
        audios: [],
        verdict: null,
        cmReliable: false,
        series: null,
        bytes: 1,
        protected: false,
        binnedAt: null,
      },
      files: [
        { source: 'ts' as const, codec: 'mpeg2' as const, path: '/away/x.ts', durationMs: 1, cuts: null },
      ],
    };
    const recordingList = {
      stamp: absent,
      page: absent,
      series: absent,
      detail: absent,
      originals: () => [],
      find: () => recording,
    };
    const { url } = serve({ recordingList, folderSpace: async () => undefined });
    const response = await fetch(`${url}/api/recordings/7/file`);
    expect([response.status, await response.json()]).toEqual([
      503,
      expect.objectContaining({ code: 'busy' }),
    ]);
  });

  test('a body of undeclared length is read up to the bound', async () => {
    const { url } = serve({}, (api) => {
      api.post('/api/echo', ({ body }) => String(body).length);
    });
    const send = async (pieces: number): Promise<Response> =>
      fetch(`${url}/api/echo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: new ReadableStream<Uint8Array>({
          start: (controller) => controller.enqueue(new TextEncoder().encode('"')),
          pull: (controller) => {
            pieces -= 1;
            if (pieces >= 0) controller.enqueue(new Uint8Array(65_536).fill(0x41));
            else {
              controller.enqueue(new TextEncoder().encode('"'));
              controller.close();
            }
          },
        }),
      });
    expect(await (await send(2)).text()).toBe('131072');
    const refused = await send(200);
    expect([refused.status, await refused.json()]).toEqual([
      413,
      expect.objectContaining({ code: 'bad_request' }),
    ]);
  });

  test('each failure has its HTTP status', async () => {
    for (const [code, status] of [
      ['no_tuner', 503],
      ['no_signal', 503],
      ['agent_unavailable', 503],
      ['agent_misconfigured', 503],
      ['card_unavailable', 503],
      ['not_subscribed', 503],
      ['ffmpeg_unavailable', 503],
      ['not_found', 404],
      ['internal', 500],
    ] as const) {
      const { url } = serve({ live: { open: () => Promise.reject(new Failure(code, '理由')) } });
      const response = await fetch(`${url}${LIVE}`);
      expect(response.status).toBe(status);
      expect(await response.json()).toEqual({ code, message: '理由' });
    }
  });

  test('too many event streams are refused with an error', async () => {
    const { url } = serve({});
    const response = await fetch(`${url}/api/events`);
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([503, 'busy']);
  });
});

describe('a live stream', () => {
  test('that a page of another site may have requested is refused before it is opened', async () => {
    let opened = 0;
    const live = { open: () => Promise.reject(new Failure('no_tuner', `${++opened}`)) };
    const { url } = serve({ live });
    const ask = async (headers: Record<string, string>): Promise<number> =>
      (await fetch(`${url}${LIVE}`, { headers })).status;
    const browser = { 'user-agent': 'Mozilla/5.0' };
    expect([await ask(browser), await ask({ ...browser, referer: 'http://evil.example/' })]).toEqual([
      403, 403,
    ]);
    expect(opened).toBe(0);
    expect([await ask({ ...browser, referer: `${url}/` }), await ask({})]).toEqual([503, 503]);
    expect(opened).toBe(2);
  });

  test('has its type, its codecs and its notices', async () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new Uint8Array([1, 2, 3]));
        controller.close();
      },
    });
    const { url } = serve({ live: liveOf(body) });
    const response = await fetch(`${url}${LIVE}`);
    expect(response.headers.get('content-type')).toBe('video/mp4');
    expect(response.headers.get('x-svc-mime')).toContain('avc1');
    expect(response.headers.get('x-svc-notice')).toBe('software_encoder,codec_fallback');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect([...(await response.bytes())]).toEqual([1, 2, 3]);
  });

  test('that breaks is an aborted connection, not a clean end', async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({
      start: (made) => {
        controller = made;
        made.enqueue(new Uint8Array(1000));
      },
    });
    const { url, lines } = serve({ live: liveOf(body) });
    const response = await fetch(`${url}${LIVE}`);
    const reader = response.body?.getReader();
    await reader?.read();
    controller?.error(new Error('the tuner went away'));
    expect(
      await reader?.read().then(
        ({ done }) => (done ? 'clean end' : 'more'),
        () => 'aborted',
      ),
    ).toBe('aborted');
    // Not a bug: the live feature logs the reason.
    expect(lines).toEqual([]);
  });

  test('whose viewer leaves is cancelled', async () => {
    const left = Promise.withResolvers<void>();
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        await Bun.sleep(1);
        controller.enqueue(new Uint8Array(1000));
      },
      cancel: () => left.resolve(),
    });
    const { url } = serve({ live: liveOf(body) });
    const leaving = new AbortController();
    const response = await fetch(`${url}${LIVE}`, { signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await left.promise;
  });

  test('whose viewer leaves while it opens is aborted by the signal', async () => {
    const opened = Promise.withResolvers<AbortSignal>();
    const { url } = serve({
      live: {
        open: (_request, signal) => {
          opened.resolve(signal);
          return new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(signal.reason)),
          );
        },
      },
    });
    const leaving = new AbortController();
    const asked = fetch(`${url}${LIVE}`, { signal: leaving.signal }).catch(() => 'gone');
    const signal = await opened.promise;
    leaving.abort();
    expect(await asked).toBe('gone');
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
});
