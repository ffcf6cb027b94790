/** The source of scrambling keys for the descrambler of a tuning: a card in this machine, or another agent. */
import type { KeyFailureCode } from '../../lib/wire/key-failure.ts';
import type { ScramblingKeys, SystemParameters } from './multi2-decryptor.ts';

export class KeyFailure extends Error {
  override readonly name = 'KeyFailure';
  constructor(
    readonly code: KeyFailureCode,
    message: string,
  ) {
    super(message);
  }
}

/** Why a programme of a stream has no keys. */
export interface ProgramKeyFailure {
  readonly serviceId: number;
  readonly failure: KeyFailureCode;
}

/** The INT response. Never logged, and only returned over HTTP on the share port. */
export interface CardSystem extends SystemParameters {
  /** CA_system_id, 16 bits: CA descriptors with another one are for other cards. */
  readonly caSystemId: number;
  /** Name of the reader or address of the peer. */
  readonly source: string;
}

/** Keys, with the card that made them: another card needs another system key. */
export interface AnsweredKeys extends ScramblingKeys {
  readonly system: CardSystem;
}

export interface KeySource {
  /**
   * The card, connected if necessary; answers at once while a failed connection is not retried yet. @throws KeyFailure
   */
  system(): Promise<CardSystem>;
  /**
   * The keys of an ECM, from the cache if it was requested recently.
   * @param message ECM section without header and CRC
   * @throws KeyFailure
   */
  keys(message: Uint8Array): Promise<AnsweredKeys>;
}
