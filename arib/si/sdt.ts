import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import type { NetworkId, ServiceId, TransportStreamId } from '../ids.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';

/** A section of the service description table, ARIB STD-B10 Part 2, 5.2.6. */
export interface Sdt {
  /** False: of another transport stream. */
  readonly actual: boolean;
  readonly transportStreamId: TransportStreamId;
  readonly originalNetworkId: NetworkId;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly services: readonly DescribedService[];
}

export interface DescribedService {
  readonly serviceId: ServiceId;
  /** EIT_user_defined_flags: which of the three terrestrial EITs the service has, ARIB TR-B14 Vol. 4. */
  readonly hasHEit: boolean;
  readonly hasMEit: boolean;
  readonly hasLEit: boolean;
  readonly hasSchedule: boolean;
  readonly hasPresentFollowing: boolean;
  /** 3 bits; 0 (not defined) in operation. */
  readonly runningStatus: number;
  /** free_CA_mode: true = pay. Independent of scrambling. */
  readonly pay: boolean;
  readonly descriptors: readonly Descriptor[];
}

export const SDT_PID = 0x0011;
export const SDT_ACTUAL_TABLE_ID = 0x42;
export const SDT_OTHER_TABLE_ID = 0x46;

/** Undefined if the section is not an SDT, is not current yet, or has a wrong length. */
export function parseSdt(section: Section): Sdt | undefined {
  const actual = section.tableId === SDT_ACTUAL_TABLE_ID;
  if (!actual && section.tableId !== SDT_OTHER_TABLE_ID) return undefined;
  if (!section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  const originalNetworkId = r.u16() as NetworkId;
  r.skip(1); // reserved_future_use 8
  const services: DescribedService[] = [];
  while (r.remaining > 0) services.push(readService(r));
  if (r.exhausted) return undefined;
  return {
    actual,
    transportStreamId: section.extension as TransportStreamId,
    originalNetworkId,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    services,
  };
}

function readService(r: Reader): DescribedService {
  const serviceId = r.u16() as ServiceId;
  // reserved 3, H-EIT 1, M-EIT 1, L-EIT 1, EIT_schedule 1, EIT_present_following 1
  const eit = r.u8();
  // running_status 3, free_CA_mode 1, descriptors_loop_length 12
  const tail = r.u16();
  return {
    serviceId,
    hasHEit: (eit & 0x10) !== 0,
    hasMEit: (eit & 0x08) !== 0,
    hasLEit: (eit & 0x04) !== 0,
    hasSchedule: (eit & 0x02) !== 0,
    hasPresentFollowing: (eit & 0x01) !== 0,
    runningStatus: tail >> 13,
    pay: (tail & 0x1000) !== 0,
    descriptors: readDescriptors(r.slice(tail & 0x0fff)),
  };
}
