/** Invalid data from cards, stations and peers gives a clear error and does not affect the keys of other stations. */
import { afterEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { monotonicMs, systemWallClock } from '../../lib/host/clock.ts';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { Networks } from '../../lib/host/networks.ts';
import { ecmMessage, keysOf, TEST_SYSTEM } from '../../test/scrambled-stream.ts';
import { until } from '../../test/until.ts';
import { type CardSystem, KeyFailure } from '../descramble/key-source.ts';
import { CardService } from './card-service.ts';
import { ecmCommand, parseEcmAnswer, parseIntAnswer } from './card-worker-host.ts';
import type { KeyBackend } from './key-backend.ts';
import { ShareClient } from './share-client.ts';
import { ShareServer } from './share-server.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return error instanceof KeyFailure ? error.code : String(error);
  }
  return 'none';
}

const codeOfPromise = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: unknown) => (error instanceof KeyFailure ? error.code : String(error)),
  );

/** A valid response of this many octets, with a status word at its end. */
function answer(length: number, status: number, returnCode: number): Uint8Array {
  const bytes = new Uint8Array(length).fill(0x11);
  bytes.set([returnCode >> 8, returnCode & 0xff].slice(0, Math.max(0, length - 4)), Math.min(4, length));
  if (length >= 2) bytes.set([status >> 8, status & 0xff], length - 2);
  return bytes;
}

describe('answers of a card', () => {
  test('of any length and status give keys, parameters or an error', () => {
    for (let length = 0; length <= 300; length += 1) {
      for (const status of [0x9000, 0x6700, 0x6d00, 0x6a86, 0x0000, 0xffff]) {
        const isGood = status === 0x9000;
        const ecm = codeOf(() => parseEcmAnswer(answer(length, status, 0x0800)));
        expect([length, status, ecm]).toEqual([
          length,
          status,
          isGood && length >= 25 ? 'none' : 'card_error',
        ]);
        const int = codeOf(() => parseIntAnswer(answer(length, status, 0x2100)));
        expect([length, status, int]).toEqual([
          length,
          status,
          isGood && length >= 57 ? 'none' : 'unsuitable_card',
        ]);
      }
    }
  });

  test('with any return code but those for subscribed programmes mean "not subscribed"', () => {
    for (let code = 0; code <= 0xffff; code += 7) {
      const isPurchased = [0x0200, 0x0400, 0x0800].includes(code);
      expect(codeOf(() => parseEcmAnswer(answer(25, 0x9000, code)))).toBe(
        isPurchased ? 'none' : 'not_subscribed',
      );
    }
  });

  test('of any octets give keys of 8 octets or an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const code = codeOf(() => {
          const { odd, even } = parseEcmAnswer(bytes);
          expect([odd.length, even.length]).toEqual([8, 8]);
        });
        expect(['none', 'card_error', 'not_subscribed']).toContain(code);
      }),
    );
  });

  test('an ECM that does not fit a command is not sent', () => {
    for (const length of [0, 256, 1_000, 4_093])
      expect(codeOf(() => ecmCommand(new Uint8Array(length)))).toBe('card_error');
    expect(ecmCommand(new Uint8Array(255))).toHaveLength(261);
  });
});

/** A scripted card that counts its connections. */
class TestBackend implements KeyBackend {
  readonly timeoutMs = 1_000;
  readonly timeoutCode = 'timeout';
  connects = 0;
  asked = 0;
  isBroken = (_message: Uint8Array): boolean => false;

  async connect(): Promise<CardSystem> {
    this.connects += 1;
    return { ...TEST_SYSTEM, source: 'test reader' };
  }

  async ecm(message: Uint8Array): Promise<{ odd: Uint8Array; even: Uint8Array }> {
    this.asked += 1;
    if (this.isBroken(message)) return parseEcmAnswer(answer(2, 0x6700, 0)) as never;
    return keysOf(message);
  }

  onChange(): void {}

  async close(): Promise<void> {}
}

function serviceOf(backend: KeyBackend): CardService {
  const service = new CardService({
    backend,
    isShared: false,
    clock: () => monotonicMs(0),
    log: SILENT_LOG,
    onChange: () => {},
  });
  open.push(service);
  return service;
}

