/** Where descrambling happens: once a tuning, before the bytes are handed to every user of it. */
import type { DescramblingState } from '../../wire/agent.ts';
import type { KeyFailure, ProgramKeyFailure } from './key-source.ts';

export interface Descrambler {
  readonly state: DescramblingState;
  /** Why packets stay scrambled; undefined otherwise. */
  readonly failure: KeyFailure | undefined;
  /** Programmes without keys; undefined: unknown, `failure` applies to all. */
  readonly programFailures: readonly ProgramKeyFailure[] | undefined;
  /** Packets that were given out scrambled; undefined where nothing looks at them. */
  readonly leftScrambled: number | undefined;
  /** The same packets, descrambled, come out by the callback that it was made with, in their order. */
  feed(chunk: Uint8Array): void;
  close(): void;
}

/** @param output takes what was fed, descrambled, in its order @param onChange `state` or `failure` changed */
export type CreateDescrambler = (output: (packets: Uint8Array) => void, onChange: () => void) => Descrambler;

/** Without card and peer the bytes pass as they are. */
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
