/**
 * State machine for the 8-unit code: handles designations, invocations, macros and the syntax of control functions,
 * and passes characters and the remaining control functions to a sink. Sizes, positions, colours and time are left to
 * the sink. ARIB STD-B24 Vol. 1 Part 2, 7.1.
 *
 * Any octets are decoded to their end and nothing is thrown. A parameter outside 0x20..0x7F counts as missing and is
 * decoded normally, so that a damaged control function cannot swallow the following text; a character without its
 * second octet is dropped.
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

// The built-in default macros: sixteen sets of designations, codes 0x60 to 0x6F.
// Each also invokes G0 to GL and G2 to GR. ARIB STD-B24 Vol. 1 Part 2, 7.1 (default macro codes).

const kanji = designatedSet(0x42, 2, false);
const alphanumeric = designatedSet(0x4a, 1, false);
const hiragana = designatedSet(0x30, 1, false);
const katakana = designatedSet(0x31, 1, false);
const mosaicA = designatedSet(0x32, 1, false);
const mosaicB = designatedSet(0x33, 1, false);
const mosaicC = designatedSet(0x34, 1, false);
const mosaicD = designatedSet(0x35, 1, false);
const drcs = (number: number): GraphicSet => designatedSet(0x40 + number, 1, true);

const FIRST_DEFAULT_MACRO = 0x60;

/** G0, G1 and G2 of each macro from 0x60 on; G3 is the macro set in all of them. */
const DEFAULT_MACROS: readonly (readonly [GraphicSet, GraphicSet, GraphicSet])[] = [
  [kanji, alphanumeric, hiragana],
  [kanji, katakana, hiragana],
  [kanji, drcs(1), hiragana],
  [mosaicA, mosaicC, mosaicD],
  [mosaicA, mosaicB, mosaicD],
  [mosaicA, drcs(1), mosaicD],
  [drcs(1), drcs(2), drcs(3)],
  [drcs(4), drcs(5), drcs(6)],
  [drcs(7), drcs(8), drcs(9)],
  [drcs(10), drcs(11), drcs(12)],
  [drcs(13), drcs(14), drcs(15)],
  [kanji, drcs(2), hiragana],
  [kanji, drcs(3), hiragana],
  [kanji, drcs(4), hiragana],
  [katakana, hiragana, alphanumeric],
  [alphanumeric, mosaicA, drcs(1)],
];

/** The four sets, G0 to G3, designated by a default macro; undefined for a code without default. */
function defaultMacro(code: number): readonly GraphicSet[] | undefined {
  const sets = DEFAULT_MACROS[code - FIRST_DEFAULT_MACRO];
  return sets === undefined ? undefined : [...sets, MACRO_SET];
}

/** Receives the decoded text, in order. Must not call the decoder's `decode`. */
export interface EightUnitSink {
  /**
   * @param value its Unicode text, see `characterText`
   * @param code the code in its set: 0x21..0x7E, or two octets 0x2121..0x7E7E
   */
  character(value: number, set: GraphicSet, code: number): void;
  /**
   * A control code (C0, C1, SP, DEL; one of `CONTROL` or an undefined one) with its parameters as sent; missing
   * parameters are -1. Not called for codes that the decoder handles itself: shifts, ESC, MACRO, CSI.
   */
  control(code: number, p1: number, p2: number): void;
  /** A CSI function: final byte (one of `CSI`) and parameters; an omitted parameter is 0. */
  sequence(final: number, parameters: readonly number[]): void;
  /** TIME in its long form (P1 = 0x29): final byte 0x40..0x43 and hours, minutes, seconds, milliseconds. */
  presentationTime(final: number, parameters: readonly number[]): void;
}

/** G0 to G3 at the start of a text. G0 is invoked to GL, G2 to GR. */
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

/** Limit of a stored macro in octets; longer ones are dropped. Not used in service information. */
const MACRO_BODY_LIMIT = 1024;
/**
 * Limit of octets that the macros of one `decode` may expand to: otherwise a text of one-octet calls could grow
 * without bound.
 */
export const MACRO_EXPANSION_LIMIT = 4096;
/** Limit of stored parameters of a CSI function; the longest defined one has four. */
const PARAMETER_LIMIT = 8;
const PARAMETER_MAX = 99_999;
const DESIGNATE_DOUBLE = 0x24;
const DESIGNATE_G0 = 0x28;
const DRCS_MARK = 0x20;
const MACRO_END = 0x4f;

