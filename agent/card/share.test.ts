import { afterEach, describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import fc from 'fast-check';
import { monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import { ecmMessage, keysOf, TEST_SYSTEM } from '../../test/scrambled-stream.ts';
import { type AnsweredKeys, type CardSystem, KeyFailure, type KeySource } from '../descramble/key-source.ts';
import { CardService } from './card-service.ts';
import { ShareClient } from './share-client.ts';
import { BadMessage, MessageReader, readError, requestBytes, responseBytes } from './share-protocol.ts';
import { ShareServer, type ShareServerOptions } from './share-server.ts';

const SYSTEM: CardSystem = { ...TEST_SYSTEM, source: 'test reader' };
const LOOPBACK = Networks.parse('127.0.0.0/8,::1/128');

class TestSource implements KeySource {
  asked = 0;
  failure: KeyFailure | undefined;

  async system(): Promise<CardSystem> {
    if (this.failure !== undefined) throw this.failure;
    return SYSTEM;
  }

  async keys(message: Uint8Array): Promise<AnsweredKeys> {
    this.asked += 1;
    if (this.failure !== undefined) throw this.failure;
    return { ...keysOf(message), system: SYSTEM };
  }
}

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function share(more: Partial<ShareServerOptions> = {}): {
  server: ShareServer;
  source: TestSource;
  lines: string[];
} {
  const source = new TestSource();
  const lines: string[] = [];
  const log = { ...SILENT_LOG, warn: (message: string) => lines.push(message) };
  const server = new ShareServer({
    port: 0,
    networks: LOOPBACK,
    hops: 1,
    maxRttMs: null,
    source,
    log,
    now: systemWallClock,
    onChange: () => {},
    ...more,
  });
  open.push(server);
  return { server, source, lines };
}

function clientOf(server: ShareServer, host = '127.0.0.1'): ShareClient {
  const client = new ShareClient({ url: `http://${host}:${server.port}`, hops: 1 });
  open.push(client);
  return client;
}

const soon = (): AbortSignal => AbortSignal.timeout(5_000);

async function failureOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    return error instanceof KeyFailure ? error.code : String(error);
  }
  return 'none';
}

/** The response of the port to raw bytes, until it closes the connection. */
async function raw(port: number, bytes: string | Uint8Array): Promise<string> {
  let text = '';
  const closed = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data: (_socket, data) => {
        text += data.toString('latin1');
      },
      close: () => closed.resolve(),
    },
  });
  socket.write(bytes);
  await closed.promise;
  return text;
}

