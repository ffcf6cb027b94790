import { expect, test } from 'bun:test';
import { crc32, longSection, MAX_BODY, shortSection } from './section.ts';

test('the CRC is the one of ISO/IEC 13818-1 Annex A', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0x0376e6e7);
});

test('the length covers everything after it, and the CRC over the whole section is zero', () => {
  const section = longSection(
    { tableId: 0x42, extension: 0x1234, version: 5, number: 1, lastNumber: 2 },
    Uint8Array.of(9, 8, 7),
  );
  // table_id; syntax 1, future use 1, reserved, length 12; extension; version 5 current; 1 of 2; body.
  const head = [0x42, 0xf0, 0x0c, 0x12, 0x34, 0xcb, 0x01, 0x02, 0x09, 0x08, 0x07];
  expect([...section.subarray(0, 11)]).toEqual(head);
  expect(section).toHaveLength(15);
  expect(crc32(section)).toBe(0);
});

test('PAT, CAT and PMT have a zero after the syntax indicator', () => {
  const header = { tableId: 0x02, extension: 1, version: 0, number: 0, lastNumber: 0 };
  expect(longSection(header, new Uint8Array(0))[1]).toBe(0xb0);
});

test('a short section has no syntax but a CRC', () => {
  const section = shortSection(0x73, Uint8Array.of(1, 2));
  expect([...section.subarray(0, 5)]).toEqual([0x73, 0x70, 0x06, 1, 2]);
  expect(crc32(section)).toBe(0);
});

test('a body that is too long is refused', () => {
  const header = { tableId: 0x50, extension: 1, version: 0, number: 0, lastNumber: 0 };
  expect(() => longSection(header, new Uint8Array(MAX_BODY + 1))).toThrow(RangeError);
});
