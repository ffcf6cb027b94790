/**
 * The agent's source of keys: connects to the card (or to another agent's) when a scrambled programme needs it, sends
 * each ECM once however many tunings receive it, and reports the status.
 */
import type { MonotonicClock, MonotonicMs } from '../../lib/host/clock.ts';
import { unlessAborted } from '../../lib/host/deadline.ts';
import type { Log } from '../../lib/host/log.ts';
import type { Card } from '../../lib/wire/agent.ts';
import { type AnsweredKeys, type CardSystem, KeyFailure, type KeySource } from '../descramble/key-source.ts';
import type { KeyBackend } from './key-backend.ts';

/** Retry delay of a failed connection, unless a device was plugged in meanwhile, ms. */
const RETRY_MS = 10_000;
/** Keys change every second at most; tunings of one channel request them within milliseconds of each other, ms. */
const CACHE_MS = 5_000;
const CACHE_ENTRIES = 64;
/** A card processes one ECM at a time in 50 to 500 ms: with a longer queue responses would be late. */
const MAX_WAITING = 64;
const MEDIAN_OF = 31;
/** The card's command has a length of one octet; longer or empty ECMs are damaged or malicious. */
const MAX_ECM_BYTES = 255;
/**
 * Number of consecutive ECMs without an answer after which the card is reconnected: one station's broken ECMs must
 * not affect the keys of all others.
 */
const MAX_UNANSWERED = 3;

interface CardServiceOptions {
  backend: KeyBackend;
  /** Keys come from another agent. */
  isShared: boolean;
  clock: MonotonicClock;
  log: Log;
  /** `status` changed. */
  onChange: () => void;
  retryMs?: number;
}

interface Cached {
  readonly keys: Promise<AnsweredKeys>;
  readonly until: MonotonicMs;
}

type CardStatus = Pick<Card, 'state' | 'reader' | 'caSystemId' | 'failure' | 'ecm'>;

