import { describe, expect, test } from 'bun:test';
import { longSection } from '../../../test/stream-builder.ts';
import { readSection, type Section } from './section.ts';
import { equalBytes, SubTable } from './sub-table.ts';

interface Fields {
  version?: number;
  current?: boolean;
  extension?: number;
  lastNumber?: number;
  content?: number;
}

function part(number: number, fields: Fields = {}): Section {
  const { version = 1, current = true, extension = 5, lastNumber = 2, content = number } = fields;
  const bytes = longSection({
    tableId: 0x40,
    extension,
    version,
    current,
    number,
    lastNumber,
    body: [content],
  });
  const section = readSection(bytes);
  if (section === undefined) throw new Error('no section');
  return section;
}

describe('a sub-table', () => {
  test('is complete when its last missing section arrives, with the sections in order', () => {
    const table = new SubTable();
    expect(table.add(part(2))).toBeUndefined();
    expect(table.add(part(0))).toBeUndefined();
    expect(table.complete).toBeUndefined();
    expect(table.add(part(1))?.map((section) => section.number)).toEqual([0, 1, 2]);
    expect(table.complete).toHaveLength(3);
  });

  test('does not count a repetition', () => {
    const table = new SubTable();
    for (const number of [0, 0, 1, 1]) expect(table.add(part(number))).toBeUndefined();
    expect(table.add(part(2))).toHaveLength(3);
    expect(table.add(part(2))).toBeUndefined();
    expect(table.complete).toHaveLength(3);
  });

  test('restarts on another version, extension, length or content', () => {
    const others: Fields[] = [{ version: 2 }, { extension: 6 }, { lastNumber: 3 }, { content: 9 }];
    for (const other of others) {
      const table = new SubTable();
      for (const number of [0, 1, 2]) table.add(part(number));
      expect(table.add(part(1, other))).toBeUndefined();
      expect(table.complete).toBeUndefined();
      for (const number of [0, 2, 3].slice(0, other.lastNumber ?? 2))
        table.add(part(number, { ...other, content: number }));
      expect(table.complete).toHaveLength((other.lastNumber ?? 2) + 1);
    }
  });

  test('ignores sections with current_next_indicator 0 and numbers beyond the last', () => {
    const table = new SubTable();
    expect(table.add(part(0, { lastNumber: 0, current: false }))).toBeUndefined();
    expect(table.add(part(3, { lastNumber: 2 }))).toBeUndefined();
    expect(table.complete).toBeUndefined();
    expect(table.add(part(0, { lastNumber: 0 }))).toHaveLength(1);
  });

  test('reset() discards all sections', () => {
    const table = new SubTable();
    table.add(part(0, { lastNumber: 0 }));
    table.reset();
    expect(table.complete).toBeUndefined();
    expect(table.add(part(0, { lastNumber: 0 }))).toHaveLength(1);
  });
});

test('arrays are equal only if every byte is', () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect(equalBytes(bytes, bytes)).toBe(true);
  expect(equalBytes(bytes, Uint8Array.of(1, 2, 3))).toBe(true);
  expect(equalBytes(bytes, Uint8Array.of(1, 2, 4))).toBe(false);
  expect(equalBytes(bytes, Uint8Array.of(1, 2))).toBe(false);
});
