/** A source of keys: a card reader of this machine, or another agent. Used by `CardService`. */
import type { KeyFailureCode } from '../../lib/wire/key-failure.ts';
import type { CardSystem } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';

export interface KeyBackend {
  /** Response timeout, ms. */
  readonly timeoutMs: number;
  /** Failure code of a timeout. */
  readonly timeoutCode: KeyFailureCode;
  /** @throws KeyFailure */
  connect(signal: AbortSignal): Promise<CardSystem>;
  /** @throws KeyFailure */
  ecm(message: Uint8Array, signal: AbortSignal): Promise<ScramblingKeys>;
  /** A device was plugged in or became available: a connection that failed may succeed now. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}
