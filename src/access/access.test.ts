import { describe, expect, test } from 'bun:test';
import { Networks } from '../../lib/host/networks.ts';
import {
  type AccessPolicy,
  type AccessRequest,
  decideAccess,
  isBeyondTokens,
  protectionOf,
} from './access.ts';
import { clientAddress, forwardedHost, pathPrefix } from './client-address.ts';

const PROXIES = Networks.parse('127.0.0.1,10.0.0.0/8,2001:db8::/32');

describe('clientAddress', () => {
  const rows: [
    what: string,
    peer: string | undefined,
    forwarded: string | null,
    client: string | undefined,
  ][] = [
    ['a peer that is no proxy is the client, whatever it forwards', '192.0.2.9', '10.1.1.1', '192.0.2.9'],
    ['a proxy without the header is the client', '10.0.0.1', null, '10.0.0.1'],
    ['the rightmost entry that is no proxy', '10.0.0.1', '203.0.113.5, 198.51.100.7', '198.51.100.7'],
    [
      'trusted proxies are skipped from the right',
      '127.0.0.1',
      '203.0.113.5, 10.2.2.2,10.3.3.3',
      '203.0.113.5',
    ],
    [
      'what stands left of the client is never read',
      '127.0.0.1',
      'garbage, 203.0.113.5, 10.2.2.2',
      '203.0.113.5',
    ],
    ['a chain of proxies only: the leftmost', '127.0.0.1', '10.9.9.9, 10.2.2.2', '10.9.9.9'],
    ['an unreadable entry stops the walk', '127.0.0.1', '203.0.113.5, garbage, 10.2.2.2', '10.2.2.2'],
    ['an unreadable first entry leaves the peer', '127.0.0.1', 'unknown', '127.0.0.1'],
    ['an empty header leaves the peer', '127.0.0.1', '', '127.0.0.1'],
    ['IPv4-mapped peers count as IPv4', '::ffff:127.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['IPv4-mapped entries count as IPv4', '127.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['IPv6 proxies', '2001:db8::1', '2001:0DB9:0::1', '2001:db9::1'],
    ['an entry with its port', '127.0.0.1', '203.0.113.5:4711', '203.0.113.5'],
    ['a bracketed entry with its port', '127.0.0.1', '[2001:db9::5]:443', '2001:db9::5'],
    ['no octal, no short form', '127.0.0.1', '0177.0.0.1', '127.0.0.1'],
    ['an unreadable peer', 'nobody', '127.0.0.1', undefined],
    ['no peer', undefined, '127.0.0.1', undefined],
  ];
  for (const [what, peer, forwarded, client] of rows) {
    test(what, () => expect(clientAddress(peer, forwarded, PROXIES)).toBe(client));
  }

  test('without a proxy list the header is ignored', () => {
    expect(clientAddress('127.0.0.1', '203.0.113.5', Networks.none)).toBe('127.0.0.1');
  });
});

describe('pathPrefix', () => {
  const rows: [string, string | undefined, string | null, string][] = [
    ['a trusted proxy is believed', '127.0.0.1', '/tv', '/tv'],
    ['a trailing slash is dropped', '127.0.0.1', '/tv/box/', '/tv/box'],
    ['other peers are not', '192.0.2.9', '/tv', ''],
    ['markup is refused', '127.0.0.1', '/"><script>', ''],
    ['another host is refused', '127.0.0.1', '//evil.example', ''],
    ['dot segments are refused', '127.0.0.1', '/a/../b', ''],
    ['the root is no prefix', '127.0.0.1', '/', ''],
    ['nothing', '127.0.0.1', null, ''],
  ];
  for (const [what, peer, header, prefix] of rows) {
    test(what, () => expect(pathPrefix(peer, header, PROXIES)).toBe(prefix));
  }
});

test('forwardedHost is accepted from a trusted proxy only', () => {
  expect(forwardedHost('127.0.0.1', 'tv.example', PROXIES)).toBe('tv.example');
  expect(forwardedHost('192.0.2.9', 'tv.example', PROXIES)).toBeNull();
  expect(forwardedHost(undefined, 'tv.example', PROXIES)).toBeNull();
  expect(forwardedHost('127.0.0.1', null, PROXIES)).toBeNull();
});

describe('decideAccess', () => {
  const policy = (networks: string, over: Partial<AccessPolicy> = {}): AccessPolicy => ({
    trustedNetworks: Networks.parse(networks),
    hasLogin: false,
    tokens: { check: (token) => (token === 'svc_paired' ? { tokenId: 3 } : undefined) },
    sessions: { find: (secret) => (secret === 'mine' ? { sessionId: 7, name: '花子' } : undefined) },
    ...over,
  });
  const home = policy('192.168.0.0/16,::1/128');
  const request = (over: Partial<AccessRequest>): AccessRequest => ({
    address: '192.168.1.2',
    path: '/api/services',
    authorization: null,
    cookie: null,
    base: 'http://tv/',
    ...over,
  });

  test('a trusted network passes, others do not', () => {
    expect(decideAccess(home, request({}))).toEqual({
      kind: 'allow',
      letIn: { by: 'network', address: '192.168.1.2', network: '192.168.0.0/16' },
    });
    expect(decideAccess(home, request({ address: '::1' })).kind).toBe('allow');
    expect(decideAccess(home, request({ address: '203.0.113.5' }))).toEqual({ kind: 'unauthorized' });
    expect(decideAccess(home, request({ address: '203.0.113.5', path: '/' })).kind).toBe('unauthorized');
  });

  test('with nothing configured every path except the open ones is refused with the reason', () => {
    const closed = policy('');
    for (const path of ['/', '/api/services', '/app.js', '/api/healthy', '/loginx', '/tv/key/playlist.m3u']) {
      const decision = decideAccess(closed, request({ path, address: '127.0.0.1' }));
      expect(decision.kind).toBe('forbidden');
      expect(decision.kind === 'forbidden' && decision.reason).toContain('TRUSTED_NETWORKS');
    }
    for (const path of ['/api/health', '/manifest.webmanifest', '/login', '/login/callback', '/logout']) {
      expect(decideAccess(closed, request({ path })).kind).toBe('allow');
    }
  });

  test('open paths are exact', () => {
    for (const path of [
      '/api/health/',
      '/API/health',
      '/api/health/x',
      '/api//health',
      '/api/device/logout',
      '/tv/-',
      '/tv/-/',
      '/tv/-/playlist.m3u',
      '/tv',
    ]) {
      expect(protectionOf(path)).toBe('credentials');
    }
  });

  test('a request with an unreadable client address is refused, even for open paths', () => {
    expect(decideAccess(home, request({ address: undefined })).kind).toBe('forbidden');
    expect(decideAccess(home, request({ address: undefined, path: '/api/health' })).kind).toBe('forbidden');
  });

  test('an unknown token in our format is reported as such, also inside a trusted network', () => {
    const decision = decideAccess(home, request({ authorization: 'Bearer svc_abc' }));
    expect(decision).toEqual({ kind: 'invalid_token' });
    expect(decideAccess(home, request({ authorization: 'bearer  svc_abc' })).kind).toBe('invalid_token');
  });

  test('tokens of other formats are ignored', () => {
    expect(decideAccess(home, request({ authorization: 'Bearer abc' })).kind).toBe('allow');
    const outside = request({ authorization: 'Bearer abc', address: '203.0.113.5' });
    expect(decideAccess(home, outside).kind).toBe('unauthorized');
    expect(decideAccess(home, request({ authorization: 'Basic svc_abc' })).kind).toBe('allow');
  });

  test('0.0.0.0/0 opens everything, IPv6 clients included', () => {
    const open = policy('10.0.0.0/8, 0.0.0.0/0');
    expect(decideAccess(open, request({ address: '203.0.113.5' })).kind).toBe('allow');
    expect(decideAccess(open, request({ address: '2001:db8::1' }))).toEqual({
      kind: 'allow',
      letIn: { by: 'network', address: '2001:db8::1', network: '0.0.0.0/0' },
    });
    expect(decideAccess(open, request({ authorization: 'Bearer svc_x' })).kind).toBe('invalid_token');
  });

  test('a paired device is let in from anywhere, and identified by its token inside a trusted network too', () => {
    const paired = { authorization: 'Bearer svc_paired' };
    for (const address of ['203.0.113.5', '192.168.1.2']) {
      expect(decideAccess(home, request({ ...paired, address }))).toEqual({
        kind: 'allow',
        letIn: { by: 'token', tokenId: 3 },
      });
    }
  });

  test('a session is let in from anywhere; inside a trusted network the network takes precedence', () => {
    const cookie = 'theme=dark; svc_session=mine';
    expect(decideAccess(home, request({ cookie, address: '203.0.113.5' }))).toEqual({
      kind: 'allow',
      letIn: { by: 'session', sessionId: 7, name: '花子' },
    });
    expect(decideAccess(home, request({ cookie }))).toMatchObject({ letIn: { by: 'network' } });
    const unknown = request({ cookie: 'svc_session=theirs', address: '203.0.113.5' });
    expect(decideAccess(home, unknown).kind).toBe('unauthorized');
  });

  test('over https only a session cookie counts that https set', () => {
    const from = (base: string, cookie: string) =>
      decideAccess(home, request({ base, cookie, address: '203.0.113.5' })).kind;
    for (const [base, name] of [
      ['https://tv.example/', '__Host-svc_session'],
      ['https://tv.example/box/', '__Secure-svc_session'],
      ['http://tv.example/', 'svc_session'],
    ] as const) {
      for (const sent of ['svc_session', '__Secure-svc_session', '__Host-svc_session'])
        expect([base, sent, from(base, `${sent}=mine`)]).toEqual([
          base,
          sent,
          sent === name ? 'allow' : 'unauthorized',
        ]);
    }
  });

  test('an invalid token is refused even with a valid session', () => {
    const both = { cookie: 'svc_session=mine', authorization: 'Bearer svc_x', address: '203.0.113.5' };
    expect(decideAccess(home, request(both)).kind).toBe('invalid_token');
  });

  test('with a login alone a refusal asks for the login instead of reporting a missing configuration', () => {
    const login = policy('', { hasLogin: true });
    expect(decideAccess(login, request({})).kind).toBe('unauthorized');
    expect(decideAccess(login, request({ cookie: 'svc_session=mine' })).kind).toBe('allow');
  });

  test('open paths look up neither tokens nor sessions', () => {
    const never = (): never => {
      throw new Error('asked');
    };
    const asking = policy('10.0.0.0/8', { tokens: { check: never }, sessions: { find: never } });
    const all = { cookie: 'svc_session=mine', authorization: 'Bearer svc_x', address: '203.0.113.5' };
    expect(decideAccess(asking, request({ ...all, path: '/api/health' }))).toEqual({
      kind: 'allow',
      letIn: { by: 'open' },
    });
    expect(() => decideAccess(asking, request(all))).toThrow('asked');
  });
});

test('tokens may not manage tokens and sessions, or list folders, by any path below them', () => {
  for (const path of [
    '/api/device/tokens',
    '/api/device/tokens/7',
    '/api/sessions/revoke-others',
    '/api/folders',
  ])
    expect([path, isBeyondTokens(path)]).toEqual([path, true]);
  for (const path of ['/api/device/logout', '/api/device/token', '/api/settings', '/api/live/ticket', '/'])
    expect([path, isBeyondTokens(path)]).toEqual([path, false]);
});
