/**
 * Fields of bits and octets by a structure such as `U:1B,S:2V,B:1b,P:7b` (ARIB STD-B24 Vol. 2, 7.5.1.2 and 7.6.3):
 * rows of a binary table and arrays in persistent memory.
 */
import { decodeCharacters, encodeEucJp } from '../markup/characters.ts';

// Ranges of postal codes in a column of type Z (ARIB STD-B24 Vol. 2, annex; TR-B14 Vol. 3): total length, length of the
// list of exceptions, the exceptions, then the codes that are included.

type NumberRange = readonly [from: number, to: number];

interface PostcodeRanges {
  readonly included: readonly NumberRange[];
  readonly excluded: readonly NumberRange[];
}

/** Digit that is not used. */
const NONE = 0xf;

/** All codes that begin with `value`, which has `digits` of the 7 digits. */
function prefixed(from: number, to: number, digits: number): NumberRange {
  const scale = 10 ** (7 - digits);
  return [from * scale, (to + 1) * scale - 1];
}

/**
 * Four octets, the first with bit 7 set: two decimal digits, then nibbles: a kind and five digits.
 * `open` is the begin of a range whose end follows in the next entry.
 */
function packedRanges(
  entry: Uint8Array,
  open: number | undefined,
): { ranges: NumberRange[]; open: number | undefined } {
  const [first = 0, second = 0, third = 0, fourth = 0] = entry;
  const head = first & 0x7f;
  const [kind, a, b, c, d, e] = [
    second >> 4,
    second & 15,
    third >> 4,
    third & 15,
    fourth >> 4,
    fourth & 15,
  ] as const;
  const three = (digit: number): number => head * 10 + digit;
  const five = (tens: number, units: number): number => head * 1000 + a * 100 + tens * 10 + units;
  const seven = head * 100_000 + a * 10_000 + b * 1000 + c * 100 + d * 10 + e;
  const pair = (from: number, to: number): NumberRange[] =>
    from === NONE || to === NONE ? [] : [prefixed(three(from), three(to), 3)];
  switch (kind) {
    case 0x8:
      return {
        ranges: [a, b, c, d, e]
          .filter((digit) => digit !== NONE)
          .map((digit) => prefixed(three(digit), three(digit), 3)),
        open: undefined,
      };
    case 0x9:
      return { ranges: [...pair(b, c), ...pair(d, e)], open: undefined };
    case 0xa: {
      const codes = d === NONE || e === NONE ? [five(b, c)] : [five(b, c), five(d, e)];
      return { ranges: codes.map((code) => prefixed(code, code, 5)), open: undefined };
    }
    case 0xb:
      return { ranges: [], open: five(b, c) };
    case 0xc:
      return { ranges: open === undefined ? [] : [prefixed(open, five(b, c), 5)], open: undefined };
    case 0xd:
      return { ranges: [], open: seven };
    case 0xe:
      return { ranges: open === undefined ? [] : [[open, seven]], open: undefined };
    default:
      return { ranges: [[seven, seven]], open: undefined };
  }
}

function readRanges(list: Uint8Array): NumberRange[] {
  const ranges: NumberRange[] = [];
  let open: number | undefined;
  for (let at = 0; at + 2 <= list.length; ) {
    const [first = 0, second = 0] = list.subarray(at, at + 2);
    if ((first & 0x80) !== 0) {
      const read = packedRanges(list.subarray(at, at + 4), open);
      ranges.push(...read.ranges);
      open = read.open;
      at += 4;
      continue;
    }
    // Two digits: one range or, where the next octet has bit 7 set, a second one.
    ranges.push(prefixed(first, second & 0x7f, 2));
    const [third = 0, fourth = 0] = list.subarray(at + 2, at + 4);
    if ((third & 0x80) !== 0) ranges.push(prefixed(third & 0x7f, fourth & 0x7f, 2));
    at += 4;
  }
  return ranges;
}

/** @param data the column without the prefix that gives its length in the table */
export function readPostcodeRanges(data: Uint8Array): PostcodeRanges {
  const [length = 0, excludedLength = 0] = data;
  const excludedEnd = 2 + excludedLength;
  return {
    excluded: readRanges(data.subarray(2, excludedEnd)),
    included: readRanges(data.subarray(excludedEnd, 1 + length)),
  };
}

const isIn = (ranges: readonly NumberRange[], code: number): boolean =>
  ranges.some(([from, to]) => code >= from && code <= to);

/** @param code 7 digits */
export function hasPostcode({ included, excluded }: PostcodeRanges, code: number): boolean {
  return isIn(included, code) && !isIn(excluded, code);
}

/** Text to octets of the document's character set, and back. */
export interface Charset {
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}

/** B boolean, U unsigned, I signed, S text, Z postal codes, P padding. */
type FieldType = 'B' | 'U' | 'I' | 'S' | 'Z' | 'P';

export interface Field {
  readonly type: FieldType;
  /** Bits; of a field of variable length the bits of the length that precedes it. */
  readonly bits: number;
  readonly isVariable: boolean;
}

export type FieldValue = boolean | number | string | PostcodeRanges;

const FIELD = /^([BUISZP]):([1-9]\d{0,4})([BbVv])$/;
/** More columns are in no table. */
const MAX_FIELDS = 256;

