/** The agent's requests without tuners: places of `/agent/decode`, and pages of other sites. */
import { expect, test } from 'bun:test';
import { AllowedHosts } from '../lib/host/host-check.ts';
import { SILENT_LOG } from '../lib/host/log.ts';
import { Networks } from '../lib/host/networks.ts';
import type { CardAccess } from './card/card-access.ts';
import { AgentHttp } from './http.ts';

const CONNECTION = { address: '127.0.0.1', keepOpen: () => {}, limitIdle: () => {} };
const source = {
  system: () => Promise.reject(new Error('no card')),
  keys: () => Promise.reject(new Error('no card')),
};

function agent(): AgentHttp {
  return new AgentHttp({
    ...({ pool: undefined, equipment: undefined, events: undefined } as never as {
      pool: never;
      equipment: never;
      events: never;
    }),
    card: { source } as never as CardAccess,
    devices: () => [],
    networks: Networks.parse('127.0.0.1'),
    allowedHosts: AllowedHosts.literals,
    keepAliveMs: 1_000,
    log: SILENT_LOG,
  });
}

function ask(http: AgentHttp, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { host: '127.0.0.1', ...(init.headers as Record<string, string> | undefined) };
  return http.handle(new Request(`http://127.0.0.1${path}`, { ...init, headers }), CONNECTION);
}

test('at most 8 streams are decoded at once; one that ends, is left or breaks frees its place', async () => {
  const http = agent();
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const decode = (): Promise<Response> =>
    ask(http, '/agent/decode', {
      method: 'POST',
      body: new ReadableStream<Uint8Array>({ start: (controller) => void bodies.push(controller) }),
    });
  const answers = await Promise.all(Array.from({ length: 8 }, decode));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  const refused = await decode();
  expect([refused.status, await refused.json()]).toEqual([503, { message: expect.any(String) }]);

  await answers[0]?.body?.cancel();
  expect((await decode()).status).toBe(200);
  expect((await decode()).status).toBe(503);
  bodies[1]?.close();
  await answers[1]?.bytes();
  bodies[2]?.error(new Error('the client is gone'));
  await answers[2]?.bytes().catch(() => {});
  expect([(await decode()).status, (await decode()).status, (await decode()).status]).toEqual([
    200, 200, 503,
  ]);
});

test('a page of another site gets no tuner, also where its browser does not say so', async () => {
  const http = agent();
  const path = '/agent/stream?type=XX&channel=1';
  const browser = { 'user-agent': 'Mozilla/5.0' };
  for (const headers of [
    browser,
    { ...browser, referer: 'http://evil.example/' },
    { ...browser, 'sec-fetch-site': 'same-site' },
    { referer: 'http://evil.example/' },
  ])
    expect((await ask(http, path, { headers })).status).toBe(403);
  // A valid client gets to the parameters, which are wrong here.
  for (const headers of [{}, { 'user-agent': 'curl/8' }, { ...browser, referer: 'http://127.0.0.1/' }])
    expect((await ask(http, path, { headers })).status).toBe(400);
});
