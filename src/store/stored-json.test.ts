import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { readIds, readList, readObject, readTexts, storedText } from './stored-json.ts';

const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000_000);

test('a list is read, and is empty where it is damaged or of another type', () => {
  expect(readList<{ a: number }>('[{"a":1},null,2]')).toEqual([{ a: 1 }]);
  for (const text of [null, '', '[1,', '{}', 'null', '"[]"', '\u0000']) expect(readList(text)).toEqual([]);
});

test('an object is read, and is null where it is damaged or of another type', () => {
  expect(readObject<{ a: number }>('{"a":1}')).toEqual({ a: 1 });
  for (const text of [null, '', '{"a":', '[]', 'null', '1']) expect(readObject(text)).toBeNull();
});

test('lists of ids and texts keep what can be read of them', () => {
  expect(readIds<number>('[1,null,"2",2.5,3]')).toEqual([1, 3]);
  expect(readIds<number>('{}')).toEqual([]);
  expect(storedText('海')).toBe('海');
  expect(storedText(new TextEncoder().encode('海'))).toBe('海');
  for (const value of [null, undefined, 1]) expect(storedText(value)).toBe('');
});

test('the texts of an object are its keys and values, whatever they contain', () => {
  const texts = fc.oneof(
    fc.array(fc.constantFrom(...'":,{}\\\n灯1'), { maxLength: 5 }).map((list) => list.join('')),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.dictionary(texts, texts), (object) => {
      expect(readTexts(JSON.stringify(object))).toEqual(Object.entries(object).flat());
    }),
    { seed: SEED, numRuns: 2000 },
  );
  for (const text of [null, '', '{"a":', '[]', 'null', '1']) expect(readTexts(text)).toEqual([]);
});
