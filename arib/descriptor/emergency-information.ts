import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Emergency information descriptor, tag 0xFC, of a PMT. ARIB STD-B10 Part 2, 6.2.24; TR-B14 Vol. 4, TR-B15. */
export interface EmergencyInformationDescriptor {
  readonly kind: 'emergency_information';
  readonly services: readonly EmergencyService[];
}

interface EmergencyService {
  readonly serviceId: ServiceId;
  /** start_end_flag: the signal is on; false: it has ended (or is a test). */
  readonly on: boolean;
  /** signal_level: 0 the first kind of start signal, 1 the second. */
  readonly level: 0 | 1;
  /** area_code, 12 bits each, ARIB STD-B10 Part 2, Annex D. */
  readonly areaCodes: readonly number[];
}

export function parseEmergencyInformation(r: Reader): EmergencyInformationDescriptor {
  const services: EmergencyService[] = [];
  while (r.remaining > 0) {
    const serviceId = r.u16() as ServiceId;
    // start_end_flag 1, signal_level 1, reserved 6
    const flags = r.u8();
    const loop = r.slice(r.u8());
    const areaCodes: number[] = [];
    while (loop.remaining > 1) areaCodes.push(loop.u16() >> 4);
    services.push({ serviceId, on: (flags & 0x80) !== 0, level: (flags & 0x40) === 0 ? 0 : 1, areaCodes });
  }
  return { kind: 'emergency_information', services };
}
