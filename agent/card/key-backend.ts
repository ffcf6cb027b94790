/** One place where keys are made: a card reader of this machine, or another agent. `CardService` is in front of it. */
import type { KeyFailureCode } from '../../wire/agent.ts';
import type { CardSystem } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';

export interface KeyBackend {
  /** Longest wait for an answer, ms. */
  readonly timeoutMs: number;
  /** What it means when none came. */
  readonly timeoutCode: KeyFailureCode;
  /** @throws KeyFailure */
  connect(signal: AbortSignal): Promise<CardSystem>;
  /** @throws KeyFailure */
  ecm(message: Uint8Array, signal: AbortSignal): Promise<ScramblingKeys>;
  /** Something was plugged in or came back: a connection that failed may succeed now. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}
