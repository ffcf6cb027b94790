import { describe, expect, test } from 'bun:test';
import { encodeEucJp } from '../markup/characters.ts';
import {
  activeDocument,
  type DocumentAddress,
  directoryOf,
  formatAddress,
  formatDocument,
  parseAddress,
  parseRemote,
} from './address.ts';

const SERVICE = { networkId: 0x7fe0, transportStreamId: 0x7fe1, serviceId: 0x400 };
const DOCUMENT = { component: 0x40, module: 2, file: 'menu.bml', fragment: '' };

function resolved(text: string): string | undefined {
  const address = parseAddress(text, DOCUMENT, SERVICE);
  return address === undefined
    ? undefined
    : formatAddress(address) + (address.fragment === '' ? '' : `#${address.fragment}`);
}

describe('an address', () => {
  test.each([
    ['/40/0000/startup.bml', '/40/0000/startup.bml'],
    ['/40/0000/STARTUP.BML', '/40/0000/startup.bml'],
    ['/5F/00a1', '/5f/00a1'],
    ['/50/0000/', '/50/0000'],
    ['/10', '/10'],
    ['/10;2', '/10'],
    ['~', '/40'],
    ['~/0001/a.jpg', '/40/0001/a.jpg'],
    ['a.jpg', '/40/0002/a.jpg'],
    ['../0003/a.jpg', '/40/0003/a.jpg'],
    ['./a.jpg', '/40/0002/a.jpg'],
    ['/40/0000/%41%2ejpg', '/40/0000/a.jpg'],
    ['/40/0000/%e3%81%82.jpg', '/40/0000/あ.jpg'],
    ['/40/0000/%a4%a2.jpg', '/40/0000/%a4%a2.jpg'],
    ['/40/0000/a.bml?x=1', '/40/0000/a.bml'],
    ['/40/0000/a.bml#b', '/40/0000/a.bml#b'],
    ['#b', '/40/0002/menu.bml#b'],
    ['arib-dc://-1.-1.-1/40/0000/a.bml', '/40/0000/a.bml'],
    ['arib-dc://7fe0.7fe1.0400;00000001.0012/40/0000', '/40/0000'],
    ['arib-dc://-1.-1.-1;-1.-1/40/0000', '/40/0000'],
    ['arib://7FE0.-1.-1/10', '/10'],
    ['/40/0000/constructor', '/40/0000/constructor'],
  ])('%s is %s', (text, expected) => {
    expect(resolved(text)).toBe(expected);
  });

  test.each([
    '/40/0000/a/b',
    '//evil/40/0000',
    'http://example.jp/40/0000',
    'javascript:1',
    'arib-dc://7fe0.7fe1.0401/40/0000',
    'arib-dc://7fe0.7fe1/40/0000',
    '/zz/0000',
    '/140/0000',
    '/40/10000/a',
    '/40/xyz/a',
    '../../../x',
    '',
    `/40/0000/${'a'.repeat(2000)}`,
  ])('%s is none', (text) => {
    expect(text === '' ? parseAddress(text, undefined, SERVICE) : resolved(text)).toBeUndefined();
  });

  test('that is relative needs a document', () => {
    for (const text of ['a.jpg', '~/0001/a', '~', '#a'])
      expect(parseAddress(text, undefined, SERVICE)).toBeUndefined();
  });

  test('in a document that is a module of its own, is relative to the component', () => {
    const bare = { ...DOCUMENT, file: undefined };
    expect(parseAddress('0001/a', bare, SERVICE)).toEqual({
      component: 0x40,
      module: 1,
      file: 'a',
      fragment: '',
    });
    expect(parseAddress('~/0001/a', bare, SERVICE)).toEqual({
      component: 0x40,
      module: 1,
      file: 'a',
      fragment: '',
    });
  });
});

const MODULE: DocumentAddress = { component: 0x40, module: 0, file: 'startup.bml', fragment: '' };
const PAGE: DocumentAddress = { url: 'http://www.example.jp/a/b.bml?x=1', fragment: 'f' };

const parsed = (text: string, base: DocumentAddress): string | undefined => {
  const address = parseRemote(text, base, encodeEucJp);
  return address && formatDocument(address);
};

describe('an address of a server', () => {
  test.each([
    ['http://www.example.jp', 'http://www.example.jp/'],
    [' HTTPS://WWW.example.jp:443/A.bml#x ', 'https://www.example.jp/A.bml#x'],
    ['http://www.example.jp:8080/', 'http://www.example.jp:8080/'],
    ['http://www.example.jp/あ', 'http://www.example.jp/%A4%A2'],
    ['http://www.example.jp/%A4%A2', 'http://www.example.jp/%A4%A2'],
    ['/40/0000/startup.bml', undefined],
    ['b.bml', undefined],
    ['//www.example.jp/', undefined],
    ['arib-dc://-1.-1.-1/40/0000', undefined],
    ['ftp://www.example.jp/', undefined],
    ['http://', undefined],
    ['http://user@www.example.jp/', undefined],
    ['http://:secret@www.example.jp/', undefined],
    ['http://www.example.jp\\@127.0.0.1/', 'http://www.example.jp/@127.0.0.1/'],
    [`http://www.example.jp/${'a'.repeat(2048)}`, undefined],
    [`http://www.example.jp/${'あ'.repeat(400)}`, undefined],
  ])('in a broadcast document: %s', (text, expected) => {
    expect(parsed(text, MODULE)).toBe(expected);
  });

  test.each([
    ['c.bml', 'http://www.example.jp/a/c.bml'],
    ['../c.bml#g', 'http://www.example.jp/c.bml#g'],
    ['/c.bml?q=い', 'http://www.example.jp/c.bml?q=%A4%A4'],
    ['?x=2', 'http://www.example.jp/a/b.bml?x=2'],
    ['//other.example.jp/c', 'http://other.example.jp/c'],
    ['https://other.example.jp/c', 'https://other.example.jp/c'],
    ['javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['arib-dc://-1.-1.-1/40/0000', undefined],
    ['//user@other.example.jp/c', undefined],
  ])('in a document of a server: %s', (text, expected) => {
    expect(parsed(text, PAGE)).toBe(expected);
  });
});

test('the active document is told without its server', () => {
  expect([MODULE, PAGE].map(activeDocument)).toEqual(['/40/0000/startup.bml', '/a/b.bml?x=1#f']);
});

test.each([
  ['http://www.example.jp/a/b.bml?x=/c/', 'www.example.jp/a/'],
  ['https://www.example.jp:8443/a/', 'www.example.jp/a/'],
  ['http://www.example.jp/', 'www.example.jp/'],
  ['http://www.example.jp/%61/b', 'www.example.jp/a/'],
  // A slash that is encoded is none; octets that are no character stay.
  ['http://www.example.jp/a%2Fb/c', 'www.example.jp/a%2Fb/'],
  ['http://www.example.jp/%A4%A2/c', 'www.example.jp/%A4%A2/'],
])('the directory of %s', (url, expected) => {
  expect(directoryOf({ url, fragment: '' })).toBe(expected);
});
