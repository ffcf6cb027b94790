import { expect, test } from 'bun:test';
import { type ExtendedEventDescriptor, joinExtendedEvents } from './extended-event.ts';

function octets(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(' ', ''));
}

function part(number: number, items: [heading: string, body: string][], more = {}): ExtendedEventDescriptor {
  return {
    kind: 'extended_event',
    number,
    lastNumber: 2,
    language: 'jpn',
    items: items.map(([heading, body]) => ({ heading: octets(heading), body: octets(body) })),
    text: octets(''),
    ...more,
  };
}

function items(...parts: ExtendedEventDescriptor[]): readonly (readonly [string, string])[] {
  return joinExtendedEvents(parts)[0]?.items ?? [];
}

test('an item goes on in the next descriptor, within a character and with its shifts', () => {
  expect(
    items(
      // 亜: LS1 "A", LS0, the first half of 唖
      part(0, [['30 21', '0E 41 0F 30']]),
      // its second half, LS1 "B"; still LS1: "C"
      part(1, [['', '22 0E 42']]),
      part(2, [
        ['', '43'],
        ['A2', 'A4'],
      ]),
    ),
  ).toEqual([
    ['亜', 'A唖BC'],
    ['あ', 'い'],
  ]);
});

test('descriptors are ordered by number and repeated ones taken once', () => {
  const first = part(0, [['A2', '30 21']]);
  const second = part(1, [['', '30 22']]);
  expect(items(second, first, second)).toEqual([['あ', '亜唖']]);
});

test('nothing is continued over a missing descriptor', () => {
  expect(items(part(0, [['A2', '30 21']]), part(2, [['', '30 22']]))).toEqual([
    ['あ', '亜'],
    ['', '唖'],
  ]);
});

test('a heading that was cut goes on at the start of the next descriptor', () => {
  expect(items(part(0, [['30 21 30', '']]), part(1, [['22', 'A2']]))).toEqual([['亜唖', 'あ']]);
  // Within one descriptor a heading without a body is one.
  expect(
    items(
      part(0, [
        ['30 21', ''],
        ['30 22', 'A2'],
      ]),
    ),
  ).toEqual([
    ['亜', ''],
    ['唖', 'あ'],
  ]);
});

test('a heading that comes again is another paragraph', () => {
  expect(
    items(
      part(0, [
        ['A2', '30 21'],
        ['A4', '30 22'],
        ['A2', '30 23'],
      ]),
    ),
  ).toEqual([
    ['あ', '亜\n娃'],
    ['い', '唖'],
  ]);
});

test('languages are kept apart, texts are joined', () => {
  expect(
    joinExtendedEvents([
      part(0, [['A2', '30 21']], { text: octets('30') }),
      part(0, [['A4', '30 22']], { language: 'eng' }),
      part(1, [], { text: octets('21') }),
    ]),
  ).toEqual([
    { language: 'jpn', items: [['あ', '亜']], text: '亜' },
    { language: 'eng', items: [['い', '唖']], text: '' },
  ]);
  expect(joinExtendedEvents([])).toEqual([]);
});