describe('card sharing', () => {
  test.each(['127.0.0.1', '[::1]'])('a peer at %s gets the keys of the card', async (host) => {
    const { server } = share();
    const client = clientOf(server, host);
    const system = await client.connect(soon());
    expect(system).toMatchObject({ ...TEST_SYSTEM });
    const message = ecmMessage(7, 3);
    expect(await client.ecm(message, soon())).toEqual(keysOf(message));
    expect(server.status.peers.length).toBe(1);
  });

  test('one connection serves many requests; a lost one is reopened', async () => {
    const { server, source } = share();
    const client = clientOf(server);
    for (let period = 1; period <= 20; period += 1) await client.ecm(ecmMessage(1, period), soon());
    expect(source.asked).toBe(20);
    const { port } = server;
    server.close();
    expect(await failureOf(client.ecm(ecmMessage(1, 1), soon()))).toBe('unreachable');
    const next = share({ port });
    expect(await client.ecm(ecmMessage(1, 2), soon())).toEqual(keysOf(ecmMessage(1, 2)));
    expect(next.source.asked).toBe(1);
  });

  test('a peer outside the networks is refused with the reason, and logged once', async () => {
    const { server, lines } = share({ networks: Networks.parse('10.0.0.0/8') });
    const client = clientOf(server);
    expect(await failureOf(client.connect(soon()))).toBe('refused');
    expect(await failureOf(client.connect(soon()))).toBe('refused');
    expect(server.status.refused).toEqual([
      { peer: '127.0.0.1', reason: expect.stringContaining('CARD_SHARE_NETWORKS'), at: expect.any(Number) },
    ]);
    expect(lines).toEqual(['card share peer refused']);
  });

  test('peers outside the networks take no places: however many connect, a permitted one is served', async () => {
    const { server } = share({ networks: Networks.parse('127.0.0.1') });
    const closed: Promise<void>[] = [];
    const outside = async (_: unknown, index: number): Promise<void> => {
      const gone = Promise.withResolvers<void>();
      closed.push(gone.promise);
      // From eight addresses, and without a request: nothing but the accepting refuses them.
      const localAddress = `127.0.0.${2 + (index % 8)}`;
      const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
      socket.on('close', () => gone.resolve());
      socket.on('error', () => {});
      socket.resume();
      await new Promise((resolve) => socket.once('connect', resolve));
    };
    await Promise.all(Array.from({ length: 64 }, outside));
    expect(await failureOf(clientOf(server).connect(soon()))).toBe('none');
    await Promise.all(closed);
    expect(server.status.refused).toHaveLength(8);
    expect(server.status.peers).toEqual(['127.0.0.1']);
  });

  test('a peer above the round-trip time limit is refused', async () => {
    const { server } = share({ maxRttMs: 0.000_1 });
    expect(await failureOf(clientOf(server).connect(soon()))).toBe('refused');
    const { server: near } = share({ maxRttMs: 5_000 });
    expect(await failureOf(clientOf(near).connect(soon()))).toBe('none');
  });

  test('the error of the card is sent to the peer', async () => {
    const { server, source } = share();
    source.failure = new KeyFailure('not_subscribed', 'no contract');
    expect(await failureOf(clientOf(server).ecm(ecmMessage(1, 1), soon()))).toBe('not_subscribed');
  });

  test('only the two kinds of request are answered', async () => {
    const { server } = share();
    expect(await raw(server.port, 'GET /agent/tuners HTTP/1.1\r\nHost: a\r\n\r\n')).toStartWith(
      'HTTP/1.1 404',
    );
    expect(await raw(server.port, 'POST /agent/card/init HTTP/1.1\r\nHost: a\r\n\r\n')).toStartWith(
      'HTTP/1.1 405',
    );
    expect(await raw(server.port, `GET ${'a'.repeat(9_000)}`)).toStartWith('HTTP/1.1 400');
    expect(
      await raw(server.port, 'POST /agent/card/ecm HTTP/1.1\r\nContent-Length: 99999\r\n\r\n'),
    ).toStartWith('HTTP/1.1 400');
    expect(await raw(server.port, '\x16\x03\x01\x02\x00\r\n\r\n')).toStartWith('HTTP/1.1');
  });

  test('every error has a message as JSON, as those of the agent', async () => {
    const { server, source } = share();
    source.failure = new KeyFailure('not_subscribed', 'no contract');
    const { server: closed } = share({ networks: Networks.parse('10.0.0.0/8') });
    const init = 'GET /agent/card/init HTTP/1.1\r\nHost: a\r\n\r\n';
    const answers = await Promise.all([
      raw(server.port, 'GET /agent/tuners HTTP/1.1\r\nHost: a\r\n\r\n'),
      raw(server.port, 'POST /agent/card/init HTTP/1.1\r\nHost: a\r\n\r\n'),
      raw(server.port, `GET ${'a'.repeat(9_000)}`),
      raw(server.port, 'POST /agent/card/ecm HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc'),
      raw(closed.port, init),
    ]);
    const found = answers.map((answer) => {
      const [head = '', body = ''] = answer.split('\r\n\r\n');
      expect(head).toContain('Content-Type: application/json');
      const { message, ...more } = JSON.parse(body) as { message: string };
      expect(message.length).toBeGreaterThan(5);
      return [head.slice(9, 12), more];
    });
    const codes = [404, 405, 400, 503, 403].map(String);
    expect(found).toEqual(codes.map((code) => [code, code === '503' ? { code: 'not_subscribed' } : {}]));
  });

  test('the code of an agent that sends plain text is understood', () => {
    expect(readError(new TextEncoder().encode('not_subscribed')).code).toBe('not_subscribed');
    expect(readError(new TextEncoder().encode('{"message":"x"}'))).toEqual({ message: 'x', code: undefined });
  });

  test('forwarding headers change nothing', async () => {
    const { server } = share({ networks: Networks.parse('10.0.0.0/8') });
    const answer = await raw(
      server.port,
      'GET /agent/card/init HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 10.1.1.1\r\n\r\n',
    );
    expect(answer).toStartWith('HTTP/1.1 403');
  });

  test('a port that does not share keys is reported as such', async () => {
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('', { status: 404 }),
    });
    open.push({ close: () => server.stop(true) });
    const client = new ShareClient({ url: `http://127.0.0.1:${server.port}`, hops: 1 });
    open.push(client);
    expect(await failureOf(client.connect(soon()))).toBe('not_shared');
  });

  test('a peer that does not answer is reported within the timeout', async () => {
    const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } });
    open.push({ close: () => listener.stop(true) });
    const client = new ShareClient({ url: `http://127.0.0.1:${listener.port}`, hops: 1 });
    open.push(client);
    expect(await failureOf(client.connect(AbortSignal.timeout(200)))).toBe('no_answer');
  });

  test('a peer that answers garbage is reported as unreachable', async () => {
    const listener = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write('SSH-2.0-test\r\n\r\n') },
    });
    open.push({ close: () => listener.stop(true) });
    const client = new ShareClient({ url: `http://127.0.0.1:${listener.port}`, hops: 1 });
    open.push(client);
    expect(await failureOf(client.connect(soon()))).toBe('unreachable');
  });
});

