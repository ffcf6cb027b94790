import { expect, test } from 'bun:test';
import { AnswerCache } from './polled-answer.ts';

test('a body is written once for each entity tag, and the least recently used are dropped', async () => {
  const cache = new AnswerCache(10);
  const written: string[] = [];
  const ask = async (key: string, etag: string): Promise<string> => {
    const write = async (): Promise<string> => {
      written.push(`${key} ${etag}`);
      return `${key}${etag}`.padEnd(4);
    };
    return (await cache.answer(key, etag, write)).body.trim();
  };
  expect([await ask('a', '1'), await ask('a', '1'), await ask('a', '2')]).toEqual(['a1', 'a1', 'a2']);
  expect(written.splice(0)).toEqual(['a 1', 'a 2']);
  await ask('b', '1');
  await ask('a', '2');
  await ask('c', '1');
  await ask('a', '2');
  await ask('b', '1');
  expect(written).toEqual(['b 1', 'c 1', 'b 1']);
});
