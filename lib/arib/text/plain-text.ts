/**
 * A fast decoder for nearly all texts of the service information: characters, shifts, designations, spaces, sizes and
 * line breaks. Other texts are left to the full decoder; the result is the same (`test/fuzz/text.test.ts` compares
 * them). ARIB STD-B10 Part 2, Annex A.
 */
import { characterText, designatedSet, type GraphicSet } from './character-set.ts';
import { CONTROL } from './control-codes.ts';
import { SI_SETS } from './decoder.ts';

const SPACE = 0x20;
const DEL = 0x7f;
const IDEOGRAPHIC_SPACE = 0x3000;
const LINE_FEED = 0x0a;
const FIRST_CODE = 0x21;
const CELLS = 94;
const DESIGNATE_DOUBLE = 0x24;
const DESIGNATE_G0 = 0x28;
/** Code units per call of fromCharCode: arguments are passed on the stack. */
const CHUNK = 4096;
/** Added to the number of a register that is invoked to GR. */
const RIGHT = 4;

/** UTF-16 code units of the current text. */
const units: number[] = [];
let count = 0;
const g: GraphicSet[] = [...SI_SETS];

/** Undefined if only the full decoder can read the text. `start` is before `end`. */
export function readPlainText(bytes: Uint8Array, start: number, end: number): string | undefined {
  for (let index = 0; index < SI_SETS.length; index++) g[index] = SI_SETS[index] as GraphicSet;
  let gl = 0;
  let gr = 2;
  let left: GraphicSet = SI_SETS[0];
  let right: GraphicSet = SI_SETS[2];
  let halfWidth = false;
  count = 0;
  let at = start;
  while (at < end) {
    const first = bytes[at] as number;
    const high = first & 0x80;
    if ((first ^ high) > SPACE) {
      const set = high === 0 ? left : right;
      at =
        set.octets === 2
          ? doubleOctets(bytes, at, end, set.values)
          : singleOctets(bytes, at, end, set.values);
      if (at < 0 || (at < end && ((bytes[at] as number) & 0x7f) === DEL)) return undefined;
      continue;
    }
    at++;
    switch (first) {
      case CONTROL.SP:
      case CONTROL.SP | 0x80:
        units[count++] = halfWidth || left.name === 'alphanumeric' ? SPACE : IDEOGRAPHIC_SPACE;
        break;
      case CONTROL.APR:
        units[count++] = LINE_FEED;
        break;
      case CONTROL.LS0:
        gl = 0;
        left = g[gl] as GraphicSet;
        break;
      case CONTROL.LS1:
        gl = 1;
        left = g[gl] as GraphicSet;
        break;
      case CONTROL.SS2:
      case CONTROL.SS3: {
        const set = g[first === CONTROL.SS2 ? 2 : 3] as GraphicSet;
        const code = at < end ? (bytes[at] as number) & 0x7f : 0;
        if (set.octets !== 1 || code <= SPACE || code === DEL) return undefined;
        count = append(set.values[code - FIRST_CODE] as number, count);
        at++;
        break;
      }
      case CONTROL.SSZ:
      case CONTROL.MSZ:
        halfWidth = true;
        break;
      case CONTROL.NSZ:
        halfWidth = false;
        break;
      case CONTROL.ESC: {
        const shift = at < end ? lockingShift(bytes[at] as number) : -1;
        if (shift >= RIGHT) gr = shift - RIGHT;
        else if (shift >= 0) gl = shift;
        const next = shift >= 0 ? at + 1 : designate(bytes, at, end);
        if (next < 0) return undefined;
        at = next;
        left = g[gl] as GraphicSet;
        right = g[gr] as GraphicSet;
        break;
      }
      default:
        return undefined;
    }
  }
  return text();
}

/** Consecutive characters of one area; returns their end, -1 if one is not a character. */
function doubleOctets(bytes: Uint8Array, start: number, end: number, values: Int32Array): number {
  const high = (bytes[start] as number) & 0x80;
  let at = start;
  let next = count;
  while (at < end) {
    const row = (bytes[at] as number) ^ high;
    if (row <= SPACE || row >= DEL) break;
    // A character without its second octet is dropped.
    if (at + 1 >= end) {
      at = end;
      break;
    }
    const cell = (bytes[at + 1] as number) & 0x7f;
    if (cell <= SPACE || cell === DEL) return -1;
    const value = values[(row - FIRST_CODE) * CELLS + cell - FIRST_CODE] as number;
    if (value < 0x10000) units[next++] = value;
    else next = append(value, next);
    at += 2;
  }
  count = next;
  return at;
}

function singleOctets(bytes: Uint8Array, start: number, end: number, values: Int32Array): number {
  const high = (bytes[start] as number) & 0x80;
  let at = start;
  let next = count;
  while (at < end) {
    const code = (bytes[at] as number) ^ high;
    if (code <= SPACE || code >= DEL) break;
    const value = values[code - FIRST_CODE] as number;
    if (value < 0x10000) units[next++] = value;
    else next = append(value, next);
    at++;
  }
  count = next;
  return at;
}

/** Writes a value's text at `next`; returns the position after it. */
function append(value: number, next: number): number {
  if (value < 0x10000) {
    units[next] = value;
    return next + 1;
  }
  if (value <= 0x10ffff) {
    units[next] = 0xd7c0 + (value >> 10);
    units[next + 1] = 0xdc00 | (value & 0x3ff);
    return next + 2;
  }
  const characters = characterText(value);
  for (let index = 0; index < characters.length; index++) units[next + index] = characters.charCodeAt(index);
  return next + characters.length;
}

/** The register that a final octet after ESC invokes, 4 more for GR; -1: it invokes none. */
function lockingShift(final: number): number {
  switch (final) {
    case 0x6e: // LS2
      return 2;
    case 0x6f: // LS3
      return 3;
    case 0x7e: // LS1R
      return RIGHT + 1;
    case 0x7d: // LS2R
      return RIGHT + 2;
    case 0x7c: // LS3R
      return RIGHT + 3;
    default:
      return -1;
  }
}

/** End of the designation after an ESC; -1 if it is truncated, unsupported or designates a DRCS set. */
function designate(bytes: Uint8Array, start: number, end: number): number {
  const double = bytes[start] === DESIGNATE_DOUBLE;
  let at = double ? start + 1 : start;
  if (at + 1 >= end) return -1;
  let register = (bytes[at] as number) - DESIGNATE_G0;
  if (register >= 0 && register < SI_SETS.length) at++;
  else if (double) register = 0;
  else return -1;
  const final = bytes[at] as number;
  if (final < 0x30 || final > 0x7e) return -1;
  g[register] = designatedSet(final, double ? 2 : 1, false);
  return at + 1;
}

function text(): string {
  units.length = count;
  if (count <= CHUNK) return String.fromCharCode.apply(null, units);
  let text = '';
  for (let from = 0; from < count; from += CHUNK) {
    text += String.fromCharCode.apply(null, units.slice(from, from + CHUNK));
  }
  return text;
}
