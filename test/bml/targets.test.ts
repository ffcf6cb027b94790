/** Spellings of targets inside the home, each through the real routes: refused and logged. */
import { expect, test } from 'bun:test';
import { hostname } from 'node:os';
import { proxyHome, WEB_URL } from './proxy-home.ts';

const home = proxyHome(() => ({ ALLOWED_HOSTS: 'tv.example.net,.home.example.net' }));

const LOOPBACK = [
  ...['127.0.0.1', '127.1', '127.0.1', '127.0.0.1.', '127.255.255.254', '127.000.000.001', '2130706433'],
  ...['0x7f000001', '0x7f.1', '0x7f.0.0.1', '0X7F.0X0.0X0.0X1', '0x7f.0x1', '017700000001', '0177.0.0.1'],
  ...['0177.1', '127.0x0.00.1', '127。0。0。1', '127．0．0．1', '127｡0｡0｡1', '１２７.0.0.1', '①②⑦.0.0.1'],
  ...['%31%32%37.0.0.1', '127.0.0.%31', '0', '00', '0x0', '0.0.0.0', '0.0', '0.1.2.3'],
];
const PRIVATE = [
  ...[
    '10.0.0.1',
    '10.1',
    '0xa.1',
    '012.0.0.1',
    '167772161',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...['0xac.16.1', '0254.020.0.1', '192.168.0.1', '192.168.1', '0xc0a80001', '3232235521', '0300.0250.0.1'],
  ...['192.168.0.1.', '１９２.168.0.1', '100.64.0.1', '100.127.255.255', '0x64400001'],
];
const RESERVED = [
  ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518', '224.0.0.1'],
  ...['239.255.255.250', '255.255.255.255', '4294967295', '0xffffffff', '240.0.0.1', '192.0.0.1'],
  ...[
    '192.0.0.192',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.7',
    '203.0.113.9',
  ],
];
const IPV6 = [
  ...['[::1]', '[::]', '[0:0:0:0:0:0:0:1]', '[0000:0000:0000:0000:0000:0000:0000:0001]', '[::0.0.0.1]'],
  ...['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:10.0.0.1]', '[::ffff:a9fe:a9fe]'],
  ...['[0:0:0:0:0:ffff:192.168.0.1]', '[::ffff:0:127.0.0.1]', '[::127.0.0.1]', '[::7f00:1]', '[::8.8.8.8]'],
  ...['[64:ff9b::7f00:1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::a00:1]'],
  ...['[2002:7f00:1::]', '[2002:c0a8:1::1]', '[2002:808:808::1]', '[2001::1]', '[2001:0:53aa:64c::1]'],
  ...['[fe80::1]', '[fe80::1%25eth0]', '[fe80::1%eth0]', '[febf::1]', '[fec0::1]', '[feff::1]', '[fc00::1]'],
  ...['[fd00::1]', '[fdff:ffff::1]', '[ff02::1]', '[ff0e::1]', '[2001:db8::1]', '[3fff::1]', '[100::1]'],
  ...[
    '[4000::1]',
    '[5f00::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[2400::5efe:c0a8:1]',
    '[2400::200:5efe:a00:1]',
  ],
];
const NAMES = [
  ...[
    'localhost',
    'localhost.',
    'LOCALHOST',
    'ｌｏｃａｌｈｏｓｔ',
    'a.localhost',
    'router',
    'tv',
    'nas.local',
    'NAS.LOCAL.',
  ],
  ...['x.lan', 'printer.home.arpa', 'db.internal', hostname(), `${hostname().split('.')[0]}.local`],
  ...['tv.example.net', 'TV.Example.NET.', 'home.example.net', 'a.home.example.net', 'tv。example。net'],
];
const CREDENTIALS = [
  ...['a@127.0.0.1', 'a:b@127.0.0.1', 'data.example.org@127.0.0.1', '127.0.0.1@8.8.8.8', 'a:b@8.8.8.8'],
  ...['%61@8.8.8.8', 'a@[2001:4860:4860::8888]', '8.8.8.8:80@127.0.0.1'],
];
const PORTS = ['8.8.8.8:22', '8.8.8.8:25', '[2001:4860:4860::8888]:445', '8.8.8.8:0', '8.8.8.8:1023'];
const HOSTS = [...LOOPBACK, ...PRIVATE, ...RESERVED, ...IPV6, ...NAMES, ...CREDENTIALS, ...PORTS];
const ADDRESSES = [
  ...['file:///etc/passwd', 'ftp://8.8.8.8/', 'gopher://8.8.8.8/', 'data:text/html,x', 'javascript:alert(1)'],
  ...['blob:http://8.8.8.8/x', 'ws://8.8.8.8/', 'wss://8.8.8.8/', 'unix:/run/svc.sock', 'about:blank'],
  ...[
    'http:/127.0.0.1/',
    'http:127.0.0.1',
    'http:\\\\127.0.0.1\\',
    'http:///127.0.0.1/',
    '//127.0.0.1/',
    'http://',
  ],
  ...['HTTP://127.0.0.1/', 'https://127.0.0.1/', 'http://127.0.0.1:80:80/', 'http://127.0.0.1:65536/'],
  ...[
    'http://127.0.0.1\\@8.8.8.8/',
    'http://8.8.8.8\r\nHost: x/',
    'http://8.8.8.8/\r\nX: y',
    'http://8.8.8.8/\na',
  ],
  ...['http://127.0\t.0.1/', ' http://127.0.0.1/', 'http://a b/', 'http://[::1/', 'http://256.256.256.256/'],
  ...['http://1.2.3.4.5/', 'http://8.8.8.8\u0000.example/', 'http://0x7f.1.example.1/', ''],
];

test('the list is long enough, and each target is another one', () => {
  const all = [...HOSTS, ...ADDRESSES];
  expect(all.length).toBeGreaterThanOrEqual(160);
  expect(new Set(all).size).toBe(all.length);
});

const targets = [...HOSTS.map((host) => `http://${host}/page?secret=1#a`), ...ADDRESSES];

test('every spelling is refused and logged, without its query', async () => {
  for (const url of targets) {
    const before = home.refusals().length;
    const answer = await home.get(url);
    const { code, message } = (await answer.json()) as { code: string; message: string };
    expect([url, code]).toEqual([url, answer.status === 403 ? 'forbidden' : 'bad_request']);
    expect([url, [400, 403].includes(answer.status), message]).toEqual([
      url,
      true,
      expect.stringMatching(/。$/),
    ]);
    expect([url, home.refusals().length]).toEqual([url, before + 1]);
  }
  expect(home.lines.filter((line) => line.includes('secret'))).toEqual([]);
  expect(home.lines.filter((line) => /\n./.test(line))).toEqual([]);
  // A pinned host is answered, so that the refusals above are not those of a broken route.
  expect((await home.get(`${WEB_URL}/echo`)).status).toBe(200);
});

test('the log is limited', async () => {
  for (let more = 210 - home.refusals().length; more > 0; more -= 1) await home.get('http://127.0.0.1/');
  expect(home.refusals().length).toBe(200);
});
