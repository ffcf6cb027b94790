import {
  type ApplicationTableDescriptor,
  readApplicationDescriptors,
} from '../descriptor/application/index.ts';
import { Reader } from '../reader.ts';
import type { Section } from '../ts/section.ts';

/** A section of the application information table. ETSI TS 102 809, 5.3.4; ARIB STD-B24 Vol. 4. */
interface Ait {
  /** test_application_flag: not intended for viewers. */
  readonly test: boolean;
  /** application_type, 15 bits: 0x0010 or 0x0011 HTML5 applications. */
  readonly applicationType: number;
  readonly version: number;
  readonly sectionNumber: number;
  readonly lastSectionNumber: number;
  readonly descriptors: readonly ApplicationTableDescriptor[];
  readonly applications: readonly Application[];
}

interface Application {
  /** organisation_id, 32 bits. */
  readonly organizationId: number;
  readonly applicationId: number;
  readonly control: ApplicationControl;
  /** application_control_code as sent. */
  readonly controlCode: number;
  readonly descriptors: readonly ApplicationTableDescriptor[];
}

/** application_control_code from 1 on, ETSI TS 102 809, table 3. */
const CONTROLS = ['autostart', 'present', 'destroy', 'kill', 'prefetch', 'remote'] as const;

type ApplicationControl = (typeof CONTROLS)[number] | 'unknown';

const AIT_TABLE_ID = 0x74;

/** Undefined if the section is not an AIT, is not current yet, or has a wrong length. */
export function parseAit(section: Section): Ait | undefined {
  if (section.tableId !== AIT_TABLE_ID || !section.long || !section.current) return undefined;
  const r = new Reader(section.body);
  // reserved 4, common_descriptors_length 12
  const descriptors = readApplicationDescriptors(r.slice(r.length12()));
  // reserved 4, application_loop_length 12
  const loop = r.slice(r.length12());
  const applications: Application[] = [];
  while (loop.remaining > 0) {
    const organizationId = loop.u32();
    const applicationId = loop.u16();
    const controlCode = loop.u8();
    applications.push({
      organizationId,
      applicationId,
      control: CONTROLS[controlCode - 1] ?? 'unknown',
      controlCode,
      // reserved 4, application_descriptors_loop_length 12
      descriptors: readApplicationDescriptors(loop.slice(loop.length12())),
    });
  }
  if (r.exhausted || loop.exhausted) return undefined;
  return {
    test: section.extension >= 0x8000,
    applicationType: section.extension & 0x7fff,
    version: section.version,
    sectionNumber: section.number,
    lastSectionNumber: section.lastNumber,
    descriptors,
    applications,
  };
}
