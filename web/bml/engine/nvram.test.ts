import { describe, expect, test } from 'bun:test';
import { areaCodeOf, broadcastKind, Nvram } from './nvram.ts';

const CHARSET = {
  encode: (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0)),
  decode: (bytes: Uint8Array): string => String.fromCharCode(...bytes),
};
const NHK = { networkId: 0x7fe0, serviceId: 0x400, broadcasterId: 255, affiliations: [0] };
const BS = { networkId: 4, serviceId: 101, broadcasterId: 1, affiliations: undefined };
const CS = { networkId: 7, serviceId: 227, broadcasterId: 3, affiliations: undefined };

function memory(snapshot: Record<string, string> = {}) {
  const stored = new Map<string, string>();
  const codes: string[] = [];
  const nvram = new Nvram(snapshot, { postalCode: '1500001', prefecture: 14 }, CHARSET, {
    store: (key, base64) => stored.set(key, base64),
    setPostalCode: (code) => codes.push(code),
  });
  return { nvram, stored, codes };
}

test('kinds of broadcast by network', () => {
  expect([0x7fe0, 4, 6, 7].map(broadcastKind)).toEqual(['gr', 'bs', 'cs', 'cs']);
});

describe('an own block', () => {
  test.each([
    ['nvram://local/0', NHK, 'gr/network-32736/local/0'],
    ['nvram://7FE0;local/63', NHK, 'gr/network-32736/local/63'],
    ['nvram://0x7FE0;local/1', NHK, 'gr/network-32736/local/1'],
    ['nvram://local_web/31', NHK, 'gr/network-32736/local_web/31'],
    ['nvram://00;group/5', NHK, 'gr/affiliation-0/group/5'],
    ['nvram://tr_common/31', NHK, 'gr/all/tr_common/31'],
    ['nvram://common/15', BS, 'bs/all/common/15'],
    ['nvram://~/0', BS, 'bs/network-4-broadcaster-1/~/0'],
    ['nvram://~/ext/16', BS, 'bs/network-4-broadcaster-1/~-ext/16'],
    ['nvram://local_web/0', BS, 'bs/network-4-broadcaster-1/local_web/0'],
    ['nvram://~/3', CS, 'bs/network-7-broadcaster-3/~/3'],
    ['nvram://cs_common/3', CS, 'cs/all/cs_common/3'],
  ])('%s is written and read', (address, broadcaster, key) => {
    const { nvram, stored } = memory();
    expect(nvram.write(address, 'S:4B,U:1B', ['ab', 7], broadcaster, false)).toBe(5);
    expect([...stored.keys()]).toEqual([key]);
    expect(nvram.read(address, 'S:4B,U:1B', broadcaster, false)).toEqual(['ab  ', 7]);
    expect(nvram.access(address, broadcaster, false)).toBe(2);
    expect(memory(Object.fromEntries(stored)).nvram.read(address, 'S:2B', broadcaster, false)).toEqual([
      'ab',
    ]);
  });

  test('that was never written is 0 and empty', () => {
    expect(memory().nvram.read('nvram://local/0', 'S:10B,U:1B,B:1b', NHK, false)).toEqual(['', 0, false]);
  });

  test('of a broadcaster that is not known yet is separate for each service', () => {
    const { nvram, stored } = memory();
    nvram.write('nvram://~/0', 'U:1B', [1], { ...BS, broadcasterId: undefined }, false);
    nvram.write('nvram://03;group/0', 'U:1B', [1], { ...NHK, affiliations: undefined }, false);
    expect([...stored.keys()]).toEqual([
      'bs/network-4-service-101/~/0',
      'gr/network-32736-affiliation-3/group/0',
    ]);
  });
});

