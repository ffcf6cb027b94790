import { describe, expect, test } from 'bun:test';
import {
  AllowedHosts,
  checkHost,
  type HostHeaders,
  isCrossSiteLoad,
  isFromOwnPage,
  isHomeName,
  mayBeForeignLoad,
} from './host-check.ts';

const HOSTS = AllowedHosts.parse('TV.example.com, .example.net', 'minipc.fritz.box');

describe('AllowedHosts', () => {
  const allowed = [
    ...['127.0.0.1', '192.168.1.5:25250', '[::1]', '[fe80::1%eth0]:25250', 'localhost', 'LOCALHOST:1'],
    ...[
      'minipc',
      'MINIPC:25250',
      'minipc.',
      'minipc.local',
      'minipc.lan',
      'minipc.fritz.box',
      'minipc.home.arpa',
    ],
    ...['tv.example.com', 'tv.example.com:443', 'example.net', 'a.b.example.net:8080'],
  ];
  const refused = [
    ...['evil.example', 'minipc.example', 'xminipc', 'localhost.evil.example', '127.0.0.1.evil.example', ''],
    ...['a.tv.example.com', 'badexample.net', '127.1', '0x7f.1', '2130706433', 'a b', '[bad', 'x@localhost'],
  ];
  test.each(allowed)('%p is allowed', (host) => expect(HOSTS.allows(host)).toBe(true));
  test.each(refused)('%p is refused', (host) => expect(HOSTS.allows(host)).toBe(false));

  test('an invalid entry is reported', () => {
    for (const entry of ['tv.example.com:80', 'http://tv', '*', 'a b', '.', 'a..b', '-a']) {
      expect(() => AllowedHosts.parse(`ok.example,${entry}`, 'x')).toThrow(`"${entry}" is not a host name`);
    }
  });
});

describe('checkHost', () => {
  const rows: [what: string, headers: Partial<HostHeaders>, verdict: string][] = [
    ['no Host (not a browser)', {}, 'ok'],
    ['own name without Origin', { host: 'minipc:25250' }, 'ok'],
    ['own name and Origin', { host: 'minipc:25250', origin: 'http://minipc:25250' }, 'ok'],
    ['default ports are left out', { host: 'tv.example.com:443', origin: 'https://tv.example.com' }, 'ok'],
    [
      'a name used for DNS rebinding',
      { host: 'evil.example', origin: 'http://evil.example' },
      'foreign_host',
    ],
    ['a page of another site', { host: '192.168.1.5', origin: 'https://evil.example' }, 'foreign_origin'],
    ['a page of another port', { host: '192.168.1.5:25250', origin: 'http://192.168.1.5' }, 'foreign_origin'],
    ['a page with the opaque origin "null"', { host: 'localhost', origin: 'null' }, 'foreign_origin'],
    ['an invalid Origin', { host: 'localhost', origin: 'http://' }, 'foreign_origin'],
    ['an Origin without Host', { origin: 'http://localhost' }, 'foreign_origin'],
    [
      'the host forwarded by a trusted proxy',
      { host: 'svc:25250', forwardedHost: 'tv.example.com', origin: 'https://tv.example.com' },
      'ok',
    ],
    [
      'a trusted proxy that omits its port from the forwarded host',
      { host: 'svc:25250', forwardedHost: 'tv.example.com', origin: 'https://tv.example.com:8443' },
      'ok',
    ],
    [
      'a foreign name forwarded by a trusted proxy',
      { host: '[::1]', forwardedHost: 'evil.example' },
      'foreign_host',
    ],
    [
      'an own name written by a page, before the one that the proxy appends',
      { host: '127.0.0.1', forwardedHost: 'tv.example.com, evil.example' },
      'foreign_host',
    ],
    [
      'an own name written by a page, passed on by a proxy that keeps Host',
      { host: 'evil.example', forwardedHost: 'tv.example.com' },
      'foreign_host',
    ],
    ['an address forwarded by a trusted proxy', { host: 'svc', forwardedHost: '192.168.1.5:8080' }, 'ok'],
    [
      'a page of another site behind a trusted proxy',
      { host: 'localhost', forwardedHost: 'tv.example.com', origin: 'https://evil.example' },
      'foreign_origin',
    ],
    ['the name of an upstream, without a proxy', { host: 'svc:25250' }, 'foreign_host'],
    ['an empty forwarded host', { host: 'evil.example', forwardedHost: ' ' }, 'foreign_host'],
  ];
  test.each(rows)('%s', (_what, headers, verdict) => {
    expect(checkHost({ host: null, origin: null, forwardedHost: null, ...headers }, HOSTS)).toBe(
      verdict as 'ok',
    );
  });
});

