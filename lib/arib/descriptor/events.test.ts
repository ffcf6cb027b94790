import { expect, test } from 'bun:test';
import { Reader } from '../reader.ts';
import { type ExtendedEventDescriptor, ExtendedItem, joinExtendedEvents } from './events.ts';
import { findDescriptor, readDescriptors } from './index.ts';

function octets(hex: string): Uint8Array {
  return Uint8Array.fromHex(hex.replaceAll(' ', ''));
}

function part(number: number, items: [heading: string, body: string][], more = {}): ExtendedEventDescriptor {
  return {
    kind: 'extended_event',
    number,
    lastNumber: 2,
    language: 'jpn',
    items: items.map(([heading, body]) => ExtendedItem.of(octets(heading), octets(body))),
    text: octets(''),
    ...more,
  };
}

function items(...parts: ExtendedEventDescriptor[]): readonly (readonly [string, string])[] {
  return joinExtendedEvents(parts)[0]?.items ?? [];
}

test('an item continues in the next descriptor, even within a character, and keeps its shift state', () => {
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

test('descriptors are sorted by descriptor_number and duplicates removed', () => {
  const first = part(0, [['A2', '30 21']]);
  const second = part(1, [['', '30 22']]);
  expect(items(second, first, second)).toEqual([['あ', '亜唖']]);
});

test('an item is not continued across a missing descriptor', () => {
  expect(items(part(0, [['A2', '30 21']]), part(2, [['', '30 22']]))).toEqual([
    ['あ', '亜'],
    ['', '唖'],
  ]);
});

test('a truncated heading continues at the start of the next descriptor', () => {
  expect(items(part(0, [['30 21 30', '']]), part(1, [['22', 'A2']]))).toEqual([['亜唖', 'あ']]);
  // Within one descriptor a heading without a body is kept as an item.
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

test('a repeated heading starts another paragraph', () => {
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

test('languages are kept separate, texts of one language are joined', () => {
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

const DESCRIPTOR = `
  4E 10    // extended event
  12       // descriptor_number 1, last_descriptor_number 2
  6A 70 6E // jpn
  09       // length_of_items
  02 30 21 // item_description 亜
  02 A2 A4 // item あい
  00       // no item_description
  01 30    // half of a character
  01 A6    // text う
`;

test('an extended event octet by octet, and cut anywhere', () => {
  const whole = octets(DESCRIPTOR.replace(/\/\/.*/g, '').replace(/\s/g, ''));
  const read = findDescriptor(readDescriptors(new Reader(whole)), 'extended_event');
  expect({ ...read, items: read?.items.map(({ heading, body }) => [heading, body]) } as unknown).toEqual({
    kind: 'extended_event',
    number: 1,
    lastNumber: 2,
    language: 'jpn',
    items: [
      [octets('30 21'), octets('A2 A4')],
      [octets(''), octets('30')],
    ],
    text: octets('A6'),
  });
  for (let length = 0; length < whole.length - 2; length++) {
    const cut = whole.slice(0, 2 + length);
    cut[1] = length;
    expect(readDescriptors(new Reader(cut))).toEqual([{ kind: 'raw', tag: 0x4e, data: cut.subarray(2) }]);
  }
});