describe('CardService', () => {
  test('the same ECM in several tunings is sent to the card once', async () => {
    let asked = 0;
    const service = new CardService({
      backend: {
        timeoutMs: 1_000,
        timeoutCode: 'timeout',
        connect: async () => SYSTEM,
        ecm: async (message) => {
          asked += 1;
          return keysOf(message);
        },
        onChange: () => {},
        close: async () => {},
      },
      isShared: false,
      clock: () => monotonicMs(0),
      log: SILENT_LOG,
      onChange: () => {},
    });
    const message = ecmMessage(1, 1);
    await Promise.all(Array.from({ length: 8 }, () => service.keys(message)));
    expect(asked).toBe(1);
    expect(service.status).toMatchObject({ state: 'ready', ecm: { requests: 1, cached: 7, failed: 0 } });
  });

  test('a failed connection is retried after 10 s, or at once when a device was plugged in', async () => {
    let now = 0;
    let attempts = 0;
    let plugged = (): void => {};
    const service = new CardService({
      backend: {
        timeoutMs: 1_000,
        timeoutCode: 'timeout',
        connect: async () => {
          attempts += 1;
          throw new KeyFailure('no_card', 'no card');
        },
        ecm: async (message) => keysOf(message),
        onChange: (listener) => {
          plugged = listener;
        },
        close: async () => {},
      },
      isShared: false,
      clock: () => monotonicMs(now),
      log: SILENT_LOG,
      onChange: () => {},
    });
    for (const at of [0, 5_000, 9_999]) {
      now = at;
      expect(await failureOf(service.system())).toBe('no_card');
    }
    expect(attempts).toBe(1);
    now = 10_000;
    await failureOf(service.system());
    expect(attempts).toBe(2);
    plugged();
    await failureOf(service.system());
    expect(attempts).toBe(3);
    expect(service.status.state).toBe('absent');
  });

  test('a request that is never answered times out, and the queued ones are answered', async () => {
    let hang = true;
    const service = new CardService({
      backend: {
        timeoutMs: 30,
        timeoutCode: 'timeout',
        connect: async () => SYSTEM,
        ecm: (message) => (hang ? new Promise<never>(() => {}) : Promise.resolve(keysOf(message))),
        onChange: () => {},
        close: async () => {},
      },
      isShared: false,
      clock: () => monotonicMs(performance.now()),
      log: SILENT_LOG,
      onChange: () => {},
      retryMs: 0,
    });
    expect(await failureOf(service.keys(ecmMessage(1, 1)))).toBe('timeout');
    hang = false;
    expect(await service.keys(ecmMessage(1, 2))).toMatchObject(keysOf(ecmMessage(1, 2)));
  });
});

describe('share protocol', () => {
  test('messages are reassembled however they are split', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 50 }), (body, piece) => {
        const bytes = Buffer.concat([
          requestBytes('POST', '/agent/card/ecm', 'a', body),
          responseBytes(200, 'application/octet-stream', body),
        ]);
        const reader = new MessageReader();
        const found: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += piece) {
          for (const message of reader.feed(bytes.subarray(at, at + piece))) found.push(message.body);
        }
        expect(found).toEqual([body, body]);
      }),
    );
  });

  test('any bytes give messages or BadMessage', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 30 }), (pieces) => {
        const reader = new MessageReader();
        try {
          for (const piece of pieces) for (const _ of reader.feed(piece));
        } catch (error) {
          expect(error).toBeInstanceOf(BadMessage);
        }
      }),
    );
  });
});
