/** Requests of documents to the service's proxies: form, limits, order, and what comes of failures. */
import { describe, expect, test } from 'bun:test';
import {
  PEER_CACHE_HEADER,
  PEER_STATUS_HEADER,
  PEER_TYPE_HEADER,
  PEER_URL_HEADER,
} from '../../lib/wire/data-broadcast.ts';
import { ProxyNetwork } from './proxy-network.ts';

const ON = { network: true, applications: false };
const URL = 'http://www.example.jp/a.bml?x=1&y=%A4%A2';

type Answer = (address: string, init: RequestInit) => Response | Promise<Response>;

function rig(answer: Answer = () => peer(), isRecording = false) {
  const asked: string[] = [];
  const signs: boolean[] = [];
  const time = { now: 0 };
  const timers = new Map<() => void, number>();
  const network = new ProxyNetwork(
    {
      base: 'http://svc/api/bml/',
      isRecording,
      fetch: async (address, init) => {
        asked.push(address.replace('http://svc/api/bml/', ''));
        const response = await answer(address, init);
        init.signal?.throwIfAborted();
        return response;
      },
      clock: {
        now: () => time.now,
        after: (ms, call) => {
          timers.set(call, ms);
          return () => timers.delete(call);
        },
      },
      changed: (isRunning) => signs.push(isRunning),
    },
    ON,
  );
  return { network, asked, signs, timers, time };
}

const peer = (body: BodyInit = 'x', headers: Record<string, string> = {}): Response =>
  new Response(body, { headers: { [PEER_STATUS_HEADER]: '200', [PEER_URL_HEADER]: URL, ...headers } });
const endless = new AbortController().signal;

/** A request that waits until it is given up. */
const hanging: Answer = (_, init) =>
  new Promise((_resolve, reject) =>
    init.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
  );

describe('a request', () => {
  test('passes the address in a query and reads what the server sent', async () => {
    const { network, asked } = rig(() =>
      peer('あ', { [PEER_STATUS_HEADER]: '404', [PEER_TYPE_HEADER]: 'text/X-arib-bml; charset="EUC-JP"' }),
    );
    const answer = await network.get(URL, endless);
    expect(asked).toEqual([`proxy?url=${encodeURIComponent(URL)}`]);
    expect(answer).toMatchObject({ status: 404, type: 'text/X-arib-bml; charset="EUC-JP"', url: URL });
    expect(typeof answer === 'object' && new TextDecoder().decode(answer.bytes)).toBe('あ');
  });

  test('of a recording, which the engine never makes, would say so', async () => {
    const { network, asked } = rig(undefined, true);
    await network.get(URL, endless);
    await network.post(URL, 'a=1', endless);
    await network.confirm('example.jp', 1000, endless);
    expect(asked).toHaveLength(3);
    for (const path of asked)
      expect(new globalThis.URL(path, 'http://svc/').searchParams.get('recording')).toBe('1');
  });

  test.each([
    [undefined, true],
    ['max-age=60', true],
    ['public, max-age=06', true],
    ['no-store', false],
    ['private, No-Cache', false],
    ['max-age=0', false],
  ])('Cache-Control %s: a copy may be kept: %p', async (value, expected) => {
    const { network } = rig(() => peer('x', value === undefined ? {} : { [PEER_CACHE_HEADER]: value }));
    expect(await network.get(URL, endless)).toMatchObject({ isStorable: expected });
  });

  test('sends a form as it is', async () => {
    let sent: RequestInit = {};
    const { network, asked } = rig((_, init) => {
      sent = init;
      return peer();
    });
    await network.post(URL, 'Denbun=%A4%A2', endless);
    expect(asked).toEqual([`post?url=${encodeURIComponent(URL)}`]);
    expect(sent).toMatchObject({
      method: 'POST',
      body: 'Denbun=%A4%A2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      redirect: 'error',
      cache: 'no-store',
    });
  });

  test.each([
    [
      { reachable: true, ipAddress: '203.0.113.1', responseTimeMs: 12 },
      { isReachable: true, address: '203.0.113.1', ms: 12 },
    ],
    [
      { reachable: false, ipAddress: null, responseTimeMs: null },
      { isReachable: false, address: null, ms: null },
    ],
  ])('confirms a host: %p', async (body, expected) => {
    const { network, asked } = rig(() => Response.json(body));
    expect(await network.confirm('www.example.jp', 4000, endless)).toEqual(expected);
    expect(asked).toEqual(['confirm?host=www.example.jp&timeout=4000']);
  });

  test.each([
    [400, 'refused'],
    [403, 'refused'],
    [429, 'busy'],
    [503, 'busy'],
    [502, 'unreachable'],
    [401, 'unreachable'],
    [500, 'unreachable'],
    // Something between the service and the browser answered.
    [200, 'unreachable'],
  ])('the service answers %d itself: %s', async (status, fault) => {
    const { network } = rig(() => Response.json({ code: 'x' }, { status }));
    expect(await network.get(URL, endless)).toBe(fault as 'busy');
    if (status !== 200) expect(await network.confirm('www.example.jp', 1, endless)).toBeUndefined();
  });

  test('a service that is not there, or breaks off', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) });
    for (const answer of [() => Promise.reject(new TypeError('no network')), () => peer(broken)])
      expect(await rig(answer).network.get(URL, endless)).toBe('unreachable');
  });

  test('4 MB are read, not more', async () => {
    const limit = 4 << 20;
    const whole = await rig(() => peer(new Uint8Array(limit))).network.get(URL, endless);
    expect(typeof whole === 'object' && whole.bytes.length).toBe(limit);
    let sent = 0;
    const without = new ReadableStream({
      pull: (controller) => {
        sent += 1 << 20;
        controller.enqueue(new Uint8Array(1 << 20));
      },
    });
    expect(await rig(() => peer(without)).network.get(URL, endless)).toBe('size');
    expect(sent).toBeLessThan(8 << 20);
  });

  test('ends after its time', async () => {
    const { network, timers, signs } = rig(hanging);
    const answer = network.get(URL, endless);
    await Bun.sleep(0);
    expect([...timers.values()]).toEqual([15_000]);
    for (const late of timers.keys()) late();
    expect(await answer).toBe('timeout');
    expect([timers.size, signs]).toEqual([0, [true, false]]);
  });

  test('ends with its document', async () => {
    const { network, timers } = rig(hanging);
    const document = new AbortController();
    const answer = network.get(URL, document.signal);
    await Bun.sleep(0);
    document.abort();
    expect([await answer, timers.size]).toEqual(['ended', 0]);
    expect(await network.get(URL, document.signal)).toBe('ended');
  });

  test('is not made while communication is off', async () => {
    const { network, asked } = rig();
    network.abilities = { network: false, applications: false };
    expect(await network.get(URL, endless)).toBe('off');
    expect(await network.post(URL, '', endless)).toBe('off');
    expect(await network.confirm('www.example.jp', 1, endless)).toBeUndefined();
    expect(asked).toEqual([]);
  });
});

