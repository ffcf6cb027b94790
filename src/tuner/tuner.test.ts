import { afterEach, describe, expect, test } from 'bun:test';
import { SILENT_LOG } from '../../lib/host/log.ts';
import { until } from '../../test/until.ts';
import { Failure } from '../model/failure.ts';
import { AgentClient, connectionReason } from './agent-client.ts';
import { AgentLink, type AgentLinkOptions, ServerSentEventParser } from './agent-link.ts';
import { agentStreamUrl } from './agent-stream.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function serve(handler: (path: string) => Response | Promise<Response>, port = 0) {
  const server = Bun.serve({
    port,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: (request) => handler(new URL(request.url).pathname),
  });
  closers.push(() => server.stop(true));
  return { server, url: `http://127.0.0.1:${server.port}`, port: server.port ?? 0 };
}

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('no failure');
}

describe('ServerSentEventParser', () => {
  test('finds the same events for any split of the bytes', () => {
    const text =
      ': hello\r\nevent: tuners\r\ndata: 1\r\n\r\ndata: a\ndata: b\n\nevent: x\n\nevent: あ\rdata: 2\r\r\n';
    const bytes = new TextEncoder().encode(text);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const parser = new ServerSentEventParser();
      const events = [...parser.feed(bytes.subarray(0, cut)), ...parser.feed(bytes.subarray(cut))];
      expect(events).toEqual([
        { name: 'tuners', data: '1' },
        { name: 'message', data: 'a\nb' },
        { name: 'あ', data: '2' },
      ]);
    }
  });

  test('an endless line or event is refused, many small events are not', () => {
    const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
    const feed = (text: string) => () => new ServerSentEventParser().feed(bytes(text));
    expect(feed('A'.repeat(70_000))).toThrow('too long');
    expect(feed('data: 1\n'.repeat(10_000))).toThrow('too long');
    expect(feed('data: 1\n\n'.repeat(10_000))()).toHaveLength(10_000);
  });
});

describe('AgentClient', () => {
  test('returns what the agent lists', async () => {
    const channel = { type: 'GR', channel: 'T27', tsid: 1, networkId: 2, stations: [] };
    const { url } = serve((path) => Response.json(path === '/agent/channels' ? [channel] : []));
    const client = new AgentClient(url);
    expect(await client.channels()).toEqual([channel as never]);
    expect(await client.tuners()).toEqual([]);
  });

  test('an agent that is down, slow, refuses, fails or sends invalid data is unavailable, with the reason', async () => {
    const away = await failureOf(new AgentClient('http://127.0.0.1:1').tuners());
    expect([away.code, away.message]).toEqual(['agent_unavailable', expect.stringContaining('拒否')]);

    const slow = serve(() => new Promise<Response>(() => {}));
    expect((await failureOf(new AgentClient(slow.url, 20).tuners())).message).toContain('応答がありません');

    const answers: [Response, string][] = [
      [new Response('no', { status: 403 }), 'AGENT_NETWORKS'],
      [new Response('no', { status: 500 }), 'HTTP 500'],
      [new Response('<html>', { status: 502 }), 'HTTP 502'],
      [Response.json({ message: 'no lock' }, { status: 503 }), 'HTTP 503'],
      [new Response('<html>'), '不正'],
      [Response.json([{ type: 'XX' }]), '不正'],
    ];
    for (const [response, reason] of answers) {
      const { url } = serve(() => response);
      const failure = await failureOf(new AgentClient(url).channels());
      expect(failure.code).toBe('agent_unavailable');
      expect(failure.message).toContain(reason);
    }
  });

  test('what the system says of a connection is not for users', () => {
    for (const code of ['ECONNRESET', 'ENOTFOUND', 'EPROTO', 'constructor', undefined]) {
      const error = Object.assign(new Error('The socket was closed, pass verbose: true'), { code });
      expect(connectionReason(error)).toMatch(/^[^A-Za-z]+$/u);
    }
  });

  test('an agent that cannot read its own tables is misconfigured, with its own message', async () => {
    const { url } = serve(() => Response.json({ message: 'channels.json: 2 行' }, { status: 500 }));
    const { code, message } = await failureOf(new AgentClient(url).channels());
    expect([code, message]).toEqual([
      'agent_misconfigured',
      'チューナーエージェントの設定を読めません。channels.json: 2 行',
    ]);
  });

  test('an endless answer is aborted', async () => {
    const left = Promise.withResolvers<void>();
    const { url } = serve(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            pull: async (controller) => {
              controller.enqueue(new Uint8Array(10_000).fill(0x20));
              await Bun.sleep(1);
            },
            cancel: () => left.resolve(),
          }),
        ),
    );
    const failure = await failureOf(new AgentClient(url, 10_000, 100_000).tuners());
    expect([failure.code, failure.message]).toEqual([
      'agent_unavailable',
      expect.stringContaining('大きすぎ'),
    ]);
    await left.promise;
  });

  test('the stream URL contains the use and the priority', () => {
    expect(agentStreamUrl('http://a', { type: 'GR', channel: 'T27', priority: 3, use: 'epg T27' })).toBe(
      'http://a/agent/stream?type=GR&channel=T27&priority=3&use=epg+T27',
    );
  });
});

