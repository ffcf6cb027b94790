import { expect, test } from 'bun:test';
import { wallMs } from '../../lib/wire/times.ts';
import { ApiFailure } from '../query/api.ts';
import { type FeedPart, FRESH, type MediaFeed, nextTry, type Retry, readFeed } from './media-feed.ts';

test('a stream that ended normally is requested again at once', () => {
  expect(nextTry(FRESH, 'closed', wallMs(1_000_000), 60_000).waitMs).toBe(0);
});

test('closing again within 30 s waits with exponential backoff', () => {
  const first = nextTry(FRESH, 'closed', wallMs(0), 60_000);
  const second = nextTry(first.retry, 'closed', wallMs(5_000), 4_000);
  const third = nextTry(second.retry, 'closed', wallMs(9_000), 2_000);
  expect([second.waitMs, third.waitMs]).toEqual([1_000, 2_000]);
});

test('broken streams wait 1, 2, 4 … up to 30 seconds', () => {
  let retry: Retry = FRESH;
  const waits: number[] = [];
  for (let count = 0; count < 8; count += 1) {
    const next = nextTry(retry, 'broken', wallMs(count * 60_000), 0);
    waits.push(next.waitMs / 1000);
    retry = next.retry;
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
});

test('the backoff is reset after 30 s of playback', () => {
  const next = nextTry({ failures: 5, restartedAt: wallMs(0) }, 'broken', wallMs(100_000), 31_000);
  expect(next.waitMs).toBe(1_000);
});

const ANSWER: FeedPart = { kind: 'answer', notices: [], offset: 0, recorded: undefined };
const MEDIA: FeedPart = { kind: 'media', bytes: new Uint8Array(1) };

function feedOf(parts: readonly FeedPart[], end: () => Promise<void> = async () => {}): MediaFeed {
  return {
    async *read() {
      yield* parts;
      await end();
    },
  };
}

async function outcome(feed: MediaFeed, take: (part: FeedPart) => Promise<void> = async () => {}) {
  const { end, failure } = await readFeed(feed, new AbortController(), {
    limits: { firstMs: 60_000, laterMs: 60_000 },
    hasStarted: () => true,
    broken: 'broken off',
    take,
  });
  return [end, failure.code];
}

test('the end of a feed says what ended it', async () => {
  expect(await outcome(feedOf([ANSWER, MEDIA]))).toEqual(['closed', 'ended']);
  const fails = (error: Error) => async (): Promise<void> => {
    throw error;
  };
  const refused = fails(new ApiFailure('no_tuner', 'none is free'));
  expect(await outcome(feedOf([ANSWER], refused))).toEqual(['broken', 'no_tuner']);
  const lost = fails(new Error('connection reset'));
  expect(await outcome(feedOf([], lost))).toEqual(['broken', 'network']);
  expect(await outcome(feedOf([ANSWER], lost))).toEqual(['broken', 'interrupted']);
  expect(await outcome(feedOf([ANSWER]), fails(new ApiFailure('decode', 'damaged')))).toEqual([
    'broken',
    'decode',
  ]);
});

test('a feed without data ends by its time limit, one that waits for the viewer does not', async () => {
  const silent: MediaFeed = {
    async *read(signal) {
      yield ANSWER;
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    },
  };
  const reading = { limits: { firstMs: 60_000, laterMs: 1 }, hasStarted: () => true, broken: '' };
  const late = await readFeed(silent, new AbortController(), { ...reading, take: async () => {} });
  expect([late.end, late.failure.code]).toEqual(['broken', 'timeout']);
  const wait = { ...reading, isPatient: true, take: () => Bun.sleep(20) };
  const ended = await readFeed(feedOf([ANSWER]), new AbortController(), wait);
  expect(ended.failure.code).toBe('ended');
});
