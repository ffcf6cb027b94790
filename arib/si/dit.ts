import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';

/**
 * The discontinuity information table: a partial stream changes here. ETSI EN 300 468, 7.1.1;
 * ARIB STD-B21, 9.1.8.2.
 */
interface Dit {
  /** transition_flag: another stream follows; false: only the selection changes. */
  readonly transition: boolean;
}

const DIT_TABLE_ID = 0x7e;

/** Undefined if the section is not a DIT or is empty. */
export function parseDit(section: Section): Dit | undefined {
  if (section.tableId !== DIT_TABLE_ID || section.long) return undefined;
  const r = new Reader(section.body);
  // transition_flag 1, reserved 7
  const transition = (r.u8() & 0x80) !== 0;
  return r.exhausted ? undefined : { transition };
}
