/**
 * The 8-unit code as a state machine: designations, invocations, macros and the syntax of the control functions
 * are followed here, characters and the remaining control functions are handed to a sink. What it does not do:
 * sizes, positions, colours and time mean something to the sink only. ARIB STD-B24 Vol. 1 Part 2, 7.1 to 7.3.
 *
 * Any octets are read to their end and nothing is thrown. A parameter outside 0x20..0x7F is taken as missing and
 * read as what it is, so that a damaged control function cannot swallow the text after it; a character whose
 * second octet is missing is dropped.
 */
import {
  ALPHANUMERIC_SET,
  designatedSet,
  FIRST_CODE,
  type GraphicSet,
  HIRAGANA_SET,
  KANJI_SET,
  KATAKANA_SET,
  MACRO_SET,
} from './character-set.ts';
import { CONTROL, parameterCount } from './control-codes.ts';
import { defaultMacro } from './macro.ts';

/** Receives what the text says, in order. Must not call the decoder's `decode`. */
export interface EightUnitSink {
  /**
   * @param value its Unicode text, see `characterText`
   * @param code the code in its set: 0x21..0x7E, or two octets 0x2121..0x7E7E
   */
  character(value: number, set: GraphicSet, code: number): void;
  /**
   * A control code (C0, C1, SP, DEL; one of `CONTROL` or an undefined one) with its parameters as sent; a
   * parameter that it does not have is -1. Never one that the decoder follows itself: shifts, ESC, MACRO, CSI.
   */
  control(code: number, p1: number, p2: number): void;
  /** A CSI function: final byte (one of `CSI`) and parameters; a parameter that was left out is 0. */
  sequence(final: number, parameters: readonly number[]): void;
  /** TIME in its long form (P1 = 0x29): final byte 0x40..0x43 and hours, minutes, seconds, milliseconds. */
  presentationTime(final: number, parameters: readonly number[]): void;
}

/** G0 to G3 when a text begins. G0 is invoked to GL, G2 to GR. */
export type InitialSets = readonly [GraphicSet, GraphicSet, GraphicSet, GraphicSet];

/** Texts of the service information: ARIB STD-B10 Part 2, Annex A. */
export const SI_SETS: InitialSets = [KANJI_SET, ALPHANUMERIC_SET, HIRAGANA_SET, KATAKANA_SET];
/** Captions and superimpose: ARIB STD-B24 Vol. 1 Part 2, 8.2; TR-B14 Vol. 3 Section 2. */
export const CAPTION_SETS: InitialSets = [KANJI_SET, ALPHANUMERIC_SET, HIRAGANA_SET, MACRO_SET];
/** Captions of one-segment services (profile C): GL is DRCS-1, GR the Kanji set, no shifts are sent. */
export const ONE_SEGMENT_SETS: InitialSets = [
  designatedSet(0x41, 1, true),
  ALPHANUMERIC_SET,
  KANJI_SET,
  MACRO_SET,
];

/** Octets of one macro that is kept; longer ones are forgotten. Service information operates none. */
const MACRO_BODY_LIMIT = 1024;
/** Octets that the macros of one `decode` may expand to: a text of one-octet calls cannot grow without end. */
export const MACRO_EXPANSION_LIMIT = 4096;
/** Parameters of a CSI function that are kept; the longest defined has four. */
const PARAMETER_LIMIT = 8;
const PARAMETER_MAX = 99_999;
const DESIGNATE_DOUBLE = 0x24;
const DESIGNATE_G0 = 0x28;
const DRCS_MARK = 0x20;
const MACRO_END = 0x4f;

export class EightUnitDecoder {
  readonly #sink: EightUnitSink;
  readonly #initial: InitialSets;
  #g: GraphicSet[];
  /** Which of G0 to G3 are invoked to GL and GR. */
  #gl = 0;
  #gr = 2;
  #macros: Map<number, Uint8Array> | undefined;
  #expansionLeft = 0;
  #expanding = false;

  constructor(sink: EightUnitSink, initial: InitialSets = SI_SETS) {
    this.#sink = sink;
    this.#initial = initial;
    this.#g = [...initial];
  }

  /** Back to the initial sets; macros that were defined are forgotten. A sink may call it. */
  reset(): void {
    for (let index = 0; index < this.#initial.length; index++) {
      this.#g[index] = this.#initial[index] as GraphicSet;
    }
    this.#gl = 0;
    this.#gr = 2;
    this.#macros = undefined;
  }

  /** The set invoked to GL. */
  get left(): GraphicSet {
    return this.#g[this.#gl] as GraphicSet;
  }

  /** Reads all of `bytes`, from the state that the text before left. */
  decode(bytes: Uint8Array): void {
    this.#expansionLeft = MACRO_EXPANSION_LIMIT;
    this.#read(bytes);
  }

