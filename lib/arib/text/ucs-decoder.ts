/**
 * Text in UCS (TCS 01): UTF-8 with the control functions of the 8-unit code, C1 controls as U+0080 to U+009F. Sets
 * are neither designated nor invoked. ARIB STD-B24 Vol. 1 Part 2, 7.2. Nothing is thrown: damaged UTF-8 is U+FFFD.
 */
import { DRCS_CHARACTER, designatedSet, type GraphicSet, UNDEFINED_CHARACTER } from './character-set.ts';
import { CONTROL } from './control-codes.ts';
import { EightUnitDecoder, type EightUnitSink } from './decoder.ts';

/** Set reported for characters in UCS: two octets per character, not a set of the 8-unit code. */
const UCS_SET: GraphicSet = designatedSet(0x7e, 2, false);
/** Set reported for DRCS characters in UCS: DRCS-0, with the code point as the code. */
const UCS_DRCS: GraphicSet = designatedSet(0x40, 2, true);
const FIRST_DRCS = 0xec00;
const LAST_DRCS = 0xf8ff;
/** The longest control function: CSI with eight parameters of five digits. */
const LONGEST_FUNCTION = 64;
/** Functions that only the 8-unit code has. */
const CODE_EXTENSION: readonly number[] = [
  CONTROL.LS0,
  CONTROL.LS1,
  CONTROL.SS2,
  CONTROL.SS3,
  CONTROL.ESC,
  CONTROL.MACRO,
];

export class UcsDecoder {
  readonly #sink: EightUnitSink;
  /** Decodes control functions, which are the same in both codes. */
  readonly #functions: EightUnitDecoder;
  readonly #function = new Uint8Array(LONGEST_FUNCTION);

  constructor(sink: EightUnitSink) {
    this.#sink = sink;
    this.#functions = new EightUnitDecoder(sink);
  }

  decode(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const [code, next] = codePointAt(bytes, at);
      const isControl = code <= 0x20 || (code >= 0x7f && code < 0xa0);
      if (isControl) at = this.#control(code, bytes, next);
      else {
        this.#character(code);
        at = next;
      }
    }
  }

  #character(code: number): void {
    if (code >= FIRST_DRCS && code <= LAST_DRCS) this.#sink.character(DRCS_CHARACTER, UCS_DRCS, code);
    else this.#sink.character(code, UCS_SET, code);
  }

  /** A control code whose parameters begin at `next`; returns its end. */
  #control(code: number, bytes: Uint8Array, next: number): number {
    if (CODE_EXTENSION.includes(code)) return next;
    this.#function[0] = code;
    let length = 1;
    for (
      let at = next;
      at < bytes.length && length < LONGEST_FUNCTION && (bytes[at] as number) < 0x80;
      at++
    ) {
      this.#function[length++] = bytes[at] as number;
    }
    return next + this.#functions.decodeFunction(this.#function, length) - 1;
  }
}

/** The code point at a position, and the position of the next one. */
function codePointAt(bytes: Uint8Array, at: number): readonly [code: number, next: number] {
  const first = bytes[at] as number;
  if (first < 0x80) return [first, at + 1];
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return [UNDEFINED_CHARACTER, at + 1];
  let code = first & (0x7f >> length);
  for (let index = 1; index < length; index++) {
    const octet = bytes[at + index] ?? 0;
    if ((octet & 0xc0) !== 0x80) return [UNDEFINED_CHARACTER, at + index];
    code = (code << 6) | (octet & 0x3f);
  }
  const surrogate = code >= 0xd800 && code <= 0xdfff;
  return [surrogate || code > 0x10ffff ? UNDEFINED_CHARACTER : code, at + length];
}
