import { expect, test } from 'bun:test';
import { BoundedQueue } from './live-connection.ts';

const queueOf = (most: number) =>
  new BoundedQueue<string>({ most, weigh: ({ length }) => length, overflow: () => new Error('too slow') });

async function all(queue: BoundedQueue<string>, signal = new AbortController().signal) {
  const read: string[] = [];
  try {
    for await (const item of queue.read(signal)) read.push(item);
  } catch (error) {
    read.push(String(error));
  }
  return read;
}

test('what was queued is read before the end, in order', async () => {
  const queue = queueOf(10);
  queue.push('abc');
  const reading = all(queue);
  queue.push('de');
  queue.end();
  queue.push('late');
  queue.end(new Error('second end'));
  expect(await reading).toEqual(['abc', 'de']);
});

test('a reader that is too slow gets what fits, then the error', async () => {
  const queue = queueOf(4);
  for (const item of ['abc', 'de', 'f']) queue.push(item);
  expect(await all(queue)).toEqual(['abc', 'Error: too slow']);
  const fast = queueOf(4);
  const reading = fast.read(new AbortController().signal);
  for (const item of ['abc', 'def', 'ghi']) {
    fast.push(item);
    expect((await reading.next()).value).toBe(item);
  }
});

test('an abort ends reading at once, also while it waits', async () => {
  const abort = new AbortController();
  const queue = queueOf(4);
  queue.push('a');
  const reading = queue.read(abort.signal);
  await reading.next();
  const waiting = reading.next();
  abort.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
  queue.push('b');
  expect(await all(queue, abort.signal)).toEqual(['Error: stopped']);
});
