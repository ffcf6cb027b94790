/**
 * Query cache: responses of the service, each read once and shared by every screen that shows it. A response is read
 * again after one of its events, after events may have been missed, and after a change made here; a conditional GET
 * makes that cheap. Responses are kept, so that a screen that is opened again shows them at once.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import { type ApiFailure, asFailure, type Renewed } from './api.ts';
import type { EventHandlers, Watched } from './events.ts';

export interface Query<T> {
  /** Queries with the same key share one answer. */
  readonly key: string;
  /** The answer is read again on each of these. */
  readonly events: readonly Watched[];
  /** Polling interval while shown, for answers without an event, milliseconds. */
  readonly poll?: number;
  /** @param etag of the answer that is held, or null */
  read(signal: AbortSignal, etag: string | null): Promise<Renewed<T>>;
}

interface Answer<T> {
  /** Undefined until the first answer. It stays when a later read fails. */
  readonly value: T | undefined;
  /** Error of the last read; undefined when that succeeded. */
  readonly failure: ApiFailure | undefined;
}

/** Answers that no screen shows are kept up to this number: some hundred kilobytes in a large home. */
const MOST_UNUSED = 32;

export class CacheEntry<T> {
  readonly #answer = signal<Answer<T>>({ value: undefined, failure: undefined });
  #etag: string | null = null;
  #stale = true;
  #users = 0;
  #reading: Promise<void> | undefined;
  #again = false;
  #abort = new AbortController();

  constructor(readonly query: Query<T>) {}

  get answer(): ReadonlySignal<Answer<T>> {
    return this.#answer;
  }

  get isUsed(): boolean {
    return this.#users > 0;
  }

  /**
   * Keeps the response fresh until the returned function is called. @param mayBeOld no events were received meanwhile
   */
  use(mayBeOld: boolean): () => void {
    // Gone when it was read last: its old content is not shown again.
    if (!this.isUsed && this.#answer.peek().failure?.code === 'not_found') {
      this.#answer.value = { value: undefined, failure: undefined };
    }
    this.#users += 1;
    if (this.#stale || (this.#users === 1 && (mayBeOld || this.query.poll !== undefined))) void this.renew();
    let used = true;
    return () => {
      if (used) this.#users -= 1;
      used = false;
    };
  }

  /** Something changed: reads now if a screen shows it, otherwise when one does. */
  invalidate(): void {
    this.#stale = true;
    if (this.isUsed) void this.renew();
  }

  /** Puts a value in place that a change made here gave, until the next read. */
  put(value: T): void {
    this.#etag = null;
    this.#answer.value = { value, failure: undefined };
  }

  /** Reads; a call during a read leads to one more after it. Resolves when the answer is newer than the call. */
  renew(): Promise<void> {
    if (this.#reading !== undefined) {
      this.#again = true;
      return this.#reading;
    }
    this.#reading = this.#readUntilCurrent();
    return this.#reading;
  }

  /** Stops reading; for an entry that leaves the cache. */
  close(): void {
    this.#abort.abort();
  }

  async #readUntilCurrent(): Promise<void> {
    do {
      this.#again = false;
      this.#stale = false;
      await this.#readOnce();
    } while (this.#again && !this.#abort.signal.aborted);
    this.#reading = undefined;
  }

  async #readOnce(): Promise<void> {
    const { signal } = this.#abort;
    const { value, failure } = this.#answer.peek();
    try {
      const answer = await this.query.read(signal, value === undefined ? null : this.#etag);
      if (signal.aborted) return;
      if (answer === 'unchanged') {
        if (failure !== undefined) this.#answer.value = { value, failure: undefined };
        return;
      }
      this.#etag = answer.etag;
      this.#answer.value = { value: answer.content, failure: undefined };
    } catch (error) {
      if (signal.aborted) return;
      const failed = asFailure(error);
      this.#stale = true;
      this.#answer.value = { value: this.#answer.peek().value, failure: failed };
    }
  }
}

interface CacheNeeds {
  /** Calls back for events from now on. */
  readonly listen: (handlers: EventHandlers) => () => void;
  /** Whether events arrive at this moment. */
  readonly isConnected: () => boolean;
}

export class QueryCache {
  readonly #entries = new Map<string, CacheEntry<unknown>>();
  #listening = false;

  constructor(readonly needs: CacheNeeds) {}

  /** The entry of a key; the first query with it says how it is read. */
  entry<T>(query: Query<T>): CacheEntry<T> {
    const known = this.#entries.get(query.key) as CacheEntry<T> | undefined;
    if (known !== undefined) return known;
    const entry = new CacheEntry(query);
    this.#entries.set(query.key, entry as CacheEntry<unknown>);
    return entry;
  }

  /** Keeps an answer fresh until the returned function is called. */
  use<T>(query: Query<T>): () => void {
    this.#listen();
    const entry = this.entry(query);
    // Used last: it is the last to be forgotten.
    this.#entries.delete(query.key);
    this.#entries.set(query.key, entry as CacheEntry<unknown>);
    const release = entry.use(!this.needs.isConnected());
    return () => {
      release();
      this.#forget();
    };
  }

  #listen(): void {
    if (this.#listening) return;
    this.#listening = true;
    this.needs.listen({
      onEvent: (name) => {
        for (const entry of [...this.#entries.values()]) {
          if (entry.query.events.includes(name)) entry.invalidate();
        }
      },
      onReturn: () => {
        for (const entry of [...this.#entries.values()]) entry.invalidate();
      },
    });
  }

  #forget(): void {
    const unused = [...this.#entries].filter(([, entry]) => !entry.isUsed);
    for (const [key, entry] of unused.slice(0, Math.max(0, unused.length - MOST_UNUSED))) {
      entry.close();
      this.#entries.delete(key);
    }
  }
}
