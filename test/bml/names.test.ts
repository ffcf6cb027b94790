/** Names of servers: what name servers answer, wrongly or with intent. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { parseDnsServers, resolveBy } from '../../lib/host/dns-client.ts';
import { isPublicAddress, publicFetch } from '../../lib/host/public-fetch.ts';
import { systemRandom } from '../../lib/host/random.ts';
import { NameServer, type Zone } from './name-server.ts';
import { proxyHome } from './proxy-home.ts';

/** Public, and never connected to: every name here is refused or not found. */
const PUBLIC = '8.8.4.4';
const PUBLIC_V6 = '2001:4860:4860:0:0:0:0:8844';

const ZONES: Readonly<Record<string, Zone>> = {
  'private.example': { records: ['192.168.0.1'] },
  'mixed.example': { records: [PUBLIC, '192.168.0.1'] },
  'mixed-last.example': { records: [PUBLIC, '1.1.1.1', '9.9.9.9', '127.0.0.1'] },
  'alias.example': { records: ['=inner.example', '10.0.0.1@inner.example'] },
  'aliases.example': {
    records: ['=b.example', '=c.example@b.example', '=d.example@c.example', '10.0.0.1@d.example'],
  },
  'aliases-turned.example': {
    records: ['10.0.0.1@c.example', '=c.example@b.example', '=b.example'],
  },
  'six.example': { records: [PUBLIC, 'fd00:0:0:0:0:0:0:1'] },
  'six-loopback.example': { records: [PUBLIC, '0:0:0:0:0:0:0:1'] },
  'six-mapped.example': { records: [PUBLIC, '0:0:0:0:0:ffff:7f00:1'] },
  'six-nat64.example': { records: [PUBLIC_V6, '64:ff9b:0:0:0:0:7f00:1'] },
  'metadata.example': { records: ['169.254.169.254'] },
  'zero.example': { records: ['0.0.0.0'] },
  'long.example': { records: ['192.168.0.1'], fault: 'truncate' },
  'same-as-home.example': { records: [PUBLIC] },
  'house.example.net': { records: [PUBLIC] },
};

const NOT_FOUND: Readonly<Record<string, Zone>> = {
  'none.example': {},
  'missing.example': { rcode: 3 },
  'failing.example': { rcode: 2 },
  'refused.example': { rcode: 5 },
  'hang.example': { fault: 'hang' },
  'other-owner.example': { records: [`${PUBLIC}@evil.example`] },
  'other-alias.example': { records: ['=b.example@evil.example', `${PUBLIC}@b.example`] },
  'other-id.example': { records: [PUBLIC], fault: 'other-id' },
  'other-question.example': { records: [PUBLIC], fault: 'other-question' },
  'other-socket.example': { records: [PUBLIC], fault: 'other-socket' },
  'loop.example': { fault: 'loop' },
  'cut.example': { records: [PUBLIC], fault: 'cut' },
  'alias-loop.example': { records: ['=alias-loop.example'] },
};

const server = new NameServer((name) => ({ ...ZONES, ...NOT_FOUND })[name]);
beforeAll(() => server.start());
afterAll(() => server.close());

const home = proxyHome(() => ({ BML_DNS: `127.0.0.1:${server.port}`, ALLOWED_HOSTS: 'house.example.net' }));

describe('through the proxies', () => {
  test.each(Object.keys(ZONES))('%s is refused', async (name) => {
    const before = home.refusals().length;
    expect((await home.get(`http://${name}/`)).status).toBe(403);
    expect((await home.own('confirm', { host: name })).status).toBe(403);
    expect(home.refusals().slice(before)).toEqual([
      expect.stringContaining(`target=http://${name}/`),
      expect.stringContaining(`target=https://${name}/`),
    ]);
  });

  test('each request asks once for A and AAAA', async () => {
    const before = server.asked.length;
    await home.get('http://private.example/');
    expect(server.asked.slice(before).sort()).toEqual(['private.example A', 'private.example AAAA']);
  });

  test.concurrent.each(Object.keys(NOT_FOUND))('%s is not found, in time', async (name) => {
    const began = performance.now();
    const answer = await resolveBy(
      [{ address: '127.0.0.1', port: server.port }],
      systemRandom,
    )(name).catch(() => []);
    expect(answer).toEqual([]);
    expect(performance.now() - began).toBeLessThan(8_000);
  });

  test('a name without addresses is told as the failure of the peer', async () => {
    const answer = await home.get('http://missing.example/');
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([502, 'peer_failed']);
    const confirmed = await home.own('confirm', { host: 'missing.example' });
    expect(await confirmed.json()).toEqual({ reachable: false, ipAddress: null, responseTimeMs: null });
  });
});

