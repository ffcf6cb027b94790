import type { ServiceId } from '../ids.ts';
import type { Reader } from '../reader.ts';

/** Time shifted service descriptor, tag 0x4C: a later copy of another service. ARIB STD-B10 Part 2, 6.2.19. */
export interface TimeShiftedServiceDescriptor {
  readonly kind: 'time_shifted_service';
  /** The service that describes the events. */
  readonly referenceServiceId: ServiceId;
}

export function parseTimeShiftedService(r: Reader): TimeShiftedServiceDescriptor {
  return { kind: 'time_shifted_service', referenceServiceId: r.u16() as ServiceId };
}
