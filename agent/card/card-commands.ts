/** Commands of a conditional access card and its responses, as octets. ARIB STD-B25 Part 1, 4.3.3 (CLA 0x90). */
import { KeyFailure } from '../descramble/key-source.ts';
import type { ScramblingKeys } from '../descramble/multi2-decryptor.ts';

/** Parameters in the INT response, without the reader's name. */
export interface CardParameters {
  /** 16 bits. */
  readonly caSystemId: number;
  /** 32 octets. */
  readonly systemKey: Uint8Array;
  /** 8 octets. */
  readonly initialValue: Uint8Array;
}

/** Initial setting conditions command. */
export const INT_COMMAND = Uint8Array.of(0x90, 0x30, 0x00, 0x00, 0x00);
const STATUS_OK = 0x9000;
const RETURN_NORMAL = 0x2100;
/** "Purchased": by a flat-rate contract, by pay per view, or as a preview before a purchase. */
const RETURN_PURCHASED: readonly number[] = [0x0200, 0x0400, 0x0800];
/** Minimum length of responses with their status word. */
const INT_ANSWER_BYTES = 57;
const ECM_ANSWER_BYTES = 25;
/** Lc is one octet. */
const MAX_ECM_BYTES = 255;

/** @param message ECM section without header and CRC @throws KeyFailure if it is too long for a card */
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