export class CardService implements KeySource {
  readonly #options: CardServiceOptions;
  #system: CardSystem | undefined;
  /** The last card: if it was only reinserted, tunings with its keys keep them. */
  #known: CardSystem | undefined;
  #unanswered = 0;
  #failure: KeyFailure | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  #connecting: Promise<CardSystem> | undefined;
  readonly #cache = new Map<string, Cached>();
  /** The card processes one request at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #requests = 0;
  #cached = 0;
  #failed = 0;
  readonly #durations: number[] = [];
  readonly #closing = new AbortController();

  constructor(options: CardServiceOptions) {
    this.#options = options;
    options.backend.onChange(() => {
      // A card may have been inserted or removed: the next request connects again.
      this.#failedAt = Number.NEGATIVE_INFINITY;
      if (this.#failure !== undefined) options.onChange();
    });
  }

  get status(): CardStatus {
    const failure = this.#failure?.code ?? null;
    return {
      state: this.#stateName(),
      reader: this.#system?.source ?? null,
      caSystemId: this.#system?.caSystemId ?? null,
      failure,
      ecm: {
        requests: this.#requests,
        cached: this.#cached,
        failed: this.#failed,
        medianMs: median(this.#durations),
      },
    };
  }

  system(): Promise<CardSystem> {
    if (this.#system !== undefined) return Promise.resolve(this.#system);
    if (this.#connecting !== undefined) return this.#connecting;
    const { clock, retryMs = RETRY_MS } = this.#options;
    if (this.#failure !== undefined && clock() - this.#failedAt < retryMs)
      return Promise.reject(this.#failure);
    this.#connecting = this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  keys(message: Uint8Array): Promise<AnsweredKeys> {
    if (message.length === 0 || message.length > MAX_ECM_BYTES) {
      this.#failed += 1;
      return Promise.reject(new KeyFailure('card_error', `ECM of ${message.length} octets`));
    }
    const now = this.#options.clock();
    const name = Buffer.from(message).toString('latin1');
    const cached = this.#cache.get(name);
    if (cached !== undefined && cached.until > now) {
      this.#cached += 1;
      return cached.keys;
    }
    const keys = this.#inTurn(message);
    const entry: Cached = { keys, until: (now + CACHE_MS) as MonotonicMs };
    this.#cache.delete(name);
    this.#cache.set(name, entry);
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= CACHE_ENTRIES) break;
      this.#cache.delete(oldest);
    }
    // Failures are not cached: the next request asks the card again.
    keys.catch(() => {
      if (this.#cache.get(name) === entry) this.#cache.delete(name);
    });
    return keys;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#options.backend.close();
  }

  #stateName(): Card['state'] {
    if (this.#system !== undefined) return this.#options.isShared ? 'shared' : 'ready';
    const code = this.#failure?.code;
    if (code === undefined) return 'none';
    return code === 'no_card' || code === 'no_reader' ? 'absent' : 'error';
  }

  async #connect(): Promise<CardSystem> {
    const { backend, log, onChange } = this.#options;
    try {
      const answered = await this.#limited((signal) => backend.connect(signal));
      const system = this.#known !== undefined && isSameCard(this.#known, answered) ? this.#known : answered;
      this.#known = system;
      this.#unanswered = 0;
      log.info('card ready', { reader: system.source, caSystemId: system.caSystemId });
      this.#system = system;
      this.#failure = undefined;
      return system;
    } catch (error) {
      throw this.#fail(error);
    } finally {
      onChange();
    }
  }

  #inTurn(message: Uint8Array): Promise<AnsweredKeys> {
    this.#requests += 1;
    if (this.#waiting >= MAX_WAITING) {
      this.#failed += 1;
      return Promise.reject(new KeyFailure('timeout', 'too many ECMs are waiting for the card'));
    }
    this.#waiting += 1;
    const answer = this.#turn.then(() => this.#ask(message));
    this.#turn = answer.then(
      () => {
        this.#waiting -= 1;
      },
      () => {
        this.#waiting -= 1;
        this.#failed += 1;
      },
    );
    return answer;
  }

  async #ask(message: Uint8Array): Promise<AnsweredKeys> {
    const { backend, clock } = this.#options;
    const system = await this.system();
    const startedAt = clock();
    try {
      const keys = await this.#limited((signal) => backend.ecm(message, signal));
      this.#durations.push(clock() - startedAt);
      if (this.#durations.length > MEDIAN_OF) this.#durations.shift();
      this.#unanswered = 0;
      return { ...keys, system };
    } catch (error) {
      // A missing contract for this programme does not mean a problem with the card.
      if (error instanceof KeyFailure && error.code === 'not_subscribed') throw error;
      this.#unanswered += 1;
      const isOfEcm = error instanceof KeyFailure && error.code === 'card_error';
      if (isOfEcm && this.#unanswered < MAX_UNANSWERED) throw error;
      const failure = this.#fail(error);
      // The connection was good until now: a card that was only reinserted, or got an invalid ECM, is available at
      // once.
      if (failure.code === 'no_card' || isOfEcm) this.#failedAt = Number.NEGATIVE_INFINITY;
      this.#options.onChange();
      throw failure;
    }
  }

  #fail(error: unknown): KeyFailure {
    const { clock, log } = this.#options;
    const failure = error instanceof KeyFailure ? error : new KeyFailure('card_error', String(error));
    if (this.#failure?.code !== failure.code)
      log.warn('no keys', { code: failure.code, reason: failure.message });
    this.#system = undefined;
    this.#failure = failure;
    this.#failedAt = clock();
    return failure;
  }

  async #limited<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { timeoutMs, timeoutCode } = this.#options.backend;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return await unlessAborted(act(signal), signal);
    } catch (error) {
      if (error instanceof KeyFailure || !signal.aborted) throw error;
      throw new KeyFailure(timeoutCode, `no answer for ${timeoutMs} ms`);
    }
  }
}

function isSameCard(a: CardSystem, b: CardSystem): boolean {
  return (
    a.caSystemId === b.caSystemId &&
    a.source === b.source &&
    Buffer.compare(a.systemKey, b.systemKey) === 0 &&
    Buffer.compare(a.initialValue, b.initialValue) === 0
  );
}

function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return middle === undefined ? null : Math.round(middle * 10) / 10;
}