describe('many requests', () => {
  test('run four at a time, in their order, and 64 wait', async () => {
    const open: (() => void)[] = [];
    const { network, asked, signs } = rig(() => new Promise((resolve) => open.push(() => resolve(peer()))));
    const answers = Array.from({ length: 69 }, (_, index) => network.get(`http://x/${index}`, endless));
    await Bun.sleep(0);
    expect(asked).toHaveLength(4);
    expect(await answers[68]).toBe('busy');
    for (let at = 0; at < 68; at++) {
      while (open[at] === undefined) await Bun.sleep(0);
      expect(asked.length).toBeLessThanOrEqual(at + 4);
      open[at]?.();
      expect(await answers[at]).toMatchObject({ status: 200 });
    }
    expect(asked).toEqual(
      Array.from({ length: 68 }, (_, index) => `proxy?url=${encodeURIComponent(`http://x/${index}`)}`),
    );
    expect(signs).toEqual([true, false]);
  });

  test('those that wait end with their document and leave their place', async () => {
    const { network, asked } = rig(hanging);
    const document = new AbortController();
    const answers = Array.from({ length: 10 }, () => network.get(URL, document.signal));
    await Bun.sleep(0);
    document.abort();
    expect(await Promise.all(answers)).toEqual(Array(10).fill('ended'));
    expect(asked).toHaveLength(4);
    const next = new AbortController();
    const more = Array.from({ length: 4 }, () => network.get(URL, next.signal));
    await Bun.sleep(0);
    expect(asked).toHaveLength(8);
    next.abort();
    await Promise.all(more);
  });

  test('those that wait are not made once communication is off', async () => {
    const { network, asked } = rig(hanging);
    const document = new AbortController();
    const running = Array.from({ length: 4 }, () => network.get(URL, document.signal));
    const waiting = network.get(URL, endless);
    await Bun.sleep(0);
    network.abilities = { network: false, applications: false };
    document.abort();
    await Promise.all(running);
    expect([await waiting, asked.length]).toEqual(['off', 4]);
  });

  test('are limited to 128 in 10 s, also one after another', async () => {
    const { network, asked, time } = rig();
    for (let index = 0; index < 128; index++) expect(await network.post(URL, '', endless)).toBeObject();
    expect(await network.post(URL, '', endless)).toBe('busy');
    expect(await network.confirm('www.example.jp', 1, endless)).toBeUndefined();
    time.now = 9_999;
    expect(await network.get(URL, endless)).toBe('busy');
    time.now = 10_000;
    expect(await network.get(URL, endless)).toBeObject();
    expect(asked).toHaveLength(129);
  });
});
