/**
 * Caption statement data and data units: ARIB STD-B24 Vol. 1 Part 3, 9.3.2 and 9.4. A truncated unit is returned with
 * the received part, whose text is still worth showing.
 */
import { Reader } from '../reader.ts';

interface DataUnit {
  /** data_unit_parameter: one of `UNIT`, or an ignored one. */
  readonly parameter: number;
  readonly data: Uint8Array;
}

/** data_unit_parameter, Vol. 1 Part 3, 9.4. Others (geometric, sound, colour map) are not in operation. */
export const UNIT = { body: 0x20, singleDrcs: 0x30, doubleDrcs: 0x31, bitmap: 0x35 } as const;

const SEPARATOR = 0x1f;
const HEADER = 5;
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
  while (at + HEADER <= loop.length) {
    // Stuffing or damage between units: parsing resumes at the next separator.
    if (loop[at] !== SEPARATOR) {
      at++;
      continue;
    }
    const size =
      ((loop[at + 2] as number) << 16) | ((loop[at + 3] as number) << 8) | (loop[at + 4] as number);
    const start = at + HEADER;
    const end = Math.min(start + size, loop.length);
    yield { parameter: loop[at + 1] as number, data: loop.subarray(start, end) };
    at = end;
  }
}
