/** Caption management data: ARIB STD-B24 Vol. 1 Part 3, 9.3.1; TR-B14 Vol. 3 Section 2, 4.2. */
import { Reader } from '../reader.ts';

export interface CaptionLanguage {
  /** 1 to 8: language_tag + 1, the data_group number of its statements. */
  readonly index: number;
  /** ISO 639-2, three lower-case letters; empty if the sent code is invalid. */
  readonly code: string;
  /**
   * DMF. Upper two bits on reception, lower two on playback: 0 shown automatically, 1 not shown automatically,
   * 2 chosen by the viewer, 3 depends on a condition (reception) or undefined.
   */
  readonly displayMode: number;
  /** Format: see writing-format.ts. */
  readonly format: number;
  /** TCS: text in the 8-unit code or in UCS (UTF-8). */
  readonly coding: 'eight-unit' | 'ucs';
  readonly rollUp: boolean;
}

interface ManagementData {
  readonly languages: readonly CaptionLanguage[];
  /** data_unit loop: texts and bitmaps common to all languages. */
  readonly units: Uint8Array;
}

const OFFSET_TIME = 2;
const TIME_OCTETS = 5;
/** DMF values with a display condition after them: shown depending on it. */
const CONDITIONAL: readonly number[] = [0b1100, 0b1101, 0b1110];
const MAX_LANGUAGES = 8;
const UCS = 1;
const ROLL_UP = 1;

function isLetter(octet: number): boolean {
  return octet >= 0x61 && octet <= 0x7a;
}

function languageCode(a: number, b: number, c: number): string {
  const letters = [a, b, c].map((octet) => octet | 0x20);
  return letters.every(isLetter) ? String.fromCharCode(...letters) : '';
}

/** Undefined if the data ends too early. Languages above the eighth and repeated tags are left out. */
export function readManagement(data: Uint8Array): ManagementData | undefined {
  const r = new Reader(data);
  if (r.u8() >> 6 === OFFSET_TIME) r.skip(TIME_OCTETS); // OTM
  const count = r.u8();
  const languages: CaptionLanguage[] = [];
  for (let number = 0; number < count && !r.exhausted; number++) {
    const first = r.u8();
    const displayMode = first & 0x0f;
    if (CONDITIONAL.includes(displayMode)) r.skip(1); // DC
    const code = languageCode(r.u8(), r.u8(), r.u8());
    const last = r.u8();
    const index = (first >> 5) + 1;
    if (languages.length >= MAX_LANGUAGES || languages.some((one) => one.index === index)) continue;
    languages.push({
      index,
      code,
      displayMode,
      format: last >> 4,
      coding: ((last >> 2) & 3) === UCS ? 'ucs' : 'eight-unit',
      rollUp: (last & 3) === ROLL_UP,
    });
  }
  const length = r.u24();
  if (r.exhausted) return undefined;
  const units = r.rest();
  languages.sort((one, other) => one.index - other.index);
  return { languages, units: units.subarray(0, Math.min(length, units.length)) };
}