const NOTHING = new Uint8Array(0);
/** Result of reading beyond the end. */
const NONE = -1;

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
  /** The current input and its end. */
  #bytes: Uint8Array = NOTHING;
  #end = 0;

  constructor(sink: EightUnitSink, initial: InitialSets = SI_SETS) {
    this.#sink = sink;
    this.#initial = initial;
    this.#g = [...initial];
  }

  /** Resets to the initial sets; defined macros are removed. A sink may call it. */
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

  /** Decodes `bytes` from `start` to `end`, continuing in the current state. */
  decode(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#expansionLeft = MACRO_EXPANSION_LIMIT;
    this.#read(bytes, start, Math.min(end, bytes.length));
    this.#bytes = NOTHING;
    this.#end = 0;
  }

  /**
   * Decodes the one control function at the beginning of `bytes`, of which `length` octets are valid; returns its
   * length. For text in UCS, which has the same functions among other characters.
   */
  decodeFunction(bytes: Uint8Array, length: number): number {
    this.#bytes = bytes;
    this.#end = length;
    const taken = this.#control(0);
    this.#bytes = NOTHING;
    this.#end = 0;
    return taken;
  }

  #read(bytes: Uint8Array, start: number, end: number): void {
    this.#bytes = bytes;
    this.#end = end;
    let at = start;
    while (at < end) {
      const low = (bytes[at] as number) & 0x7f;
      at = low > 0x20 && low < 0x7f ? this.#characters(at) : this.#control(at);
    }
  }

  #octet(at: number): number {
    return at < this.#end ? (this.#bytes[at] as number) : NONE;
  }

  /** Consecutive characters of one area (GL or GR). */
  #characters(start: number): number {
    const first = this.#bytes[start] as number;
    const high = first & 0x80;
    const set = this.#g[high === 0 ? this.#gl : this.#gr] as GraphicSet;
    if (set === MACRO_SET) {
      this.#invokeMacro(first & 0x7f);
      return start + 1;
    }
    return set.octets === 1 ? this.#singleOctets(start, high, set) : this.#doubleOctets(start, high, set);
  }

  #singleOctets(start: number, high: number, set: GraphicSet): number {
    const sink = this.#sink;
    const bytes = this.#bytes;
    const end = this.#end;
    const values = set.values;
    let at = start;
    while (at < end) {
      const code = (bytes[at] as number) ^ high;
      if (code < 0x21 || code > 0x7e) break;
      sink.character(values[code - FIRST_CODE] as number, set, code);
      at++;
    }
    return at;
  }

  #doubleOctets(start: number, high: number, set: GraphicSet): number {
    const sink = this.#sink;
    const bytes = this.#bytes;
    const end = this.#end;
    const values = set.values;
    let at = start;
    while (at < end) {
      const row = (bytes[at] as number) ^ high;
      if (row < 0x21 || row > 0x7e) break;
      if (at + 1 >= end) return end;
      // The second octet may come from the other area: only its low bits matter.
      const cell = (bytes[at + 1] as number) & 0x7f;
      if (cell < 0x21 || cell > 0x7e) return at + 1;
      sink.character(values[(row - FIRST_CODE) * 94 + cell - FIRST_CODE] as number, set, (row << 8) | cell);
      at += 2;
    }
    return at;
  }

  /** The single character after SS2 or SS3, from either area. */
  #singleShift(at: number, register: 2 | 3): number {
    const code = graphicCode(this.#octet(at));
    if (code === NONE) return at;
    const set = this.#g[register] as GraphicSet;
    if (set === MACRO_SET) {
      this.#invokeMacro(code);
      return at + 1;
    }
    if (set.octets === 1) {
      this.#sink.character(set.values[code - FIRST_CODE] as number, set, code);
      return at + 1;
    }
    const cell = graphicCode(this.#octet(at + 1));
    if (cell === NONE) return at + 1;
    const value = set.values[(code - FIRST_CODE) * 94 + cell - FIRST_CODE] as number;
    this.#sink.character(value, set, (code << 8) | cell);
    return at + 2;
  }

  #control(at: number): number {
    const code = this.#octet(at);
    switch (code) {
      case CONTROL.LS0:
        this.#gl = 0;
        return at + 1;
      case CONTROL.LS1:
        this.#gl = 1;
        return at + 1;
      case CONTROL.SS2:
        return this.#singleShift(at + 1, 2);
      case CONTROL.SS3:
        return this.#singleShift(at + 1, 3);
      case CONTROL.ESC:
        return this.#escape(at + 1);
      case CONTROL.MACRO:
        return this.#defineMacro(at + 1);
      case CONTROL.CSI:
        return this.#sequence(at + 1);
      case CONTROL.TIME:
        return this.#time(at + 1);
      // The space of the other area; 0xFF, its DEL, is not used.
      case 0xa0:
        this.#sink.control(CONTROL.SP, -1, -1);
        return at + 1;
      case 0xff:
        return at + 1;
      default:
        return this.#plainControl(at, code);
    }
  }

  #plainControl(at: number, code: number): number {
    const next = at + 1;
    const count = parameterCount(code, this.#octet(next));
    for (let index = 0; index < count; index++) {
      if (!isParameter(this.#octet(next + index))) return next + index;
    }
    const p1 = count > 0 ? this.#octet(next) : -1;
    const p2 = count > 1 ? this.#octet(next + 1) : -1;
    this.#sink.control(code, p1, p2);
    return next + count;
  }

  /** ESC: intermediate octets 0x20..0x2F and a final one, ARIB STD-B24 Vol. 1 Part 2, tables 7-1 and 7-2. */
  #escape(start: number): number {
    let at = start;
    while (isIntermediate(this.#octet(at))) at++;
    const final = this.#octet(at);
    // Not a sequence: the octet is decoded normally.
    if (final < 0x30 || final > 0x7e) return at;
    if (at === start) this.#lockingShift(final);
    else this.#designate(start, final);
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

  /** The intermediate octets of a designation begin at `start`; the final one ends them. */
  #designate(start: number, final: number): void {
    let at = start;
    const octets = this.#octet(at) === DESIGNATE_DOUBLE ? 2 : 1;
    if (octets === 2) at++;
    const register = this.#octet(at) - DESIGNATE_G0;
    const named = register >= 0 && register < this.#g.length;
    // One-octet designations include their register; two-octet ones may omit G0.
    if (named) at++;
    else if (octets === 1) return;
    const drcs = this.#octet(at) === DRCS_MARK;
    this.#g[named ? register : 0] = designatedSet(final, octets, drcs);
  }

  /** MACRO: 0x40 (define) or 0x41 (define and run), the macro's code, its text up to MACRO 0x4F. 7.1.2.3 */
  #defineMacro(start: number): number {
    const mode = this.#octet(start);
    if (!isParameter(mode)) return start;
    const code = this.#octet(start + 1);
    if ((mode !== 0x40 && mode !== 0x41) || code < 0x21 || code > 0x7e) return start + 1;
    const bodyStart = start + 2;
    let end = bodyStart;
    while (end < this.#end && !(this.#octet(end) === CONTROL.MACRO && this.#octet(end + 1) === MACRO_END))
      end++;
    if (end - bodyStart <= MACRO_BODY_LIMIT && end < this.#end) {
      this.#macros ??= new Map();
      this.#macros.set(code, this.#bytes.slice(bodyStart, end));
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
      this.#expand(body);
      return;
    }
    const sets = defaultMacro(code);
    if (sets === undefined) return;
    this.#g = [...sets];
    this.#gl = 0;
    this.#gr = 2;
  }

  #expand(body: Uint8Array): void {
    const bytes = this.#bytes;
    const end = this.#end;
    this.#expanding = true;
    this.#read(body, 0, body.length);
    this.#expanding = false;
    this.#bytes = bytes;
    this.#end = end;
  }

  /** CSI: decimal parameters separated by 0x3B, intermediate octets, a final one from 0x40 on. 7.1.2.4 */
  #sequence(start: number): number {
    const parameters: number[] = [];
    let at = this.#numbers(start, parameters);
    while (isIntermediate(this.#octet(at))) at++;
    const final = this.#octet(at);
    if (final < 0x40 || final > 0x7e) return at;
    this.#sink.sequence(final, parameters);
    return at + 1;
  }

  /** TIME: 0x20 or 0x28 and one parameter, or 0x29, a time in digits, 0x20 and a final octet. 7.1.2.3 */
  #time(start: number): number {
    const p1 = this.#octet(start);
    if (!isParameter(p1)) return start;
    if (p1 !== 0x29) {
      const p2 = this.#octet(start + 1);
      if (!isParameter(p2)) return start + 1;
      this.#sink.control(CONTROL.TIME, p1, p2);
      return start + 2;
    }
    const parameters: number[] = [];
    let at = this.#numbers(start + 1, parameters);
    if (this.#octet(at) === 0x20) at++;
    const final = this.#octet(at);
    if (final < 0x40 || final > 0x7e) return at;
    this.#sink.presentationTime(final, parameters);
    return at + 1;
  }

  /** Decimal numbers separated by 0x3B, into `numbers`; returns the position of the first other octet. */
  #numbers(start: number, numbers: number[]): number {
    let value = 0;
    let at = start;
    for (; ; at++) {
      const octet = this.#octet(at);
      if (octet < 0x30 || octet > 0x3f) break;
      if (octet <= 0x39) value = Math.min(value * 10 + octet - 0x30, PARAMETER_MAX);
      else if (octet === 0x3b) {
        if (numbers.length < PARAMETER_LIMIT) numbers.push(value);
        value = 0;
      }
    }
    if (at > start && numbers.length < PARAMETER_LIMIT) numbers.push(value);
    return at;
  }
}

/** The code of a graphic octet of either area; NONE for any other. */
function graphicCode(octet: number): number {
  const code = octet & 0x7f;
  return octet === NONE || code < 0x21 || code > 0x7e ? NONE : code;
}

function isParameter(octet: number): boolean {
  return octet >= 0x20 && octet < 0x80;
}

function isIntermediate(octet: number): boolean {
  return octet >= 0x20 && octet <= 0x2f;
}
