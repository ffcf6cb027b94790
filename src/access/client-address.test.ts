/** The client's address against a plain model of nginx's real-IP module with recursive lookup. */
import { expect, test } from 'bun:test';
import { BlockList, isIP } from 'node:net';
import fc from 'fast-check';
import { Networks } from '../../lib/host/networks.ts';
import { processorMs } from '../../test/processor-time.ts';
import { clientAddress } from './client-address.ts';

const PROXIES = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', 'fd00::7'];

/** Uses the runtime's own list, so that no code is shared with the code under test. */
function blockList(): BlockList {
  const list = new BlockList();
  for (const entry of PROXIES) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}
const TRUSTED = blockList();

/** Address and family of a text; mapped addresses are IPv4. */
function read(text: string): { address: string; family: 'ipv4' | 'ipv6' } | undefined {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text)?.[1];
  if (mapped !== undefined) return read(mapped);
  if (text.includes('%')) return undefined;
  const family = isIP(text);
  return family === 0 ? undefined : { address: text, family: family === 4 ? 'ipv4' : 'ipv6' };
}

/** An address, with or without a port. */
function readWithPort(text: string): ReturnType<typeof read> {
  const [, inBrackets, four, port] = /^(?:\[(.*)\]|([\d.]+)):(\d+)$/.exec(text) ?? [];
  if (port === undefined) return read(text);
  if (Number(port) < 1 || Number(port) > 65_535) return undefined;
  return inBrackets === undefined ? read(four ?? '') : isIP(inBrackets) === 6 ? read(inBrackets) : undefined;
}

/** ngx_http_get_forwarded_addr, written from its documented behaviour. */
function model(peer: string, header: string | null): string | undefined {
  const own = read(peer);
  if (own === undefined || header === null) return own?.address;
  let current = own;
  const rest = header.split(/[ ,]+/).filter((one) => one !== '');
  while (TRUSTED.check(current.address, current.family)) {
    const last = rest.pop();
    const next = last === undefined ? undefined : readWithPort(last);
    if (next === undefined) break;
    current = next;
  }
  return current.address;
}

const proxy = fc.constantFrom(
  '127.0.0.1',
  '10.1.2.3',
  '10.255.255.255',
  '2001:db8::1',
  'fd00::7',
  '::ffff:10.0.0.9',
);
const stranger = fc.oneof(
  fc.constantFrom(
    '11.0.0.1',
    '9.255.255.255',
    '127.0.0.2',
    'fd00::8',
    '2001:db9::',
    '::1',
    '::ffff:203.0.113.5',
  ),
  fc.ipV4(),
  fc.ipV6(),
);
const withPort = fc
  .tuple(fc.oneof(proxy, stranger), fc.integer({ min: 0, max: 70_000 }))
  .map(([address, port]) => (address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`));
const garbage = fc.oneof(
  fc.constantFrom(
    ...[
      'unknown',
      '_hidden',
      '',
      '-',
      '0177.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '127.0.0.1.',
      'localhost',
    ],
    ...[
      '1.2.3',
      '1.2.3.4.5',
      '256.1.1.1',
      '::1%lo',
      'fe80::1%eth0',
      '2001:db8::1::',
      ':::',
      '[10.0.0.1]:80',
      '[::1',
    ],
    ...[
      '10.0.0.1/8',
      '"10.0.0.1"',
      'for=10.0.0.1',
      '10.0.0.1:',
      '10.0.0.1:x',
      '10.0.0.1;',
      '１0.0.0.1',
      '%31',
    ],
  ),
  fc.string({ unit: 'binary-ascii', maxLength: 20 }).map((text) => text.replaceAll(/[\s,[\]]/g, 'x')),
);
const chain = fc
  .array(
    fc.tuple(
      fc.oneof({ arbitrary: proxy, weight: 5 }, { arbitrary: stranger, weight: 2 }, withPort, garbage),
      fc.constantFrom(',', ', ', ' , ', ',,', ' '),
    ),
    { maxLength: 8 },
  )
  .map((entries) => entries.map(([entry, separator]) => entry + separator).join(''));

/** The eight groups of an IPv6 address: one spelling for comparing. */
function same(text: string | undefined): string | undefined {
  if (text === undefined || !text.includes(':')) return text;
  const hex = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a, b, c, d) =>
    [a * 256 + Number(b), c * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
  );
  const [left = [], right = []] = hex.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const zeros = hex.includes('::') ? Array(8 - left.length - right.length).fill('0') : [];
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16).toString(16)).join(':');
}

test('equals the address that nginx determines, for any peer and header', () => {
  const networks = Networks.parse(PROXIES.join(','));
  fc.assert(
    fc.property(fc.oneof(proxy, stranger), fc.option(chain), (peer, header) => {
      expect(same(clientAddress(peer, header, networks))).toBe(same(model(peer, header)));
    }),
    { numRuns: 5_000 },
  );
});

test('entries before the last address that is no proxy are ignored', () => {
  const networks = Networks.parse(PROXIES.join(','));
  fc.assert(
    fc.property(
      chain,
      fc.ipV4().filter((ip) => !networks.contains(ip)),
      fc.array(proxy, { maxLength: 3 }),
      (written, client, hops) => {
        const header = [written, client, ...hops].join(', ');
        expect(clientAddress('127.0.0.1', header, networks)).toBe(client);
        expect(clientAddress(client, `${written}, 127.0.0.1`, networks)).toBe(client);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('the zone of a link-local peer address is dropped', () => {
  expect(clientAddress('fe80::1%eth0', null, Networks.none)).toBe('fe80::1');
});

test('a header of 160 KB is parsed quickly', () => {
  const began = processorMs();
  const header = `${'10.0.0.1, '.repeat(16_000)}`;
  expect(clientAddress('127.0.0.1', `203.0.113.5, ${header}`, Networks.parse(PROXIES.join(',')))).toBe(
    '203.0.113.5',
  );
  expect(processorMs() - began).toBeLessThan(1_000);
});