describe('refused', () => {
  test.each([
    ['another network', 'nvram://7FE1;local/0', NHK],
    ['another affiliation', 'nvram://03;group/0', NHK],
    ['no affiliation', 'nvram://group/0', NHK],
    ['a BS area from GR', 'nvram://~/0', NHK],
    ['a GR area from BS', 'nvram://local/0', BS],
    ['a GR group from CS', 'nvram://00;group/0', CS],
    ['a block after the last', 'nvram://local/64', NHK],
    ['a block before the first', 'nvram://~/ext/15', BS],
    ['an unknown area', 'nvram://other/0', NHK],
    ['a way up', 'nvram://../', NHK],
    ['a way up into another area', 'nvram://local/../common/0', NHK],
    ['a separator', 'nvram://local;x/0', NHK],
    ['an encoded separator', 'nvram://local%2f0/0', NHK],
    ['a name of the language', 'nvram://constructor/0', NHK],
    ['a network of everyone', 'nvram://7FE0;tr_common/0', NHK],
    ['a secured area', 'nvrams://~/0', CS],
    ['an unknown property of the receiver', 'nvram://receiverinfo/cardid', NHK],
    ['nothing', '', NHK],
  ])('%s', (_, address, broadcaster) => {
    const { nvram, stored } = memory();
    expect(nvram.write(address, 'U:1B', [1], broadcaster, false)).toBeNaN();
    expect(nvram.read(address, 'U:1B', broadcaster, false)).toBeNull();
    expect(nvram.access(address, broadcaster, false)).toBeNaN();
    expect(stored.size).toBe(0);
  });

  test('writing where only reading is allowed', () => {
    const { nvram } = memory();
    for (const [address, broadcaster] of [
      ['nvram://common/0', NHK],
      ['nvram://tr_common/0', BS],
      ['nvram://receiverinfo/prefecture', NHK],
      ['nvram://receiverinfo/regioncode', NHK],
    ] as const) {
      expect(nvram.write(address, 'U:1B', [1], broadcaster, false)).toBeNaN();
      expect(nvram.access(address, broadcaster, false)).toBe(1);
    }
  });

  test('a document of communication uses only the shared area, and reads the receiver', () => {
    const { nvram, codes } = memory();
    expect(nvram.write('nvram://local_web/0', 'U:1B', [1], NHK, true)).toBe(1);
    expect(nvram.write('nvram://local/0', 'U:1B', [1], NHK, true)).toBeNaN();
    expect(nvram.read('nvram://tr_common/0', 'U:1B', NHK, true)).toBeNull();
    expect(nvram.read('nvram://receiverinfo/zipcode', 'S:7B', NHK, true)).toEqual(['1500001']);
    expect(nvram.write('nvram://receiverinfo/zipcode', 'S:7B', ['1000001'], NHK, true)).toBeNaN();
    expect(codes).toEqual([]);
  });

  test('more than a block, a wrong structure, and more than the receiver keeps', () => {
    const { nvram } = memory();
    expect(nvram.write('nvram://local/0', 'S:65B', ['x'], NHK, false)).toBeNaN();
    expect(nvram.write('nvram://local/0', 'S:1V,', ['x'], NHK, false)).toBeNaN();
    expect(nvram.read('nvram://local/0', 'Z:1V', NHK, false)).toBeNull();
    let written = 0;
    for (let network = 0x7000; network < 0x7100; network++)
      for (let block = 0; block < 64; block++)
        if (
          nvram.write(`nvram://local/${block}`, 'S:64B', ['x'], { ...NHK, networkId: network }, false) === 64
        )
          written++;
    expect(written).toBe(4000);
  });

  test('entries of storage that are damaged or of another program', () => {
    expect(
      memory({ 'gr/network-32736/local/0': '***', x: 'AA==' }).nvram.read(
        'nvram://local/0',
        'U:1B',
        NHK,
        false,
      ),
    ).toEqual([0]);
  });
});

describe('the receiver', () => {
  test('tells postal code, prefecture and region', () => {
    const { nvram } = memory();
    expect(nvram.read('nvram://receiverinfo/zipcode', 'S:7B', NHK, false)).toEqual(['1500001']);
    expect(nvram.read('nvram://receiverinfo/prefecture', 'U:1B', NHK, false)).toEqual([14]);
    expect(nvram.read('nvram://receiverinfo/regioncode', 'U:2B', NHK, false)).toEqual([0b1010_1010_1100]);
  });
  test.each([
    [1, 0b0001_0110_1011],
    [28, 0b1100_1011_0010],
    [48, 0b0011_0111_0010],
    [49, 0b1010_1010_1100],
    [50, 0b1101_0100_0101],
    [255, 0],
  ])('prefecture %d is in region %d', (prefecture, region) => {
    expect(areaCodeOf(prefecture)).toBe(region);
  });
  test('takes a postal code of 7 digits', () => {
    const { nvram, codes } = memory();
    expect(nvram.write('nvram://receiverinfo/zipcode', 'S:7B', ['1000001'], NHK, false)).toBe(7);
    expect(nvram.write('nvram://receiverinfo/zipcode', 'S:7B', ['abc'], NHK, false)).toBeNaN();
    expect(codes).toEqual(['1000001']);
    expect(nvram.read('nvram://receiverinfo/zipcode', 'S:7B', NHK, false)).toEqual(['1000001']);
  });
});