describe('AgentLink', () => {
  function link(url: string, over: Partial<AgentLinkOptions> = {}) {
    const seen: string[] = [];
    const made = new AgentLink({
      url,
      log: SILENT_LOG,
      onConnected: () => seen.push('connected'),
      onEvent: (event) => seen.push(event),
      onState: (state) => seen.push(`state ${state.state}`),
      firstWaitMs: 2,
      maxWaitMs: 10,
      ...over,
    });
    closers.push(() => made.close());
    made.start();
    return { made, seen };
  }

  function eventServer(port = 0) {
    const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
    const {
      server,
      url,
      port: chosen,
    } = serve(
      () =>
        new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => {
              controllers.push(controller);
              controller.enqueue(new TextEncoder().encode(': hi\n\n'));
            },
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
      port,
    );
    const send = (text: string) => controllers.at(-1)?.enqueue(new TextEncoder().encode(text));
    return { server, url, port: chosen, send, connections: () => controllers.length };
  }

  test('reports known agent events', async () => {
    const agent = eventServer();
    const { made, seen } = link(agent.url);
    await until(() => made.state.state === 'connected');
    agent.send('event: tuners\ndata: 1\n\nevent: other\ndata: 1\n\nevent: channels\ndata: 1\n\n');
    await until(() => seen.includes('channels'));
    expect(seen).toEqual(['state connected', 'connected', 'tuners', 'channels']);
  });

  test('reconnects when the agent restarts', async () => {
    const agent = eventServer();
    const { made, seen } = link(agent.url);
    await until(() => made.state.state === 'connected');
    await agent.server.stop(true);
    await until(() => made.state.state === 'unavailable');
    expect(made.state.message).toContain('チューナーエージェント');
    eventServer(agent.port);
    await until(() => made.state.state === 'connected');
    expect(seen.filter((entry) => entry === 'connected')).toHaveLength(2);
  });

  test('backs off when the agent disconnects at once, and reconnects soon after a longer connection', async () => {
    const times: number[] = [];
    const { url } = serve(() => {
      times.push(performance.now());
      return new Response(': bye\n\n', { headers: { 'content-type': 'text/event-stream' } });
    });
    const { made } = link(url, { firstWaitMs: 20, maxWaitMs: 3_600_000 });
    await until(() => times.length >= 5);
    await made.close();
    // 20 + 40 + 80 + 160, minus rounding of timers.
    expect((times[4] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(290);
    // If it were doubled each time, the last wait would be an hour.
    link(url, { firstWaitMs: 2, maxWaitMs: 3_600_000, steadyMs: 0 });
    await until(() => times.length >= 25);
  });

  test('a long backoff ends when another request reached the agent', async () => {
    const agent = eventServer();
    await agent.server.stop(true);
    const { made } = link(agent.url, { firstWaitMs: 3_600_000, maxWaitMs: 3_600_000 });
    await until(() => made.state.state === 'unavailable');
    eventServer(agent.port);
    await until(() => {
      made.hurry();
      return made.state.state === 'connected';
    });
  });

  test('a silent connection is closed', async () => {
    const agent = eventServer();
    link(agent.url, { silenceMs: 20 });
    await until(() => agent.connections() > 1);
  });

  test('closing ends it at once, whether connected or waiting', async () => {
    const agent = eventServer();
    const { made } = link(agent.url);
    await until(() => made.state.state === 'connected');
    await made.close();
    const { made: lonely } = link('http://127.0.0.1:1');
    await until(() => lonely.state.state === 'unavailable');
    await lonely.close();
  });
});
