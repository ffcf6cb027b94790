/** Attempts to be taken for another client: addresses, host names, spellings of paths. */
import {
  type Attempt,
  answered,
  answeredRaw,
  expectOneOf,
  expectThat,
  raw,
  rawGet,
  statusOf,
} from './attempt.ts';
import { AT_HOME, JSON_TYPE, OUTSIDE, REVOKE, SERVICES, WRITE } from './guarded-home.ts';

const forwarded = (value: string) => () => ({ 'x-forwarded-for': value });

/** Header names that other software trusts as the client's address. */
const OTHER_ADDRESS_HEADERS = {
  'x-real-ip': '192.168.1.5',
  forwarded: 'for=192.168.1.5',
  'true-client-ip': '192.168.1.5',
  'cf-connecting-ip': '192.168.1.5',
  'x-client-ip': '192.168.1.5',
  'x-cluster-client-ip': '192.168.1.5',
};

export const ADDRESSES: Attempt[] = [
  {
    tries: 'Send `X-Forwarded-For` with a trusted address, without a proxy in front',
    happens: '401: the header is ignored unless the peer is a trusted proxy',
    run: answeredRaw(
      [401],
      'GET /api/services HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: 192.168.1.5\r\nConnection: close\r\n\r\n',
      '127.0.0.2',
    ),
  },
  {
    tries: 'Write a trusted address into `X-Forwarded-For` before it reaches the proxy',
    happens: '401: nothing left of the first address that is not a proxy is read',
    run: answered(401, SERVICES, forwarded('192.168.1.5, 203.0.113.5')),
  },
  {
    tries: 'Append addresses of trusted proxies, so that evaluation continues to the left',
    happens: "401: evaluation ends at the attacker's address",
    run: answered(401, SERVICES, forwarded('192.168.1.5, 203.0.113.5, 10.0.0.7')),
  },
  {
    tries: 'Send `X-Forwarded-For` twice',
    happens: '401: both headers form one list, which is evaluated from its end',
    run: answeredRaw(
      [401],
      rawGet(SERVICES).replace('X-Forwarded-For', 'X-Forwarded-For: 192.168.1.5\r\nX-Forwarded-For'),
    ),
  },
  {
    tries: 'Put an invalid entry to the right of a trusted address',
    happens: '401: an invalid entry ends the evaluation at the proxy',
    run: answered(401, SERVICES, forwarded('192.168.1.5, unknown')),
  },
  {
    tries: 'Send the internal header `x-svc-remote` with a trusted address',
    happens: '401: it is overwritten',
    run: answered(401, SERVICES, () => ({ 'x-svc-remote': '192.168.1.5' })),
  },
  {
    tries: 'Send `X-Real-IP`, `Forwarded`, `True-Client-IP`, `CF-Connecting-IP` and the like',
    happens: '401: these headers are not read',
    run: answered(401, SERVICES, () => OTHER_ADDRESS_HEADERS),
  },
  ...[
    ['with a zone', '192.168.1.5%eth0'],
    ['in octal', '0300.0250.01.05'],
    ['in hexadecimal', '0xc0.0xa8.0x1.0x5'],
    ['as one number', '3232235781'],
    ['in short form', '192.168.261'],
    ['with a port out of range', '192.168.1.5:99999'],
    ['in brackets', '[192.168.1.5]'],
    ['in quotation marks', '"192.168.1.5"'],
    ['with full-width digits', '１９２.168.1.5'.replaceAll(/[^\x20-\x7e]/g, (c) => encodeURIComponent(c))],
    ['as NAT64', '64:ff9b::c0a8:105'],
    ['as 6to4', '2002:c0a8:105::1'],
    ['as IPv4-compatible IPv6', '::c0a8:105'],
  ].map(
    ([how, value = '']): Attempt => ({
      tries: `Write a trusted address ${how} into \`X-Forwarded-For\``,
      happens: '401: it is invalid, or another address',
      run: answered(401, SERVICES, forwarded(value)),
    }),
  ),
  {
    tries: 'Reach the service under a foreign name (DNS rebinding)',
    happens: '421 with the reason, before any other check',
    run: answeredRaw([421], rawGet(SERVICES).replace('Host: 127.0.0.1', 'Host: evil.example')),
  },
  {
    tries: 'Send `X-Forwarded-Host` with an allowed name, without a proxy in front',
    happens: '421: only accepted from a trusted proxy',
    run: answeredRaw(
      [421],
      'GET / HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\nConnection: close\r\n\r\n',
      '127.0.0.2',
    ),
  },
  {
    tries:
      'Reach the service under a foreign name through a trusted proxy that answers to any name (DNS rebinding)',
    happens: '421: names in `X-Forwarded-Host` are checked like the Host',
    run: async (home) => {
      for (const name of ['evil.example', 'evil.example:443', '127.0.0.1, evil.example', 'evil.example,']) {
        const headers = () => ({ ...AT_HOME, 'x-forwarded-host': name });
        for (const path of [SERVICES, '/', '/login', '/api/health']) await answered(421, path, headers)(home);
        await answered(
          421,
          REVOKE,
          () => ({ ...headers(), ...JSON_TYPE, origin: `http://${name}` }),
          WRITE,
        )(home);
      }
    },
  },
  {
    tries:
      'Write an allowed name into `X-Forwarded-Host` by the script of a rebinding page, through a proxy that keeps it',
    happens: '421: the Host that the browser sent is checked too',
    run: answeredRaw(
      [421],
      'GET /api/services HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: localhost\r\nX-Forwarded-For: 192.168.1.5\r\nConnection: close\r\n\r\n',
    ),
  },
  {
    tries:
      'Begin a login under a foreign name that a trusted proxy forwards, so that the provider sends the code there',
    happens: '421, and no redirect to the provider',
    run: async (home) => {
      const headers = { ...OUTSIDE, accept: 'text/html', 'x-forwarded-host': 'evil.example' };
      const response = await home.send('/login', { headers });
      expectOneOf(response.status, [421]);
      expectThat(response.headers.get('location') === null, 'no redirect');
    },
  },
  {
    tries: 'Send `X-Forwarded-Prefix` with an address of another host',
    happens: 'the redirect to the login stays on this host',
    run: async (home) => {
      for (const prefix of ['//evil.example', '/\\evil.example', '/a/../b', '/"><script>']) {
        const headers = { ...OUTSIDE, accept: 'text/html', 'x-forwarded-prefix': prefix };
        const response = await home.send('/guide', { headers });
        expectThat(response.headers.get('location') === '/login?to=guide', prefix);
      }
    },
  },
  {
    tries: 'Send the internal header `x-svc-base`, to move the redirect URI to another host',
    happens: 'it is overwritten',
    run: async (home) => {
      const response = await home.send('/login', {
        headers: { ...OUTSIDE, 'x-svc-base': 'https://evil.example/' },
      });
      const location = response.headers.get('location') ?? '';
      expectThat(location !== '' && !location.includes('evil'), location);
    },
  },
];

