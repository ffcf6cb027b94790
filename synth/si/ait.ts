/**
 * The application information table of a Hybridcast station: one application that starts automatically. ETSI
 * TS 102 809 5.3.4; ARIB STD-B24 Vol. 4; IPTVFJ STD-0010.
 */
import { ByteWriter, encodeLatin } from './bytes.ts';
import { descriptor, descriptors } from './descriptors.ts';
import { longSection } from './section.ts';

/** application_type of HTML5 applications. */
export const HTML5_APPLICATION = 0x0011;
export const AIT_VERSION = 1;

const AUTOSTART = 1;
const HTTP = 0x0003;

interface ApplicationPlan {
  organizationId: number;
  applicationId: number;
  /** Base URL, with a trailing slash. */
  base: string;
  /** Path of the first document, relative to the base. */
  path: string;
}

export function aitSection(application: ApplicationPlan): Uint8Array {
  const label = 1;
  // application_profile 0, version 1.0.0; service bound, visible to all, reserved; priority; its transport.
  const profile = new ByteWriter().u16(0).u8(1).u8(0).u8(0).done();
  const about = new ByteWriter().counted8(profile).u8(0xff).u8(1).u8(label);
  const transport = new ByteWriter().u16(HTTP).u8(label).counted8(encodeLatin(application.base)).u8(0);
  const loop = descriptors(
    descriptor(0x00, about),
    descriptor(0x02, transport),
    descriptor(0x15, encodeLatin(application.path)),
  );
  const entry = new ByteWriter()
    .u32(application.organizationId)
    .u16(application.applicationId)
    .u8(AUTOSTART)
    .counted12(0xf, loop)
    .done();
  const body = new ByteWriter().counted12(0xf, new Uint8Array(0)).counted12(0xf, entry);
  // test_application_flag 0.
  const header = {
    tableId: 0x74,
    extension: HTML5_APPLICATION,
    version: AIT_VERSION,
    number: 0,
    lastNumber: 0,
  };
  return longSection(header, body.done());
}
