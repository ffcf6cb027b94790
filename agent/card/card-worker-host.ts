/**
 * Runs in the card worker: finds the reader with a suitable card, sends it commands, and detects inserted and removed
 * cards.
 */
import { KeyFailure } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';
import {
  type CardParameters,
  ecmCommand,
  INT_COMMAND,
  parseEcmAnswer,
  parseIntAnswer,
} from './card-commands.ts';
import type { CardContract } from './card-worker-messages.ts';
import { type PcscCard, PcscContext } from './pcsc.ts';

interface Connected {
  reader: string;
  card: PcscCard;
  /** Number of insertions and removals of the reader when it was connected. */
  changes: number;
}

export class CardWorkerHost {
  #context: PcscContext | undefined;
  #connected: Connected | undefined;
  /** The last status of the readers, to detect an insertion. */
  #lastSeen = '';

  /** @param report called after an insertion, a removal, a start or end of the daemon */
  constructor(private readonly report: (event: CardContract['events']) => void) {}

  /** Connects to the first reader whose card answers INT. @throws KeyFailure */
  connect(): CardParameters & { reader: string } {
    this.#disconnect();
    const context = this.#open();
    const readers = this.#guard(() => context.readers());
    this.#lastSeen = this.#readStates(context);
    if (readers.length === 0) throw new KeyFailure('no_reader', 'no card reader is connected');
    let failure = new KeyFailure('no_card', 'no card is in any reader');
    for (const reader of readers) {
      try {
        return { ...this.#connectReader(context, reader), reader };
      } catch (error) {
        if (!(error instanceof KeyFailure)) throw error;
        if (error.code === 'no_daemon') throw error;
        if (error.code !== 'no_card') failure = error;
      }
    }
    throw failure;
  }

  /** @param message ECM section without header and CRC @throws KeyFailure */
  ecm(message: Uint8Array): ScramblingKeys {
    const connected = this.#connected;
    if (connected === undefined) throw new KeyFailure('no_card', 'no card is connected');
    const command = ecmCommand(message);
    let answer: Uint8Array;
    try {
      answer = connected.card.transmit(command);
    } catch (error) {
      this.#disconnect();
      throw error;
    }
    // An answer of the card itself (no contract, an unreadable ECM) does not mean that the connection failed.
    return parseEcmAnswer(answer);
  }

  /** Called periodically; cheap: one query to the daemon per reader. */
  poll(): void {
    let seen: string;
    try {
      seen = this.#readStates(this.#open());
    } catch (error) {
      seen = error instanceof KeyFailure ? error.code : String(error);
    }
    if (seen === this.#lastSeen) return;
    this.#lastSeen = seen;
    this.report({ kind: 'changed' });
  }

  close(): void {
    this.#disconnect();
    this.#context?.close();
    this.#context = undefined;
  }

  #connectReader(context: PcscContext, reader: string): CardParameters {
    const { isPresent, changes } = this.#guard(() => context.status(reader));
    if (!isPresent) throw new KeyFailure('no_card', 'no card is in the reader');
    const card = this.#guard(() => context.connect(reader));
    try {
      const parameters = parseIntAnswer(card.transmit(INT_COMMAND));
      this.#connected = { reader, card, changes };
      return parameters;
    } catch (error) {
      card.close();
      throw error;
    }
  }

  #readStates(context: PcscContext): string {
    return this.#guard(() =>
      context
        .readers()
        .map((reader) => {
          const { isPresent, changes } = context.status(reader);
          return `${reader} ${isPresent} ${changes}`;
        })
        .join('\n'),
    );
  }

  #open(): PcscContext {
    this.#context ??= new PcscContext();
    return this.#context;
  }

  /** A context becomes invalid with the daemon, or with a failure of the daemon's connection. */
  #guard<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (error instanceof KeyFailure && (error.code === 'no_daemon' || error.code === 'card_error')) {
        this.#disconnect();
        this.#context?.close();
        this.#context = undefined;
      }
      throw error;
    }
  }

  #disconnect(): void {
    this.#connected?.card.close();
    this.#connected = undefined;
  }
}
