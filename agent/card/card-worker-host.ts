/**
 * Runs in the card worker (messages by `lib/host/worker-link.ts`): finds the reader with a suitable card, sends it commands, and detects inserted and removed
 * cards.
 */
import { KeyFailure } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';
import { type PcscCard, PcscContext } from './pcsc.ts';

/** Parameters in the INT response, without the reader's name. */
interface CardParameters {
  /** 16 bits. */
  readonly caSystemId: number;
  /** 32 octets. */
  readonly systemKey: Uint8Array;
  /** 8 octets. */
  readonly initialValue: Uint8Array;
}

/** Initial setting conditions command. */
const INT_COMMAND = Uint8Array.of(0x90, 0x30, 0x00, 0x00, 0x00);
const STATUS_OK = 0x9000;
const RETURN_NORMAL = 0x2100;
/** "Purchased": by a flat-rate contract, by pay per view, or as a preview before a purchase. */
const RETURN_PURCHASED: readonly number[] = [0x0200, 0x0400, 0x0800];
/** Minimum length of responses with their status word. */
const INT_ANSWER_BYTES = 57;
const ECM_ANSWER_BYTES = 25;
/** Lc is one octet. */
const MAX_ECM_BYTES = 255;

/**
 * Commands of a conditional access card and its responses, as octets. ARIB STD-B25 Part 1, 4.3.3 (CLA 0x90).
 * @param message ECM section without header and CRC @throws KeyFailure if it is too long for a card
 */
export function ecmCommand(message: Uint8Array): Uint8Array {
  if (message.length === 0 || message.length > MAX_ECM_BYTES) {
    throw new KeyFailure('card_error', `ECM of ${message.length} octets`);
  }
  return Uint8Array.of(0x90, 0x34, 0x00, 0x00, message.length, ...message, 0x00);
}

function u16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
}

/** @throws KeyFailure unsuitable_card */
export function parseIntAnswer(answer: Uint8Array): CardParameters {
  const isRight =
    answer.length >= INT_ANSWER_BYTES &&
    u16(answer, answer.length - 2) === STATUS_OK &&
    u16(answer, 4) === RETURN_NORMAL;
  if (!isRight) throw new KeyFailure('unsuitable_card', 'the card does not answer INT as a CA card does');
  return {
    caSystemId: u16(answer, 6),
    systemKey: answer.slice(16, 48),
    initialValue: answer.slice(48, 56),
  };
}

/** @throws KeyFailure card_error, not_subscribed */
export function parseEcmAnswer(answer: Uint8Array): ScramblingKeys {
  if (answer.length < ECM_ANSWER_BYTES || u16(answer, answer.length - 2) !== STATUS_OK) {
    throw new KeyFailure('card_error', `answer to an ECM of ${answer.length} octets`);
  }
  const code = u16(answer, 4);
  if (!RETURN_PURCHASED.includes(code)) {
    throw new KeyFailure('not_subscribed', `the card refuses with 0x${code.toString(16).padStart(4, '0')}`);
  }
  return { odd: answer.slice(6, 14), even: answer.slice(14, 22) };
}

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
