/** Messages between the agent and its card worker (`host/worker-link.ts`). */
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';
import type { CardParameters } from './card-commands.ts';

export interface CardContract {
  requests: {
    /** Fails with a `KeyFailure` code. */
    connect: { ask: null; answer: CardParameters & { reader: string } };
    /** Fails with a `KeyFailure` code. */
    ecm: { ask: Uint8Array; answer: ScramblingKeys };
  };
  orders: never;
  /** A card was inserted or removed, or the daemon started or ended. */
  events: { kind: 'changed' };
}
