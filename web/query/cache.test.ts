import { describe, expect, test } from 'bun:test';
import { ApiFailure, type Renewed } from './api.ts';
import { type Query, QueryCache } from './cache.ts';
import type { EventHandlers, Watched } from './events.ts';

/** A service of one number: every read is answered when the test says so. */
function home() {
  let handlers: EventHandlers | undefined;
  const reads: { etag: string | null; resolve: (answer: Renewed<number>) => void; fail: () => void }[] = [];
  const state = { connected: true };
  const cache = new QueryCache({
    listen: (given) => {
      handlers = given;
      return () => undefined;
    },
    isConnected: () => state.connected,
  });
  const query = (key: string, events: readonly Watched[] = ['rules']): Query<number> => ({
    key,
    events,
    read: (_, etag) =>
      new Promise((resolve, reject) => {
        reads.push({ etag, resolve, fail: () => reject(new ApiFailure('network', 'weg')) });
      }),
  });
  return {
    cache,
    query,
    reads,
    state,
    send: (name: Watched) => handlers?.onEvent(name),
    back: () => handlers?.onReturn(),
  };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

describe('the query cache', () => {
  test('requests an answer once for all components that show it', async () => {
    const { cache, query, reads } = home();
    const first = cache.use(query('a'));
    const second = cache.use(query('a'));
    expect(reads.length).toBe(1);
    reads[0]?.resolve({ content: 5, etag: '"1"' });
    await settle();
    first();
    second();
    expect(cache.entry(query('a')).answer.value).toEqual({ value: 5, failure: undefined });
    cache.use(query('a'));
    expect(reads.length).toBe(1);
  });

  test('an event re-reads visible answers at once, with their ETag, and the others when they are shown', async () => {
    const { cache, query, reads, send } = home();
    cache.use(query('shown'));
    reads[0]?.resolve({ content: 1, etag: '"1"' });
    const release = cache.use(query('left'));
    reads[1]?.resolve({ content: 2, etag: '"2"' });
    await settle();
    release();
    send('tuners');
    expect(reads.length).toBe(2);
    send('rules');
    expect(reads.map(({ etag }) => etag)).toEqual([null, null, '"1"']);
    reads[2]?.resolve('unchanged');
    await settle();
    expect(cache.entry(query('shown')).answer.value.value).toBe(1);
    cache.use(query('left'));
    expect(reads.at(-1)?.etag).toBe('"2"');
  });

  test('any number of events during a request leads to one more request', async () => {
    const { cache, query, reads, send } = home();
    cache.use(query('a'));
    for (let count = 0; count < 10; count += 1) send('rules');
    expect(reads.length).toBe(1);
    reads[0]?.resolve({ content: 1, etag: null });
    await settle();
    expect(reads.length).toBe(2);
    reads[1]?.resolve({ content: 2, etag: null });
    await settle();
    expect(reads.length).toBe(2);
    expect(cache.entry(query('a')).answer.value.value).toBe(2);
  });

  test('a failure keeps the old data, and reconnecting requests it again', async () => {
    const { cache, query, reads, back } = home();
    cache.use(query('a'));
    reads[0]?.resolve({ content: 1, etag: null });
    await settle();
    back();
    reads[1]?.fail();
    await settle();
    expect(cache.entry(query('a')).answer.value).toMatchObject({ value: 1, failure: { code: 'network' } });
    back();
    reads[2]?.resolve({ content: 3, etag: null });
    await settle();
    expect(cache.entry(query('a')).answer.value).toEqual({ value: 3, failure: undefined });
  });

  test('while no events arrive, earlier answers count as stale', async () => {
    const { cache, query, reads, state } = home();
    const release = cache.use(query('a'));
    reads[0]?.resolve({ content: 1, etag: null });
    await settle();
    release();
    state.connected = false;
    cache.use(query('a'));
    expect(reads.length).toBe(2);
  });

  test('keeps a bounded number of answers that no screen shows', async () => {
    const { cache, query, reads } = home();
    for (let index = 0; index < 40; index += 1) {
      const release = cache.use(query(`q${index}`));
      reads[index]?.resolve({ content: index, etag: null });
      await settle();
      release();
    }
    expect(cache.entry(query('q0')).answer.value.value).toBeUndefined();
    expect(cache.entry(query('q39')).answer.value.value).toBe(39);
  });
});
