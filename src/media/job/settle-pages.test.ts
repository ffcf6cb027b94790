import { expect, test } from 'bun:test';
import { settlePages } from './settle-pages.ts';

const NEVER = new AbortController().signal;

test('pages are settled one after the other; one that another program keeps from being stored is left for later', async () => {
  const settled: number[] = [];
  const settle = (ids: readonly number[]): void => {
    if (ids.includes(2)) throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' });
    settled.push(...ids);
  };
  expect(await settlePages([[1], [], [2], [3, 4]], settle, NEVER)).toEqual({ count: 3, isWhole: false });
  expect(settled).toEqual([1, 3, 4]);
  expect(await settlePages([[5]], settle, NEVER)).toEqual({ count: 1, isWhole: true });
});

test('another error ends it, and so does the end of the service', async () => {
  const broken = settlePages(
    [[1]],
    () => {
      throw new Error('disk I/O error');
    },
    NEVER,
  );
  await expect(broken).rejects.toThrow('disk I/O error');
  const abort = new AbortController();
  const settled: number[] = [];
  const settle = (ids: readonly number[]): void => {
    settled.push(...ids);
    abort.abort();
  };
  expect(await settlePages([[1], [2]], settle, abort.signal)).toEqual({ count: 1, isWhole: false });
  expect(settled).toEqual([1]);
});
