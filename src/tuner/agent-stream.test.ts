import { afterEach, describe, expect, test } from 'bun:test';
import type { OwnedBytes } from '../../lib/arib/ts/packet.ts';
import { type AgentStreamError, type AgentStreamLimits, readAgentStream, whyEnded } from './agent-stream.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function serve(handler: () => Response | Promise<Response>): string {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: handler,
  });
  closers.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/agent/stream`;
}

/** A server that sends these pieces on every connection, and then closes it, unless it must stay open. */
function speak(pieces: readonly (string | Uint8Array)[], stayOpen = false): string {
  const server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data: async (socket) => {
        for (const piece of pieces) {
          socket.write(piece);
          socket.flush();
          await Bun.sleep(1);
        }
        if (!stayOpen) socket.end();
      },
    },
  });
  closers.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}/`;
}

interface Outcome {
  error: AgentStreamError;
  tunerId: string | null | undefined;
  bytes: Buffer;
}

async function read(url: string, limits: AgentStreamLimits = {}): Promise<Outcome> {
  const parts: Uint8Array[] = [];
  let tunerId: string | null | undefined;
  const handlers = {
    opened: (id: string | null) => {
      tunerId = id;
    },
    data: (bytes: OwnedBytes) => void parts.push(bytes.handOver()),
  };
  const error = await readAgentStream(url, handlers, new AbortController().signal, limits).catch(
    (reason: unknown) => reason as AgentStreamError,
  );
  return { error, tunerId, bytes: Buffer.concat(parts) };
}

const HEAD = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-SVC-Tuner: t1\r\n\r\n';

describe('a stream of the agent', () => {
  test('is read to its end, for any chunk size', async () => {
    const parts = Array.from({ length: 40 }, (_, at) => new Uint8Array(at * 997).fill(at));
    const url = serve(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => {
              for (const part of parts) if (part.length > 0) controller.enqueue(part);
              controller.close();
            },
          }),
          { headers: { 'x-svc-tuner': 'gr-0' } },
        ),
    );
    const { error, tunerId, bytes } = await read(url);
    expect([error.code, error.message, tunerId]).toEqual(['ended', 'the agent ended the stream', 'gr-0']);
    expect(bytes.equals(Buffer.concat(parts))).toBe(true);
  });

  test('that the agent aborts is an error, not an end', async () => {
    const { error, bytes } = await read(speak([HEAD, '3\r\nabc\r\n', '5\r\nde']));
    expect([error.code, bytes.toString()]).toEqual(['ended', 'abcde']);
    expect(error.message).toContain('cut');
  });

  test('that stops sending ends', async () => {
    const { error, bytes } = await read(speak([HEAD, '3\r\nabc\r\n'], true), { silenceMs: 60 });
    expect([error.code, bytes.toString()]).toEqual(['silent', 'abc']);
  });

  test('is closed when it is aborted, at any moment', async () => {
    const left = Promise.withResolvers<void>();
    const url = serve(
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(188)),
            cancel: () => left.resolve(),
          }),
        ),
    );
    const abort = new AbortController();
    const handlers = { opened: () => abort.abort(new Error('enough')), data: () => {} };
    await expect(readAgentStream(url, handlers, abort.signal)).rejects.toThrow('enough');
    await left.promise;
    await expect(readAgentStream(url, handlers, abort.signal)).rejects.toThrow('enough');
  });

  test('ends with what its reader throws', async () => {
    const handlers = {
      opened: () => {},
      data: () => {
        throw new Error('a fault');
      },
    };
    const url = speak([HEAD, '3\r\nabc\r\n'], true);
    await expect(readAgentStream(url, handlers, new AbortController().signal)).rejects.toThrow('a fault');
  });
});

