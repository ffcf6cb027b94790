/** The page's query cache, and the hook by which a component shows one of its answers. */
import { useEffect } from 'preact/hooks';
import { connection } from '../device/connection.ts';
import type { ApiFailure } from './api.ts';
import { renewed } from './api.ts';
import { type CacheEntry, type Query, QueryCache } from './cache.ts';
import { listen, type Watched } from './events.ts';

const cache = new QueryCache({ listen, isConnected: () => connection.peek() === 'open' });

/** The shared answer itself, for code that is no component. */
export const entryOf = <T>(query: Query<T>): CacheEntry<T> => cache.entry(query);

/** Keeps an answer fresh from now on, for as long as the page is there. */
export function keepFresh<T>(query: Query<T>): CacheEntry<T> {
  cache.use(query);
  return cache.entry(query);
}

export interface Shown<T> {
  readonly value: T | undefined;
  readonly failure: ApiFailure | undefined;
  /** Reads again, after a change that was made here or a failure. */
  readonly renew: () => Promise<void>;
}

/** Query of a path by conditional GET. @param poll milliseconds, for content that changes without an event */
export function pathQuery<T>(path: string, events: readonly Watched[], poll?: number): Query<T> {
  return {
    key: path,
    events,
    ...(poll === undefined ? {} : { poll }),
    read: (signal, etag) => renewed<T>(path, etag, signal),
  };
}

/** An answer that is put together from several calls, without a tag of its own. */
export function callQuery<T>(
  key: string,
  events: readonly Watched[],
  call: (signal: AbortSignal) => Promise<T>,
  poll?: number,
): Query<T> {
  return {
    key,
    events,
    ...(poll === undefined ? {} : { poll }),
    read: async (signal) => ({ content: await call(signal), etag: null }),
  };
}

/** Between two polls of what fails. */
const LONGEST_WAIT_MS = 30_000;

/** @param query undefined: nothing is read */
export function useQuery<T>(query: Query<T> | undefined): Shown<T> {
  const key = query?.key;
  const poll = query?.poll;
  useEffect(() => (query === undefined ? undefined : cache.use(query)), [key]);
  const entry = query === undefined ? undefined : cache.entry(query);
  const { value, failure } = entry?.answer.value ?? { value: undefined, failure: undefined };
  const hasFailed = failure !== undefined;
  useEffect(() => {
    if (query === undefined || poll === undefined) return undefined;
    let wait = poll;
    let timer = setTimeout(read, wait);
    function read(): void {
      if (query !== undefined && document.visibilityState === 'visible') void cache.entry(query).renew();
      // Most failures last: the agent is not installed yet. Their end is an event.
      if (hasFailed) wait = Math.max(wait, Math.min(LONGEST_WAIT_MS, wait * 2));
      timer = setTimeout(read, wait);
    }
    return () => clearTimeout(timer);
  }, [key, poll, hasFailed]);
  return { value, failure, renew: async () => await entry?.renew() };
}