describe('mayBeForeignLoad', () => {
  const names = { host: 'tv.example.com:25250', origin: null, forwardedHost: null };
  const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)' };
  const own = 'http://tv.example.com:25250/live/1';
  const rows: [what: string, headers: Record<string, string>, isForeign: boolean, origin?: string][] = [
    ['a player', { 'user-agent': 'VLC/3.0.20' }, false],
    ['no User-Agent', {}, false],
    ['a browser that says nothing', browser, true],
    ['a browser on one of our pages', { ...browser, referer: own }, false],
    ['a browser on a page of another site', { ...browser, referer: 'http://evil.example/' }, true],
    ['a browser on a page of another port', { ...browser, referer: 'http://tv.example.com/' }, true],
    [
      'a player inside a page of another site',
      { 'user-agent': 'Player', referer: 'http://evil.example/' },
      true,
    ],
    ['an own Origin, which is checked elsewhere', browser, false, 'http://tv.example.com:25250'],
    ['an access token', { ...browser, authorization: 'bearer svc_x' }, false],
    ['another scheme of credentials', { ...browser, authorization: 'Basic Bearer' }, true],
    ['a page of the service over https', { ...browser, 'sec-fetch-site': 'same-origin' }, false],
    ['an address that a person typed', { ...browser, 'sec-fetch-site': 'none' }, false],
    ['a page of a sibling host', { 'sec-fetch-site': 'same-site' }, true],
    ['our page behind a name of the same site', { 'sec-fetch-site': 'same-site', referer: own }, false],
  ];
  for (const [what, headers, isForeign, origin = null] of rows) {
    test(what, () => expect(mayBeForeignLoad({ ...names, origin }, new Headers(headers))).toBe(isForeign));
  }
});

describe('isCrossSiteLoad', () => {
  const headers = (site: string, mode = 'no-cors', dest = 'image') =>
    new Headers({ 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest });

  test('loads by pages of other sites are refused, except navigation to a page', () => {
    expect(isCrossSiteLoad('GET', new Headers(), false)).toBe(false);
    for (const site of ['same-origin', 'same-site', 'none']) {
      expect(isCrossSiteLoad('GET', headers(site), false)).toBe(false);
    }
    expect(isCrossSiteLoad('GET', headers('cross-site'), true)).toBe(true);
    expect(isCrossSiteLoad('GET', headers('cross-site', 'navigate', 'document'), true)).toBe(false);
    expect(isCrossSiteLoad('POST', headers('cross-site', 'navigate', 'document'), true)).toBe(true);
    expect(isCrossSiteLoad('GET', headers('cross-site', 'navigate', 'document'), false)).toBe(true);
    expect(isCrossSiteLoad('GET', headers('cross-site', 'navigate', 'iframe'), true)).toBe(true);
  });
});

describe('isFromOwnPage', () => {
  const own = 'http://tv.example.com:25250';
  const rows: [
    what: string,
    method: string,
    headers: Record<string, string>,
    isOwn: boolean,
    forwarded?: string,
  ][] = [
    ['a POST with an own Origin', 'POST', { origin: own }, true],
    ['a POST with a Referer alone', 'POST', { referer: `${own}/` }, false],
    ['a POST with Fetch Metadata alone', 'POST', { 'sec-fetch-site': 'same-origin' }, false],
    ['a POST of another port', 'POST', { origin: 'http://tv.example.com' }, false],
    ['a POST of a page without origin', 'POST', { origin: 'null' }, false],
    ['a GET with an own Referer', 'GET', { referer: `${own}/live?a=b` }, true],
    ['a HEAD with an own Referer', 'HEAD', { referer: `${own}/` }, true],
    ['a GET with Fetch Metadata', 'GET', { 'sec-fetch-site': 'same-origin' }, true],
    ['a GET of another site', 'GET', { referer: 'http://evil.example/' }, false],
    ['a GET of the same site', 'GET', { 'sec-fetch-site': 'same-site' }, false],
    ['a GET that names nothing', 'GET', {}, false],
    ['a GET with a token', 'GET', { authorization: 'Bearer svc_x' }, false],
    [
      'a foreign Origin beside an own Referer',
      'GET',
      { origin: 'http://evil.example', referer: `${own}/` },
      false,
    ],
    ['an own Referer behind a proxy', 'GET', { referer: 'https://svc.example/' }, true, 'svc.example'],
  ];
  for (const [what, method, headers, isOwn, forwardedHost = null] of rows) {
    const names = { host: 'tv.example.com:25250', origin: headers.origin ?? null, forwardedHost };
    test(what, () => expect(isFromOwnPage(method, names, new Headers(headers))).toBe(isOwn));
  }
});

test('names that exist in homes only', () => {
  const home = [
    'tv',
    'TV.',
    'localhost',
    'a.localhost',
    'nas.local',
    'NAS.LAN.',
    'x.home.arpa',
    'db.internal',
  ];
  expect(home.filter((name) => !isHomeName(name))).toEqual([]);
  expect(['tv.example.com', 'local.example', 'a.notlocal', 'home.arpa.example'].filter(isHomeName)).toEqual(
    [],
  );
});
