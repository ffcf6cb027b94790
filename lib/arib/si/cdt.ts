import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import type { NetworkId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';

/** A section of the common data table: a logo. ARIB STD-B21, 12.2.2.2; TR-B14 Vol. 4. */
export interface Cdt {
  /** Referenced by a service's logo transmission descriptor. */
  readonly downloadDataId: number;
  readonly originalNetworkId: NetworkId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  /** data_type: 1 a logo, see `parseLogo`; others are not defined. */
  readonly dataType: number;
  readonly descriptors: readonly Descriptor[];
  readonly data: Uint8Array;
}

export const CDT_PID = 0x0029;
const CDT_TABLE_ID = 0xc8;
export const CDT_LOGO = 0x01;

/** Undefined if the section is not a CDT, is not current yet, or has a wrong length. */
export function parseCdt(section: Section): Cdt | undefined {
  if (section.tableId !== CDT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const originalNetworkId = r.u16() as NetworkId;
  const dataType = r.u8();
  // reserved 4, descriptors_loop_length 12
  const descriptors = readDescriptors(r.slice(r.length12()));
  if (r.exhausted) return undefined;
  return {
    downloadDataId: section.extension,
    originalNetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    dataType,
    descriptors,
    data: r.rest(),
  };
}