/** Spellings of paths, and the expected statuses. */
const SPELLINGS: [target: string, statuses: number[]][] = [
  ['/login/../api/services', [401]],
  ['/login/%2e%2e/api/services', [401]],
  ['/login/%2E%2E/%2e%2e/api/services', [401]],
  ['/login/..%2fapi/services', [404]],
  ['/login/..%5capi/services', [404]],
  ['/login/..;/api/services', [404]],
  ['/login\\..\\api\\services', [401]],
  ['/login/%252e%252e/api/services', [404]],
  ['/login//api/services', [404]],
  ['/icon.svg/../api/services', [401]],
  ['/icon.svg%2f..%2fapi/services', [401]],
  ['/api/health/../services', [401]],
  ['/api/health%2f..%2fservices', [401]],
  ['/api/health/', [401]],
  ['/api/health;x', [401]],
  ['/api/health%00', [401]],
  ['/API/services', [401]],
  ['//api/services', [401]],
  ['/./api/./services', [401]],
  ['/api/services#/login', [400, 401]],
  ['/api/services?x=/login', [401]],
  ['http://127.0.0.1/api/services', [401, 400]],
  ['/login/%2e%2e/%2e%2e/%2e%2e/etc/passwd', [401]],
  ['/login/..%2f..%2f..%2fetc%2fpasswd', [404]],
  ['/login/../../svc.db', [401]],
];

export const PATHS: Attempt[] = [
  ...SPELLINGS.map(
    ([target, statuses]): Attempt => ({
      tries: `\`GET ${target}\` without credentials`,
      happens: statuses.includes(404) ? '404: no such path below /login' : '401',
      run: answeredRaw(statuses, rawGet(target)),
    }),
  ),
  {
    tries: 'The same inside a trusted network, to read files beside the UI',
    happens: '404: path traversal in file names is refused',
    run: async (home) => {
      for (const target of [
        '/..%2fsvc.db',
        '/%2e%2e%2fsvc.db',
        '/fonts/..%2f..%2f..%2fetc%2fpasswd',
        '/fonts%2f..%2findex.html',
        '/.env',
        '/index.html%00.js',
      ]) {
        const answer = await raw(home, rawGet(target).replace('203.0.113.5', '192.168.1.5'));
        expectOneOf(statusOf(answer), [404]);
      }
    },
  },
];
