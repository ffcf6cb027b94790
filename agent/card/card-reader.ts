/** The card reader of this machine, accessed through the card worker. */
import type { Log } from '../../lib/host/log.ts';
import { WorkerError, WorkerLink } from '../../lib/host/worker-link.ts';
import { KEY_FAILURES, type KeyFailureCode } from '../../lib/wire/key-failure.ts';
import { type CardSystem, KeyFailure } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';
import type { CardContract } from './card-worker-host.ts';
import type { KeyBackend } from './key-backend.ts';

/** A slow card needs a second for an ECM. */
const TIMEOUT_MS = 5_000;

interface CardReaderOptions {
  startWorker: () => Worker;
  log: Log;
}

export class CardReader implements KeyBackend {
  readonly timeoutMs = TIMEOUT_MS;
  readonly timeoutCode = 'timeout';
  readonly #link: WorkerLink<CardContract>;
  readonly #listeners: (() => void)[] = [];

  constructor(options: CardReaderOptions) {
    this.#link = new WorkerLink<CardContract>({
      name: 'card worker',
      ...options,
      onEvent: () => {
        for (const listener of this.#listeners) listener();
      },
      // The card daemon may block a call; a request has its own timeout, and two in a row end the worker.
      watchdog: { limitMs: 3 * TIMEOUT_MS },
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async connect(signal: AbortSignal): Promise<CardSystem> {
    const { reader, ...parameters } = await this.#asked(this.#link.request('connect', null, { signal }));
    return { ...parameters, source: reader };
  }

  ecm(message: Uint8Array, signal: AbortSignal): Promise<ScramblingKeys> {
    return this.#asked(this.#link.request('ecm', message, { signal }));
  }

  async close(): Promise<void> {
    await this.#link.close(1_000);
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      const code = KEY_FAILURES.find((known): known is KeyFailureCode => known === error.code);
      throw new KeyFailure(code ?? 'card_error', error.message);
    }
  }
}