describe('the cause of an ended stream', () => {
  const url = (answer: () => Response): string => `${serve(answer)}?type=GR&channel=T27&use=a`;
  test.each([
    ['receives another channel', { type: 'GR', channel: 'T26' }, 'tuner_taken'],
    ['receives another type', { type: 'BS', channel: 'T27' }, 'tuner_taken'],
    ['still receives the channel', { type: 'GR', channel: 'T27' }, 'ended'],
    ['receives nothing', null, 'ended'],
  ] as const)('whose tuner %s', async (_what, tuned, cause) => {
    const tuners = [
      { id: 'a', tuned: { type: 'GR', channel: 'T20' } },
      { id: 'b', tuned },
    ];
    const address = url(() => Response.json(tuners));
    expect(await whyEnded(address, 'b')).toBe(cause);
    expect(await whyEnded(address, null)).toBe('ended');
    expect(await whyEnded(address, 'c')).toBe('ended');
  });

  test('is unknown without a list, and the agent where there is none', async () => {
    expect(
      await whyEnded(
        url(() => Response.json([])),
        'b',
      ),
    ).toBe('ended');
    expect(await whyEnded('http://127.0.0.1:1/agent/stream?type=GR&channel=T27', 'b')).toBe(
      'agent_unreachable',
    );
  });
});

describe('a stream that cannot be opened', () => {
  test.each([
    [409, {}, 'tuners_busy'],
    [500, {}, 'no_signal'],
    [500, { code: 'agent_misconfigured' }, 'agent_misconfigured'],
    [500, { code: 'ended' }, 'no_signal'],
    [400, {}, 'agent_misconfigured'],
    [403, {}, 'agent_misconfigured'],
    [404, {}, 'agent_misconfigured'],
    [502, {}, 'agent_unreachable'],
    [204, {}, 'agent_unreachable'],
  ] as const)("%d %o is %s, with the agent's message", async (status, extra, code) => {
    const message = '理由';
    const isEmpty = status === 204;
    const url = serve(() =>
      isEmpty ? new Response(null, { status }) : Response.json({ message, ...extra }, { status }),
    );
    const { error, tunerId } = await read(url);
    expect([error.code, error.sentence, tunerId]).toEqual([code, isEmpty ? null : message, undefined]);
  });

  test('a refusal without JSON, or without an end, still has its status', async () => {
    expect((await read(serve(() => new Response('<html>', { status: 502 })))).error).toMatchObject({
      ...{ code: 'agent_unreachable', message: 'HTTP 502', sentence: null },
    });
    const endless = `HTTP/1.1 409 Conflict\r\nContent-Length: 999999999\r\n\r\n${' '.repeat(9000)}`;
    expect((await read(speak([endless], true))).error).toMatchObject({ code: 'tuners_busy' });
  });

  test('a refused connection and a missing answer are distinguished', async () => {
    expect((await read('http://127.0.0.1:1/')).error.code).toBe('agent_unreachable');
    // It answers no other request either.
    expect((await read(speak([], true), { openMs: 50 })).error.code).toBe('agent_silent');
    let requests = 0;
    const tuning = serve(() => {
      requests += 1;
      return requests > 1 ? Response.json([]) : new Promise<Response>(() => {});
    });
    expect((await read(tuning, { openMs: 50 })).error.code).toBe('no_signal');
    expect((await read(speak([]))).error.code).toBe('agent_unreachable');
  });

  test.each([
    ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
    ['an endless line', `HTTP/1.1 200 OK\r\nX: ${'a'.repeat(40_000)}`],
    ['endless headers', `HTTP/1.1 200 OK\r\n${'X: y\r\n'.repeat(5_000)}`],
    ['a broken header', 'HTTP/1.1 200 OK\r\nno header\r\n\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['an unknown coding', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n'],
    ['endless interim answers', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(100)],
    ['another protocol', 'HTTP/1.1 101 Switching\r\n\r\n'],
  ])('%s is no agent', async (_what, answer) => {
    const { error, tunerId } = await read(speak([answer], true));
    expect([error.code, tunerId]).toEqual(['agent_unreachable', undefined]);
  });

  test.each([
    ['no size', 'xyz\r\nabc\r\n'],
    ['an impossible size', `${'f'.repeat(20)}\r\n`],
    ['an endless size line', `1;${'x'.repeat(5_000)}`],
    ['more bytes than its size', '1\r\nabcdef\r\n'],
    ['endless trailers', `0\r\n${'X: y\r\n'.repeat(1_000)}`],
  ])('a chunk with %s ends the stream', async (_what, body) => {
    expect((await read(speak([HEAD, body], true))).error.code).toBe('ended');
  });
});
