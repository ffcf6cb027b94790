/**
 * Conversions and comparisons of primitive values (ECMA-262 2nd edition, 9 and 11), with the integers of ARIB STD-B24
 * vol. 2. Objects are made primitive before, by the interpreter.
 */
import { type CharacterCodes, isFunction } from './functions.ts';
import { type Primitive, ScriptObject, type Value } from './values.ts';

/** The result of an operation: an integer of 32 bits, or NaN. */
export function truncated(value: number): number {
  return Number.isFinite(value) ? value | 0 : Number.NaN;
}

const BLANKS = /^[\s\ufeff]+|[\s\ufeff]+$/g;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const HEXADECIMAL = /^0[xX][0-9a-fA-F]+$/;

export function toNumber(value: Primitive): number {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return value === undefined ? Number.NaN : Number(value);
  const text = value.replace(BLANKS, '');
  if (text === '') return 0;
  if (!DECIMAL.test(text) && !HEXADECIMAL.test(text)) return Number.NaN;
  return truncated(Number(text));
}

/** A number without its fraction; NaN is 0. */
export function toInteger(value: Primitive): number {
  return Math.trunc(toNumber(value)) || 0;
}

export function toText(value: Primitive): string {
  return typeof value === 'string' ? value : String(value);
}

/** Objects are true. */
export function toBoolean(value: Value): boolean {
  if (typeof value === 'number') return value !== 0 && !Number.isNaN(value);
  return value === true || (value !== '' && typeof value === 'string') || value instanceof ScriptObject;
}

/** The value of `typeof`. */
export function typeName(value: Value): string {
  if (value instanceof ScriptObject) return isFunction(value) ? 'function' : 'object';
  return value === null ? 'object' : typeof value;
}

/** `==` of two values of which none, or both, are objects. */
export function looselyEqual(a: Value, b: Value): boolean {
  if (typeof a === typeof b && a !== null && b !== null) return a === b;
  if (a === undefined || a === null || b === undefined || b === null)
    return (a === undefined || a === null) && (b === undefined || b === null);
  if (a instanceof ScriptObject || b instanceof ScriptObject) return false;
  return toNumber(a) === toNumber(b);
}

/** Below 0, 0, or above 0: the order of the codes in the document's character set. */
export function compareTexts(a: string, b: string, codes: CharacterCodes): number {
  if (a === b) return 0;
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  if (at === end) return a.length - b.length;
  // Not into the middle of a pair of surrogates.
  if (at > 0 && (a.charCodeAt(at - 1) & 0xfc00) === 0xd800) at -= 1;
  const [left = 0, right = 0] = [a.codePointAt(at), b.codePointAt(at)];
  return codes.codeOf(left) - codes.codeOf(right) || left - right;
}

const SURROGATE = /[\ud800-\udfff]/;
/** Scripts walk over one text character by character. */
let last: { readonly text: string; readonly characters: readonly string[] | undefined } | undefined;

/** The characters of a text in which they differ from its UTF-16 units, else undefined. */
export function wideCharacters(text: string): readonly string[] | undefined {
  if (last?.text !== text) last = { text, characters: SURROGATE.test(text) ? [...text] : undefined };
  return last.characters;
}

/** Length in characters. */
export function textLength(text: string): number {
  return text.length < 2 ? text.length : (wideCharacters(text)?.length ?? text.length);
}