function isPossible({ type, bits, isVariable }: Field): boolean {
  switch (type) {
    case 'B':
      return bits === 1 && !isVariable;
    case 'U':
      return bits <= 32 && !isVariable;
    case 'I':
      return [8, 16, 32].includes(bits) && !isVariable;
    case 'S':
      return bits % 8 === 0 && (!isVariable || bits <= 32);
    case 'Z':
      return isVariable && bits <= 32;
    case 'P':
      return !isVariable;
  }
}

/** Undefined: not a structure. Fields of I, S and Z have to begin at an octet, as far as that is known beforehand. */
export function parseStructure(text: string): Field[] | undefined {
  const parts = text.split(',');
  if (parts.length > MAX_FIELDS) return undefined;
  const fields: Field[] = [];
  let bits = 0;
  for (const part of parts) {
    const [, type, count = '', unit] = FIELD.exec(part.trim()) ?? [];
    if (type === undefined) return undefined;
    const field: Field = {
      type: type as FieldType,
      bits: Number(count) * (unit === 'b' ? 1 : 8),
      isVariable: unit === 'V' || unit === 'v',
    };
    if (!isPossible(field) || ('ISZ'.includes(type) && bits % 8 !== 0)) return undefined;
    bits += field.bits;
    fields.push(field);
  }
  return fields;
}

class BitReader {
  at = 0;
  readonly #bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }
  /** Unsigned, up to 32 bits; what is missing is 0. */
  bits(count: number): number {
    let value = 0;
    for (let index = 0; index < count; index++, this.at++)
      value = value * 2 + (((this.#bytes[this.at >> 3] ?? 0) >> (7 - (this.at & 7))) & 1);
    return value;
  }
  octets(count: number): Uint8Array {
    const first = this.at >> 3;
    this.at += count * 8;
    return this.#bytes.subarray(first, first + count);
  }
}

function readField(reader: BitReader, field: Field, charset: Charset): FieldValue | undefined {
  const length = (): number => (field.isVariable ? reader.bits(field.bits) : field.bits / 8);
  switch (field.type) {
    case 'B':
      return reader.bits(1) === 1;
    case 'U':
      return reader.bits(field.bits) | 0;
    case 'I':
      return (reader.bits(field.bits) << (32 - field.bits)) >> (32 - field.bits);
    case 'S': {
      const bytes = reader.octets(length());
      const end = bytes.indexOf(0);
      return charset.decode(end < 0 ? bytes : bytes.subarray(0, end));
    }
    case 'Z':
      return readPostcodeRanges(reader.octets(length()));
    case 'P':
      reader.at += field.bits;
      return undefined;
  }
}

/** Padding yields no value. @returns the values and the octets that they take, of which the last may be partly used */
export function readFields(
  bytes: Uint8Array,
  fields: readonly Field[],
  charset: Charset,
): { values: FieldValue[]; length: number } {
  const reader = new BitReader(bytes);
  const values: FieldValue[] = [];
  for (const field of fields) {
    const value = readField(reader, field, charset);
    if (value !== undefined) values.push(value);
  }
  return { values, length: Math.ceil(reader.at / 8) };
}

/** Cut after the last whole character that fits, or filled up with spaces. */
function fixedText(text: string, length: number, charset: Charset): Uint8Array {
  const bytes = new Uint8Array(length).fill(0x20);
  let at = 0;
  for (const character of text) {
    const code = charset.encode(character);
    if (at + code.length > length) break;
    bytes.set(code, at);
    at += code.length;
  }
  return bytes;
}

/** Undefined: a field that cannot be written, too few values, or a text longer than its length can say. */
export function writeFields(
  values: readonly (boolean | number | string | null | undefined)[],
  fields: readonly Field[],
  charset: Charset,
): Uint8Array | undefined {
  const bits: number[] = [];
  const put = (value: number, count: number): void => {
    for (let index = count - 1; index >= 0; index--) bits.push(Math.floor(value / 2 ** index) % 2);
  };
  let next = 0;
  for (const { type, bits: count, isVariable } of fields) {
    if (type === 'P') {
      put(0, count);
      continue;
    }
    if (type === 'Z' || next >= values.length) return undefined;
    const value = values[next++];
    if (type === 'S') {
      const text = value === null || value === undefined ? '' : String(value);
      const bytes = isVariable ? charset.encode(text) : fixedText(text, count / 8, charset);
      if (isVariable) {
        if (bytes.length >= 2 ** count) return undefined;
        put(bytes.length, count);
      }
      for (const octet of bytes) put(octet, 8);
    } else put(type === 'B' ? Number(Boolean(value)) : (Number(value) | 0) >>> 0, count);
  }
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  for (const [index, bit] of bits.entries())
    if (bit === 1) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (0x80 >> (index & 7));
  return bytes;
}

// The character set of documents: EUC-JP.

export const EUC_JP: Charset = {
  encode: encodeEucJp,
  decode: (bytes) => decodeCharacters(bytes, 'euc-jp'),
};

/** Characters in EUC-JP as base64; empty where that is malformed. */
export function decodeBase64Text(base64: string): string {
  try {
    return EUC_JP.decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
  } catch {
    return '';
  }
}
