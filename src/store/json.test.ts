import { expect, test } from 'bun:test';
import { readList, readObject } from './json.ts';

test('a list is what it says, and nothing where it is damaged or something else', () => {
  expect(readList<number>('[1,2]')).toEqual([1, 2]);
  for (const text of [null, '', '[1,', '{}', 'null', '"[]"', '\u0000']) expect(readList(text)).toEqual([]);
});

test('an object is what it says, and null where it is damaged or something else', () => {
  expect(readObject<{ a: number }>('{"a":1}')).toEqual({ a: 1 });
  for (const text of [null, '', '{"a":', '[]', 'null', '1']) expect(readObject(text)).toBeNull();
});