describe('ECMs that a card cannot answer', () => {
  test('do not affect the keys of other stations', async () => {
    const backend = new TestBackend();
    backend.isBroken = (message) => message[3] === 0xee;
    const service = serviceOf(backend);
    const system = await service.system();
    for (let period = 1; period <= 30; period += 1) {
      const broken = Uint8Array.from([0, 1, 2, 0xee, period]);
      expect(await codeOfPromise(service.keys(broken))).toBe('card_error');
      const keys = await service.keys(ecmMessage(1, period));
      expect(keys).toMatchObject(keysOf(ecmMessage(1, period)));
      // The same object: tunings with its keys keep them.
      expect(keys.system).toBe(system);
    }
    expect(service.status).toMatchObject({ state: 'ready', failure: null, ecm: { failed: 30 } });
    expect(backend.connects).toBe(1);
  });

  test('because of their length are rejected before they reach the card', async () => {
    const backend = new TestBackend();
    const service = serviceOf(backend);
    for (const length of [0, 256, 4_093])
      expect(await codeOfPromise(service.keys(new Uint8Array(length)))).toBe('card_error');
    expect(backend.asked).toBe(0);
    expect(await codeOfPromise(service.keys(ecmMessage(1, 1)))).toBe('none');
  });

  test('three in a row without a success reconnect the card at once', async () => {
    const backend = new TestBackend();
    backend.isBroken = () => true;
    const service = serviceOf(backend);
    const system = await service.system();
    for (let period = 1; period <= 3; period += 1) await codeOfPromise(service.keys(ecmMessage(1, period)));
    expect(service.status).toMatchObject({ state: 'error', failure: 'card_error' });
    backend.isBroken = () => false;
    const keys = await service.keys(ecmMessage(1, 4));
    expect(keys.system).toBe(system);
    expect(backend.connects).toBe(2);
    expect(service.status.state).toBe('ready');
  });
});

describe('peers on the share port', () => {
  function share(idleMs?: number): { server: ShareServer; client: ShareClient } {
    const server = new ShareServer({
      ...{ port: 0, networks: Networks.parse('127.0.0.0/8'), hops: 1, maxRttMs: null, log: SILENT_LOG },
      source: serviceOf(new TestBackend()),
      now: systemWallClock,
      onChange: () => {},
      ...(idleMs === undefined ? {} : { idleMs }),
    });
    const client = new ShareClient({ url: `http://127.0.0.1:${server.port}`, hops: 1 });
    open.push(client, server);
    return { server, client };
  }

  /** A connection that never sends a complete request. */
  async function idler(port: number) {
    const state = { isClosed: false };
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        data: () => {},
        close: () => {
          state.isClosed = true;
        },
        error: () => {},
      },
    });
    open.push({ close: () => socket.terminate() });
    return { socket, state };
  }

  test('that send a request octet by octet are disconnected after a timeout', async () => {
    const { server, client } = share(300);
    const slow = await idler(server.port);
    const text = 'GET /agent/card/init HTTP/1.1\r\n';
    let sent = 0;
    const drip = setInterval(() => {
      slow.socket.write(text.charAt(sent % text.length));
      sent += 1;
    }, 20);
    open.push({ close: () => clearInterval(drip) });
    await until('the slow connection is closed', () => slow.state.isClosed);
    expect(sent).toBeGreaterThan(3);
    expect(await client.ecm(ecmMessage(1, 1), AbortSignal.timeout(5_000))).toEqual(keysOf(ecmMessage(1, 1)));
  });

  test('may open only a few connections', async () => {
    const { server } = share();
    const idlers = await Promise.all(Array.from({ length: 40 }, () => idler(server.port)));
    await until('most are closed', () => idlers.filter(({ state }) => !state.isClosed).length === 8);
  });

  test('that send garbage get an error; others still get their keys', async () => {
    const { server, client } = share();
    const ask = (): Promise<unknown> => client.ecm(ecmMessage(1, 1), AbortSignal.timeout(5_000));
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 6_000 }), async (bytes) => {
        const garbage = await idler(server.port);
        garbage.socket.write(bytes);
        expect(await ask()).toEqual(keysOf(ecmMessage(1, 1)));
        garbage.socket.terminate();
        await until('it is closed', () => garbage.state.isClosed);
      }),
      { numRuns: 30 },
    );
    const host = '127.0.0.1';
    const post = (length: number) =>
      fetch(`http://${host}:${server.port}/agent/card/ecm`, { method: 'POST', body: new Uint8Array(length) });
    expect((await post(0)).status).toBe(503);
    expect((await post(300)).status).toBe(503);
    expect((await post(5_000)).status).toBe(400);
    expect(await ask()).toEqual(keysOf(ecmMessage(1, 1)));
  });
});
