/**
 * The ECMs of one PID and the keys obtained from them. It requests keys for the newest ECM only, one at a time, and
 * knows for which packets the current keys are valid: an ECM has the current key and the next one, so when its
 * content changes the current key stays valid and the other one is invalid until the new answer arrives. ARIB STD-B25
 * Part 1, 4.3.3.
 */
import { type MonotonicClock, type MonotonicMs, monotonicMs } from '../../lib/host/clock.ts';
import { type AnsweredKeys, KeyFailure, type KeySource } from './key-source.ts';
import type { Parity } from './multi2-decryptor.ts';

/** Tables and ECMs are sent every 100 ms (ARIB TR-B14): later they will not arrive, ms. */
const LIMIT_MS = 2_000;
/** Minimum interval between the starts of two waits, ms. */
const INTERVAL_MS = 10_000;

/**
 * Limits how long the packets of a stream wait for tables and ECMs that have not arrived. Shared by all programmes of
 * a stream: a broken or malicious programme that keeps announcing new tables must not delay the others repeatedly.
 */
export class WaitBudget {
  #startedAt = monotonicMs(Number.NEGATIVE_INFINITY);

  mayWait(now: MonotonicMs): boolean {
    if (now - this.#startedAt >= INTERVAL_MS) this.#startedAt = now;
    return now - this.#startedAt < LIMIT_MS;
  }
}

/**
 * What to do with a scrambled packet: decrypt it; keep it until the requested key arrives; keep it until tables or an
 * ECM after it were read; output it unchanged.
 */
export type EcmVerdict = 'decrypt' | 'wait' | 'look_ahead' | 'pass';

/** Retry delay of a failed ECM, while the broadcast repeats it, ms. */
const REPEAT_AFTER_MS = 2_000;

interface EcmStreamOptions {
  source: KeySource;
  clock: MonotonicClock;
  /** For an ECM that has not arrived. */
  budget: WaitBudget;
  /** An answer arrived, or failed: waiting packets can be decided. `keys`: undefined if it failed. */
  onAnswer: (stream: EcmStream, keys: AnsweredKeys | undefined) => void;
}

export class EcmStream {
  /** The last failure; undefined while keys are valid or were not requested. */
  failure: KeyFailure | undefined;
  readonly #options: EcmStreamOptions;
  #message: Uint8Array | undefined;
  #isAsking = false;
  /** The newest ECM differs from the pending one. */
  #isOutdated = false;
  #askedAt = monotonicMs(Number.NEGATIVE_INFINITY);
  #hasKeys = false;
  /** The key that the newest ECM may have replaced. */
  #stale: Parity | undefined;
  #current: Parity | undefined;
  /** No ECM arrived in time: packets no longer wait for one. */
  #isSilent = false;
  #isClosed = false;

  constructor(
    /** Slot of the decryptor. */
    readonly slot: number,
    options: EcmStreamOptions,
  ) {
    this.#options = options;
  }

  /** The key that must not be used until the next answer. */
  get stale(): Parity | undefined {
    return this.#stale;
  }

  get hasKeys(): boolean {
    return this.#hasKeys;
  }

  isNew(message: Uint8Array): boolean {
    return this.#message === undefined || !equal(this.#message, message);
  }

  /** @param message ECM section without header and CRC */
  take(message: Uint8Array): void {
    if (this.isNew(message)) {
      this.#message = message;
      if (this.#hasKeys && this.#current !== undefined)
        this.#stale = this.#current === 'odd' ? 'even' : 'odd';
      this.#isOutdated = this.#isAsking;
      if (!this.#isAsking) this.#ask();
      return;
    }
    const isDue = this.#options.clock() - this.#askedAt >= REPEAT_AFTER_MS;
    if (this.failure !== undefined && !this.#isAsking && isDue) this.#ask();
  }

  /** Called for every scrambled packet in the order of the stream. */
  decide(parity: Parity): EcmVerdict {
    if (this.#hasKeys && this.#stale !== parity) {
      this.#current = parity;
      return 'decrypt';
    }
    if (this.failure !== undefined && !(this.#isAsking && this.#hasKeys)) return 'pass';
    if (this.#isAsking) return 'wait';
    this.#isSilent ||= !this.#options.budget.mayWait(this.#options.clock());
    return this.#isSilent ? 'pass' : 'look_ahead';
  }

  /** Waiting packets are output: until the next answer packets pass unchanged. */
  giveUp(): void {
    this.failure ??= new KeyFailure('timeout', 'no key in time');
  }

  close(): void {
    this.#isClosed = true;
  }

  #ask(): void {
    const message = this.#message;
    if (message === undefined || this.#isClosed) return;
    this.#isAsking = true;
    this.#isOutdated = false;
    this.#askedAt = this.#options.clock();
    this.#options.source.keys(message).then(
      (keys) => this.#answered(keys, undefined),
      (error: unknown) =>
        this.#answered(
          undefined,
          error instanceof KeyFailure ? error : new KeyFailure('card_error', String(error)),
        ),
    );
  }

  #answered(keys: AnsweredKeys | undefined, failure: KeyFailure | undefined): void {
    this.#isAsking = false;
    if (this.#isClosed) return;
    if (this.#isOutdated) {
      // The answer belongs to an ECM that is no longer sent; its next key may be the current one by now.
      this.#ask();
      return;
    }
    this.failure = failure;
    this.#isSilent = false;
    if (keys !== undefined) {
      this.#hasKeys = true;
      this.#stale = undefined;
    }
    this.#options.onAnswer(this, keys);
  }
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
