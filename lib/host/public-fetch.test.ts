import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPublicAddress, type PublicFetchOptions, publicFetch, type ResolveName } from './public-fetch.ts';

let server: Bun.Server<undefined>;
beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    routes: {
      '/moved': () => Response.redirect('http://127.0.0.1/', 302),
      '/big': () => new Response(new Uint8Array(100_000)),
      '/never': () => new Promise<Response>(() => {}),
      '/sent': (request) => Response.json([...request.headers.keys()].sort()),
      '/echo': async (request) =>
        Response.json({ host: request.headers.get('host'), body: await request.text() }),
    },
    fetch: () => new Response('nothing', { status: 404 }),
  });
});
afterAll(() => server.stop(true));

const options = (own: Partial<PublicFetchOptions> = {}): PublicFetchOptions => ({
  resolve: async () => ['127.0.0.1'],
  allowsPrivate: true,
  timeoutMs: 20_000,
  maxBytes: 10_000,
  ...own,
});

const get = (path: string, own: Partial<PublicFetchOptions> = {}) =>
  publicFetch(
    new URL(path, `http://hook.example:${server.port}/`),
    { method: 'GET', headers: {} },
    options(own),
  );

/** The code of the refusal, or the status. */
async function outcome(path: string, own: Partial<PublicFetchOptions> = {}): Promise<string | number> {
  return get(path, own).then(
    ({ status }) => status,
    (error) => error.code,
  );
}

const PUBLIC = ['8.8.8.8', '1.1.1.1', '203.0.112.1', '2001:4860:4860::8888', '2400:cb00::1'];
/** Of the home, of translations into it, reserved ones, and what is no full address. */
const OTHERS = [
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ...['100.64.0.1', '100.127.255.255', '169.254.169.254', '224.0.0.1', '255.255.255.255', '240.0.0.1'],
  ...['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1'],
  ...['::1', '::', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd12::1', 'ff02::1', '2001:db8::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1'],
  // ISATAP: an IPv4 address of the home as interface identifier.
  ...['2400:cb00::5efe:c0a8:1', '2400:cb00::200:5efe:a00:1'],
  ...['localhost', '', 'a.example', '127.1', '0x7f.1', '2130706433', '0177.0.0.1'],
];

test('only global addresses are public', () => {
  expect(PUBLIC.filter((one) => !isPublicAddress(one))).toEqual([]);
  expect(OTHERS.filter((one) => isPublicAddress(one))).toEqual([]);
});

describe('publicFetch', () => {
  test('sends to the checked address, with the name of the target', async () => {
    const url = new URL('/echo', `http://user:secret@hook.example:${server.port}/`);
    const answer = await publicFetch(url, { method: 'POST', headers: {}, body: '録画' }, options());
    expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual({
      host: `hook.example:${server.port}`,
      body: '録画',
    });
  });

  test('every spelling of the own machine is refused', async () => {
    for (const host of [
      '127.1',
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '[::ffff:7f00:1]',
      '[::1]',
      'localhost.',
    ]) {
      const url = new URL(`http://${host}:${server.port}/echo`);
      const sent = publicFetch(url, { method: 'GET', headers: {} }, options({ allowsPrivate: false }));
      expect(
        await sent.then(
          () => 'sent',
          (error) => error.code,
        ),
      ).toBe('refused');
    }
  });

  test('one private address among the answers refuses the name', async () => {
    const mixed: ResolveName = async () => ['8.8.8.8', '192.168.0.1'];
    expect(await outcome('/echo', { allowsPrivate: false, resolve: mixed })).toBe('refused');
  });

  test('the name is resolved once: a later answer changes nothing', async () => {
    let asked = 0;
    const resolve: ResolveName = async () => [asked++ === 0 ? '127.0.0.1' : '127.0.0.2'];
    expect(await outcome('/echo', { resolve })).toBe(200);
    expect(asked).toBe(1);
  });

  test('redirects are answers, not followed', async () => {
    expect(await outcome('/moved')).toBe(302);
  });

  test('answers are bounded in size and time, names in time', async () => {
    expect(await outcome('/big')).toBe('too_large');
    expect(await outcome('/never', { timeoutMs: 100 })).toBe('unreachable');
    expect(await outcome('/echo', { timeoutMs: 100, resolve: () => new Promise(() => {}) })).toBe(
      'unreachable',
    );
    const unknown: ResolveName = async () => Promise.reject(new Error('ENOTFOUND'));
    expect(await outcome('/echo', { resolve: unknown })).toBe('unreachable');
  });

  test('only http and https', async () => {
    const url = new URL('file:///etc/passwd');
    const sent = publicFetch(url, { method: 'GET', headers: {} }, options());
    expect(
      await sent.then(
        () => 'sent',
        (error) => error.code,
      ),
    ).toBe('refused');
  });
});

describe.skipIf(Bun.which('openssl') === null)('certificates', () => {
  let secure: Bun.Server<undefined>;
  let folder: string;
  let cert: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-fetch-'));
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=hook.example', '-addext', 'subjectAltName=DNS:hook.example'];
    const made = Bun.spawn(
      [
        ...['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject],
        ...['-keyout', key, '-out', certificate],
      ],
      { stderr: 'ignore' },
    );
    expect(await made.exited).toBe(0);
    cert = readFileSync(certificate, 'utf8');
    const tls = { key: readFileSync(key, 'utf8'), cert };
    secure = Bun.serve({ port: 0, hostname: '127.0.0.1', tls, fetch: () => new Response('secret') });
  });
  afterAll(async () => {
    await secure.stop(true);
    rmSync(folder, { recursive: true });
  });

  async function outcomeOf(host: string, own: Partial<PublicFetchOptions>): Promise<string | number> {
    const url = new URL(`https://${host}:${secure.port}/`);
    return publicFetch(url, { method: 'GET', headers: {} }, options(own)).then(
      ({ status }) => status,
      (error) => error.code,
    );
  }

  test('are verified for the name, unless the caller accepts any', async () => {
    expect(await outcomeOf('hook.example', {})).toBe('unreachable');
    expect(await outcomeOf('hook.example', { acceptsAnyCertificate: true })).toBe(200);
    // A connection that was not verified serves no other request.
    expect(await outcomeOf('hook.example', {})).toBe('unreachable');
    expect(await outcomeOf('hook.example', { ca: cert })).toBe(200);
    expect(await outcomeOf('other.example', { ca: cert })).toBe('unreachable');
    expect(await outcomeOf('127.0.0.1', { ca: cert })).toBe('unreachable');
    expect(await outcomeOf('other.example', { acceptsAnyCertificate: true })).toBe(200);
  });
});

test('only what the caller names is sent', async () => {
  const answer = await get('/sent');
  expect(JSON.parse(Buffer.from(answer.body).toString())).toEqual(['accept-encoding', 'connection', 'host']);
});
