import { expect, test } from 'bun:test';
import { readIds, readList, readObject, readText } from './stored-json.ts';

test('a list is what it says, and nothing where it is damaged or something else', () => {
  expect(readList<{ a: number }>('[{"a":1},null,2]')).toEqual([{ a: 1 }]);
  for (const text of [null, '', '[1,', '{}', 'null', '"[]"', '\u0000']) expect(readList(text)).toEqual([]);
});

test('an object is what it says, and null where it is damaged or something else', () => {
  expect(readObject<{ a: number }>('{"a":1}')).toEqual({ a: 1 });
  for (const text of [null, '', '{"a":', '[]', 'null', '1']) expect(readObject(text)).toBeNull();
});

test('a list of ids, and text, are what can be read of them', () => {
  expect(readIds<number>('[1,null,"2",2.5,3]')).toEqual([1, 3]);
  expect(readIds<number>('{}')).toEqual([]);
  expect(readText('海')).toBe('海');
  expect(readText(new TextEncoder().encode('海'))).toBe('海');
  for (const value of [null, undefined, 1]) expect(readText(value)).toBe('');
});
