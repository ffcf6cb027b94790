import { expect, test } from 'bun:test';
import { LruCache } from './lru-cache.ts';

test('used entries are computed once, the least recently used are evicted', () => {
  const recent = new LruCache<number, string>(2);
  const made: number[] = [];
  const ask = (key: number): string =>
    recent.of(key, () => {
      made.push(key);
      return `text ${key}`;
    });
  for (const key of [1, 2, 1, 3, 1, 4, 1, 5, 1]) expect(ask(key)).toBe(`text ${key}`);
  expect(made).toEqual([1, 2, 3, 4, 5]);
  ask(2);
  expect(made).toEqual([1, 2, 3, 4, 5, 2]);
});

test('an evicted entry is computed again', () => {
  const recent = new LruCache<string, number>(4);
  let made = 0;
  const ask = (): number => recent.of('a', () => ++made);
  expect([ask(), ask()]).toEqual([1, 1]);
  recent.delete('a');
  expect(ask()).toBe(2);
});

test('asking whether an entry is cached keeps it', () => {
  const recent = new LruCache<number, string>(2);
  for (const key of [1, 2, 3]) recent.set(key, 'text');
  expect(recent.has(1)).toBe(true);
  for (const key of [4, 5]) recent.set(key, 'text');
  expect([2, 1].map((key) => recent.has(key))).toEqual([false, true]);
  recent.delete(1);
  expect(recent.has(1)).toBe(false);
});
