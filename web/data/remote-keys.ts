/** Keys of keyboards and televisions' remote controls that stand for the keys of a data broadcast. */
import type { MonotonicMs } from '../../lib/wire/times.ts';
import { KEY } from '../bml/engine/keys.ts';
import { isBackKey } from '../navigation/focus.ts';

/** Names of UI Events; letters in lower case. */
const KEYS: Readonly<Record<string, number>> = {
  ArrowUp: KEY.up,
  ArrowDown: KEY.down,
  ArrowLeft: KEY.left,
  ArrowRight: KEY.right,
  Enter: KEY.enter,
  d: KEY.data,
  TVDataService: KEY.data,
  b: KEY.blue,
  r: KEY.red,
  g: KEY.green,
  y: KEY.yellow,
  ColorF0Red: KEY.red,
  ColorF1Green: KEY.green,
  ColorF2Yellow: KEY.yellow,
  ColorF3Blue: KEY.blue,
  '-': KEY.digit12 - 1,
  '^': KEY.digit12,
  '=': KEY.digit12,
};

/** @returns a code of `KEY` */
export function remoteKeyOf(key: string): number | undefined {
  if (/^\d$/.test(key)) return KEY.digit0 + Number(key);
  if (isBackKey(key)) return KEY.back;
  const name = key.length === 1 ? key.toLowerCase() : key;
  return Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
}

export const isDigit = (code: number): boolean => code >= KEY.digit0 && code <= KEY.digit12;

/** Two presses within it are one gesture. */
const TWICE_MS = 1000;
/** Back twice is as fast as a repeat by hand: a document that follows one press keeps the next. */
const BACK_TWICE_MS = 700;
/** After a digit, Back corrects what was typed into the document. */
const TYPING_MS = 10_000;
const HOLD_MS = 800;

/**
 * Presses of d and Back that leave the data broadcast whatever its document does. The document gets the first press of
 * each, because both keys have a meaning in documents.
 */
export class LeavePresses {
  #dataAt = Number.NEGATIVE_INFINITY;
  #backAt = Number.NEGATIVE_INFINITY;
  #digitAt = Number.NEGATIVE_INFINITY;
  #backDownAt = 0;

  /** @returns true: the second press, which leaves */
  data(at: MonotonicMs): boolean {
    const isSecond = at - this.#dataAt <= TWICE_MS;
    this.#dataAt = isSecond ? Number.NEGATIVE_INFINITY : at;
    return isSecond;
  }

  /** @param isRepeat the key is held down @returns true: leaves */
  back(at: MonotonicMs, isRepeat: boolean): boolean {
    if (isRepeat) return at - this.#backDownAt >= HOLD_MS;
    this.#backDownAt = at;
    const isSecond = at - this.#backAt <= BACK_TWICE_MS && at - this.#digitAt > TYPING_MS;
    this.#backAt = at;
    return isSecond;
  }

  digit(at: MonotonicMs): void {
    this.#digitAt = at;
  }

  /** Another document was launched: it is the answer to the press before. */
  documentChanged(): void {
    this.#backAt = Number.NEGATIVE_INFINITY;
    this.#digitAt = Number.NEGATIVE_INFINITY;
  }
}
