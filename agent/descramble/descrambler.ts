/** The interface of descrambling: once per tuning, before the bytes are distributed to its consumers. */
import type { DescramblingState } from '../../lib/wire/vocabulary.ts';
import type { KeyFailure, ProgramKeyFailure } from './key-source.ts';

export interface Descrambler {
  readonly state: DescramblingState;
  /** Why packets stay scrambled; undefined otherwise. */
  readonly failure: KeyFailure | undefined;
  /** Programmes without keys; undefined: unknown, `failure` applies to all. */
  readonly programFailures: readonly ProgramKeyFailure[] | undefined;
  /** Number of packets that were output scrambled; undefined if not counted. */
  readonly leftScrambled: number | undefined;
  /** Outputs the same packets descrambled, in order, through the callback passed at creation. */
  feed(chunk: Uint8Array): void;
  close(): void;
}

/** @param output receives the descrambled packets in order @param onChange `state` or `failure` changed */
export type CreateDescrambler = (output: (packets: Uint8Array) => void, onChange: () => void) => Descrambler;

/** Without card and peer the bytes pass unchanged. */
export class PassThroughDescrambler implements Descrambler {
  readonly state = 'clear';
  readonly failure = undefined;
  readonly programFailures = undefined;
  readonly leftScrambled = undefined;

  constructor(private readonly output: (chunk: Uint8Array) => void) {}

  feed(chunk: Uint8Array): void {
    this.output(chunk);
  }

  close(): void {}
}