  #read(bytes: Uint8Array): void {
    const end = bytes.length;
    let at = 0;
    while (at < end) {
      const low = (bytes[at] as number) & 0x7f;
      at = low > 0x20 && low < 0x7f ? this.#characters(bytes, at) : this.#control(bytes, at);
    }
  }

  /** Characters of one area (GL or GR) as long as they follow each other. */
  #characters(bytes: Uint8Array, start: number): number {
    const high = (bytes[start] as number) & 0x80;
    const set = this.#g[high === 0 ? this.#gl : this.#gr] as GraphicSet;
    if (set === MACRO_SET) {
      this.#invokeMacro((bytes[start] as number) & 0x7f);
      return start + 1;
    }
    return set.octets === 1
      ? this.#singleOctets(bytes, start, high, set)
      : this.#doubleOctets(bytes, start, high, set);
  }

  #singleOctets(bytes: Uint8Array, start: number, high: number, set: GraphicSet): number {
    const sink = this.#sink;
    const values = set.values;
    const end = bytes.length;
    let at = start;
    while (at < end) {
      const code = (bytes[at] as number) ^ high;
      if (code < 0x21 || code > 0x7e) break;
      sink.character(values[code - FIRST_CODE] as number, set, code);
      at++;
    }
    return at;
  }

  #doubleOctets(bytes: Uint8Array, start: number, high: number, set: GraphicSet): number {
    const sink = this.#sink;
    const values = set.values;
    const end = bytes.length;
    let at = start;
    while (at < end) {
      const row = (bytes[at] as number) ^ high;
      if (row < 0x21 || row > 0x7e) break;
      if (at + 1 >= end) return end;
      // The second octet may come from the other area: only its low bits count.
      const cell = (bytes[at + 1] as number) & 0x7f;
      if (cell < 0x21 || cell > 0x7e) return at + 1;
      sink.character(values[(row - FIRST_CODE) * 94 + cell - FIRST_CODE] as number, set, (row << 8) | cell);
      at += 2;
    }
    return at;
  }

  /** The single character after SS2 or SS3, from either area. */
  #singleShift(bytes: Uint8Array, at: number, register: 2 | 3): number {
    if (at >= bytes.length) return at;
    const code = (bytes[at] as number) & 0x7f;
    if (code < 0x21 || code > 0x7e) return at;
    const set = this.#g[register] as GraphicSet;
    if (set === MACRO_SET) {
      this.#invokeMacro(code);
      return at + 1;
    }
    if (set.octets === 1) {
      this.#sink.character(set.values[code - FIRST_CODE] as number, set, code);
      return at + 1;
    }
    if (at + 1 >= bytes.length) return at + 1;
    const cell = (bytes[at + 1] as number) & 0x7f;
    if (cell < 0x21 || cell > 0x7e) return at + 1;
    const value = set.values[(code - FIRST_CODE) * 94 + cell - FIRST_CODE] as number;
    this.#sink.character(value, set, (code << 8) | cell);
    return at + 2;
  }

  #control(bytes: Uint8Array, at: number): number {
    const code = bytes[at] as number;
    switch (code) {
      case CONTROL.LS0:
        this.#gl = 0;
        return at + 1;
      case CONTROL.LS1:
        this.#gl = 1;
        return at + 1;
      case CONTROL.SS2:
        return this.#singleShift(bytes, at + 1, 2);
      case CONTROL.SS3:
        return this.#singleShift(bytes, at + 1, 3);
      case CONTROL.ESC:
        return this.#escape(bytes, at + 1);
      case CONTROL.MACRO:
        return this.#defineMacro(bytes, at + 1);
      case CONTROL.CSI:
        return this.#sequence(bytes, at + 1);
      case CONTROL.TIME:
        return this.#time(bytes, at + 1);
      // The space of the other area; 0xFF, its DEL, is not used.
      case 0xa0:
        this.#sink.control(CONTROL.SP, -1, -1);
        return at + 1;
      case 0xff:
        return at + 1;
      default:
        return this.#plainControl(bytes, at, code);
    }
  }

  #plainControl(bytes: Uint8Array, at: number, code: number): number {
    const next = at + 1;
    const count = parameterCount(code, bytes[next] ?? 0);
    for (let index = 0; index < count; index++) {
      if (!isParameter(bytes, next + index)) return next + index;
    }
    const p1 = count > 0 ? (bytes[next] as number) : -1;
    const p2 = count > 1 ? (bytes[next + 1] as number) : -1;
    this.#sink.control(code, p1, p2);
    return next + count;
  }

  /** ESC: intermediate octets 0x20..0x2F and a final one, ARIB STD-B24 Vol. 1 Part 2, tables 7-1 and 7-2. */
  #escape(bytes: Uint8Array, start: number): number {
    let at = start;
    while (isIntermediate(bytes[at])) at++;
    const final = bytes[at];
    // Not a sequence: what is here is read for itself.
    if (final === undefined || final < 0x30 || final > 0x7e) return at;
    if (at === start) this.#lockingShift(final);
    else this.#designate(bytes.subarray(start, at), final);
    return at + 1;
  }

  #lockingShift(final: number): void {
    switch (final) {
      case 0x6e: // LS2
        this.#gl = 2;
        break;
      case 0x6f: // LS3
        this.#gl = 3;
        break;
      case 0x7e: // LS1R
        this.#gr = 1;
        break;
      case 0x7d: // LS2R
        this.#gr = 2;
        break;
      case 0x7c: // LS3R
        this.#gr = 3;
        break;
    }
  }

  #designate(intermediates: Uint8Array, final: number): void {
    let at = 0;
    const octets = intermediates[0] === DESIGNATE_DOUBLE ? 2 : 1;
    if (octets === 2) at++;
    const register = (intermediates[at] ?? 0) - DESIGNATE_G0;
    const named = register >= 0 && register < this.#g.length;
    // One-octet designations name their register; two-octet ones may leave out G0.
    if (named) at++;
    else if (octets === 1) return;
    const drcs = intermediates[at] === DRCS_MARK;
    this.#g[named ? register : 0] = designatedSet(final, octets, drcs);
  }

  /** MACRO: 0x40 (define) or 0x41 (define and run), the macro's code, its text up to MACRO 0x4F. 7.1.2.3 */
  #defineMacro(bytes: Uint8Array, start: number): number {
    if (!isParameter(bytes, start)) return start;
    const mode = bytes[start] as number;
    if (mode !== 0x40 && mode !== 0x41) return start + 1;
    const code = bytes[start + 1];
    if (code === undefined || code < 0x21 || code > 0x7e) return start + 1;
    const bodyStart = start + 2;
    let end = bodyStart;
    while (end < bytes.length && !(bytes[end] === CONTROL.MACRO && bytes[end + 1] === MACRO_END)) end++;
    if (end - bodyStart <= MACRO_BODY_LIMIT && end < bytes.length) {
      this.#macros ??= new Map();
      this.#macros.set(code, bytes.slice(bodyStart, end));
      if (mode === 0x41) this.#invokeMacro(code);
    }
    return end + 2;
  }

  /** Macros do not nest: a call inside a macro's text does nothing. */
  #invokeMacro(code: number): void {
    if (this.#expanding) return;
    const body = this.#macros?.get(code);
    if (body !== undefined) {
      if (body.length > this.#expansionLeft) return;
      this.#expansionLeft -= body.length;
      this.#expanding = true;
      this.#read(body);
      this.#expanding = false;
      return;
    }
    const sets = defaultMacro(code);
    if (sets === undefined) return;
    this.#g = [...sets];
    this.#gl = 0;
    this.#gr = 2;
  }

  /** CSI: decimal parameters separated by 0x3B, intermediate octets, a final one from 0x40 on. 7.1.2.4 */
  #sequence(bytes: Uint8Array, start: number): number {
    const parameters: number[] = [];
    let at = readNumbers(bytes, start, parameters);
    while (isIntermediate(bytes[at])) at++;
    const final = bytes[at];
    if (final === undefined || final < 0x40 || final > 0x7e) return at;
    this.#sink.sequence(final, parameters);
    return at + 1;
  }

  /** TIME: 0x20 or 0x28 and one parameter, or 0x29, a time in digits, 0x20 and a final octet. 7.1.2.3 */
  #time(bytes: Uint8Array, start: number): number {
    if (!isParameter(bytes, start)) return start;
    const p1 = bytes[start] as number;
    if (p1 !== 0x29) {
      if (!isParameter(bytes, start + 1)) return start + 1;
      this.#sink.control(CONTROL.TIME, p1, bytes[start + 1] as number);
      return start + 2;
    }
    const parameters: number[] = [];
    let at = readNumbers(bytes, start + 1, parameters);
    if (bytes[at] === 0x20) at++;
    const final = bytes[at];
    if (final === undefined || final < 0x40 || final > 0x7e) return at;
    this.#sink.presentationTime(final, parameters);
    return at + 1;
  }
}

function isParameter(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at];
  return byte !== undefined && byte >= 0x20 && byte < 0x80;
}

function isIntermediate(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x20 && byte <= 0x2f;
}

/** Decimal numbers 0x30..0x39 separated by 0x3B, into `numbers`; gives the place of the first other octet. */
function readNumbers(bytes: Uint8Array, start: number, numbers: number[]): number {
  let at = start;
  let value = 0;
  for (; ; at++) {
    const byte = bytes[at];
    if (byte === undefined || byte < 0x30 || byte > 0x3f) break;
    if (byte <= 0x39) value = Math.min(value * 10 + byte - 0x30, PARAMETER_MAX);
    else if (byte === 0x3b) {
      if (numbers.length < PARAMETER_LIMIT) numbers.push(value);
      value = 0;
    }
  }
  if (at > start && numbers.length < PARAMETER_LIMIT) numbers.push(value);
  return at;
}