describe('rebinding', () => {
  test('the connection goes to the judged address, whatever the name means a moment later', async () => {
    const peer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('first') });
    const turning = new NameServer((_, count) => ({ records: [count === 1 ? '127.0.0.1' : '127.0.0.2'] }));
    await turning.start();
    const { body } = await publicFetch(
      new URL(`http://rebinding.example:${peer.port}/`),
      { method: 'GET', headers: {} },
      {
        resolve: resolveBy([{ address: '127.0.0.1', port: turning.port }], systemRandom),
        allowsPrivate: true,
        timeoutMs: 20_000,
        maxBytes: 1_000,
      },
    );
    expect(Buffer.from(body).toString()).toBe('first');
    expect(turning.asked.sort()).toEqual(['rebinding.example A', 'rebinding.example AAAA']);
    await turning.close();
    await peer.stop(true);
  });

  test('each redirect to the same name is resolved and judged again', async () => {
    const peer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.redirect('/again', 302) });
    const turning = new NameServer((_, count) => ({ records: [count === 1 ? '127.0.0.1' : '127.0.0.2'] }));
    await turning.start();
    const resolved: string[] = [];
    const fetched = publicFetch(
      new URL(`http://rebinding.example:${peer.port}/`),
      { method: 'GET', headers: {} },
      {
        resolve: async (name, signal) => {
          const found = await resolveBy([{ address: '127.0.0.1', port: turning.port }], systemRandom)(
            name,
            signal,
          );
          resolved.push(...found);
          return found.map((one) => (one === '127.0.0.1' ? one : 'never'));
        },
        allowsPrivate: true,
        redirects: 3,
        timeoutMs: 20_000,
        maxBytes: 1_000,
      },
    );
    expect(await fetched.catch((error: { code: string }) => error.code)).toBe('unreachable');
    expect(resolved).toEqual(['127.0.0.1', '127.0.0.2']);
    await turning.close();
    await peer.stop(true);
  });
});

describe('the client of name servers', () => {
  test('reads A and AAAA, IPv4 first, over TCP where the answer is truncated', async () => {
    const zone: Zone = { records: ['2400:0:0:0:0:0:0:1', '9.9.9.9', '1.1.1.1'], fault: 'truncate' };
    const own = new NameServer(() => zone);
    await own.start();
    const found = await resolveBy([{ address: '127.0.0.1', port: own.port }], systemRandom)('a.example.');
    expect(found).toEqual(['9.9.9.9', '1.1.1.1', '2400::1']);
    expect(found.every(isPublicAddress)).toBe(true);
    await own.close();
  });

  test('asks the next server where one does not answer, or refuses', async () => {
    const dead = new NameServer(() => ({ fault: 'hang' }));
    const refusing = new NameServer(() => ({ rcode: 5 }));
    const alive = new NameServer(() => ({ records: ['9.9.9.9'] }));
    for (const one of [dead, refusing, alive]) await one.start();
    const servers = [dead, refusing, alive].map(({ port }) => ({ address: '127.0.0.1', port }));
    const resolve = resolveBy(servers, systemRandom);
    expect(await resolve('a.example', AbortSignal.timeout(20_000))).toEqual(['9.9.9.9']);
    const ended = resolve('a.example', AbortSignal.abort(new Error('ended')));
    expect(await ended.catch((error: Error) => error.message)).toBe('ended');
    for (const one of [dead, refusing, alive]) await one.close();
  });

  test('finds a name whose zone fails for AAAA', async () => {
    const own = new NameServer(() => ({ records: ['9.9.9.9'], rcodeV6: 2 }));
    await own.start();
    const resolve = resolveBy([{ address: '127.0.0.1', port: own.port }], systemRandom);
    expect(await resolve('a.example')).toEqual(['9.9.9.9']);
    await own.close();
  });

  test('does not ask for what is no name', async () => {
    const own = new NameServer(() => ({ records: ['9.9.9.9'] }));
    await own.start();
    const resolve = resolveBy([{ address: '127.0.0.1', port: own.port }], systemRandom);
    for (const name of ['', 'a..example', `${'a'.repeat(64)}.example`, `${'a.'.repeat(130)}example`])
      expect(await resolve(name).catch((error: Error) => error.name)).toBe('DnsError');
    expect(own.asked).toEqual([]);
    await own.close();
  });

  test('random answers end in an error or in addresses', async () => {
    const seed = Number(process.env.SEED ?? 7);
    let state = seed;
    const next = (): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state;
    };
    const zone: Zone = { records: ['=b.example', '9.9.9.9@b.example', '1.1.1.1'] };
    const own = new NameServer(() => zone);
    own.damage = (bytes) => {
      for (let changes = 1 + (next() % 4); changes > 0; changes -= 1)
        bytes[12 + (next() % (bytes.length - 12))] = next() & 0xff;
    };
    await own.start();
    const resolve = resolveBy([{ address: '127.0.0.1', port: own.port }], systemRandom);
    for (let round = 0; round < 40; round += 1) {
      const found = await resolve('a.example', AbortSignal.timeout(60)).catch((error: Error) => [error.name]);
      expect(found.every((one) => /^[0-9a-f.:]+$|^(?:DnsError|TimeoutError)$/.test(one))).toBe(true);
    }
    await own.close();
  });

  test('its servers are given as addresses with an optional port', () => {
    expect(parseDnsServers('192.168.0.1, [2400::1]:5353 ,2400::2,8.8.8.8:54')).toEqual([
      { address: '192.168.0.1', port: 53 },
      { address: '2400::1', port: 5353 },
      { address: '2400::2', port: 53 },
      { address: '8.8.8.8', port: 54 },
    ]);
    for (const bad of ['dns.example', '1.1.1.1:0', '1.1.1.1:65536', '[2400::1', '1.1.1.1:x', '1.1'])
      expect(() => parseDnsServers(bad)).toThrow(bad);
  });
});
