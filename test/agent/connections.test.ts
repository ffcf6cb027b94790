/** How the agent handles connections that no normal client opens: raw sockets, written byte by byte. */
import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { AllowedHosts } from '../../lib/host/host-check.ts';
import { until } from '../until.ts';
import { sourceCommand, TestAgent } from './fixture.ts';

interface RawConnection extends Disposable {
  readonly socket: Socket;
  /** Data received so far. */
  text(): string;
  /** Whether the peer has closed it. */
  closed(): boolean;
}

function open(agent: TestAgent, request: string): RawConnection {
  let text = '';
  let closed = false;
  const socket = connect(agent.agent.port, '127.0.0.1', () => socket.write(request));
  socket.on('data', (part) => {
    if (text.length < 4096) text += part.toString('latin1');
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.on('error', () => {});
  return {
    socket,
    text: () => text,
    closed: () => closed,
    [Symbol.dispose]: () => {
      socket.destroy();
    },
  };
}

describe('an unusual request is answered', () => {
  const ROWS: [string, string][] = [
    ['HTTP/1.0 without a host', 'GET /agent/tuners HTTP/1.0\r\n\r\n'],
    ['an IPv6 literal', 'GET /agent/tuners HTTP/1.1\r\nHost: [::1]:1\r\n\r\n'],
    ['an absolute target', 'GET http://x/agent/tuners HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['unknown parameters', 'GET /agent/tuners?what=ever HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ];
  test('and the log stays empty', async () => {
    await using agent = await TestAgent.start();
    for (const [name, request] of ROWS) {
      using connection = open(agent, request);
      await until(name, () => connection.text().includes('"gr-0"'));
      expect([name, connection.text().slice(0, 12)]).toEqual([name, 'HTTP/1.1 200']);
    }
    expect(agent.log.filter((line) => line.startsWith('ERROR'))).toEqual([]);
  });
});

test('a host name that is not configured is refused with the reason, readable or not', async () => {
  await using agent = await TestAgent.start({ allowedHosts: AllowedHosts.parse('tuner', 'minipc') });
  for (const [host, status] of [
    ...[
      ['evil.example', 421],
      ['[bad', 421],
      ['a b', 421],
      ['tuner:25252', 200],
      ['minipc.local', 200],
    ],
  ] as [string, number][]) {
    using connection = open(agent, `GET /agent/tuners HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await until(host, () => connection.text().includes('\r\n\r\n'));
    expect([host, connection.text().slice(0, 12)]).toEqual([host, `HTTP/1.1 ${status}`]);
    if (status === 421) await until(host, () => connection.text().includes('ALLOWED_HOSTS'));
  }
});

test('pages of other sites may neither load a stream nor read what they load', async () => {
  await using agent = await TestAgent.start({ fakeTuners: 'GR:1' });
  for (const mode of ['no-cors', 'navigate']) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode, 'sec-fetch-dest': 'video' };
    const refused = await agent.fetch('/agent/stream?type=GR&channel=T27&use=page', { headers });
    expect([mode, refused.status]).toEqual([mode, 403]);
    await refused.text();
  }
  const own = await agent.fetch('/agent/tuners', { headers: { 'sec-fetch-site': 'same-origin' } });
  expect(own.status).toBe(200);
  // Browsers omit the header on plain http; the response must then not be readable for other origins.
  expect(own.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  expect(((await own.json()) as { users: unknown[] }[]).flatMap(({ users }) => users)).toEqual([]);
});

test('a client that disconnects in the middle of its body changes nothing and logs no fault', async () => {
  await using agent = await TestAgent.start();
  const before = await (await agent.fetch('/agent/channels')).json();
  {
    using half = open(
      agent,
      'PUT /agent/channels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n[',
    );
    await until('the body has begun', () => half.socket.bytesWritten > 0);
    expect(await (await agent.fetch('/agent/channels')).json()).toEqual(before);
  }
  expect(await (await agent.fetch('/agent/channels')).json()).toEqual(before);
  await Bun.sleep(0);
  expect(agent.log.filter((line) => line.startsWith('ERROR'))).toEqual([]);
});

test('idle connections are closed, a stream and its events are not', async () => {
  await using agent = await TestAgent.start({
    fakeTuners: 'GR:1',
    // On a busy machine the client may lag by almost a second.
    lagLimitBytes: 16_000_000,
    command: (folder) => sourceCommand(folder, '--rate', '20000000'),
    timing: { idleSeconds: 1 },
  });
  const get = (query: string): string => `GET /agent/${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  using holder = open(agent, get('stream?type=GR&channel=T27&use=holder&priority=1'));
  using events = open(agent, get('events'));
  using stopped = open(agent, get('stream?type=GR&channel=T27&use=stopped'));
  await until('the streams', () =>
    [holder, events, stopped].every((connection) => connection.text().includes('200 OK')),
  );
  stopped.socket.pause();
  using halfBody = open(
    agent,
    'PUT /agent/channels HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n[',
  );
  using refused = open(agent, get('stream?type=GR&channel=T21'));
  await until('the stopped reader is cut', () =>
    agent.log.some((line) => line.includes('user disconnected')),
  );
  await until('the idle ones are closed', () => halfBody.closed() && refused.closed());
  // A client that never reads again does not notice it.
  const port = stopped.socket.localPort ?? 0;
  await until('its socket is closed', () => !isEstablished(agent.agent.port, port));
  expect(refused.text()).toContain('HTTP/1.1 409');
  expect([holder.closed(), events.closed()]).toEqual([false, false]);
});

/** Whether the agent's side of the connection is still open: row and state as in /proc/net/tcp. */
function isEstablished(server: number, client: number): boolean {
  const hex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
    .some(
      ([, local, remote, state]) =>
        local?.endsWith(`:${hex(server)}`) && remote?.endsWith(`:${hex(client)}`) && state === '01',
    );
}
