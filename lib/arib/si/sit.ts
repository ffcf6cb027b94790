import { type Descriptor, readDescriptors } from '../descriptor/index.ts';
import type { ServiceId } from '../ids.ts';
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

/**
 * A section of the selection information table, which replaces SDT and EIT in partial streams made by
 * recorders. ETSI EN 300 468, 7.1.2; ARIB STD-B21, 9.1.8.2.
 */
interface Sit {
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  /** Of the stream: its rate, network and time. */
  readonly descriptors: readonly Descriptor[];
  readonly services: readonly SelectedService[];
}

interface SelectedService {
  readonly serviceId: ServiceId;
  /** 3 bits. */
  readonly runningStatus: number;
  /** Of the service and of its present event. */
  readonly descriptors: readonly Descriptor[];
}

const SIT_TABLE_ID = 0x7f;

/** Undefined if the section is not a SIT, is not current yet, or has a wrong length. */
export function parseSit(section: Section): Sit | undefined {
  if (section.tableId !== SIT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  // reserved 4, transmission_info_loop_length 12
  const descriptors = readDescriptors(r.slice(r.length12()));
  const services: SelectedService[] = [];
  while (r.remaining > 0) {
    const serviceId = r.u16() as ServiceId;
    // reserved 1, running_status 3, service_loop_length 12
    const tail = r.u16();
    services.push({
      serviceId,
      runningStatus: (tail >> 12) & 0x07,
      descriptors: readDescriptors(r.slice(tail & 0x0fff)),
    });
  }
  if (r.exhausted) return undefined;
  return {
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    descriptors,
    services,
  };
}
