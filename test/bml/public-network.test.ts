/**
 * The proxies in a network of its own, where addresses are public: the service behind a router, servers with public
 * addresses, name servers, and a device of the home with a public IPv6 address.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cable, Host, networkMissing } from '../agent/network-home.ts';
import { until } from '../until.ts';

const SERVICE = join(import.meta.dir, '..', '..', 'src', 'main.ts');
const PEERS = join(import.meta.dir, 'public-peers.ts');
const missing = networkMissing() ?? (Bun.which('openssl') === null ? 'openssl is missing' : undefined);
if (missing !== undefined) console.warn(`tests of proxies in a public network are skipped: ${missing}`);

/** Inside of these namespaces only. */
const PEER = '198.200.1.1';
const OTHER_PEER = '198.200.1.2';
const PEER_V6 = '2a0f:200::1';
const OWN_PUBLIC = '198.200.9.1';
const HOME_V6 = '2a0f:900:0:1::1';
const DEVICE_V6 = '2a0f:900:0:2::9';

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
  ms: number;
}

describe.skipIf(missing !== undefined)('in a public network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-public-network-'));
  let home: Host;
  let internet: Host;
  const programs: Bun.Subprocess[] = [];
  let port = 0;

  async function begin(
    host: Host,
    command: string[],
    environment: Record<string, string>,
  ): Promise<() => string> {
    const child = Bun.spawn(host.on(process.execPath, ...command), {
      env: { PATH: process.env.PATH ?? '', ...environment },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    programs.push(child);
    let written = '';
    const decoder = new TextDecoder();
    void (async () => {
      for await (const part of child.stderr) written += decoder.decode(part, { stream: true });
    })();
    await until(`${command[0]} listens`, () => {
      if (child.exitCode !== null) throw new Error(written);
      return written.includes('listening');
    });
    return () => written;
  }

  let serviceLog: () => string;
  beforeAll(async () => {
    [home, internet] = await Promise.all([Host.start(), Host.start()]);
    await cable(home, 'wan', ['10.9.0.1/30', '2a0f:900:0:1::1/64'], internet, [
      '10.9.0.2/30',
      '2a0f:900:0:1::2/64',
    ]);
    await home.ip(
      'route add default via 10.9.0.2',
      '-6 route add default via 2a0f:900:0:1::2',
      `addr add ${OWN_PUBLIC}/32 dev lo`,
    );
    await internet.ip(
      ...[PEER, OTHER_PEER].map((address) => `addr add ${address}/32 dev lo`),
      ...[PEER_V6, DEVICE_V6].map((address) => `addr add ${address}/128 dev lo nodad`),
    );
    await begin(internet, [PEERS], { FIRST: PEER, SECOND: OTHER_PEER, FIRST_V6: PEER_V6, OWN: OWN_PUBLIC });
    serviceLog = await begin(home, [SERVICE], {
      ...{ HOST: '0.0.0.0', PORT: '25250', DATA_DIR: folder, TRUSTED_NETWORKS: '127.0.0.0/8' },
      ...{ TUNER_AGENT_URL: 'http://127.0.0.1:1', BML_DNS: `${PEER}:53`, ALLOWED_HOSTS: 'house.example.org' },
    });
    port = Number(/listening.* port=(\d+)/.exec(serviceLog())?.[1]);
  });
  afterAll(async () => {
    for (const one of programs) one.kill('SIGKILL');
    await Promise.all(programs.map(({ exited }) => exited));
    await Promise.all([home?.close(), internet?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  /** From a process on the service's machine, as its own page. */
  async function ask(path: string, query: Record<string, string>): Promise<Reply> {
    const url = `http://127.0.0.1:${port}/api/bml/${path}?${new URLSearchParams(query)}`;
    const script = `const began = performance.now();
      const r = await fetch(${JSON.stringify(url)}, { headers: { referer: 'http://127.0.0.1:${port}/' } });
      const body = await r.text();
      console.log(JSON.stringify({ status: r.status, headers: Object.fromEntries(r.headers), body, ms: performance.now() - began }));`;
    return JSON.parse(await home.run(process.execPath, '-e', script)) as Reply;
  }
  const get = (url: string): Promise<Reply> => ask('proxy', { url });

  test('public servers are reached by IPv4 and IPv6, by name and by address', async () => {
    for (const [host, found] of [
      ['server.example', PEER],
      ['six.example', PEER_V6],
      [PEER, PEER],
      [`[${PEER_V6}]`, PEER_V6],
    ]) {
      const reply = await get(`http://${host}/where`);
      expect([host, reply.status, reply.body]).toEqual([host, 200, `${found} ${host}`]);
      expect(reply.headers['x-svc-status']).toBe('200');
    }
  });

  test('certificates are not verified', async () => {
    expect((await get('https://server.example/where')).body).toBe(`${PEER} server.example tls`);
  });

  test('a name that turns private after it was judged changes nothing', async () => {
    const first = await get('http://turning.example/where');
    expect([first.status, first.body]).toEqual([200, `${PEER} turning.example`]);
    const second = await get('http://turning.example/where');
    expect(second.status).toBe(403);
  });

  test('a redirect to a name that has turned private is refused', async () => {
    expect((await get('http://turning-later.example/again')).status).toBe(403);
  });

  test('a redirect to another public server is followed, one into the home is not', async () => {
    const to = (target: string) => `http://server.example/to?${new URLSearchParams({ target })}`;
    expect((await get(to('http://other.example/where'))).body).toBe(`${OTHER_PEER} other.example`);
    for (const target of [
      `http://${OWN_PUBLIC}/`,
      'http://10.9.0.2/',
      'http://home.example/',
      `http://[${DEVICE_V6}]/`,
    ])
      expect([target, (await get(to(target))).status]).toEqual([target, 403]);
  });

  test('own public addresses, and devices of the home with public ones, are refused', async () => {
    for (const host of [
      OWN_PUBLIC,
      `[${HOME_V6}]`,
      `[${DEVICE_V6}]`,
      'own.example',
      'device.example',
      'house.example.org',
    ])
      expect([host, (await get(`http://${host}/where`)).status]).toEqual([host, 403]);
    // The public address of a router in front is known by the name under which the service is published.
    expect((await get('http://same-as-house.example/where')).status).toBe(403);
    expect(serviceLog()).toContain('an address of this home');
  });

  test('a mixture of public and private addresses is refused without a connection', async () => {
    for (const host of ['mixed.example', 'mixed-six.example'])
      expect([host, (await get(`http://${host}/where`)).status]).toEqual([host, 403]);
  });

  test('confirm tells the address and time of port 443 alone', async () => {
    const open = JSON.parse((await ask('confirm', { host: 'server.example' })).body);
    expect(open).toEqual({ reachable: true, ipAddress: PEER, responseTimeMs: expect.any(Number) });
    const closed = JSON.parse((await ask('confirm', { host: 'other.example' })).body);
    expect(closed).toEqual({ reachable: false, ipAddress: OTHER_PEER, responseTimeMs: null });
    const silent = await ask('confirm', { host: '198.200.77.1', timeout: '400' });
    expect(JSON.parse(silent.body)).toEqual({
      reachable: false,
      ipAddress: '198.200.77.1',
      responseTimeMs: null,
    });
    expect(silent.ms).toBeLessThan(5_000);
  });

  test('a name server that does not answer costs the time of one query', async () => {
    const reply = await get('http://hang.example/');
    expect([reply.status, reply.ms > 1_500, reply.ms < 9_000]).toEqual([502, true, true]);
  });
});
