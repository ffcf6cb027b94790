/**
 * Parses the payload of a caption PES packet to one data group with a correct CRC: ARIB STD-B24 Vol. 3, 5
 * (independent PES) and Vol. 1 Part 3, 9.2 (data group).
 */
import { Reader } from '../reader.ts';

// CRC_16 of caption data groups, ARIB STD-B24 Vol. 1 Part 3, 9.2: polynomial x^16 + x^12 + x^5 + 1, register starting
// at zero, most significant bit first, no final inversion. Over a whole group, its CRC field included, the result is 0.

const POLYNOMIAL = 0x1021;

const TABLE = Uint16Array.from({ length: 256 }, (_, byte) => {
  let register = byte << 8;
  for (let bit = 0; bit < 8; bit++) {
    register = (register & 0x8000) !== 0 ? (register << 1) ^ POLYNOMIAL : register << 1;
  }
  return register & 0xffff;
});

/** The CRC of `bytes[from, to)`, 0 to 0xFFFF. */
export function crc16(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let register = 0;
  for (let at = from; at < to; at++) {
    register = ((register << 8) & 0xffff) ^ (TABLE[(register >> 8) ^ (bytes[at] as number)] as number);
  }
  return register;
}

export interface DataGroup {
  /** 'superimpose' for data_identifier 0x81. */
  readonly kind: 'caption' | 'superimpose';
  /** Broadcasters change the group when the management data changes: TR-B14 Vol. 3 Section 2. */
  readonly group: 'A' | 'B';
  /** 0: management data; 1 to 8: statement of that language. */
  readonly number: number;
  /** data_group_data. */
  readonly data: Uint8Array;
  /** Octets of the payload up to the end of the group. */
  readonly size: number;
}

const CAPTION = 0x80;
const SUPERIMPOSE = 0x81;
const PRIVATE_STREAM_ID = 0xff;
/** data_group_id, version, two link numbers, size. */
const HEADER = 5;
const CRC = 2;
const LANGUAGES = 8;

type DataGroupFailure = 'no-caption' | 'damaged';

/**
 * Reads the group at the start of `payload` (PES_packet_data_byte). 'no-caption': another kind of private data;
 * 'damaged': truncated, wrong CRC or a reserved data_group_id.
 */
export function readDataGroup(payload: Uint8Array): DataGroup | DataGroupFailure {
  const r = new Reader(payload);
  const identifier = r.u8();
  if (identifier !== CAPTION && identifier !== SUPERIMPOSE) return 'no-caption';
  if (r.u8() !== PRIVATE_STREAM_ID) return 'no-caption';
  r.skip(r.u8() & 0x0f); // PES_data_private_data_byte
  const start = payload.length - r.remaining;
  const id = r.u8() >> 2;
  r.skip(2); // data_group_link_number, last_data_group_link_number: always 0 in operation
  const size = r.u16();
  if (r.exhausted || r.remaining < size + CRC) return 'damaged';
  const end = start + HEADER + size;
  if (crc16(payload, start, end + CRC) !== 0) return 'damaged';
  const number = id & 0x1f;
  if (number > LANGUAGES) return 'damaged';
  return {
    kind: identifier === CAPTION ? 'caption' : 'superimpose',
    group: (id & 0x20) === 0 ? 'A' : 'B',
    number,
    data: payload.subarray(start + HEADER, end),
    size: end + CRC,
  };
}

// Caption statement data and data units: ARIB STD-B24 Vol. 1 Part 3, 9.3.2 and 9.4. A truncated unit is returned with
// the received part, whose text is still worth showing.

interface DataUnit {
  /** data_unit_parameter: one of `UNIT`, or an ignored one. */
  readonly parameter: number;
  readonly data: Uint8Array;
}

/** data_unit_parameter, Vol. 1 Part 3, 9.4. Others (geometric, sound, colour map) are not in operation. */
export const UNIT = { body: 0x20, singleDrcs: 0x30, doubleDrcs: 0x31, bitmap: 0x35 } as const;

const SEPARATOR = 0x1f;
const UNIT_HEADER = 5;
const REAL_TIME = 1;
const OFFSET_TIME = 2;
const TIME_OCTETS = 5;

/**
 * The data_unit loop of a statement. STM (TMD 01 and 10) is ignored: statements are shown by their PTS, which is the
 * only timing in operation (TR-B14 Vol. 3 Section 2).
 */
export function statementUnits(data: Uint8Array): Uint8Array {
  const r = new Reader(data);
  const mode = r.u8() >> 6;
  if (mode === REAL_TIME || mode === OFFSET_TIME) r.skip(TIME_OCTETS);
  const length = r.u24();
  const units = r.rest();
  return units.subarray(0, Math.min(length, units.length));
}

export function* dataUnits(loop: Uint8Array): Generator<DataUnit> {
  let at = 0;
  while (at + UNIT_HEADER <= loop.length) {
    // Stuffing or damage between units: parsing resumes at the next separator.
    if (loop[at] !== SEPARATOR) {
      at++;
      continue;
    }
    const size =
      ((loop[at + 2] as number) << 16) | ((loop[at + 3] as number) << 8) | (loop[at + 4] as number);
    const start = at + UNIT_HEADER;
    const end = Math.min(start + size, loop.length);
    yield { parameter: loop[at + 1] as number, data: loop.subarray(start, end) };
    at = end;
  }
}

// Caption management data: ARIB STD-B24 Vol. 1 Part 3, 9.3.1; TR-B14 Vol. 3 Section 2, 4.2.

export interface DeclaredLanguage {
  /** 1 to 8: language_tag + 1, the data_group number of its statements. */
  readonly index: number;
  /** ISO 639-2, three lower-case letters; empty if the sent code is invalid. */
  readonly code: string;
  /**
   * DMF. Upper two bits on reception, lower two on playback: 0 shown automatically, 1 not shown automatically,
   * 2 chosen by the viewer, 3 depends on a condition (reception) or undefined.
   */
  readonly displayMode: number;
  /** Format: see `look.ts`. */
  readonly format: number;
  /** TCS: text in the 8-unit code or in UCS (UTF-8). */
  readonly coding: 'eight-unit' | 'ucs';
  readonly rollUp: boolean;
}

interface ManagementData {
  readonly languages: readonly DeclaredLanguage[];
  /** data_unit loop: texts and bitmaps common to all languages. */
  readonly units: Uint8Array;
}

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
  const languages: DeclaredLanguage[] = [];
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
