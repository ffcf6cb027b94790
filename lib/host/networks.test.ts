import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { canonicalAddress, Networks, parseAddress } from './networks.ts';

describe('addresses', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['::1', '::1'],
    ['[2001:DB8::1]', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    // IPv4-mapped IPv6 is the IPv4 address: a dual-stack socket reports IPv4 peers this way.
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalAddress(text)).toBe(canonical);
  });

  test.each(['', '127.1', '0177.0.0.1', '1.2.3.256', 'localhost', '1.2.3.4:80', 'g::1', '::1::2'])(
    '%p is not an address',
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});

describe('networks', () => {
  test('contain only the addresses of their ranges', () => {
    const networks = Networks.parse('192.168.0.0/16, 203.0.113.7 ,fd00::/8,::1');
    for (const inside of ['192.168.255.1', '::ffff:192.168.1.1', '203.0.113.7', 'fd12::1', '::1']) {
      expect([inside, networks.contains(inside)]).toEqual([inside, true]);
    }
    for (const outside of ['192.169.0.1', '203.0.113.8', 'fe80::1', '::2', 'nonsense', '']) {
      expect([outside, networks.contains(outside)]).toEqual([outside, false]);
    }
  });

  test('an IPv4-mapped range is the IPv4 range', () => {
    expect(Networks.parse('::ffff:10.0.0.0/104').contains('10.200.0.1')).toBe(true);
    expect(Networks.parse('::ffff:10.0.0.0/104').contains('11.0.0.1')).toBe(false);
  });

  test('0.0.0.0/0 and ::/0 each contain only their own family', () => {
    expect(Networks.parse('0.0.0.0/0').contains('198.51.100.1')).toBe(true);
    expect(Networks.parse('0.0.0.0/0').contains('2001:db8::1')).toBe(false);
  });

  test('an empty list contains nothing', () => {
    expect(Networks.parse(' , ').isEmpty).toBe(true);
    expect(Networks.none.contains('127.0.0.1')).toBe(false);
  });

  test.each([
    '192.168.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'home',
    '10.0.0.0/-1',
    '::ffff:1.2.3.4/95',
  ])('%p is refused and named in the error', (text) => {
    expect(() => Networks.parse(`127.0.0.1,${text}`)).toThrow(text);
  });

  test('any text is either a list or refused with a clear error', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (list, address) => {
        try {
          Networks.parse(list).contains(address);
        } catch (error) {
          expect((error as Error).message).toContain('is not an IP address or network');
        }
      }),
    );
  });
});
